// SPDX-License-Identifier: BSD-3-Clause
// tare_partitioned_latency: a ping-pong of messages whose parts are said to be ready one by one. MPI 4.
#include "messages.hpp"
#include "payload.hpp"
#include "programs.hpp"

namespace tare::bench {

#if MPI_VERSION < 4
std::vector<bench_case> partitioned_programs() { return {}; }
#else
namespace {

class ping_pong : public work {
  public:
    explicit ping_pong(const side &on) : work(on) {
        MPI_Psend_init(self.send_buffer, parts, self.size / parts, MPI_CHAR, peer, message_tag, MPI_COMM_WORLD,
                       MPI_INFO_NULL, &sending);
        MPI_Precv_init(self.receive_buffer, parts, self.size / parts, MPI_CHAR, peer, message_tag, MPI_COMM_WORLD,
                       MPI_INFO_NULL, &receiving);
    }

    ~ping_pong() override {
        MPI_Request_free(&sending);
        MPI_Request_free(&receiving);
    }

    void run(int count) override {
        exchange(self, count, [&] { send(); }, [&] { receive(); });
    }

    bool is_right(int) const override { return holds_message(self, self.receive_buffer, peer); }

  private:
    const int peer = peer_of(self);
    const int parts = parts_of(self.size, self.wanted->partitions);
    MPI_Request sending = MPI_REQUEST_NULL;
    MPI_Request receiving = MPI_REQUEST_NULL;

    // The most that divide the message, up to `wanted`.
    static int parts_of(int size, int wanted) {
        int parts = wanted;
        while (size % parts != 0)
            --parts;
        return parts;
    }

    void start(MPI_Request &request) {
        before_call(self.tool);
        MPI_Start(&request);
    }

    void wait(MPI_Request &request) {
        before_call(self.tool);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }

    void send() {
        start(sending);
        for (int part = 0; part < parts; ++part) {
            before_call(self.tool);
            MPI_Pready(part, sending);
        }
        wait(sending);
    }

    void receive() {
        start(receiving);
        wait(receiving);
    }
};

std::string partitions_note(const options &wanted, int) {
    return "# Partitions: " + std::to_string(wanted.partitions) + "\n";
}

}  // namespace

std::vector<bench_case> partitioned_programs() {
    bench_case bench = latency_defaults();
    bench.program = "tare_partitioned_latency";
    bench.title = "MPI Partitioned Latency Test";
    bench.summary = "Latency of a message in partitions between two ranks, with OSU's options and output.";
    bench.min_bytes = 1;
    bench.features = has_partitions;
    bench.note = partitions_note;
    bench.make = make_work<ping_pong>;
    return {bench};
}
#endif

}  // namespace tare::bench
