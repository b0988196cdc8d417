// SPDX-License-Identifier: BSD-3-Clause
// What counters are called: attributes of events in archives, members of JSON.
#ifndef TARE_PROFILE_COUNTER_NAMES_HPP
#define TARE_PROFILE_COUNTER_NAMES_HPP

#include "trace_event.h"

namespace tare {

inline constexpr const char *counter_names[TARE_COUNTERS] = {"core_ns",        "page_faults",  "cycles",      "instructions",
                                                             "stalled_cycles", "cache_misses", "remote_reads",
                                                             "first_touched_pages", "migrated_pages", "remote_pages"};

}  // namespace tare

#endif
