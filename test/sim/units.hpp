// SPDX-License-Identifier: BSD-3-Clause
// The simulator's time base: whole picoseconds, signed 64 bit.
//
// Rule (R) works on integers of any unit, as long as times stay within 2^62. Scenario files speak of microseconds
// with decimals; in picoseconds every number of theirs is whole, sums are exact, and so an exact rule has an error of
// exactly zero. 2^62 ps are 53 days.
#ifndef TARE_SIM_UNITS_HPP
#define TARE_SIM_UNITS_HPP

#include <cmath>
#include <cstdint>

namespace sim {

using ps = std::int64_t;

constexpr ps ps_per_us = 1000000;
constexpr ps last_ps = INT64_C(1) << 61;
constexpr double longest_us = 1e9;

inline ps ps_from_us(double us) { return std::llround(us * static_cast<double>(ps_per_us)); }

}  // namespace sim

#endif
