// SPDX-License-Identifier: BSD-3-Clause
// tare_barrier: barriers of all ranks, one after the other.
#include <mpi.h>

#include "engine.hpp"

namespace {

using tare::bench::side;

void barriers(const side &self, int count) {
    for (int i = 0; i < count; ++i) {
        before_call(self.tool);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

}  // namespace

int main(int argc, char **argv) {
    tare::bench::bench_case bench{};
    bench.program = "tare_barrier";
    bench.title = "MPI Barrier Latency Test";
    bench.summary = "Time of a barrier of all ranks, as rank 0 sees it, with OSU's options and output.";
    bench.column = "Avg Latency(us)";
    bench.full_min = "Min Latency(us)";
    bench.full_max = "Max Latency(us)";
    bench.iterations = {1000, 1000};
    bench.warmup = {100, 100};
    bench.events_per_iteration = 1;
    bench.run = barriers;
    bench.figure = tare::bench::event_time_us;
    return tare::bench::bench_main(bench, argc, argv);
}
