// SPDX-License-Identifier: BSD-3-Clause
// The programs that the files of cases make.
#ifndef TARE_BENCH_PROGRAMS_HPP
#define TARE_BENCH_PROGRAMS_HPP

#include <vector>

#include "engine.hpp"

namespace tare::bench {

// --- in the file of each name ---

std::vector<bench_case> latency_programs();
std::vector<bench_case> bandwidth_programs();
std::vector<bench_case> threaded_programs();
std::vector<bench_case> persistent_programs();
std::vector<bench_case> partitioned_programs();
std::vector<bench_case> one_sided_programs();
std::vector<bench_case> collective_programs();

// --- what programs between two ranks have in common, with OSU's defaults ---

bench_case latency_defaults();
bench_case bandwidth_defaults();

}  // namespace tare::bench

#endif
