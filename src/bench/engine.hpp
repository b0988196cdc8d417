// SPDX-License-Identifier: BSD-3-Clause
// What all benchmarks share. A benchmark is one `bench_case`: its defaults, and what makes the `work` of one size on
// one rank. The engine owns options, MPI set-up, buffers, warm-up, the clock, samples, the payload check and output.
#ifndef TARE_BENCH_ENGINE_HPP
#define TARE_BENCH_ENGINE_HPP

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <mpi.h>

#include "columns.hpp"
#include "options.hpp"

namespace tare::bench {

constexpr int max_samples = 100;
constexpr int largest_default_bytes = 1 << 22;

// One rank's side of the benchmark while it measures one size. The buffers belong to the engine and hold `bytes`: a
// message, or one for each rank.
struct side {
    int rank;
    int ranks;
    int size;
    int window;
    std::size_t bytes;
    char *send_buffer;
    char *receive_buffer;
    MPI_Datatype type;  // `count` of it are a message of `size` bytes
    int count;
    int batch;          // of those whose payload is checked
    const options *wanted;
    tool_calls tool;    // what to do before each MPI call: before_call(self.tool)
};

// A size on a rank: made before the warm-up, with what MPI needs for it, and gone behind the last sample.
class work {
  public:
    explicit work(const side &on) : self(on) {}
    virtual ~work() = default;
    work(const work &) = delete;
    work &operator=(const work &) = delete;

    // Nothing but the messages of `count` iterations: it is inside the clock.
    virtual void run(int count) = 0;
    // -c: what the ranks have before a batch, in which everything differs from batch to batch ...
    virtual void fill();
    // ... what makes the data of a batch be there, as soon as all ranks have called it ...
    virtual void settle() {}
    // ... and whether this rank has what it should after one of `count` iterations.
    virtual bool is_right(int count) const = 0;
    // What else belongs to the row, measured behind the samples.
    virtual void add_to(row &) {}

  protected:
    const side &self;
};

enum class ranks_needed { two, two_or_more, even };
// Whose samples are printed: rank 0's, or those of all ranks.
enum class samples_of { first_rank, slowest_rank, mean_of_ranks };

struct bench_case {
    std::string program;
    std::string title;
    std::string summary;
    std::vector<column> columns;
    int min_bytes = 1;
    int max_bytes = 0;               // 0 where the benchmark has no sizes
    counts iterations = {};
    counts warmup = {};
    int window = 0;
    unsigned features = 0;           // the options that it knows, of `feature`
    ranks_needed ranks = ranks_needed::two;
    samples_of samples = samples_of::first_rank;
    bool has_bytes_per_rank = false;    // its buffers hold `size` bytes for each rank
    bool needs_threads = false;         // that all call MPI
    bool is_passive = false;            // a rank may be ready with a batch long before the others
    int events_per_iteration = 1;       // 2 for a round trip
    int ways = 1;                       // 2 where the messages of a window go both ways
    // Comment lines under the title, each with its end.
    std::string (*note)(const options &wanted, int ranks) = nullptr;
    // One sentence about options that do not go together, or with so many ranks; else nothing.
    std::string (*refuse)(const bench_case &bench, const options &wanted, int ranks) = nullptr;
    std::function<std::unique_ptr<work>(const side &self)> make;
    one_sided_defaults one_sided = {};
};

// For the field `make`.
template <typename Work> std::unique_ptr<work> make_work(const side &self) {
    return std::make_unique<Work>(self);
}

int bench_main(const bench_case &bench, int argc, char **argv);

}  // namespace tare::bench

#endif
