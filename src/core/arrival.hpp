// SPDX-License-Identifier: BSD-3-Clause
// When an edge was ready: what a poll saw, or send time and learned latency (latency.hpp), and what is certain of it.
#ifndef TARE_CORE_ARRIVAL_HPP
#define TARE_CORE_ARRIVAL_HPP

#include "latency.hpp"
#include "thread.hpp"

namespace tare {

extern latency_table latencies __attribute__((visibility("hidden")));

// Far away, but not so far that a sum could overflow.
constexpr std::int64_t far_ns = TARE_WIRE_FAR_NS;

// On this clock: the best estimate, and what is certain.
struct arrival {
    std::int64_t ready_ns;
    std::int64_t earliest_ns;
    std::int64_t latest_ns;
    bool is_guess;
};

constexpr std::int64_t no_time = -far_ns;

// A wait this long has polled more than once: what was there when it began would have been found. The second where a
// poll asks the kernel's network.
constexpr std::int64_t first_poll_ns = 2000;
constexpr std::int64_t first_network_poll_ns = 50'000;

// On one clock nothing comes before it was sent. A send time that is so much later than it may be is not believed; below,
// it may be an event that was estimated.
constexpr std::int64_t believed_ns = 1'000'000'000;

// A class may come from the length that a peer has said: the greatest are one.
inline std::int64_t bytes_of_class(std::uint32_t size_class, std::uint32_t base) noexcept
{
    const std::uint32_t bits = size_class - base;
    return INT64_C(1) << (bits < 58 ? bits : 58);
}

// What a message of this class takes at most, once it and its receive are there: 2 ns a byte. A wait that ends no
// later tells nothing.
inline std::int64_t transfer_ns(std::uint32_t size_class) noexcept
{
    const std::uint32_t base = size_class >= TARE_CLASS_DATA ? TARE_CLASS_DATA : TARE_CLASS_EAGER;
    const bool has_size = size_class != TARE_CLASS_CONTROL && size_class < TARE_CLASS_CELL;
    return has_size ? 2 * bytes_of_class(size_class, base) : 0;
}

inline bool is_flag(const tare_edge_t &e) noexcept { return e.size_class >= TARE_CLASS_FLAG; }

// A flag in the memory of a node is seen within this time, plus what its setter may take for the data that it tells of,
// a quarter of a ns a byte.
constexpr std::int64_t flag_seen_ns = 1000;

// What a cache line takes from core to core.
constexpr std::int64_t flag_travels_ns = 100;

// A row of the table for what this process itself takes from its call to where it looks for a flag.
constexpr std::uint64_t own_look = TARE_PEER_ANYBODY - 1;

// This thread has found a flag set when it got to look.
inline void learn_look(std::uint32_t size_class, std::int64_t call_ns, std::int64_t now_ns) noexcept
{
    latencies.learn(own_look, size_class, now_ns - call_ns, now_ns, false);
}

// Flags that are waited for now and then only are waited for because something was unusual, an interrupt of their setter
// behind its time stamp, or cold caches: the least of few such waits is several times what the others take. A setter
// comes from its call to the flag by the same code that led this process to where it looks.
__attribute__((noinline)) inline std::int64_t flag_latency_ns(const tare_edge_t &e, std::int64_t learned_ns) noexcept
{
    if (latencies.is_minimum_of_many(e.peer, e.size_class))
        return learned_ns;
    const tare::latency look = latencies.get(own_look, e.size_class);
    const std::int64_t data_ns = bytes_of_class(e.size_class, TARE_CLASS_FLAG) / 4;
    const std::int64_t usual_ns = look.any ? smaller(look.ns + flag_travels_ns, flag_seen_ns) : flag_seen_ns;
    return smaller(learned_ns, usual_ns + data_ns);
}

// What is known of this edge's latency.
inline tare::latency latency_of(const tare_edge_t &e) noexcept
{
    tare::latency l = latencies.get(e.peer, e.size_class);
    if (__builtin_expect(is_flag(e), 0))
        l.ns = flag_latency_ns(e, l.ns);
    return l;
}

inline bool is_short(const tare_edge_t &e) noexcept { return (e.flags & TARE_EDGE_SHORT) != 0; }

// The sender's clock is this one, or has been compared with it.
inline bool is_on_common_clock(const tare_edge_t &e) noexcept
{
    return (e.flags & (TARE_EDGE_SAME_CLOCK | TARE_EDGE_SYNCED)) != 0;
}

// How wrong a send time may be, once it is on this clock. Crystals are within 100 ppm of what they should be, so two
// drift apart by 1 ns in 5000 at most.
inline std::int64_t clock_error_ns(const tare_edge_t &e, std::int64_t now) noexcept
{
    return e.flags & TARE_EDGE_SYNCED ? tare_clock.error_ns + (now - tare_clock.measured_ns) / 5000 : 0;
}

// The send time, of a message that had come at `at`. A short stamp's is known modulo its period, and rounded down:
// the latest that lets the message come by then; or a little after, where only latencies tell, none of which is known
// to be the least.
inline std::int64_t sent_near(const tare_edge_t &e, std::int64_t at, const tare::latency &l) noexcept
{
    if (!is_short(e))
        return tare_wire_time_near_ns(e.wire, at);
    const std::uint64_t period = tare_short_period_ns(tare_short_layout);
    const std::int64_t after = is_on_common_clock(e) ? clock_error_ns(e, at)
                                                     : static_cast<std::int64_t>(period / 8) - (l.any ? l.ns : 0);
    const std::int64_t latest = at + after;
    return latest - static_cast<std::int64_t>((static_cast<std::uint64_t>(latest) - e.wire.w1) & (period - 1));
}

// What a short send time, which was rounded down, lacks on average.
inline std::int64_t half_quantum_ns(const tare_edge_t &e) noexcept
{
    return is_short(e) ? (INT64_C(1) << tare_short_layout.time_shift) / 2 : 0;
}

// As when_ready, of an own schedule, of another clock, or of a send time that is known modulo its period. Of the latter
// only a message that was really waited for teaches anything: one that came before may be any number of periods old.
template <typename Seen>
__attribute__((noinline)) arrival when_ready_afar(const tare_edge_t &e, std::int64_t entry, Seen seen) noexcept
{
    if (e.flags & TARE_EDGE_OWN) {
        const std::int64_t ready = tare_wire_time_near_ns(e.wire, entry);
        return {ready, ready, ready, false};
    }
    const bool early = (e.flags & TARE_EDGE_EARLY) != 0, wraps = is_short(e);
    const bool is_common = is_on_common_clock(e);
    const tare::latency l = latency_of(e);
    std::int64_t at = early ? entry : seen();
    const std::int64_t sent = sent_near(e, at, l), error = clock_error_ns(e, at);
    if (is_common && !wraps && sent - error - at > believed_ns)
        return {at, no_time, at, true};
    // On common clocks the latency is about 0 until one was learned; else the shortest that was merely seen is all
    // there is.
    const bool is_learned = l.exact || (l.any && !is_common && !wraps);
    const std::int64_t latency_ns = (is_learned ? l.ns : 0) + half_quantum_ns(e);
    const std::int64_t expected = is_learned || is_common ? sent + latency_ns : entry;
    const std::int64_t earliest = is_common && !wraps ? sent - error : no_time;
    const bool is_guess = !l.exact && !is_common;
    // A long wait says more than clocks that may have drifted, but for what was learned from others.
    const bool has_waited = at - entry > first_network_poll_ns + transfer_ns(e.size_class) &&
                            (!is_common || sent + error > entry);
    const bool was_missing = !early && ((is_common && sent - error > entry) || has_waited);
    if (early || ((is_learned || (is_common && !was_missing)) && expected <= entry)) {
        if (!is_common && !wraps)
            latencies.learn(e.peer, e.size_class, entry - sent, entry, false);
        const std::int64_t ready = smaller(expected, entry);
        return {ready, smaller(earliest, ready), entry, is_guess};
    }
    // It came some time before, in this wait: nobody asked then.
    if (e.seen_ns == 0 && (e.flags & TARE_EDGE_WATCHED) && l.exact)
        at = smaller(at, larger(expected, entry));
    if (was_missing || !wraps)
        latencies.learn(e.peer, e.size_class, at - sent, at, is_common || was_missing);
    return {at, was_missing ? at : smaller(earliest, at), at, is_guess && !was_missing};
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
    if ((e.flags & (TARE_EDGE_SAME_CLOCK | TARE_EDGE_SHORT)) != TARE_EDGE_SAME_CLOCK)
        return when_ready_afar(e, entry, seen);
    const std::int64_t sent = tare_wire_time_near_ns(e.wire, entry);
    const tare::latency l = latency_of(e);
    // On one clock the latency is at least 0, which will do until one message was really waited for.
    const std::int64_t expected = l.exact ? sent + l.ns : sent;
    if (early || expected <= entry) {
        const std::int64_t ready = smaller(expected, entry);
        return {ready, smaller(sent, ready), entry, false};
    }
    std::int64_t at = seen();
    if (sent - at > believed_ns)
        return {at, no_time, at, true};
    // It came some time before, in this wait: nobody asked then.
    if (e.seen_ns == 0 && (e.flags & TARE_EDGE_WATCHED) && l.exact)
        at = smaller(at, larger(expected, entry));
    latencies.learn(e.peer, e.size_class, at - sent, at, true);
    return {at, sent > entry ? at : sent, at, false};
}

// The arrival of a message that was seen by a poll of a spin.
inline void come_while_hidden(arrival &a, const tare_edge_t &e, const hidden &h) noexcept
{
    // A coarse time tells nothing of less.
    if (h.overhead_ns <= half_quantum_ns(e) || !(tare_wire_flags(e.wire) & TARE_WIRE_TIME_VALID))
        return;
    const tare::latency l = latency_of(e);
    if (!l.exact)
        return;
    const std::int64_t expected = sent_near(e, a.ready_ns, l) + l.ns + half_quantum_ns(e);
    if (expected < h.until_ns)
        a.ready_ns = smaller(a.ready_ns, larger(expected, a.ready_ns - h.overhead_ns));
    a.earliest_ns = smaller(a.earliest_ns, a.ready_ns);
}

}  // namespace tare

#endif
