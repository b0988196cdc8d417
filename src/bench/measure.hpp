// SPDX-License-Identifier: BSD-3-Clause
// Warm-up, batches, clock and statistics of one size.
#ifndef TARE_BENCH_MEASURE_HPP
#define TARE_BENCH_MEASURE_HPP

#include "engine.hpp"
#include "turns.hpp"

namespace tare::bench {

row measure(const bench_case &bench, side &self, turns &order);

}  // namespace tare::bench

#endif
