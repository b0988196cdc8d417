// SPDX-License-Identifier: BSD-3-Clause
// When an edge was ready: what a poll saw, or send time and learned latency (latency.hpp), and what is certain of it.
#ifndef TARE_CORE_ARRIVAL_HPP
#define TARE_CORE_ARRIVAL_HPP

#include "latency.hpp"
#include "thread.hpp"

namespace tare {

extern latency_table latencies __attribute__((visibility("hidden")));

// Far away, but not so far that a sum could overflow.
constexpr std::int64_t far_ns = INT64_C(1) << 60;

// On this clock: the best estimate, and what is certain.
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
// What a network's first poll takes. A short stamp's time must not be learned from a message that came before: modulo
// its period it may be younger than any that was waited for.
constexpr std::int64_t first_network_poll_ns = 50'000;

inline bool is_short(const tare_edge_t &e) noexcept { return (e.flags & TARE_EDGE_SHORT) != 0; }

// The send time of a short stamp whose message had come at `at`: it is known modulo its period, and rounded down. The
// latest that lets the message come by then, or a little after, since no latency is known to be the least.
inline std::int64_t short_sent_near(const tare_edge_t &e, std::int64_t at, const tare::latency &l) noexcept
{
    const std::uint64_t period = tare_short_period_ns(tare_short_layout);
    const std::int64_t latest = at + static_cast<std::int64_t>(period / 8) - (l.any ? l.ns : 0);
    return latest - static_cast<std::int64_t>((static_cast<std::uint64_t>(latest) - e.wire.w1) & (period - 1));
}

// What a send time that was rounded down lacks on average.
inline std::int64_t half_quantum_ns() noexcept { return (INT64_C(1) << tare_short_layout.time_shift) / 2; }

// As when_ready, of a short stamp. Only messages that were really waited for teach anything.
template <typename Seen>
__attribute__((noinline)) arrival when_short_ready(const tare_edge_t &e, std::int64_t entry, Seen seen) noexcept
{
    const bool early = (e.flags & TARE_EDGE_EARLY) != 0;
    const tare::latency l = latencies.get(e.peer, e.size_class);
    std::int64_t at = early ? entry : seen();
    const std::int64_t sent = short_sent_near(e, at, l);
    const std::int64_t expected = l.exact ? sent + l.ns + half_quantum_ns() : entry;
    if (early || (l.exact && expected <= entry))
        return {smaller(expected, entry), no_time, entry, !l.exact};
    if (e.seen_ns == 0 && (e.flags & TARE_EDGE_WATCHED) && l.exact)
        at = smaller(at, larger(expected, entry));
    const bool was_missing = at - entry > first_network_poll_ns;
    if (was_missing)
        latencies.learn(e.peer, e.size_class, at - sent, at, true);
    return {at, was_missing ? at : no_time, at, !l.exact && !was_missing};
}

// Estimates when the edge was ready, for a wait that was entered at `entry`. `seen()` is when a poll inside the wait
// saw it first: the thread had nothing else to do, so that is when it came. It is asked only if needed, since it may
// read the clock.
template <typename Seen>
inline arrival when_ready(const tare_edge_t &e, std::int64_t entry, Seen seen) noexcept
{
    const bool early = (e.flags & TARE_EDGE_EARLY) != 0;
    if (!(tare_wire_flags(e.wire) & TARE_WIRE_TIME_VALID)) {
        const std::int64_t at = early ? entry : seen();
        return {at, no_time, at, true};
    }
    const bool same_clock = (e.flags & TARE_EDGE_SAME_CLOCK) != 0;
    if (!same_clock && is_short(e))
        return when_short_ready(e, entry, seen);
    const std::int64_t sent = tare_wire_time_near_ns(e.wire, entry);
    const tare::latency l = latencies.get(e.peer, e.size_class);
    // Inside a node the latency is at least 0, which will do until one message was really waited for; across nodes
    // the smallest time to an early message's receiver is all there is, and no bound below.
    const bool known = same_clock || l.exact;
    const std::int64_t expected = l.exact || (!same_clock && l.any) ? sent + l.ns : same_clock ? sent : entry;
    const std::int64_t earliest = same_clock ? sent : no_time;
    // What was merely seen so far tells the longest that it can have taken.
    if (early || ((known || l.any) && expected <= entry)) {
        if (!same_clock)
            latencies.learn(e.peer, e.size_class, entry - sent, entry, false);
        const std::int64_t ready = smaller(expected, entry);
        return {ready, smaller(earliest, ready), entry, !known};
    }
    std::int64_t at = seen();
    // It came some time before, in this wait: nobody asked then.
    if (e.seen_ns == 0 && (e.flags & TARE_EDGE_WATCHED) && l.exact)
        at = smaller(at, larger(expected, entry));
    const bool was_missing = same_clock ? sent > entry : at - entry > first_poll_ns;
    latencies.learn(e.peer, e.size_class, at - sent, at, same_clock || was_missing);
    return {at, was_missing ? at : earliest, at, !known && !was_missing};
}

// The arrival of a message that was seen by a poll of a spin.
inline void come_while_hidden(arrival &a, const tare_edge_t &e, const hidden &h) noexcept
{
    const tare::latency l = latencies.get(e.peer, e.size_class);
    if (h.overhead_ns <= 0 || !l.exact || !(tare_wire_flags(e.wire) & TARE_WIRE_TIME_VALID))
        return;
    const std::int64_t sent = is_short(e) ? short_sent_near(e, a.ready_ns, l) + half_quantum_ns()
                                          : tare_wire_time_near_ns(e.wire, a.ready_ns);
    const std::int64_t expected = sent + l.ns;
    if (expected < h.until_ns)
        a.ready_ns = smaller(a.ready_ns, larger(expected, a.ready_ns - h.overhead_ns));
    a.earliest_ns = smaller(a.earliest_ns, a.ready_ns);
}

}  // namespace tare

#endif
