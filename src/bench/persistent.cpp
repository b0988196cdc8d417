// SPDX-License-Identifier: BSD-3-Clause
// tare_latency_persistent, tare_bw_persistent, tare_bibw_persistent: messages by requests made once for a size.
#include "messages.hpp"
#include "payload.hpp"
#include "programs.hpp"

namespace tare::bench {
namespace {

constexpr int answer_tag = 2;
constexpr int answer_bytes = 4;

// `count` requests to send and as many to receive, started together.
class persistent_work : public work {
  public:
    persistent_work(const side &on, int count) : work(on), sends(count), receives(count) {
        const auto init = self.wanted->is_synchronous ? MPI_Ssend_init : MPI_Send_init;
        for (int i = 0; i < count; ++i) {
            init(self.send_buffer + i * bytes_apart(self), self.count, self.type, peer, message_tag, MPI_COMM_WORLD,
                 &sends[i]);
            MPI_Recv_init(self.receive_buffer + i * bytes_apart(self), self.count, self.type, source_of(self),
                          message_tag, MPI_COMM_WORLD, &receives[i]);
        }
    }

    ~persistent_work() override {
        for (auto *requests : {&sends, &receives})
            for (MPI_Request &request : *requests)
                MPI_Request_free(&request);
    }

    bool is_right(int) const override { return holds_window(self, peer); }

  protected:
    const int peer = peer_of(self);
    std::vector<MPI_Request> sends;
    std::vector<MPI_Request> receives;

    void start(std::vector<MPI_Request> &requests) {
        before_call(self.tool);
        MPI_Startall(static_cast<int>(requests.size()), requests.data());
    }

    void wait(std::vector<MPI_Request> &requests) {
        before_call(self.tool);
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    }

    void start_and_wait(std::vector<MPI_Request> &requests) {
        start(requests);
        wait(requests);
    }
};

class ping_pong : public persistent_work {
  public:
    explicit ping_pong(const side &on) : persistent_work(on, 1) {}

    void run(int count) override {
        exchange(self, count, [&] { start_and_wait(sends); }, [&] { start_and_wait(receives); });
    }
};

class one_way : public persistent_work {
  public:
    explicit one_way(const side &on) : persistent_work(on, on.window) {}

    void run(int count) override {
        char answer[answer_bytes] = {};
        for (int i = 0; i < count; ++i) {
            start_and_wait(is_first(self) ? sends : receives);
            before_call(self.tool);
            if (is_first(self))
                MPI_Recv(answer, answer_bytes, MPI_CHAR, peer, answer_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            else
                MPI_Send(answer, answer_bytes, MPI_CHAR, peer, answer_tag, MPI_COMM_WORLD);
        }
    }

    bool is_right(int count) const override { return is_first(self) || persistent_work::is_right(count); }
};

class both_ways : public persistent_work {
  public:
    explicit both_ways(const side &on) : persistent_work(on, on.window) {}

    void run(int count) override {
        for (int i = 0; i < count; ++i) {
            start(receives);
            start(sends);
            wait(sends);
            wait(receives);
        }
    }
};

}  // namespace

std::vector<bench_case> persistent_programs() {
    bench_case latency = latency_defaults();
    latency.program = "tare_latency_persistent";
    latency.title = "MPI Persistent Latency Test";
    latency.summary = "Latency of a message by persistent requests between two ranks, with OSU's options and output.";
    latency.features = has_layout | has_modes;
    latency.make = make_work<ping_pong>;
    bench_case one = bandwidth_defaults();
    one.program = "tare_bw_persistent";
    one.title = "MPI Persistent Bandwidth Test";
    one.summary = "Bandwidth of a window of persistent requests from rank 0 to rank 1, with OSU's options and output.";
    one.make = make_work<one_way>;
    bench_case both = bandwidth_defaults();
    both.program = "tare_bibw_persistent";
    both.title = "MPI Persistent Bi-Directional Bandwidth Test";
    both.summary = "Bandwidth of windows of persistent requests, both ways at once, with OSU's options and output.";
    both.ways = 2;
    both.make = make_work<both_ways>;
    return {latency, one, both};
}

}  // namespace tare::bench
