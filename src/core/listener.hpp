// SPDX-License-Identifier: BSD-3-Clause
// Who is told of stamps and waits when they happen (tare_core_listen). Nobody looks who does not take the long way
// anyway: TARE_LISTENED makes all hooks take it. What the listener itself does, say lock a mutex, is muted.
#ifndef TARE_CORE_LISTENER_HPP
#define TARE_CORE_LISTENER_HPP

#include "tare_transport.h"

#include <cstdint>

namespace tare {

inline bool is_anybody_told() noexcept { return (tare_global.account_waits & TARE_LISTENED) != 0; }

void tell_of_stamp(const tare_edge_t &edge) noexcept __attribute__((visibility("hidden")));

// Of a thread that has its new delay, because of this edge.
void tell_of_wait(const tare_thread_t &th, const tare_edge_t &edge, std::int64_t entered_ns, std::int64_t ended_ns,
                  std::int64_t delay_before_ns) noexcept __attribute__((visibility("hidden")));

}  // namespace tare

#endif
