// SPDX-License-Identifier: BSD-3-Clause
#include "units.hpp"

#include <cstdio>

namespace tare::tool {
namespace {

std::string text_of(const char *format, double value) {
    char text[48];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

double in_unit(std::int64_t ns, const time_unit &u) {
    return static_cast<double>(ns) / static_cast<double>(u.ns);
}

}  // namespace

time_unit unit_for(std::int64_t largest_ns) {
    if (largest_ns < 10 * millisecond.ns)
        return microsecond;
    return largest_ns < 10000 * second.ns ? millisecond : second;
}

// Bounds of a delay that nobody knows any more are centuries away.
std::string time_text(std::int64_t ns, const time_unit &u) {
    constexpr std::int64_t no_bound_ns = INT64_C(1) << 59;
    if (ns >= no_bound_ns || ns <= -no_bound_ns)
        return "none";
    return text_of("%.3f", in_unit(ns, u));
}

std::string change_text(std::int64_t ns, const time_unit &u) {
    return text_of("%+.3f", in_unit(ns, u));
}

std::string share_text(const std::optional<double> &pct) {
    return pct ? text_of("%.2f", *pct) : "";
}

std::string change_pct_text(const std::optional<double> &pct) {
    return pct ? text_of("%+.2f", *pct) : "";
}

std::optional<double> percent_of(std::int64_t part, std::int64_t whole) {
    if (whole == 0)
        return part == 0 ? std::optional<double>(0.0) : std::nullopt;
    return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace tare::tool
