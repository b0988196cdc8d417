// SPDX-License-Identifier: BSD-3-Clause
// Schedules: operations of several steps that go on whenever some thread polls, as nonblocking collectives do, and wait
// by themselves. Each has a delay of its own, kept as the stamp that it would send: when its latest step was, and how
// late that was. A step is one more event of rule (R): it needs what came before it, and a thread that polls.
#include "tare_transport.h"

#include "state.hpp"

using namespace tare;

namespace {

// A state that began before anybody had declared anything starts now.
readiness begin_if_idle(tare_thread_t &th, tare_wire_t &state, std::int64_t now) noexcept
{
    const readiness polling = polling_since(th, now);
    if (!has_begun(state))
        state = pack(th, polling.delay_ns, polling.delay_lo_ns, polling.delay_hi_ns, polling.time_ns);
    return polling;
}

// An arrival of a message, in a poll.
void gather_message(tare_thread_t &th, tare_wire_t &state, const tare_edge_t &e) noexcept
{
    const std::int64_t now = clock_ns();
    const readiness polling = begin_if_idle(th, state, now), before = readiness_of(state, now);
    arrival a = when_ready(e, larger(polling.time_ns, before.time_ns),
                           [&e, now]() noexcept { return e.seen_ns ? e.seen_ns : now; });
    const std::int64_t seen = a.ready_ns;
    if (th.polling && th.spinning)
        come_while_hidden(a, e, {th.event_ns, th.delay_ns - th.spin_return_delay_ns});
    th.joins++;
    th.early_unknown += a.is_guess;
    bounded_join j(before);
    j.apply(e, a);
    j.at_least(seen);
    set_state(th, state, j);
}

// Steps that have been made.
void gather_own(tare_thread_t &th, tare_wire_t &state, const tare_wire_t &other) noexcept
{
    if (!has_begun(other))
        return;
    if (!has_begun(state)) {
        state = other;
        return;
    }
    const std::int64_t near_ns = tare_wire_time_near_ns(state, 0);
    bounded_join j(readiness_of(state, near_ns));
    j.apply_exactly(other, tare_wire_time_near_ns(other, near_ns));
    set_state(th, state, j);
}

// The thread acts for the schedule: what it sends and posts is the schedule's.
void act(tare_thread_t &th, const tare_wire_t &state, tare_step_t &step, std::int64_t now) noexcept
{
    step = {th.delay_ns, th.delay_lo_ns, th.delay_hi_ns, th.event_ns, th.call_ns,
            th.event_source, th.muted, th.polling, th.woken, TARE_STEP_MESSAGE};
    th.muted = !is_the_programs(state);
    if (th.muted)
        return;
    const readiness r = readiness_of(state, now);
    th.delay_ns = r.delay_ns;
    th.delay_lo_ns = r.delay_lo_ns;
    th.delay_hi_ns = r.delay_hi_ns;
    th.call_ns = th.event_ns = r.time_ns;
    th.event_source = TARE_EVENT_TOOL;
    th.polling = th.woken = 0;
}

void act_no_more(tare_thread_t &th, const tare_step_t &step) noexcept
{
    th.delay_ns = step.delay_ns;
    th.delay_lo_ns = step.delay_lo_ns;
    th.delay_hi_ns = step.delay_hi_ns;
    th.event_ns = step.event_ns;
    th.call_ns = step.call_ns;
    th.event_source = step.event_source;
    th.muted = step.muted;
    th.polling = step.polling;
    th.woken = step.woken;
}

}  // namespace

void tare_core_schedule_begin(tare_schedule_t *s)
{
    s->begin = s->state = tare_core_stamp();
    s->step.kind = TARE_STEP_NONE;
}

void tare_core_step_begin(tare_schedule_t *s, tare_wire_t *state, int kind)
{
    tare_thread_t &th = self();
    const std::int64_t now = clock_ns();
    if (!has_begun(*state))
        *state = s->begin;
    const readiness polling = begin_if_idle(th, *state, now);
    if (is_the_programs(*state)) {
        bounded_join j(polling);
        j.apply_exactly(*state, tare_wire_time_near_ns(*state, now));
        *state = pack(th, j.delay_ns(), j.lo_ns(), j.hi_ns(), now);
    }
    s->step.kind = static_cast<std::uint32_t>(kind);
    if (kind == TARE_STEP_MESSAGE)
        act(th, *state, s->step, now);
    else
        s->step.delay_ns = th.delay_ns;
}

// What was computed belongs to the schedule, and the overhead in it.
void tare_core_step_end(tare_schedule_t *s, tare_wire_t *state)
{
    tare_thread_t &th = self();
    if (s->step.kind == TARE_STEP_MESSAGE) {
        act_no_more(th, s->step);
    } else if (s->step.kind == TARE_STEP_LOCAL && is_the_programs(*state)) {
        const std::int64_t now = clock_ns(), more = th.delay_ns - s->step.delay_ns;
        const readiness r = readiness_of(*state, now);
        *state = pack(th, r.delay_ns + more, r.delay_lo_ns + more, r.delay_hi_ns + more, now);
    }
    s->step.kind = TARE_STEP_NONE;
}

void tare_core_gather(tare_wire_t *state, tare_edge_t *edge)
{
    if (!(edge->flags & TARE_EDGE_SET))
        return;
    edge->flags &= ~TARE_EDGE_SET;
    tare_thread_t &th = self();
    if (has_begun(*state) && !is_the_programs(*state))
        return;
    if (edge->flags & TARE_EDGE_OWN)
        gather_own(th, *state, edge->wire);
    else if (wakes(edge->wire))
        gather_message(th, *state, *edge);
}
