// SPDX-License-Identifier: BSD-3-Clause
// One program has all benchmarks: the name that it is called by says which of them it is.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>

#include "programs.hpp"

namespace tare::bench {
namespace {

constexpr int exit_bad_usage = 2;

std::vector<bench_case> all_programs() {
    std::vector<bench_case> all;
    for (const auto &programs : {latency_programs, bandwidth_programs, threaded_programs, persistent_programs,
                                 partitioned_programs, one_sided_programs, collective_programs}) {
        const std::vector<bench_case> some = programs();
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

int refuse_name(const std::string &name, const std::vector<bench_case> &programs) {
    std::string known;
    for (const bench_case &bench : programs)
        known += (known.empty() ? "" : ", ") + bench.program;
    std::fprintf(stderr, "%s: no benchmark has this name: call the program by one of %s\n", name.c_str(),
                 known.c_str());
    return exit_bad_usage;
}

}  // namespace
}  // namespace tare::bench

int main(int argc, char **argv) {
    const std::string name = program_invocation_short_name;
    const std::vector<tare::bench::bench_case> programs = tare::bench::all_programs();
    const auto found = std::find_if(programs.begin(), programs.end(),
                                    [&](const tare::bench::bench_case &bench) { return bench.program == name; });
    return found == programs.end() ? tare::bench::refuse_name(name, programs)
                                   : tare::bench::bench_main(*found, argc, argv);
}
