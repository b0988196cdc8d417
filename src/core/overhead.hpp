// SPDX-License-Identifier: BSD-3-Clause
// How overhead gets into a thread's block: for the core, and for libtare, which knows the block and saves the call.
//
// Units: nanoseconds. Threads: the block's own only.
#ifndef TARE_CORE_OVERHEAD_HPP
#define TARE_CORE_OVERHEAD_HPP

#include "tare_transport.h"

#include <cstdint>

namespace tare {

inline void shift_delay(tare_thread_t &th, std::int64_t ns) noexcept
{
    th.delay_ns += ns;
    th.delay_lo_ns += ns;
    th.delay_hi_ns += ns;
}

inline void forget_event(tare_thread_t &th) noexcept { th.event_source = TARE_EVENT_NONE; }

// The fraction is in 2^-32 ns. What the thread was ready for is over.
inline void declare_overhead(tare_thread_t &th, std::int64_t ns, std::uint32_t fraction) noexcept
{
    const std::uint32_t sum = th.fraction + fraction;
    shift_delay(th, ns + (sum < fraction));
    th.fraction = sum;
    forget_event(th);
}

}  // namespace tare

#endif
