// SPDX-License-Identifier: BSD-3-Clause
// The compensation core: the calling thread's delay, and what messages do to it. The rule itself is in rule.hpp, the
// arrival times in latency.hpp, the layout of a stamp in tare_wire.h.
#include "tare_transport.h"

#include "latency.hpp"
#include "rule.hpp"

#include <time.h>

tare_global_t tare_global;
__thread tare_thread_t tare_self __attribute__((tls_model("initial-exec")));

static_assert(sizeof(tare_wire_t) == 16, "the wire format has changed");
static_assert(sizeof(tare_request_t) <= 80, "tare_request_t must fit the union of MPIR_Request");
static_assert(sizeof(tare_thread_t) == 160 && TARE_TRANSPORT_VERSION == 1,
              "libtare reads the thread block of another object: a new layout needs a new TARE_TRANSPORT_VERSION");
static_assert(static_cast<int>(tare::rule::exact) == TARE_RULE_EXACT, "one numbering of rules");
static_assert(static_cast<int>(tare::rule::published) == TARE_RULE_PUBLISHED, "one numbering of rules");
static_assert(static_cast<int>(tare::rule::local) == TARE_RULE_LOCAL, "one numbering of rules");

namespace {

tare::latency_table latencies;

std::int64_t clock_ns() noexcept
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

std::int64_t smaller(std::int64_t a, std::int64_t b) noexcept { return a < b ? a : b; }
std::int64_t larger(std::int64_t a, std::int64_t b) noexcept { return a > b ? a : b; }

// The width of a stamp's bounds. An unbounded one is far away, but not so far that a sum could overflow.
constexpr std::int64_t far_ns = INT64_C(1) << 60;
std::int64_t width_below(tare_wire_t wire) noexcept
{
    return smaller(tare_wire_width_ns((tare_wire_flags(wire) >> TARE_WIRE_LO_SHIFT) & TARE_WIRE_WIDTH_MASK), far_ns);
}
std::int64_t width_above(tare_wire_t wire) noexcept
{
    return smaller(tare_wire_width_ns(tare_wire_flags(wire) & TARE_WIRE_WIDTH_MASK), far_ns);
}

void shift_delay(tare_thread_t &th, std::int64_t ns) noexcept
{
    th.delay_ns += ns;
    th.delay_lo_ns += ns;
    th.delay_hi_ns += ns;
}

// The compensated clock never runs backwards: what was declared beyond the elapsed time is taken back and kept as
// residue.
void advance(tare_thread_t &th, std::int64_t now_ns) noexcept
{
    const std::int64_t compensated = now_ns - th.delay_ns;
    if (compensated >= th.compensated_ns) {
        th.compensated_ns = compensated;
        return;
    }
    const std::int64_t beyond = th.compensated_ns - compensated;
    th.residue_ns += beyond;
    shift_delay(th, -beyond);
}

void set_active() noexcept { __atomic_store_n(&tare_global.active, 1, __ATOMIC_RELAXED); }

tare_thread_t &self() noexcept
{
    tare_thread_t &th = tare_self;
    if (__builtin_expect(th.number == 0, 0)) {
        th.number = __atomic_add_fetch(&tare_global.threads, 1, __ATOMIC_RELAXED);
        th.any_source_ns = INT64_MIN;
        th.compensated_ns = INT64_MIN;
    }
    return th;
}

// The time of the thread's own readiness. Only a tool's time stamp lasts: the transport's own is read again at every
// entry, because nothing tells it when a call has ended.
std::int64_t entry_ns(tare_thread_t &th) noexcept
{
    if (th.event_source == TARE_EVENT_NONE) {
        th.call_ns = th.event_ns = clock_ns();
        th.event_source = TARE_EVENT_OWN;
        advance(th, th.event_ns);
    }
    return th.event_ns;
}

// When an edge was ready, on this clock: the best estimate, and what is certain.
struct arrival {
    std::int64_t ready_ns;
    std::int64_t earliest_ns;
    std::int64_t latest_ns;
    bool is_guess;
};

constexpr std::int64_t no_time = -far_ns;

// A wait this long has polled more than once. On another clock only such a wait tells that the message was not there
// when it began.
constexpr std::int64_t first_poll_ns = 2000;

// Estimates when the edge was ready, for a wait that was entered at `entry`. `seen()` is when a poll inside the wait
// saw it first: the thread had nothing else to do, so that is when it came. It is asked only if needed, since it may
// read the clock.
template <typename Seen>
arrival when_ready(const tare_edge_t &e, std::int64_t entry, Seen seen) noexcept
{
    const bool early = (e.flags & TARE_EDGE_EARLY) != 0;
    if (!(tare_wire_flags(e.wire) & TARE_WIRE_TIME_VALID)) {
        const std::int64_t at = early ? entry : seen();
        return {at, no_time, at, true};
    }
    const bool same_clock = (e.flags & TARE_EDGE_SAME_CLOCK) != 0;
    const std::int64_t sent = tare_wire_time_near_ns(e.wire, entry);
    const tare::latency l = latencies.get(e.peer, e.size_class);
    // Inside a node the latency is at least 0, which will do until one message was really waited for; across nodes
    // the smallest time to an early message's receiver is all there is, and no bound below.
    const bool known = same_clock || l.exact;
    const std::int64_t expected = l.exact || (!same_clock && l.any) ? sent + l.ns : same_clock ? sent : entry;
    const std::int64_t earliest = same_clock ? sent : no_time;
    if (early || (known && expected <= entry)) {
        if (!same_clock)
            latencies.learn(e.peer, e.size_class, entry - sent, entry, false);
        const std::int64_t ready = smaller(expected, entry);
        return {ready, smaller(earliest, ready), entry, !known};
    }
    const std::int64_t at = seen();
    const bool was_missing = same_clock ? sent > entry : at - entry > first_poll_ns;
    latencies.learn(e.peer, e.size_class, at - sent, at, same_clock || was_missing);
    return {at, was_missing ? at : earliest, at, !known && !was_missing};
}

// (R) run three times: with the best estimate, and with the latest and the earliest possible arrival.
class bounded_join {
  public:
    bounded_join(const tare_thread_t &th, std::int64_t entry) noexcept
        : mid_({entry, th.delay_ns}), lo_({entry, th.delay_lo_ns}), hi_({entry, th.delay_hi_ns})
    {
    }

    void apply(const tare_post_t &post) noexcept
    {
        const tare::edge e{post.post_ns, post.delay_ns};
        mid_.apply(e);
        lo_.apply(e);
        hi_.apply(e);
    }

    void apply(const tare_wire_t &wire, const arrival &a) noexcept
    {
        const tare::rule r = static_cast<tare::rule>(tare_global.rule);
        const std::int64_t delay = tare_wire_delay_ns(wire);
        mid_.apply(r, {a.ready_ns, delay});
        lo_.apply(r, {a.latest_ns, delay - width_below(wire)});
        hi_.apply(r, {a.earliest_ns, delay + width_above(wire)});
        lo_.at_least(mid_.event_ns());
        hi_.at_least(mid_.event_ns());
    }

    std::int64_t event_ns() const noexcept { return mid_.event_ns(); }
    std::int64_t delay_ns() const noexcept { return mid_.delay_ns(); }
    std::int64_t lo_ns() const noexcept { return smaller(lo_.delay_ns(), mid_.delay_ns()); }
    std::int64_t hi_ns() const noexcept { return larger(hi_.delay_ns(), mid_.delay_ns()); }

  private:
    tare::join mid_, lo_, hi_;
};

tare_wire_t pack(tare_thread_t &th, std::int64_t delay, std::int64_t lo, std::int64_t hi, std::int64_t time) noexcept
{
    unsigned flags = TARE_WIRE_TIME_VALID | TARE_WIRE_ACTIVE | TARE_WIRE_VERSION << TARE_WIRE_VERSION_SHIFT;
    if (lo != delay || hi != delay)
        flags |= tare_wire_width_code(delay - lo) << TARE_WIRE_LO_SHIFT | tare_wire_width_code(hi - delay);
    if (__builtin_expect(delay > TARE_WIRE_DELAY_MAX_NS || delay < TARE_WIRE_DELAY_MIN_NS, 0)) {
        th.saturated++;
        delay = delay > 0 ? TARE_WIRE_DELAY_MAX_NS : TARE_WIRE_DELAY_MIN_NS;
    }
    return tare_wire_pack(delay, time, static_cast<std::uint16_t>(th.number), static_cast<std::uint16_t>(flags));
}

constexpr tare_wire_t muted_stamp() noexcept
{
    return tare_wire_t{0, static_cast<std::uint64_t>(TARE_WIRE_MUTED) << TARE_WIRE_FIELD_BITS};
}

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

// An edge that needs no processing: the tool's own message, or nobody has declared anything yet.
bool is_silent(const tare_thread_t &th, const tare_wire_t &wire) noexcept
{
    const unsigned flags = tare_wire_flags(wire);
    if ((flags & TARE_WIRE_MUTED) || th.muted > 0)
        return true;
    if (tare_global.active)
        return false;
    if (!(flags & TARE_WIRE_ACTIVE))
        return true;
    set_active();
    return false;
}

// Neither edge can win, and nobody asks when the event was: no tool for the wait's length, no other edge of the same
// wait (there each knows when it was seen), no later wildcard match. No clock is read.
bool is_balanced(const tare_thread_t &th, const tare_edge_t &e) noexcept
{
    return !tare_global.account_waits && e.seen_ns == 0 && !(e.flags & TARE_EDGE_ANY_SOURCE) &&
           tare_wire_delay_ns(e.wire) == th.delay_ns && th.delay_lo_ns == th.delay_ns &&
           th.delay_hi_ns == th.delay_ns &&
           !(tare_wire_flags(e.wire) & (TARE_WIRE_WIDTH_MASK | TARE_WIRE_WIDTH_MASK << TARE_WIRE_LO_SHIFT));
}

void forget_event(tare_thread_t &th) noexcept { th.event_source = TARE_EVENT_NONE; }

// The first stamp that says that somebody measures, and this process did not know when its wait began: no clock is
// read before. It may have waited for all of the delay or for nothing; what starts such a run is a wait.
void join_from_unknown_entry(tare_thread_t &th, const tare_wire_t &wire) noexcept
{
    th.early_unknown++;
    if (tare_global.rule == TARE_RULE_LOCAL)
        return;
    const std::int64_t delay = tare_wire_delay_ns(wire);
    th.delay_lo_ns = smaller(th.delay_ns, delay - width_below(wire));
    th.delay_hi_ns = larger(th.delay_ns, delay + width_above(wire));
    th.adjusted += th.delay_ns != delay;
    th.delay_ns = delay;
}

}  // namespace

void tare_core_enter(void)
{
    if (!tare_global.active)
        return;
    tare_thread_t &th = self();
    if (th.event_source != TARE_EVENT_TOOL) {
        forget_event(th);
        entry_ns(th);
    }
}

tare_wire_t tare_core_stamp(void)
{
    if (!tare_global.active)
        return tare_wire_pack(0, 0, 0, 0);
    tare_thread_t &th = self();
    if (th.muted > 0)
        return muted_stamp();
    tare_core_enter();
    return pack(th, th.delay_ns, th.delay_lo_ns, th.delay_hi_ns, th.event_ns);
}

void tare_core_post(tare_post_t *post)
{
    post->post_ns = 0;
    if (!tare_global.active)
        return;
    tare_thread_t &th = self();
    if (th.muted > 0)
        return;
    tare_core_enter();
    post->post_ns = th.event_ns;
    post->delay_ns = th.delay_ns;
}

void tare_core_join(tare_edge_t *edge)
{
    tare_thread_t &th = self();
    if (!(edge->flags & TARE_EDGE_SET))
        return;
    edge->flags &= ~TARE_EDGE_SET;
    const bool was_active = tare_global.active;
    if (is_silent(th, edge->wire))
        return;
    th.joins++;
    if (!was_active && !(edge->flags & TARE_EDGE_EARLY)) {
        join_from_unknown_entry(th, edge->wire);
        return;
    }
    if (is_balanced(th, *edge)) {
        if (!(edge->flags & TARE_EDGE_EARLY))
            forget_event(th);
        return;
    }
    const std::int64_t entry = entry_ns(th);
    const std::int64_t before = th.delay_ns;
    const arrival a = when_ready(*edge, th.call_ns,
                                 [edge]() noexcept { return edge->seen_ns ? edge->seen_ns : clock_ns(); });
    th.early_unknown += a.is_guess;
    if (edge->flags & TARE_EDGE_ANY_SOURCE)
        note_any_source(th, *edge, a.ready_ns);
    bounded_join j(th, entry);
    j.apply(edge->wire, a);
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

tare_wire_t tare_core_reply(const tare_edge_t *edge, const tare_post_t *post)
{
    tare_thread_t &th = self();
    // The other rules know no way back: answers are muted, and data carry the sender's own delay.
    if (tare_global.rule != TARE_RULE_EXACT && tare_global.active && th.muted == 0)
        return post != nullptr ? muted_stamp()
                               : pack(th, th.delay_ns, th.delay_lo_ns, th.delay_hi_ns, clock_ns());
    if (is_silent(th, edge->wire))
        return tare_global.active ? muted_stamp() : tare_wire_pack(0, 0, 0, 0);
    const std::int64_t now = clock_ns();
    const std::int64_t polling = th.event_source == TARE_EVENT_NONE ? now : th.event_ns;
    const arrival a = when_ready(*edge, polling,
                                 [edge, now]() noexcept { return edge->seen_ns ? edge->seen_ns : now; });
    bounded_join j(th, polling);
    if (post != nullptr && post->post_ns != 0)
        j.apply(*post);
    j.apply(edge->wire, a);
    return pack(th, j.delay_ns(), j.lo_ns(), j.hi_ns(), now);
}

tare_wire_t tare_core_restamp(tare_wire_t queued)
{
    if (!(tare_wire_flags(queued) & TARE_WIRE_TIME_VALID))
        return queued;
    tare_thread_t &th = self();
    const std::int64_t now = clock_ns();
    // Two edges of this process, so exact under every rule: it was ready when it was queued, and a thread polls. Who
    // freed the slot is not known: the time since then is no delay of anybody's.
    tare::join j({th.event_source == TARE_EVENT_NONE ? now : th.event_ns, th.delay_ns});
    j.apply({tare_wire_time_near_ns(queued, now), tare_wire_delay_ns(queued)});
    const std::int64_t delay = j.delay_ns();
    return pack(th, delay, delay - larger(width_below(queued), th.delay_ns - th.delay_lo_ns),
                delay + larger(width_above(queued), th.delay_hi_ns - th.delay_ns), now);
}

int64_t tare_core_now_ns(void) { return clock_ns(); }

void tare_core_overhead_add(int64_t ns, uint32_t fraction)
{
    tare_thread_t &th = self();
    const std::uint32_t sum = th.fraction + fraction;
    shift_delay(th, ns + (sum < fraction));
    th.fraction = sum;
    forget_event(th);
    set_active();
}

void tare_core_event(int64_t now_ns)
{
    tare_thread_t &th = self();
    th.call_ns = th.event_ns = now_ns;
    th.event_source = TARE_EVENT_TOOL;
    advance(th, now_ns);
    set_active();
}

void tare_core_configure(int mode, int rule, int carry)
{
    tare_global.mode = static_cast<std::uint32_t>(mode);
    tare_global.rule = static_cast<std::uint32_t>(rule);
    tare_global.carry = static_cast<std::uint32_t>(carry);
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
