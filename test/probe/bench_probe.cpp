// SPDX-License-Identifier: BSD-3-Clause
// What a pair of hooks costs, and how much of it is not clock reads. `make bench-probe` prints it; nothing here is a
// test. Batches in turn, so that a bad moment hits all; of each the fastest counts, and the median is shown beside it.
//
//     bench_probe                the table, for the TARE_OVERHEAD that is set
//     bench_probe WHAT PAIRS     only so many pairs of one row, in one call of counted(): for callgrind
#include "tare_measure.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <vector>

#define PLAIN __attribute__((noinline, no_instrument_function))

namespace {

constexpr int batches = 2000, calls = 1000;

tare_region_t *region;
using hook = void (*)(void *, void *);
hook volatile empty_enter;
hook volatile empty_leave;
volatile std::int64_t read_ns;

PLAIN std::int64_t clock_ns()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

PLAIN void plain() { tare_measure_short_work(); }
__attribute__((noipa)) void hooked() { tare_measure_short_work(); }

// The C library's hooks, which do nothing: as the function above without libtare-probe.
PLAIN void empty()
{
    empty_enter(reinterpret_cast<void *>(hooked), nullptr);
    tare_measure_short_work();
    empty_leave(reinterpret_cast<void *>(hooked), nullptr);
}

PLAIN void in_region()
{
    tare_enter(region);
    tare_measure_short_work();
    tare_leave(region);
}

PLAIN void read_clock() { read_ns = clock_ns(); }

struct row {
    const char *name;
    void (*call)();
    std::vector<double> ns;
};

row rows[] = {{"plain", plain, {}},
              {"clock", read_clock, {}},
              {"empty", empty, {}},
              {"function", hooked, {}},
              {"region", in_region, {}}};

PLAIN void counted(void (*volatile call)(), long n)
{
    for (long i = 0; i < n; i++)
        call();
}

PLAIN double time_of(void (*call)())
{
    const std::int64_t start_ns = clock_ns();
    counted(call, calls);
    return static_cast<double>(clock_ns() - start_ns) / calls;
}

PLAIN row &row_of(const char *name)
{
    for (row &r : rows)
        if (std::strcmp(r.name, name) == 0)
            return r;
    std::fprintf(stderr, "bench_probe: '%s' is no row: allowed are plain, clock, empty, function and region\n", name);
    std::exit(2);
}

PLAIN void find_empty_hooks()
{
    void *c_library = dlopen("libc.so.6", RTLD_LAZY);
    empty_enter = reinterpret_cast<hook>(dlsym(c_library, "__cyg_profile_func_enter"));
    empty_leave = reinterpret_cast<hook>(dlsym(c_library, "__cyg_profile_func_exit"));
}

struct figure {
    double fastest;
    double median;
};

PLAIN figure beyond_plain(const char *name)
{
    const std::vector<double> &ns = row_of(name).ns, &without = row_of("plain").ns;
    return {ns[0] - without[0], ns[batches / 2] - without[batches / 2]};
}

PLAIN void print(const char *name, int reads)
{
    const figure pair = beyond_plain(name), clock = beyond_plain("clock");
    std::printf("%-9s %8.1f %8.1f   %d %8.1f %8.1f\n", name, pair.fastest, pair.median, reads,
                pair.fastest - reads * clock.fastest, pair.median - reads * clock.median);
}

PLAIN void print_table(int reads)
{
    std::printf("%s\n", reads == 4 ? "TARE_OVERHEAD=measured" : reads == 2 ? "TARE_OVERHEAD=calibrated" : "no profile");
    std::printf("              a pair, ns    clock  beyond them, ns\n");
    std::printf("           fastest   median reads  fastest   median\n");
    print("clock", 0);
    print("empty", 0);
    print("function", reads);
    print("region", reads);
}

}  // namespace

PLAIN int main(int argc, char **argv)
{
    region = tare_region("bench");
    find_empty_hooks();
    in_region();
    if (argc == 3) {
        row_of(argv[1]).call();
        counted(row_of(argv[1]).call, std::atol(argv[2]));
        return 0;
    }
    for (int i = 0; i < batches; i++)
        for (row &r : rows)
            r.ns.push_back(time_of(r.call));
    for (row &r : rows)
        std::sort(r.ns.begin(), r.ns.end());
    const tare_measure_state_t &state = *tare_measure_state();
    print_table(state.measured ? 4 : state.on ? 2 : 0);
    return 0;
}
