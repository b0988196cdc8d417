// SPDX-License-Identifier: BSD-3-Clause
#include "engine.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <mpi.h>

#include "output.hpp"
#include "stats.hpp"

namespace tare::bench {
namespace {

constexpr int exit_failed = 1;
constexpr int exit_bad_usage = 2;
constexpr std::size_t page_bytes = 4096;

// Not MPI_Wtime: a tool's wrapper around it would be measured with the messages.
using clock = std::chrono::steady_clock;

struct free_memory {
    void operator()(char *memory) const { std::free(memory); }
};
using buffer = std::unique_ptr<char, free_memory>;

// Page-aligned as in OSU, and written once so that no page fault falls inside the clock.
buffer make_buffer(std::size_t size, char fill) {
    const std::size_t wanted = std::max<std::size_t>(size, 1);
    const std::size_t pages = (wanted + page_bytes - 1) / page_bytes * page_bytes;
    buffer result(static_cast<char *>(std::aligned_alloc(page_bytes, pages)));
    if (result)
        std::memset(result.get(), fill, pages);
    return result;
}

// Batch `index` of `batches` gets its share of the iterations; together the batches run all of them.
int batch_length(int iterations, int batches, int index) {
    const long long total = iterations;
    return static_cast<int>(total * (index + 1) / batches - total * index / batches);
}

double time_of_batch(const bench_case &bench, const side &self, int count) {
    const clock::time_point start = clock::now();
    bench.run(self, count);
    const std::chrono::duration<double, std::micro> elapsed = clock::now() - start;
    return elapsed.count() / bench.events_per_iteration / count;
}

// Whoever had the cores before has left the caches to be filled.
constexpr int part_that_warms_up = 4;

std::vector<double> timed_in_turn(const bench_case &bench, const side &self, int iterations, turns &order) {
    const int batches = std::min(iterations, max_samples);
    std::vector<double> samples_us;
    for (int i = 0; i < batches; ++i) {
        const int count = batch_length(iterations, batches, i);
        order.begin();
        bench.run(self, count / part_that_warms_up + 1);
        samples_us.push_back(time_of_batch(bench, self, count));
        order.end();
    }
    return samples_us;
}

std::vector<double> timed_batches(const bench_case &bench, const side &self, int iterations) {
    const int batches = std::min(iterations, max_samples);
    std::vector<clock::time_point> ends(static_cast<std::size_t>(batches) + 1);
    ends[0] = clock::now();
    for (int i = 0; i < batches; ++i) {
        bench.run(self, batch_length(iterations, batches, i));
        ends[static_cast<std::size_t>(i) + 1] = clock::now();
    }
    std::vector<double> samples_us(static_cast<std::size_t>(batches));
    for (int i = 0; i < batches; ++i) {
        const std::chrono::duration<double, std::micro> elapsed = ends[i + 1] - ends[i];
        samples_us[i] = elapsed.count() / bench.events_per_iteration / batch_length(iterations, batches, i);
    }
    return samples_us;
}

row measure(const bench_case &bench, const options &wanted, const side &self, turns &order) {
    row line{self.size, wanted.iterations.for_size(self.size), {}, 0, 0};
    order.begin();
    MPI_Barrier(MPI_COMM_WORLD);
    bench.run(self, wanted.warmup.for_size(self.size));
    order.end();
    line.samples_us = wanted.turn.runs > 0 ? timed_in_turn(bench, self, line.iterations, order)
                                           : timed_batches(bench, self, line.iterations);
    line.median_us = median(line.samples_us);
    line.mad_us = median_deviation(line.samples_us, line.median_us);
    return line;
}

long long next_size(long long size) {
    return size == 0 ? 1 : size * 2;
}

std::vector<row> measure_sizes(const bench_case &bench, const options &wanted, side self, turns &order) {
    const bool prints = self.rank == 0 && !wanted.json;
    std::vector<row> rows;
    if (prints)
        print_table_header(bench, wanted.full);
    for (long long size = wanted.min_bytes; size <= wanted.max_bytes; size = next_size(size)) {
        self.size = static_cast<int>(size);
        rows.push_back(measure(bench, wanted, self, order));
        if (prints)
            print_table_row(bench, wanted, rows.back());
    }
    return rows;
}

int fail(const bench_case &bench, int rank, int status, const std::string &sentence) {
    if (rank == 0)
        std::fprintf(stderr, "%s: %s\n", bench.program, sentence.c_str());
    return status;
}

bool everywhere(bool here) {
    int all = here;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all != 0;
}

std::string ranks_error(const bench_case &bench, int ranks) {
    if (ranks >= 2 && (bench.most_ranks == 0 || ranks <= bench.most_ranks))
        return {};
    return std::string("needs ") + (bench.most_ranks == 0 ? "at least" : "exactly") + " 2 ranks, not " +
           std::to_string(ranks) + ": start it by mpiexec -n 2";
}

std::string declare_error(const options &wanted, const std::string &load_error) {
    return std::string("--declare ") + name_of(wanted.declared) + ": " +
           (load_error.empty() ? "another rank could not load libtare" : load_error);
}

int run_ranks(const bench_case &bench, const options &wanted, int rank, int ranks) {
    if (!wanted.error.empty())
        return fail(bench, rank, exit_bad_usage, wanted.error + " (see --help)");
    if (const std::string error = ranks_error(bench, ranks); !error.empty())
        return fail(bench, rank, exit_bad_usage, error);
    const std::size_t bytes = static_cast<std::size_t>(wanted.max_bytes) * (bench.has_bytes_per_rank ? ranks : 1);
    const buffer sent = make_buffer(bytes, 'a');
    const buffer received = make_buffer(bytes, 'b');
    if (!everywhere(sent && received))
        return fail(bench, rank, exit_failed,
                    "no memory for two buffers of " + std::to_string(bytes) + " bytes a rank: lower -m");
    side self{rank, ranks, 0, wanted.window, sent.get(), received.get(), wanted.by_hand, {}};
    const std::string load_error = load_tool(wanted.declared, rank, self.tool);
    if (!everywhere(load_error.empty()))
        return fail(bench, rank, exit_failed, declare_error(wanted, load_error));
    turns order;
    const std::string turn_error = order.join(wanted.turn, ranks);
    if (!everywhere(turn_error.empty()))
        return fail(bench, rank, exit_failed, turn_error.empty() ? "--turn: another rank failed" : turn_error);
    const std::vector<row> rows = measure_sizes(bench, wanted, self, order);
    if (bench.end != nullptr)
        bench.end();
    order.wait_for_others();
    if (wanted.json && rank == 0)
        print_json(bench, wanted, rows);
    return EXIT_SUCCESS;
}

// --help and --version are answered without MPI, so a launcher's word for the rank keeps them from being repeated.
bool is_first_process() {
    for (const char *name : {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"}) {
        const char *rank = std::getenv(name);
        if (rank)
            return std::strcmp(rank, "0") == 0;
    }
    return true;
}

}  // namespace

int bench_main(const bench_case &bench, int argc, char **argv) {
    const options wanted = parse_options(bench, argc, argv);
    if (wanted.error.empty() && (wanted.help || wanted.version)) {
        if (is_first_process())
            (wanted.help ? print_help : print_version)(bench);
        return EXIT_SUCCESS;
    }
    MPI_Init(&argc, &argv);
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int status = run_ranks(bench, wanted, rank, ranks);
    MPI_Finalize();
    return status;
}

}  // namespace tare::bench
