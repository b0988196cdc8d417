// SPDX-License-Identifier: BSD-3-Clause
// tare_barrier, tare_bcast, tare_allreduce, tare_iallreduce, tare_alltoall, tare_put_latency: calls that all ranks make,
// one after the other. TARE_PROGRAM says which of them a program is.
#include <mpi.h>

#include <cstring>

#include "engine.hpp"

namespace {

using tare::bench::side;

constexpr int float_bytes = 4;
constexpr int largest_bytes = 1 << 20;

template <typename Call> void repeat(const side &self, int count, const Call &call) {
    for (int i = 0; i < count; ++i) {
        before_call(self.tool);
        call(i);
    }
}

void barriers(const side &self, int count) {
    repeat(self, count, [](int) { MPI_Barrier(MPI_COMM_WORLD); });
}

// The ranks are roots in turn, so that none runs ahead.
void broadcasts(const side &self, int count) {
    repeat(self, count, [&](int i) {
        MPI_Bcast(self.send_buffer, self.size, MPI_CHAR, i % self.ranks, MPI_COMM_WORLD);
    });
}

void sums(const side &self, int count) {
    repeat(self, count, [&](int) {
        MPI_Allreduce(self.send_buffer, self.receive_buffer, self.size / float_bytes, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    });
}

void nonblocking_sums(const side &self, int count) {
    repeat(self, count, [&](int) {
        MPI_Request request;
        MPI_Iallreduce(self.send_buffer, self.receive_buffer, self.size / float_bytes, MPI_FLOAT, MPI_SUM,
                       MPI_COMM_WORLD, &request);
        before_call(self.tool);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    });
}

void exchanges(const side &self, int count) {
    repeat(self, count, [&](int) {
        MPI_Alltoall(self.send_buffer, self.size, MPI_CHAR, self.receive_buffer, self.size, MPI_CHAR, MPI_COMM_WORLD);
    });
}

// --- one-sided ---

MPI_Win window = MPI_WIN_NULL;
int window_bytes;

void drop_window() {
    if (window != MPI_WIN_NULL)
        MPI_Win_free(&window);
}

// The first call for a size warms up.
void use_window(const side &self) {
    if (window != MPI_WIN_NULL && window_bytes == self.size)
        return;
    drop_window();
    window_bytes = self.size;
    MPI_Win_create(self.receive_buffer, self.size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
}

void puts_and_fences(const side &self, int count) {
    use_window(self);
    repeat(self, count, [&](int) {
        if (self.rank == 0) {
            MPI_Put(self.send_buffer, self.size, MPI_CHAR, 1, 0, self.size, MPI_CHAR, window);
            before_call(self.tool);
        }
        MPI_Win_fence(0, window);
    });
}

// --- the programs ---

struct program {
    const char *name;
    const char *title;
    const char *summary;
    int min_bytes;  // 0: has no sizes
    bool has_bytes_per_rank;
    void (*run)(const side &self, int count);
    void (*end)();
};

const program programs[] = {
    {"tare_barrier", "MPI Barrier Latency Test",
     "Time of a barrier of all ranks, as rank 0 sees it, with OSU's options and output.", 0, false, barriers, nullptr},
    {"tare_bcast", "MPI Broadcast Latency Test",
     "Time of a broadcast, whose roots are all ranks in turn, with OSU's options and output.", 1, false, broadcasts,
     nullptr},
    {"tare_allreduce", "MPI Allreduce Latency Test",
     "Time of a sum of floats over all ranks, with OSU's options and output.", float_bytes, false, sums, nullptr},
    {"tare_iallreduce", "MPI Non-blocking Allreduce Latency Test",
     "Time of a nonblocking sum of floats over all ranks and its wait, with OSU's options and output.", float_bytes,
     false, nonblocking_sums, nullptr},
    {"tare_alltoall", "MPI All-to-All Personalized Exchange Latency Test",
     "Time of an exchange of so many bytes between all pairs of ranks, with OSU's options and output.", 1, true,
     exchanges, nullptr},
    {"tare_put_latency", "MPI_Put Latency Test",
     "Time of a put from rank 0 to rank 1 and of the fence behind it, with OSU's options and output.", 1, false,
     puts_and_fences, drop_window},
};

const program &this_program() {
    const program *p = programs;
    while (std::strcmp(p->name, TARE_PROGRAM) != 0)
        ++p;
    return *p;
}

}  // namespace

int main(int argc, char **argv) {
    const program &self = this_program();
    const bool has_sizes = self.min_bytes > 0;
    tare::bench::bench_case bench{};
    bench.program = self.name;
    bench.title = self.title;
    bench.summary = self.summary;
    bench.column = "Avg Latency(us)";
    bench.full_min = "Min Latency(us)";
    bench.full_max = "Max Latency(us)";
    bench.min_bytes = self.min_bytes;
    bench.max_bytes = has_sizes ? largest_bytes : 0;
    bench.iterations = {1000, has_sizes ? 100 : 1000};
    bench.warmup = {100, has_sizes ? 10 : 100};
    bench.has_bytes_per_rank = self.has_bytes_per_rank;
    bench.events_per_iteration = 1;
    bench.run = self.run;
    bench.end = self.end;
    bench.figure = tare::bench::event_time_us;
    return tare::bench::bench_main(bench, argc, argv);
}
