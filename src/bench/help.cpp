// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include "engine.hpp"

namespace tare::bench {
namespace {

// Options that only some benchmarks have.
struct entry {
    feature needed;
    const char *text;
};

const entry entries[] = {
    {has_buffers, "  -b, --buffer-num single|multiple   (default single)\n"
                  "                                one buffer for all messages of a window, or one for each\n"},
    {has_pairs, "  -p, --pairs PAIRS             pairs of ranks that send, I to I + PAIRS (default half of the ranks)\n"
                "  -R, --print-rate 0|1          1: also the rate of messages (default 1)\n"},
    {has_threads,
     "  -t, --threads [SEND:]RECEIVE  threads of rank 0 that send and of rank 1 that answer (default 1:2)\n"},
    {has_test_calls, "  -t, --test-calls CALLS        calls of MPI_Test during the computation (default 0)\n"},
    {has_layout, "  -D, --ddt cont|vect[:STRIDE:BLOCK]|indx[:STRIDE:BLOCK]   (default cont)\n"
                 "                                a derived type: blocks of BLOCK bytes (default 32), or the greatest\n"
                 "                                common divisor with the size, every STRIDE bytes (default 64); with\n"
                 "                                indx every second one stands at the end of its stride\n"},
    {has_modes, "      --ssend                   synchronous sends\n"
                "      --any-source              receives from MPI_ANY_SOURCE\n"},
    {has_blocking, "      --nonblocking             each message by MPI_Isend and MPI_Irecv with MPI_Waitall\n"},
    {has_partitions, "      --partitions COUNT        of a message, fewer if its size is no multiple (default 8)\n"},
    {has_neighbours, "  -N, --neighborhood cart|graph the ranks stand in a line, which is a Cartesian grid or a\n"
                     "                                distributed graph (default cart)\n"},
    {has_by_hand, "      --by-hand nothing|datatype|message|copy   (default nothing)\n"
                  "                                16 bytes go along with each message by plain MPI calls: in one\n"
                  "                                datatype, in a second message, in one buffer\n"},
};

void print_default(const bench_case &bench, const counts &value) {
    if (bench.max_bytes == 0)
        std::printf(" (default %d)\n", value.small);
    else
        std::printf("\n%32s(default %d, above %d bytes %d)\n", "", value.small, large_message_bytes, value.large);
}

void print_counts(const bench_case &bench) {
    if (bench.min_bytes != bench.max_bytes)
        std::printf("  -m, --message-size [MIN:]MAX  sizes in bytes, doubling from MIN to MAX (default %d:%d)\n"
                    "      --growth FACTOR           not doubling, each size FACTOR times the one before\n"
                    "  -M, --mem-limit BYTES         the most that a rank's two buffers may take: sizes that need more\n"
                    "                                are left out\n",
                    bench.min_bytes, bench.max_bytes);
    std::printf("  -i, --iterations ITER%s timed iterations%s", bench.max_bytes == 0 ? "        " : "[:LARGE]",
                bench.max_bytes == 0 ? "" : " of each size");
    print_default(bench, bench.iterations);
    std::printf("  -x, --warmup ITER%s   iterations before the clock starts",
                bench.max_bytes == 0 ? "          " : "[:LARGE]  ");
    print_default(bench, bench.warmup);
    if (bench.window != 0)
        std::printf("  -W, --window-size SIZE        messages in flight (default %d)\n", bench.window);
}

void print_own_options(const bench_case &bench) {
    if ((bench.features & has_epochs) != 0)
        std::printf("  -s, --sync-option lock|flush|flush_local|lock_all|fence|pscw\n"
                    "                                what ends the operations (default %s)\n"
                    "  -w, --win-option create|allocate|dynamic\n"
                    "                                how the window comes about (default %s)\n",
                    name_of(bench.one_sided.sync), name_of(bench.one_sided.kind));
    for (const entry &own : entries)
        if ((bench.features & own.needed) != 0)
            std::printf("%s", own.text);
}

}  // namespace

void print_help(const bench_case &bench) {
    std::printf("Usage: mpiexec -n 2 %s [OPTION]...\n%s\n\n", bench.program.c_str(), bench.summary.c_str());
    print_counts(bench);
    print_own_options(bench);
    if (bench.max_bytes != 0)
        std::printf("  -c, --validation              check the data of every batch, outside the clock\n");
    std::printf("  -f, --full                    also the least and the greatest sample, and the iterations\n");
    if (have_tail(bench.columns))
        std::printf("  -z, --tail-lat                each iteration is a sample; also the percentiles 50, 90 and 99\n");
    std::printf("      --json                    one JSON object with the raw samples\n"
                "      --declare none|event|overhead\n"
                "                                what each rank declares by tare.h before each MPI call: nothing; a\n"
                "                                cost (rank 0 10 ns, rank 1 20 ns) and a time stamp; the cost only\n"
                "                                (default none: then libtare is not even loaded)\n"
                "      --turn FILE:NUMBER:RUNS   run NUMBER (from 0) of RUNS that are started at the same time with\n"
                "                                the same options, on other libraries or in other modes: they share\n"
                "                                FILE, which is new, and measure in turn, a batch each\n"
                "  -h, --help                    print this and exit\n"
                "  -v, --version                 print the version and exit\n\n");
    std::printf("The iterations of a size are timed in %d batches (fewer if there are fewer iterations), so that\n"
                "reading the clock costs next to nothing. A sample is the mean of its batch; the figure printed is\n"
                "the median of the samples. In --json mad_us is the median absolute deviation from it, p99_us the\n"
                "99th percentile.\n",
                max_samples);
}

void print_version(const bench_case &bench) {
    std::printf("%s (Tare) %s\n", bench.program.c_str(), TARE_VERSION);
}

}  // namespace tare::bench
