// SPDX-License-Identifier: BSD-3-Clause
// Tare's archives have one clock in the time stamps, and in an attribute how far the other one is.
#ifndef TARE_TRACE_ARCHIVE_CLOCK_HPP
#define TARE_TRACE_ARCHIVE_CLOCK_HPP

#include "archive.h"

#include <cstdint>

namespace tare {

// Times and their sums are those of a file, which may be damaged: what is beyond all numbers is the last one.
inline std::int64_t ns_sum(std::int64_t a, std::int64_t b)
{
    std::int64_t sum;
    return !__builtin_add_overflow(a, b, &sum) ? sum : b < 0 ? INT64_MIN : INT64_MAX;
}

inline std::int64_t ns_between(std::int64_t from, std::int64_t to)
{
    std::int64_t ns;
    return !__builtin_sub_overflow(to, from, &ns) ? ns : to < from ? INT64_MIN : INT64_MAX;
}

inline void add_ns(std::int64_t &to, std::int64_t ns) { to = ns_sum(to, ns); }

// What is made of the archive's time stamps, by what each event says that was removed.
enum class clock_change { none, add_removed, subtract_removed };

inline std::int64_t ns_of(const tare_archive_event_t &event, clock_change change)
{
    const auto ns = static_cast<std::int64_t>(event.time_ns);
    switch (change) {
    case clock_change::add_removed: return ns_sum(ns, event.removed_ns);
    case clock_change::subtract_removed: return ns_between(event.removed_ns, ns);
    default: return ns;
    }
}

}  // namespace tare

#endif
