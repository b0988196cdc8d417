// SPDX-License-Identifier: BSD-3-Clause
// tare_latency: rank 0 and rank 1 send one message to and fro; half of the round trip is the latency.
#include <mpi.h>

#include "engine.hpp"

namespace {

using tare::bench::side;

constexpr int tag = 1;

void send(const side &self) {
    before_call(self.tool);
    MPI_Send(self.send_buffer, self.size, MPI_CHAR, 1 - self.rank, tag, MPI_COMM_WORLD);
}

void receive(const side &self) {
    before_call(self.tool);
    MPI_Recv(self.receive_buffer, self.size, MPI_CHAR, 1 - self.rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void ping_pong(const side &self, int count) {
    for (int i = 0; i < count; ++i) {
        if (self.rank == 0)
            send(self);
        receive(self);
        if (self.rank == 1)
            send(self);
    }
}

}  // namespace

int main(int argc, char **argv) {
    tare::bench::bench_case bench{};
    bench.program = "tare_latency";
    bench.title = "MPI Latency Test";
    bench.summary = "Latency of one message between two ranks (half of a round trip), with OSU's options and output.";
    bench.column = "Latency (us)";
    bench.full_min = "Min Latency(us)";
    bench.full_max = "Max Latency(us)";
    bench.min_bytes = 0;
    bench.max_bytes = tare::bench::largest_default_bytes;
    bench.iterations = {10000, 1000};
    bench.warmup = {100, 10};
    bench.most_ranks = 2;
    bench.events_per_iteration = 2;
    bench.run = ping_pong;
    bench.figure = tare::bench::event_time_us;
    return tare::bench::bench_main(bench, argc, argv);
}
