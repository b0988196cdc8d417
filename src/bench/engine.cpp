// SPDX-License-Identifier: BSD-3-Clause
#include "engine.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <mpi.h>

#include "measure.hpp"
#include "output.hpp"

namespace tare::bench {
namespace {

constexpr int exit_failed = 1;
constexpr int exit_bad_usage = 2;
constexpr std::size_t page_bytes = 4096;

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

long long next_size(long long size, const options &wanted) {
    return size == 0 ? 1 : size * wanted.growth;
}

// A contiguous message, or as -D says; for each rank, or each message of the window, if the benchmark has that.
std::size_t buffer_bytes(const bench_case &bench, const options &wanted, int size, int ranks) {
    const int blocks = bench.has_bytes_per_rank ? ranks : wanted.has_own_buffers ? wanted.window : 1;
    return wanted.placing.extent_of(size) * static_cast<std::size_t>(blocks);
}

// -M. An error is one sentence.
std::string keep_within_memory(const bench_case &bench, options &wanted, int ranks) {
    long long fitting = 0;
    for (long long size = wanted.min_bytes; wanted.memory_bytes != 0 && size <= wanted.max_bytes;
         size = next_size(size, wanted)) {
        const std::size_t bytes = 2 * buffer_bytes(bench, wanted, static_cast<int>(size), ranks);
        if (bytes > static_cast<std::size_t>(wanted.memory_bytes)) {
            wanted.max_bytes = static_cast<int>(fitting);
            return size != wanted.min_bytes ? ""
                                            : "-M " + std::to_string(wanted.memory_bytes) + ": the two buffers for " +
                                                  std::to_string(size) + " bytes take " + std::to_string(bytes);
        }
        fitting = size;
    }
    return {};
}

// Sizes that the blocks of -D do not divide can take more room than greater ones.
std::size_t greatest_buffer_bytes(const bench_case &bench, const options &wanted, int ranks) {
    std::size_t most = 0;
    for (long long size = wanted.min_bytes; size <= wanted.max_bytes; size = next_size(size, wanted))
        most = std::max(most, buffer_bytes(bench, wanted, static_cast<int>(size), ranks));
    return most;
}

bool everywhere(bool here) {
    int all = here;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all != 0;
}

row measure_size(const bench_case &bench, side &self, turns &order, int size) {
    const options &wanted = *self.wanted;
    self.size = size;
    self.bytes = buffer_bytes(bench, wanted, size, self.ranks);
    self.type = wanted.placing.make_type(size);
    self.count = wanted.placing.is_plain() ? size : 1;
    row line = measure(bench, self, order);
    if (!wanted.placing.is_plain())
        MPI_Type_free(&self.type);
    line.is_right = !wanted.validates || everywhere(line.is_right);
    return line;
}

// Up to the first row with wrong data.
std::vector<row> measure_sizes(const bench_case &bench, side &self, turns &order) {
    const options &wanted = *self.wanted;
    const bool prints = self.rank == 0 && !wanted.json;
    std::vector<row> rows;
    if (prints)
        print_table_header(bench, wanted, self.ranks);
    for (long long size = wanted.min_bytes; size <= wanted.max_bytes; size = next_size(size, wanted)) {
        rows.push_back(measure_size(bench, self, order, static_cast<int>(size)));
        if (prints)
            print_table_row(bench, wanted, rows.back());
        if (!rows.back().is_right)
            break;
    }
    return rows;
}

int fail(const bench_case &bench, int rank, int status, const std::string &sentence) {
    if (rank == 0)
        std::fprintf(stderr, "%s: %s\n", bench.program.c_str(), sentence.c_str());
    return status;
}

std::string ranks_error(const bench_case &bench, const options &wanted, int ranks) {
    const char *needed = bench.ranks == ranks_needed::two           ? "exactly 2 ranks"
                         : bench.ranks == ranks_needed::two_or_more ? "at least 2 ranks"
                                                                    : "an even number of ranks";
    const bool is_good = ranks >= 2 && (bench.ranks == ranks_needed::two_or_more ||
                                        (bench.ranks == ranks_needed::two ? ranks == 2 : ranks % 2 == 0));
    if (!is_good)
        return std::string("needs ") + needed + ", not " + std::to_string(ranks) + ": start it by mpiexec -n 2";
    return bench.refuse == nullptr ? "" : bench.refuse(bench, wanted, ranks);
}

std::string declare_error(const options &wanted, const std::string &load_error) {
    return std::string("--declare ") + name_of(wanted.declared) + ": " +
           (load_error.empty() ? "another rank could not load libtare" : load_error);
}

std::string memory_error(std::size_t bytes) {
    return "no memory for two buffers of " + std::to_string(bytes) + " bytes a rank: lower -m";
}

// Joins the others and measures; the sentences are those of whatever failed.
int measure_all(const bench_case &bench, side &self) {
    const options &wanted = *self.wanted;
    const std::string load_error = load_tool(wanted.declared, self.rank, self.tool);
    if (!everywhere(load_error.empty()))
        return fail(bench, self.rank, exit_failed, declare_error(wanted, load_error));
    turns order;
    const std::string turn_error = order.join(wanted.turn, self.ranks);
    if (!everywhere(turn_error.empty()))
        return fail(bench, self.rank, exit_failed, turn_error.empty() ? "--turn: another rank failed" : turn_error);
    const std::vector<row> rows = measure_sizes(bench, self, order);
    order.wait_for_others();
    if (wanted.json && self.rank == 0)
        print_json(bench, wanted, rows);
    if (!rows.back().is_right)
        return fail(bench, self.rank, exit_failed,
                    "-c: wrong data came with messages of " + std::to_string(rows.back().size) + " bytes");
    return EXIT_SUCCESS;
}

int run_ranks(const bench_case &bench, options &wanted, int rank, int ranks) {
    if (!wanted.error.empty())
        return fail(bench, rank, exit_bad_usage, wanted.error + " (see --help)");
    if (const std::string error = ranks_error(bench, wanted, ranks); !error.empty())
        return fail(bench, rank, exit_bad_usage, error);
    if (wanted.pairs == 0)
        wanted.pairs = ranks / 2;
    if (const std::string error = keep_within_memory(bench, wanted, ranks); !error.empty())
        return fail(bench, rank, exit_bad_usage, error);
    const std::size_t bytes = greatest_buffer_bytes(bench, wanted, ranks);
    const buffer sent = make_buffer(bytes, 'a');
    const buffer received = make_buffer(bytes, 'b');
    if (!everywhere(sent && received))
        return fail(bench, rank, exit_failed, memory_error(bytes));
    side self{rank, ranks, 0, wanted.window, 0, sent.get(), received.get(), MPI_CHAR, 0, 0, &wanted, {}};
    return measure_all(bench, self);
}

// Threads that all call MPI only where the benchmark has them: they cost every call something.
bool init_mpi(const bench_case &bench, int &argc, char **&argv) {
    if (!bench.needs_threads)
        return MPI_Init(&argc, &argv) == MPI_SUCCESS;
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    return provided == MPI_THREAD_MULTIPLE;
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
    options wanted = parse_options(bench, argc, argv);
    if (wanted.error.empty() && (wanted.help || wanted.version)) {
        if (is_first_process())
            (wanted.help ? print_help : print_version)(bench);
        return EXIT_SUCCESS;
    }
    const bool has_threads = init_mpi(bench, argc, argv);
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int status = has_threads ? run_ranks(bench, wanted, rank, ranks)
                                   : fail(bench, rank, exit_failed, "this MPI has no MPI_THREAD_MULTIPLE");
    MPI_Finalize();
    return status;
}

}  // namespace tare::bench
