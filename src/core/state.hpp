// SPDX-License-Identifier: BSD-3-Clause
// The state of what is neither a thread nor a message: the stamp that it would send, of the time of its latest event and
// how late that was. Empty (w1 0) until it begins.
#ifndef TARE_CORE_STATE_HPP
#define TARE_CORE_STATE_HPP

#include "bounded_join.hpp"

namespace tare {

// Not the tool's own operation.
inline bool is_the_programs(const tare_wire_t &state) noexcept
{
    return (tare_wire_flags(state) & TARE_WIRE_TIME_VALID) != 0;
}

inline bool has_begun(const tare_wire_t &state) noexcept { return tare_is_active(&state); }

inline readiness readiness_of(const tare_wire_t &state, std::int64_t near_ns) noexcept
{
    return {tare_wire_time_near_ns(state, near_ns), tare_wire_delay_ns(state), tare_wire_delay_lo_ns(state),
            tare_wire_delay_hi_ns(state)};
}

inline void set_state(tare_thread_t &th, tare_wire_t &state, const bounded_join &j) noexcept
{
    state = pack(th, j.delay_ns(), j.lo_ns(), j.hi_ns(), j.event_ns());
}

}  // namespace tare

#endif
