// SPDX-License-Identifier: BSD-3-Clause
// The simulator's clock as CLOCK_MONOTONIC, for everything that is linked into the test program: the core, the PMPI
// layer and the stand-in for libtare read it through clock_gettime, as always.
#ifndef TARE_TEST_SMPI_CLOCK_HPP
#define TARE_TEST_SMPI_CLOCK_HPP

#include <cstdint>

namespace simulated {

constexpr std::int64_t us = 1000;
constexpr std::int64_t ms = 1000 * us;
constexpr std::int64_t s = 1000 * ms;

// How far this rank's clock is ahead of the simulator's: nodes have clocks of their own.
extern std::int64_t skew_ns;

// Without the skew, since the simulation began. Every length is whole nanoseconds, so rounding gives back what the
// simulator's seconds in floating point stand for.
std::int64_t now_ns();

// Work or overhead: nothing else takes time but messages.
void sleep(std::int64_t ns);

}  // namespace simulated

#endif
