// SPDX-License-Identifier: BSD-3-Clause
// What all benchmarks share. A benchmark is one `bench_case`: its defaults, and a function that runs `count`
// iterations on one rank. The engine owns options, MPI set-up, warm-up, the clock, samples and output.
#ifndef TARE_BENCH_ENGINE_HPP
#define TARE_BENCH_ENGINE_HPP

#include <vector>

#include "options.hpp"

namespace tare::bench {

constexpr int max_samples = 100;
constexpr int largest_default_bytes = 1 << 22;

// One rank's side of the benchmark while it runs. The buffers belong to the engine and hold `size` bytes, or as many for
// each rank.
struct side {
    int rank;
    int ranks;
    int size;
    int window;
    char *send_buffer;
    char *receive_buffer;
    scheme by_hand;
    tool_calls tool;  // what to do before each MPI call: before_call(self.tool)
};

// One line of the table: every sample is the time of one event (a one-way message, a window) in microseconds.
struct row {
    int size;
    int iterations;
    std::vector<double> samples_us;
    double median_us;
    double mad_us;
};

struct bench_case {
    const char *program;
    const char *title;
    const char *summary;
    const char *column;     // heading of the figure, with its unit
    const char *full_min;   // headings that -f adds
    const char *full_max;
    int min_bytes;
    int max_bytes;          // 0 where the benchmark has no sizes
    counts iterations;
    counts warmup;
    int window;
    int most_ranks;                                      // 2, or 0 for any number from 2
    bool has_by_hand;                                    // knows --by-hand
    bool has_bytes_per_rank;                             // its buffers hold `size` bytes for each rank
    int events_per_iteration;                            // 2 for a round trip
    void (*run)(const side &self, int count);            // nothing but the messages: it is inside the clock
    void (*end)();                                       // after the last of them, or null
    double (*figure)(double event_us, const row &line, int window);
    const char *json_figure;                             // extra key of a JSON row, or null
};

// The figure of a benchmark that shows the time itself.
inline double event_time_us(double event_us, const row &, int) {
    return event_us;
}

int bench_main(const bench_case &bench, int argc, char **argv);

}  // namespace tare::bench

#endif
