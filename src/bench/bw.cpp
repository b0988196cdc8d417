// SPDX-License-Identifier: BSD-3-Clause
// tare_bw: rank 0 keeps a window of messages in flight to rank 1, which answers each window with 4 bytes.
#include <vector>

#include <mpi.h>

#include "engine.hpp"

namespace {

using tare::bench::row;
using tare::bench::side;

constexpr int data_tag = 100;
constexpr int answer_tag = 101;
constexpr int answer_bytes = 4;

void wait_all(const side &self, std::vector<MPI_Request> &requests) {
    before_call(self.tool);
    MPI_Waitall(self.window, requests.data(), MPI_STATUSES_IGNORE);
}

// All messages of a window share one buffer, as in OSU: separate buffers would measure the caches as well.
void send_windows(const side &self, std::vector<MPI_Request> &requests, int count) {
    char answer[answer_bytes];
    for (int i = 0; i < count; ++i) {
        for (MPI_Request &request : requests) {
            before_call(self.tool);
            MPI_Isend(self.send_buffer, self.size, MPI_CHAR, 1, data_tag, MPI_COMM_WORLD, &request);
        }
        wait_all(self, requests);
        before_call(self.tool);
        MPI_Recv(answer, answer_bytes, MPI_CHAR, 1, answer_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

void receive_windows(const side &self, std::vector<MPI_Request> &requests, int count) {
    const char answer[answer_bytes] = {};
    for (int i = 0; i < count; ++i) {
        for (MPI_Request &request : requests) {
            before_call(self.tool);
            MPI_Irecv(self.receive_buffer, self.size, MPI_CHAR, 0, data_tag, MPI_COMM_WORLD, &request);
        }
        wait_all(self, requests);
        before_call(self.tool);
        MPI_Send(answer, answer_bytes, MPI_CHAR, 0, answer_tag, MPI_COMM_WORLD);
    }
}

void windows(const side &self, int count) {
    static std::vector<MPI_Request> requests;  // kept, so that a batch allocates nothing inside the clock
    requests.resize(static_cast<std::size_t>(self.window), MPI_REQUEST_NULL);
    (self.rank == 0 ? send_windows : receive_windows)(self, requests, count);
}

// Bytes per microsecond are megabytes (10^6) per second.
double bandwidth_mb_s(double event_us, const row &line, int window) {
    return static_cast<double>(line.size) * window / event_us;
}

}  // namespace

int main(int argc, char **argv) {
    tare::bench::bench_case bench{};
    bench.program = "tare_bw";
    bench.title = "MPI Bandwidth Test";
    bench.summary = "Bandwidth of a window of messages from rank 0 to rank 1, with OSU's options and output.";
    bench.column = "Bandwidth (MB/s)";
    bench.full_min = "Min (MB/s)";
    bench.full_max = "Max (MB/s)";
    bench.min_bytes = 1;
    bench.max_bytes = tare::bench::largest_default_bytes;
    bench.iterations = {100, 20};
    bench.warmup = {10, 2};
    bench.window = 64;
    bench.most_ranks = 2;
    bench.events_per_iteration = 1;
    bench.run = windows;
    bench.figure = bandwidth_mb_s;
    bench.json_figure = "mb_per_s";
    return tare::bench::bench_main(bench, argc, argv);
}
