// SPDX-License-Identifier: BSD-3-Clause
// tare_latency and tare_multi_lat: two ranks of each pair send one message to and fro; half of the round trip is the
// latency.
#include "messages.hpp"
#include "payload.hpp"
#include "programs.hpp"

namespace tare::bench {
namespace {

class ping_pong : public work {
  public:
    using work::work;

    void run(int count) override {
        if (self.wanted->is_nonblocking)
            exchange(self, count, [&] { send_and_wait(); }, [&] { receive_and_wait(); });
        else
            exchange(self, count, [&] { send(); }, [&] { receive(); });
    }

    bool is_right(int) const override { return holds_message(self, self.receive_buffer, peer); }

  private:
    const int peer = peer_of(self);
    const int source = source_of(self);
    decltype(&MPI_Send) const send_call = self.wanted->is_synchronous ? MPI_Ssend : MPI_Send;
    decltype(&MPI_Isend) const start_call = self.wanted->is_synchronous ? MPI_Issend : MPI_Isend;

    void send() {
        before_call(self.tool);
        send_call(self.send_buffer, self.count, self.type, peer, message_tag, MPI_COMM_WORLD);
    }

    void receive() {
        before_call(self.tool);
        MPI_Recv(self.receive_buffer, self.count, self.type, source, message_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }

    void wait(MPI_Request &request) {
        before_call(self.tool);
        MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
    }

    void send_and_wait() {
        MPI_Request request = MPI_REQUEST_NULL;
        before_call(self.tool);
        start_call(self.send_buffer, self.count, self.type, peer, message_tag, MPI_COMM_WORLD, &request);
        wait(request);
    }

    void receive_and_wait() {
        MPI_Request request = MPI_REQUEST_NULL;
        before_call(self.tool);
        MPI_Irecv(self.receive_buffer, self.count, self.type, source, message_tag, MPI_COMM_WORLD, &request);
        wait(request);
    }
};

std::unique_ptr<work> make_latency(const side &self) {
    return self.wanted->by_hand == scheme::nothing ? make_work<ping_pong>(self) : make_stamped_ping_pong(self);
}

}  // namespace

bench_case latency_defaults() {
    bench_case bench;
    bench.columns = time_columns("Latency (us)");
    bench.min_bytes = 0;
    bench.max_bytes = largest_default_bytes;
    bench.iterations = {10000, 1000};
    bench.warmup = {100, 10};
    bench.events_per_iteration = 2;
    return bench;
}

std::vector<bench_case> latency_programs() {
    bench_case two = latency_defaults();
    two.program = "tare_latency";
    two.title = "MPI Latency Test";
    two.summary = "Latency of one message between two ranks (half of a round trip), with OSU's options and output.";
    two.features = has_by_hand | has_layout | has_modes | has_blocking;
    two.make = make_latency;
    bench_case many = latency_defaults();
    many.program = "tare_multi_lat";
    many.title = "MPI Multi Latency Test";
    many.summary = "Mean latency of one message between the ranks of all pairs at once, with OSU's options and output.";
    many.features = has_layout | has_modes | has_blocking;
    many.ranks = ranks_needed::even;
    many.samples = samples_of::mean_of_ranks;
    many.make = make_work<ping_pong>;
    return {two, many};
}

}  // namespace tare::bench
