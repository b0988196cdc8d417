// SPDX-License-Identifier: BSD-3-Clause
// Times and shares as tables show them.
#ifndef TARE_TOOL_UNITS_HPP
#define TARE_TOOL_UNITS_HPP

#include <cstdint>
#include <optional>
#include <string>

namespace tare::tool {

struct time_unit {
    const char *name;
    std::int64_t ns;
};

constexpr time_unit microsecond = {"us", 1000};
constexpr time_unit millisecond = {"ms", 1000000};
constexpr time_unit second = {"s", 1000000000};

// One unit for a whole table, by its largest time, so that figures can be compared by eye.
time_unit unit_for(std::int64_t largest_ns);

std::string time_text(std::int64_t ns, const time_unit &u);
std::string change_text(std::int64_t ns, const time_unit &u);      // with its sign
std::string share_text(const std::optional<double> &pct);          // empty without a value
std::string change_pct_text(const std::optional<double> &pct);     // with its sign

// 100 * part / whole; nothing without a whole, unless there is no part either.
std::optional<double> percent_of(std::int64_t part, std::int64_t whole);

}  // namespace tare::tool

#endif
