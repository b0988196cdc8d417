// SPDX-License-Identifier: BSD-3-Clause
// The edges of one collective call as the core's events tell of them, and rule (R) computed again along them.
#ifndef TARE_TEST_COLL_REPLAY_HPP
#define TARE_TEST_COLL_REPLAY_HPP

#include "tare_transport.h"

#include <cstdint>
#include <vector>

namespace coll {

// What one rank was told, in the order in which it happened.
struct recording {
    std::vector<tare_stamp_event_t> stamps;
    std::vector<tare_wait_event_t> waits;
};

// Tells nobody before begin() and after end(): while a tool listens the core's hooks take the long way.
void begin_recording();
recording end_recording();

// One rank's part in a call.
struct part {
    std::int64_t entered_ns, left_ns, delay_before_ns, delay_ns;
    const recording *told;
};

struct verdict {
    const char *wrong;  // nullptr: all right
    int rank;
    int edges;  // that were found again in their sender's history
};

// is_by_threads: messages carry the delay of their thread, not that of a schedule.
verdict replay(const std::vector<part> &parts, bool is_by_threads);

}  // namespace coll

#endif
