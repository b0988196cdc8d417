// SPDX-License-Identifier: BSD-3-Clause
// Tare's archives have one clock in the time stamps, and in an attribute how far the other one is.
#ifndef TARE_TRACE_ARCHIVE_CLOCK_HPP
#define TARE_TRACE_ARCHIVE_CLOCK_HPP

#include "archive.h"
#include "bounded_sum.hpp"

#include <cstdint>

namespace tare {

// What is made of the archive's time stamps, by what each event says that was removed.
enum class clock_change { none, add_removed, subtract_removed };

inline std::int64_t ns_of(const tare_archive_event_t &event, clock_change change)
{
    const auto ns = static_cast<std::int64_t>(event.time_ns);
    switch (change) {
    case clock_change::add_removed: return plus(ns, event.removed_ns);
    case clock_change::subtract_removed: return minus(ns, event.removed_ns);
    default: return ns;
    }
}

}  // namespace tare

#endif
