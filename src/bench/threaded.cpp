// SPDX-License-Identifier: BSD-3-Clause
// tare_latency_mt: threads of rank 0 send messages, and whichever thread of rank 1 receives one answers it.
#include "crew.hpp"
#include "messages.hpp"
#include "payload.hpp"
#include "programs.hpp"

namespace tare::bench {
namespace {

constexpr int question_tag = 1;
constexpr int answer_tag = 2;

class threaded_ping_pong : public work {
  public:
    using work::work;

    void run(int count) override { threads.run(count); }
    bool is_right(int) const override { return holds_message(self, self.receive_buffer, peer); }

  private:
    const int peer = peer_of(self);
    crew threads{is_first(self) ? self.wanted->senders : self.wanted->receivers,
                 [this](int count) { is_first(self) ? ask(count) : answer(count); }};

    void ask(int count) {
        for (int i = 0; i < count; ++i) {
            send(question_tag);
            receive(answer_tag);
        }
    }

    void answer(int count) {
        for (int i = 0; i < count; ++i) {
            receive(question_tag);
            send(answer_tag);
        }
    }

    void send(int tag) {
        before_call(self.tool);
        MPI_Send(self.send_buffer, self.size, MPI_CHAR, peer, tag, MPI_COMM_WORLD);
    }

    // Into one buffer, as in OSU: all messages are the same.
    void receive(int tag) {
        before_call(self.tool);
        MPI_Recv(self.receive_buffer, self.size, MPI_CHAR, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
};

std::string threads_note(const options &wanted, int) {
    return "# Number of Sender threads: " + std::to_string(wanted.senders) +
           "\n# Number of Receiver threads: " + std::to_string(wanted.receivers) + "\n";
}

}  // namespace

std::vector<bench_case> threaded_programs() {
    bench_case bench = latency_defaults();
    bench.program = "tare_latency_mt";
    bench.title = "MPI Multi-threaded Latency Test";
    bench.summary = "Latency of messages from threads of rank 0 to threads of rank 1, with OSU's options and output.";
    bench.features = has_threads;
    bench.needs_threads = true;
    bench.note = threads_note;
    bench.make = make_work<threaded_ping_pong>;
    return {bench};
}

}  // namespace tare::bench
