// SPDX-License-Identifier: BSD-3-Clause
// Arrivals that nobody may be waiting for when they come: the packets of one-sided synchronisation, of which a window
// needs several. They are gathered in a state, without the thread that polls: who waits for them later joins it, and what
// leaves in reaction to them has it and a thread that polls behind it.
#include "tare_transport.h"

#include "listener.hpp"
#include "state.hpp"

using namespace tare;

namespace {

constexpr readiness since_ever{-far_ns, 0, 0, 0};

// The published rule compares with who waits: that is who polls.
readiness before(const tare_wire_t &state, const readiness &polling, std::int64_t now) noexcept
{
    if (has_begun(state))
        return readiness_of(state, now);
    return tare_global.rule == TARE_RULE_EXACT ? since_ever : polling;
}

}  // namespace

void tare_core_deposit(tare_wire_t *state, tare_wire_t wire, uint64_t peer, uint32_t size_class, uint32_t flags)
{
    tare_thread_t &th = self();
    const std::uint32_t active = activity();
    if (!wakes(wire))
        return;
    // The call in progress began when nobody listened.
    th.woken |= active == 0;
    // Of a sender that has declared nothing: only that is written.
    if (!tare_is_active(&wire))
        wire = tare_wire_pack(0, 0, 0);
    const tare_edge_t edge{wire, 0, peer, size_class, flags};
    const std::int64_t now = clock_ns();
    if (active != active_in_silence)
        tell_of_stamp(edge);
    const readiness polling = polling_since(th, now);
    arrival a = when_ready(edge, polling.time_ns, [now]() noexcept { return now; });
    const std::int64_t seen = a.ready_ns;
    if (th.polling && th.spinning)
        come_while_hidden(a, edge, {th.event_ns, th.delay_ns - th.spin_return_delay_ns});
    th.early_unknown += a.is_guess;
    bounded_join j(before(*state, polling, now));
    j.apply(edge, a);
    j.at_least(seen);
    set_state(th, *state, j);
}

tare_wire_t tare_core_answer(const tare_wire_t *state)
{
    tare_thread_t &th = self();
    if (!is_active())
        return tare_wire_pack(0, 0, 0);
    // The other rules know no way back.
    if (!has_begun(*state) || tare_global.rule != TARE_RULE_EXACT)
        return tare_wire_muted();
    const std::int64_t now = clock_ns();
    bounded_join j(polling_since(th, now));
    j.apply_exactly(*state, tare_wire_time_near_ns(*state, now));
    return pack(th, j.delay_ns(), j.lo_ns(), j.hi_ns(), now);
}

void tare_core_waited_unseen(int needs_peer)
{
    tare_thread_t &th = self();
    if (!is_active() || th.muted > 0 || th.event_source == TARE_EVENT_NONE)
        return;
    const std::int64_t waited = clock_ns() - th.event_ns;
    if (waited <= first_poll_ns)
        return;
    th.unseen_waits++;
    th.unseen_ns += waited;
    th.wait_ns += waited;
    th.wait_compensated_ns += waited;
    if (needs_peer && tare_global.rule != TARE_RULE_LOCAL) {
        // Nobody has less than no delay, and none grows faster than time.
        th.delay_lo_ns = smaller(th.delay_lo_ns, 0);
        th.delay_hi_ns += waited;
    }
    forget_event(th);
}
