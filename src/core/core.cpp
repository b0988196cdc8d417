// SPDX-License-Identifier: BSD-3-Clause
// The compensation core: what messages do to the calling thread's delay. The rule itself is in rule.hpp, arrival times
// in arrival.hpp, the thread's own state in thread.hpp, the layout of a stamp in tare_wire.h.
#include "tare_transport.h"

#include "bounded_join.hpp"
#include "listener.hpp"

tare_global_t tare_global;
tare_short_layout_t tare_short_layout;
tare_clock_t tare_clock;
__thread tare_thread_t tare_self __attribute__((tls_model("initial-exec")));

static_assert(sizeof(tare_wire_t) == 16, "the wire format has changed");
static_assert(sizeof(tare_request_t) <= 80, "tare_request_t must fit the union of MPIR_Request");
static_assert(sizeof(tare_thread_t) == 272 && TARE_TRANSPORT_VERSION == 3,
              "libtare reads the thread block of another object: a new layout needs a new TARE_TRANSPORT_VERSION");
static_assert(static_cast<int>(tare::rule::exact) == TARE_RULE_EXACT, "one numbering of rules");
static_assert(static_cast<int>(tare::rule::published) == TARE_RULE_PUBLISHED, "one numbering of rules");
static_assert(static_cast<int>(tare::rule::local) == TARE_RULE_LOCAL, "one numbering of rules");

tare::latency_table tare::latencies;
__thread unsigned tare::latency_table::last_found_;
__thread tare::coded_widths tare::last_received;

using namespace tare;

namespace {

// A wildcard matched a message; had a message matched before it been later without measurement, the uninstrumented
// run could have matched the other way round.
void note_any_source(tare_thread_t &th, const tare_edge_t &e, std::int64_t ready_ns) noexcept
{
    const std::int64_t uninstrumented = ready_ns - tare_wire_delay_ns(e.wire);
    const std::uint64_t context = e.peer >> 32;
    if (th.any_source_context == context && uninstrumented < th.any_source_ns) {
        th.inversions++;
        th.inversion_ns += th.any_source_ns - uninstrumented;
        return;
    }
    th.any_source_context = context;
    th.any_source_ns = uninstrumented;
}

// A message of the program's whose send time is known on this clock. The data of a rendezvous leave when their receive is
// there.
inline bool is_dated_message(const tare_edge_t &e) noexcept
{
    const bool is_message = e.size_class >= TARE_CLASS_EAGER && e.size_class < TARE_CLASS_CELL;
    return is_message && (tare_wire_flags(e.wire) & TARE_WIRE_TIME_VALID) && is_on_common_clock(e) &&
           !(e.flags & TARE_EDGE_OWN);
}

// For a tool that tells in which order messages are received. Of several that one wait was for the one that was sent last
// has ended it, whichever is joined first: above MPI all of them are seen when the call returns.
void note_sent(tare_thread_t &th, const tare_edge_t &e, bool was_awaited) noexcept
{
    const std::int64_t sent_ns = is_dated_message(e) ? sent_near(e, th.event_ns, {0, false, false}) : TARE_SENT_NONE;
    if (sent_ns < th.sent_first.sent_ns)
        th.sent_first = {sent_ns, e.peer};
    tare_sent_t &awaited = th.sent_awaited;
    const bool both_are_dated = sent_ns != TARE_SENT_NONE && awaited.sent_ns != TARE_SENT_NONE;
    if (both_are_dated ? sent_ns > awaited.sent_ns : was_awaited)
        awaited = {sent_ns, e.peer};
}

// Nobody asks when the event was: no poll that saw it, no later wildcard match; and no tool for the wait's length.
inline bool is_asked_no_time(const tare_edge_t &e) noexcept
{
    return is_likely(e.seen_ns == 0 && !(e.flags & TARE_EDGE_ANY_SOURCE));
}
inline bool needs_no_time(const tare_edge_t &e) noexcept
{
    return is_likely(!tare_global.account_waits) && is_asked_no_time(e);
}

// Of somebody who measures, and not the tool's own.
inline bool is_the_programs(const tare_wire_t &wire) noexcept
{
    return is_likely((tare_wire_flags(wire) & (TARE_WIRE_ACTIVE | TARE_WIRE_MUTED)) == TARE_WIRE_ACTIVE);
}

// A wait for several goes on with the edges that were not yet joined, and a call of several steps with the next one: they
// meet the arrival of this one, which nobody saw. Where its send time is not known well enough the event is as late as it
// can be: now.
__attribute__((noinline)) void keep_event(tare_thread_t &th, const tare_edge_t &e) noexcept
{
    const bool is_known = th.event_source != TARE_EVENT_NONE && (tare_wire_flags(e.wire) & TARE_WIRE_TIME_VALID) &&
                          is_on_common_clock(e) && !is_short(e);
    if (!is_known) {
        forget_event(th);
        return;
    }
    const tare::latency l = latency_of(e);
    const std::int64_t sent = tare_wire_time_near_ns(e.wire, th.event_ns);
    if (sent - th.event_ns > believed_ns) {
        forget_event(th);
        return;
    }
    // The least of few latencies may be longer than this message took, which would then come in the future.
    const bool has_latency = is_flag(e) ? l.exact : latencies.is_minimum_of_many(e.peer, e.size_class);
    th.event_ns = larger(th.event_ns, has_latency ? sent + l.ns : sent);
    th.event_source = TARE_EVENT_OWN;
}

// Nothing goes on behind it, and it has not come before its wait.
inline bool has_no_event(const tare_edge_t &e) noexcept
{
    return is_likely(!(e.flags & (TARE_EDGE_WATCHED | TARE_EDGE_GOES_ON | TARE_EDGE_EARLY)));
}

// The end of a join that has read no clock. A message that came before its wait has no event.
inline void end_event(tare_thread_t &th, const tare_edge_t &e) noexcept
{
    if (has_no_event(e))
        forget_event(th);
    else if (!(e.flags & TARE_EDGE_EARLY))
        keep_event(th, e);
}

// The first stamp that says that somebody measures, and this process did not know when its wait began: no clock is
// read before. It may have waited for all of the delay or for nothing; what starts such a run is a wait.
void join_from_unknown_entry(tare_thread_t &th, const tare_edge_t &edge) noexcept
{
    if (th.muted > 0)
        return;
    th.joins++;
    th.early_unknown++;
    if (tare_global.rule == TARE_RULE_LOCAL)
        return;
    const std::int64_t delay = tare_wire_delay_ns(edge.wire), before = th.delay_ns;
    th.delay_lo_ns = smaller(before, tare_wire_delay_lo_ns(edge.wire));
    th.delay_hi_ns = larger(before, tare_wire_delay_hi_ns(edge.wire));
    th.adjusted += before != delay;
    th.delay_ns = delay;
    if (is_anybody_told()) {
        const std::int64_t now = clock_ns();
        tell_of_wait(th, edge, now, now, before);
    }
}

// (R) of the bounds, where the event is when the sender's message came, now.
__attribute__((noinline)) carried with_bounds_of_now(const tare_thread_t &th, const carried &c) noexcept
{
    const std::int64_t waited = clock_ns() - th.event_ns;
    return {c.delay_ns, smaller(smaller(c.lo_ns, th.delay_lo_ns + waited), c.delay_ns),
            larger(smaller(c.hi_ns, th.delay_hi_ns + waited), c.delay_ns)};
}

// How much later than this thread's latest event it was sent, where both are known.
inline std::int64_t sent_later_ns(const tare_thread_t &th, const tare_wire_t &wire) noexcept
{
    return tare_wire_extend(wire.w1 - static_cast<std::uint64_t>(th.event_ns));
}

// A message of another delay comes while its thread waits for it, and (R) will ask when: its slack is counted from now,
// and not from when its data are copied. The copy comes behind the event, and belongs to neither edge. With the sender
// ready later on the compensated clock, too, join_told asks for no time; but copies of a kilobyte and more would be
// learned as part of the latency.
inline bool may_be_asked_when(const tare_thread_t &th, const tare_wire_t &wire, std::uint32_t size_class) noexcept
{
    constexpr std::uint32_t kilobyte = TARE_CLASS_EAGER + 10;
    const std::int64_t more = tare_wire_delay_ns(wire) - th.delay_ns;
    if (is_likely(more == 0))
        return false;
    const std::int64_t later = sent_later_ns(th, wire);
    return later > 0 && (later < more || size_class >= kilobyte);
}

__attribute__((noinline)) void note_when_it_comes(const tare_thread_t &th, tare_edge_t *edge) noexcept
{
    if (th.event_source == TARE_EVENT_NONE || !(tare_wire_flags(edge->wire) & TARE_WIRE_TIME_VALID) ||
        (edge->flags & (TARE_EDGE_SHORT | TARE_EDGE_SAME_CLOCK)) != TARE_EDGE_SAME_CLOCK)
        return;
    const std::int64_t later = sent_later_ns(th, edge->wire);
    if (later < tare_wire_delay_ns(edge->wire) - th.delay_ns ||
        !latencies.is_settled(edge->peer, edge->size_class, th.event_ns + later))
        edge->seen_ns = clock_ns();
}

// A flag is joined where it is seen, and one that was set before is seen when the thread gets to look: what it did since
// its call began it would have done while it waited. Gives back that time.
__attribute__((noinline)) std::int64_t look_for_flag(const tare_thread_t &th, std::uint32_t size_class) noexcept
{
    const std::int64_t now = clock_ns();
    if (th.event_ns == th.call_ns)
        learn_look(size_class, th.call_ns, now);
    return now;
}

constexpr hidden nothing_hidden{};

// (R) with the time of the event. Out of line: the way without it is short.
__attribute__((noinline)) void join_in_time(tare_thread_t &th, const tare_edge_t *edge, const hidden &h) noexcept
{
    std::int64_t entry = entry_ns(th);
    const std::int64_t before = th.delay_ns;
    arrival a = when_ready(*edge, th.call_ns,
                           [edge]() noexcept { return edge->seen_ns ? edge->seen_ns : clock_ns(); });
    const std::int64_t seen = a.ready_ns;
    come_while_hidden(a, *edge, h);
    th.early_unknown += a.is_guess;
    if (edge->flags & TARE_EDGE_ANY_SOURCE)
        note_any_source(th, *edge, a.ready_ns);
    if (__builtin_expect(is_flag(*edge), 0) && a.ready_ns <= entry)
        entry = look_for_flag(th, edge->size_class);
    bounded_join j({entry, th.delay_ns, th.delay_lo_ns, th.delay_hi_ns});
    j.apply(*edge, a);
    j.at_least(seen);
    // Further edges of the same wait meet the join's result; after it a tool's time stamp of the call is used up.
    th.event_ns = j.event_ns();
    th.event_source = TARE_EVENT_OWN;
    th.delay_ns = j.delay_ns();
    th.delay_lo_ns = j.lo_ns();
    th.delay_hi_ns = j.hi_ns();
    const std::int64_t waited = th.event_ns - entry;
    th.wait_ns += waited;
    th.wait_compensated_ns += before + waited - th.delay_ns;
    th.adjusted += th.delay_ns != before;
    advance(th, th.event_ns);
}

// (R) where its result does not depend on when the event was, so that no clock is read. With equal delays it is that
// delay. With the sender ready after this thread, on the measured and on the compensated clock, it is the sender's:
//     t_s > t_r,  t_s - D_s >= t_r - D_r   =>   E = t_a,  max_k (t_k - D_k) = t_a - D_s   for any t_a >= t_s
// The same of both bounds; where one of them was ready later here, the clock is read for them alone. Otherwise the time
// matters, or the latency is still being learned, or the wait was so long that a look at the clock costs nothing: the
// compensated clock would follow a stamp of any time.
inline bool is_equal(const tare_thread_t &th, const carried &c) noexcept
{
    return c.delay_ns == th.delay_ns && c.lo_ns == th.delay_lo_ns && c.hi_ns == th.delay_hi_ns;
}

inline bool has_comparable_time(const tare_edge_t &e) noexcept
{
    return (e.flags & (TARE_EDGE_EARLY | TARE_EDGE_SHORT | TARE_EDGE_SAME_CLOCK)) == TARE_EDGE_SAME_CLOCK &&
           tare_global.rule == TARE_RULE_EXACT && (tare_wire_flags(e.wire) & TARE_WIRE_TIME_VALID);
}

inline bool is_ready_later(const tare_thread_t &th, const carried &c, std::int64_t later_ns) noexcept
{
    return later_ns > 0 && later_ns <= believed_ns && later_ns >= c.delay_ns - th.delay_ns;
}

inline bool are_bounds_ready_later(const tare_thread_t &th, const carried &c, std::int64_t later_ns) noexcept
{
    return is_likely(later_ns >= c.lo_ns - th.delay_lo_ns && later_ns >= c.hi_ns - th.delay_hi_ns);
}

inline void take_senders(tare_thread_t &th, const carried &c, std::int64_t sent_ns) noexcept
{
    th.adjusted += th.delay_ns != c.delay_ns;
    th.delay_ns = c.delay_ns;
    th.delay_lo_ns = c.lo_ns;
    th.delay_hi_ns = c.hi_ns;
    th.compensated_ns = larger(th.compensated_ns, sent_ns - c.delay_ns);
}

// False: it does depend on it.
__attribute__((noinline)) bool join_told(tare_thread_t &th, const tare_edge_t &e, const carried &c) noexcept
{
    if (!is_equal(th, c)) {
        if (th.polling || th.event_source == TARE_EVENT_NONE || !has_comparable_time(e))
            return false;
        const std::int64_t later_ns = sent_later_ns(th, e.wire), sent_ns = th.event_ns + later_ns;
        if (!is_ready_later(th, c, later_ns) || !latencies.is_settled(e.peer, e.size_class, sent_ns))
            return false;
        take_senders(th, are_bounds_ready_later(th, c, later_ns) ? c : with_bounds_of_now(th, c), sent_ns);
    }
    end_event(th, e);
    return true;
}

// Of an edge of which nobody asks when the event was.
void join_by_stamp(tare_thread_t &th, const tare_edge_t *edge, const hidden &h) noexcept
{
    if (!join_told(th, *edge, carried_by(edge->wire)))
        join_in_time(th, edge, h);
}

__attribute__((noinline)) void join_announced(tare_thread_t &th, const tare_edge_t *edge) noexcept
{
    join_by_stamp(th, edge, nothing_hidden);
}

// The same for the usual message: the rest is behind calls from which nothing comes back, so that no register is saved.
inline void join_usually(tare_thread_t &th, const tare_edge_t *edge) noexcept
{
    if (!knows_bounds(edge->wire))
        return join_announced(th, edge);
    const carried c = carried_by(edge->wire);
    if (is_equal(th, c))
        return end_event(th, *edge);
    const std::int64_t later_ns = sent_later_ns(th, edge->wire), sent_ns = th.event_ns + later_ns;
    if (!has_comparable_time(*edge) || !is_ready_later(th, c, later_ns))
        return join_in_time(th, edge, nothing_hidden);
    if (!has_no_event(*edge) || !are_bounds_ready_later(th, c, later_ns) ||
        !latencies.is_settled_as_last(edge->peer, edge->size_class, sent_ns))
        return join_announced(th, edge);
    take_senders(th, c, sent_ns);
    forget_event(th);
}

// A message that would have been waited for without measuring was awaited, too.
__attribute__((noinline)) void join_for_tool(tare_thread_t &th, const tare_edge_t *edge, const hidden &h) noexcept
{
    const std::int64_t wait_ns = th.wait_ns, wait_compensated_ns = th.wait_compensated_ns;
    join_in_time(th, edge, h);
    note_sent(th, *edge, th.wait_ns != wait_ns || th.wait_compensated_ns != wait_compensated_ns);
}

inline void join_by_need(tare_thread_t &th, const tare_edge_t *edge, const hidden &h) noexcept
{
    if (!is_likely(!tare_global.account_waits))
        return join_for_tool(th, edge, h);
    if (is_asked_no_time(*edge))
        return join_by_stamp(th, edge, h);
    join_in_time(th, edge, h);
}

// A wait ends. Alone, a process keeps all of its overhead, also that inside a wait.
inline void end_spin(tare_thread_t &th, hidden &h) noexcept
{
    th.joins++;
    if (th.polling && th.spinning && tare_global.rule != TARE_RULE_LOCAL)
        h = wait_since_spin_began(th);
    th.spinning = 0;
}

// The first edge of all, or somebody listens.
__attribute__((noinline)) void join_unusually(tare_thread_t &th, tare_edge_t *edge, bool was_active) noexcept
{
    if (!was_active && !(edge->flags & TARE_EDGE_EARLY)) {
        join_from_unknown_entry(th, *edge);
        return;
    }
    hidden h{};
    end_spin(th, h);
    const std::int64_t before = th.delay_ns, entry = entry_ns(th);
    join_by_need(th, edge, h);
    tell_of_wait(th, *edge, entry, th.event_ns, before);
}

inline void keep(tare_edge_t *edge, tare_wire_t wire, std::uint64_t peer, std::uint32_t size_class,
                 std::uint32_t flags) noexcept
{
    *edge = {wire, 0, peer, size_class,
             (edge->flags & (TARE_EDGE_ANY_SOURCE | TARE_EDGE_POSTED)) | TARE_EDGE_SET | flags};
}

// A call begins, of which no tool has said when.
inline void read_entry(tare_thread_t &th) noexcept
{
    forget_event(th);
    entry_ns(th);
}

// Of a thread that is not muted, in a process that is active.
inline void begin_call(tare_thread_t &th) noexcept
{
    th.woken = 0;
    if (th.event_source != TARE_EVENT_TOOL)
        read_entry(th);
}

// The hooks of every message, in all cases. What their callers below do is the common case, without a frame.
__attribute__((noinline)) tare_wire_t stamp_in_any_case() noexcept
{
    if (!is_active())
        return tare_wire_pack(0, 0, 0);
    tare_thread_t &th = self();
    if (th.muted > 0)
        return tare_wire_muted();
    begin_call(th);
    return pack(th, th.delay_ns, th.delay_lo_ns, th.delay_hi_ns, th.event_ns);
}

__attribute__((noinline)) tare_wire_t freed_stamp_in_any_case() noexcept
{
    tare_thread_t &th = self();
    if (th.muted > 0)
        return tare_wire_muted();
    const readiness r = polling_since(th, th.event_source != TARE_EVENT_NONE ? 0 : clock_ns());
    return pack(th, r.delay_ns, r.delay_lo_ns, r.delay_hi_ns, r.time_ns, freed_flags);
}

__attribute__((noinline)) void arrive_in_any_case(tare_edge_t *edge, tare_wire_t wire, std::uint64_t peer,
                                                  std::uint32_t size_class, std::uint32_t flags) noexcept
{
    const std::uint32_t active = activity();
    if (tare_wire_flags(wire) & TARE_WIRE_MUTED)
        edge->flags |= TARE_EDGE_MUTED;
    if (!wakes(wire))
        return;
    tare_thread_t &th = self();
    if (!is_likely(active == active_in_silence))
        tell_of_stamp({wire, 0, peer, size_class, flags});
    if (active == 0 || th.woken) {
        // The wait in progress began when nobody listened, so nobody joins at its end.
        th.woken = 1;
        join_from_unknown_entry(th, {wire, 0, peer, size_class, flags});
        edge->flags = 0;
        return;
    }
    keep(edge, wire, peer, size_class, flags);
    if (!th.watching)
        return;
    edge->flags |= TARE_EDGE_WATCHED;
    if (!needs_no_time(*edge) || !tare_wire_is_sharp(wire) || tare_wire_delay_ns(wire) != th.delay_ns ||
        !is_sharp(th))
        edge->seen_ns = clock_ns();
}

__attribute__((noinline)) void join_in_any_case(tare_edge_t *edge) noexcept
{
    tare_thread_t &th = self();
    edge->flags &= ~TARE_EDGE_SET;
    const std::uint32_t active = activity();
    if (!wakes(edge->wire) || th.muted > 0)
        return;
    if (!is_likely(active == active_in_silence)) {
        join_unusually(th, edge, active != 0);
        return;
    }
    hidden h{};
    end_spin(th, h);
    join_by_need(th, edge, h);
}

// What leaves in reaction to a message that said nothing: muted if it was the tool's own.
tare_wire_t stamp_behind(const tare_edge_t &edge) noexcept
{
    return edge.flags & TARE_EDGE_MUTED ? tare_wire_muted() : tare_core_stamp();
}

// What leaves in reaction to an edge that has not been joined, and when: `now` stays as it is if nobody needs it.
tare_wire_t answer(const tare_edge_t &edge, const tare_post_t *post, std::int64_t &now) noexcept
{
    tare_thread_t &th = tare_self;
    // Whether the polling thread is in a muted call does not matter: the packet belongs to another one.
    if (!wakes(edge.wire))
        return is_active() ? tare_wire_muted() : tare_wire_pack(0, 0, 0);
    now = clock_ns();
    // The other rules know no way back: answers are muted, and data carry the sender's own delay.
    if (tare_global.rule != TARE_RULE_EXACT)
        return post != nullptr ? tare_wire_muted() : pack(th, th.delay_ns, th.delay_lo_ns, th.delay_hi_ns, now);
    const readiness polling = polling_since(th, now);
    const arrival a = when_ready(edge, polling.time_ns,
                                 [&edge, now]() noexcept { return edge.seen_ns ? edge.seen_ns : now; });
    bounded_join j(polling);
    if (post != nullptr && post->post_ns != 0)
        j.apply(*post);
    j.apply(edge, a);
    return pack(th, j.delay_ns(), j.lo_ns(), j.hi_ns(), now);
}

}  // namespace

void tare_core_enter(void)
{
    if (!is_active())
        return;
    tare_thread_t &th = self();
    th.woken = 0;
    // What the tool does with its own messages is declared behind it: until then the compensated clock stands.
    if (th.event_source != TARE_EVENT_TOOL && is_likely(th.muted == 0))
        read_entry(th);
}

void tare_core_go_on(void)
{
    tare_thread_t &th = self();
    if (th.event_source == TARE_EVENT_NONE)
        return tare_core_enter();
    th.call_ns = th.event_ns;
}

void tare_core_poll(void)
{
    if (!is_active())
        return;
    tare_thread_t &th = self();
    th.woken = 0;
    if (th.muted > 0)
        return;
    const std::int64_t now = th.event_source == TARE_EVENT_TOOL ? th.event_ns : clock_ns();
    if (!is_spinning(th, now)) {
        start_spin(th, now);
        th.spinning = 0;
        advance(th, now);
    }
    th.call_ns = th.event_ns = now;
    if (th.event_source != TARE_EVENT_TOOL)
        th.event_source = TARE_EVENT_OWN;
    th.watching = th.polling = 1;
}

void tare_core_poll_end(int failed)
{
    tare_thread_t &th = self();
    if (!th.polling)
        return;
    th.watching = th.polling = 0;
    th.spinning = failed != 0;
    if (!failed)
        return;
    th.spin_return_ns = clock_ns();
    th.spin_return_delay_ns = th.delay_ns;
    th.spin_regions = th.regions;
}

void tare_core_arrive(tare_edge_t *edge, tare_wire_t wire, uint64_t peer, uint32_t size_class, uint32_t flags)
{
    const tare_thread_t &th = tare_self;
    if (!is_likely(activity() == active_in_silence && !th.woken && !th.watching) || !is_the_programs(wire))
        return arrive_in_any_case(edge, wire, peer, size_class, flags);
    keep(edge, wire, peer, size_class, flags);
    if (may_be_asked_when(th, wire, size_class))
        note_when_it_comes(th, edge);
}

tare_wire_t tare_core_stamp(void)
{
    tare_thread_t &th = tare_self;
    if (is_announced(th))
        return pack(th, th.delay_ns, th.delay_lo_ns, th.delay_hi_ns, th.event_ns);
    return stamp_in_any_case();
}

tare_wire_t tare_core_stamp_going_on(void)
{
    tare_thread_t &th = tare_self;
    if (th.event_source == TARE_EVENT_NONE || th.muted > 0)
        return tare_core_stamp();
    return pack(th, th.delay_ns, th.delay_lo_ns, th.delay_hi_ns, th.event_ns);
}

uint64_t tare_core_shorten(tare_wire_t wire)
{
    if (is_the_programs(wire) && !tare_short_fits(wire, tare_short_layout))
        self().saturated++;
    return tare_short_pack(wire, tare_short_layout);
}

tare_wire_t tare_core_freed_stamp(void)
{
    tare_thread_t &th = tare_self;
    if (is_announced(th) && is_likely(!th.polling))
        return pack(th, th.delay_ns, th.delay_lo_ns, th.delay_hi_ns, th.event_ns, freed_flags);
    return freed_stamp_in_any_case();
}

void tare_core_post(tare_post_t *post)
{
    tare_thread_t &th = tare_self;
    if (!is_announced(th)) {
        post->post_ns = 0;
        if (!is_active() || th.muted > 0)
            return;
        tare_core_enter();
    }
    post->post_ns = th.event_ns;
    post->delay_ns = th.delay_ns;
}

void tare_core_join(tare_edge_t *edge)
{
    if (!(edge->flags & TARE_EDGE_SET))
        return;
    tare_thread_t &th = tare_self;
    if (!is_announced(th) || !is_likely(!th.polling) || !is_the_programs(edge->wire) || !needs_no_time(*edge))
        return join_in_any_case(edge);
    edge->flags &= ~TARE_EDGE_SET;
    th.joins++;
    th.spinning = 0;
    join_usually(th, edge);
}

void tare_core_join_deposits(tare_wire_t *state)
{
    if (!tare_is_active(state))
        return;
    tare_edge_t edge = tare_own_edge(state);
    state->w1 = 0;
    tare_thread_t &th = self();
    if (th.woken)
        join_from_unknown_entry(th, edge);
    else
        tare_core_join(&edge);
}

tare_wire_t tare_core_reply(const tare_edge_t *edge, const tare_post_t *post)
{
    self();
    std::int64_t now = 0;
    return edge->flags & TARE_EDGE_SET ? answer(*edge, post, now) : stamp_behind(*edge);
}

tare_wire_t tare_core_react(tare_edge_t *edge)
{
    self();
    if (!(edge->flags & TARE_EDGE_SET))
        return stamp_behind(*edge);
    std::int64_t now = 0;
    const tare_wire_t wire = answer(*edge, nullptr, now);
    if (edge->seen_ns == 0)
        edge->seen_ns = now;
    return wire;
}

// Whoever freed a cell sends nothing on purpose: the stamp is what that thread had at hand. The other rules know no way
// back.
bool is_backward_edge(const tare_edge_t *freed) noexcept
{
    return freed != nullptr && tare_global.rule == TARE_RULE_EXACT && tare_is_active(&freed->wire) &&
           !(tare_wire_flags(freed->wire) & TARE_WIRE_MUTED) &&
           (tare_wire_flags(freed->wire) & TARE_WIRE_VERSION_MASK) == TARE_WIRE_FREED << TARE_WIRE_VERSION_SHIFT;
}

tare_wire_t tare_core_restamp(tare_wire_t queued, const tare_edge_t *freed)
{
    if (!(tare_wire_flags(queued) & TARE_WIRE_TIME_VALID))
        return queued;
    tare_thread_t &th = self();
    const std::int64_t now = clock_ns();
    // Two edges of this process, so exact under every rule: it was ready when it was queued, and a thread polls.
    const readiness polling = polling_since(th, now);
    bounded_join j(polling);
    const std::int64_t ready = tare_wire_time_near_ns(queued, now);
    j.apply_exactly(queued, ready);
    if (is_backward_edge(freed))
        j.apply(*freed, when_ready(*freed, larger(polling.time_ns, ready), [now]() noexcept { return now; }));
    return pack(th, j.delay_ns(), j.lo_ns(), j.hi_ns(), now);
}

void tare_core_stalled(tare_edge_t *edge, const tare_edge_t *freed)
{
    if (!is_backward_edge(freed))
        return;
    // A CTS that was sent after this thread had begun to poll says it already.
    if ((edge->flags & TARE_EDGE_SET) &&
        tare_wire_extend((edge->wire.w1 - freed->wire.w1) & TARE_WIRE_FIELD_MASK) >= 0)
        return;
    tare_core_arrive(edge, freed->wire, freed->peer, freed->size_class, TARE_EDGE_SAME_CLOCK);
}

int64_t tare_core_now_ns(void) { return clock_ns(); }

void tare_core_overhead_add(int64_t ns, uint32_t fraction)
{
    declare_overhead(self(), ns, fraction);
    set_active();
}

void tare_core_event(int64_t now_ns)
{
    tare_thread_t &th = self();
    th.woken = 0;
    th.call_ns = th.event_ns = now_ns;
    th.event_source = TARE_EVENT_TOOL;
    // In a spin the compensated clock waits with the thread.
    if (!is_spinning(th, now_ns))
        advance(th, now_ns);
    set_active();
}

void tare_core_inherit(const tare_wire_t *creator)
{
    if (!tare_is_active(creator) || (tare_wire_flags(*creator) & TARE_WIRE_MUTED))
        return;
    tare_thread_t &th = self();
    th.delay_ns = tare_wire_delay_ns(*creator);
    th.delay_lo_ns = tare_wire_delay_lo_ns(*creator);
    th.delay_hi_ns = tare_wire_delay_hi_ns(*creator);
    th.compensated_ns = INT64_MIN;
    th.spinning = 0;
    forget_event(th);
}

void tare_core_configure(int mode, int rule, int carry)
{
    tare_global.mode = static_cast<std::uint32_t>(mode);
    tare_global.rule = static_cast<std::uint32_t>(rule);
    tare_global.carry = static_cast<std::uint32_t>(carry);
    tare_global.live = tare_global.carry != 0 && is_active() != 0;
}

tare_thread_t *tare_core_thread(void) { return &self(); }

int64_t tare_core_compensated_now_ns(void)
{
    tare_thread_t &th = self();
    const std::int64_t now = clock_ns();
    advance(th, now);
    return now - th.delay_ns;
}

void tare_core_test_set_delay(int64_t ns)
{
    tare_thread_t &th = self();
    th.delay_ns = th.delay_lo_ns = th.delay_hi_ns = ns;
    th.compensated_ns = INT64_MIN;
    forget_event(th);
    set_active();
}

const tare_transport_v1_table_t tare_core_table = TARE_TRANSPORT_TABLE(0);
