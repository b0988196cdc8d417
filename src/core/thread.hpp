// SPDX-License-Identifier: BSD-3-Clause
// The calling thread's block: its delay, its compensated clock, the time of its own readiness, its stamps, its spins.
//
// Units: nanoseconds. Threads: each function works on one thread's block; only set_active() touches what is shared.
#ifndef TARE_CORE_THREAD_HPP
#define TARE_CORE_THREAD_HPP

#include "overhead.hpp"

#include <time.h>

namespace tare {

inline std::int64_t clock_ns() noexcept
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

inline std::int64_t smaller(std::int64_t a, std::int64_t b) noexcept { return a < b ? a : b; }
inline std::int64_t larger(std::int64_t a, std::int64_t b) noexcept { return a > b ? a : b; }

// The compensated clock never runs backwards: what was declared beyond the elapsed time is taken back and kept as
// residue.
inline void advance(tare_thread_t &th, std::int64_t now_ns) noexcept
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

// Any thread may find that out first. A hook that asks whether there is anything to do learns by the same comparison
// whether somebody is told of it.
inline std::uint32_t activity() noexcept { return __atomic_load_n(&tare_global.active, __ATOMIC_RELAXED); }
inline bool is_active() noexcept { return activity() != 0; }
constexpr std::uint32_t active_in_silence = 1;

// Written once: every message of every thread looks at it.
inline void set_active() noexcept
{
    if (is_active())
        return;
    __atomic_or_fetch(&tare_global.active, active_in_silence, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&tare_global.account_waits, __ATOMIC_SEQ_CST) & TARE_LISTENED) {
        __atomic_or_fetch(&tare_global.active, TARE_LISTENED, __ATOMIC_SEQ_CST);
        // Who has stopped listening in between may have been first.
        if (!(__atomic_load_n(&tare_global.account_waits, __ATOMIC_SEQ_CST) & TARE_LISTENED))
            __atomic_and_fetch(&tare_global.active, ~TARE_LISTENED, __ATOMIC_SEQ_CST);
    }
    __atomic_store_n(&tare_global.live, tare_global.carry != 0, __ATOMIC_RELAXED);
}

inline tare_thread_t &self() noexcept
{
    tare_thread_t &th = tare_self;
    if (__builtin_expect(th.number == 0, 0)) {
        th.number = __atomic_add_fetch(&tare_global.threads, 1, __ATOMIC_RELAXED);
        th.any_source_ns = INT64_MIN;
        th.compensated_ns = INT64_MIN;
        th.sent_first.sent_ns = th.sent_awaited.sent_ns = TARE_SENT_NONE;
    }
    return th;
}

// The time of the thread's own readiness. Only a tool's time stamp lasts: the transport's own is read again at every
// entry, because nothing tells it when a call has ended.
inline std::int64_t entry_ns(tare_thread_t &th) noexcept
{
    if (th.event_source == TARE_EVENT_NONE) {
        th.call_ns = th.event_ns = clock_ns();
        th.event_source = TARE_EVENT_OWN;
        advance(th, th.event_ns);
    }
    return th.event_ns;
}

inline bool is_likely(bool condition) noexcept { return __builtin_expect(condition, 1); }

// A tool has said when this call began, so there is nothing to find out before it is stamped; and the thread is
// numbered, its process active.
inline bool is_announced(const tare_thread_t &th) noexcept
{
    return is_likely(th.event_source == TARE_EVENT_TOOL && th.muted == 0);
}

// The delay has no bounds: one value says all.
inline bool is_sharp(const tare_thread_t &th) noexcept
{
    return is_likely(th.delay_lo_ns == th.delay_ns && th.delay_hi_ns == th.delay_ns);
}

constexpr unsigned stamp_flags = TARE_WIRE_TIME_VALID | TARE_WIRE_ACTIVE | TARE_WIRE_VERSION << TARE_WIRE_VERSION_SHIFT;
constexpr unsigned freed_flags = stamp_flags | TARE_WIRE_FREED << TARE_WIRE_VERSION_SHIFT;

inline bool fits_wire(std::int64_t delay) noexcept { return is_likely(tare_wire_extend(delay) == delay); }

// Bounds of a delay beside their code on the wire. Processes that wait for each other get their own bounds back: a thread
// receives the same widths again and again, and sends them on. So those of the last stamp that it has received are kept.
struct coded_widths {
    std::int64_t lo_ns;
    std::int64_t hi_ns;
    tare_wire_t code;
};

extern __thread coded_widths last_received;

constexpr std::uint64_t mantissas_mask = ~TARE_WIRE_FIELD_MASK;
constexpr std::uint64_t scales_mask = static_cast<std::uint64_t>(TARE_WIRE_SCALES_MASK) << TARE_WIRE_FIELD_BITS;

inline bool has_widths(const tare_wire_t &wire, const coded_widths &w) noexcept
{
    return is_likely((wire.w0 & mantissas_mask) == w.code.w0 && (wire.w1 & scales_mask) == w.code.w1);
}

__attribute__((noinline)) inline void decode_widths(tare_wire_t wire) noexcept
{
    last_received = {smaller(tare_wire_width_lo_ns(wire), TARE_WIRE_FAR_NS),
                     smaller(tare_wire_width_hi_ns(wire), TARE_WIRE_FAR_NS),
                     {wire.w0 & mantissas_mask, wire.w1 & scales_mask}};
}

inline void set_widths(tare_wire_t &wire, std::int64_t lo_ns, std::int64_t hi_ns) noexcept
{
    const coded_widths &w = last_received;
    if (is_likely(lo_ns == w.lo_ns && hi_ns == w.hi_ns)) {
        wire.w0 |= w.code.w0;
        wire.w1 |= w.code.w1;
    } else {
        tare_wire_set_widths(&wire, lo_ns, hi_ns);
    }
}

inline tare_wire_t pack(tare_thread_t &th, std::int64_t delay, std::int64_t lo, std::int64_t hi,
                        std::int64_t time, unsigned flags = stamp_flags) noexcept
{
    // The bounds stay where they are, so they hold what the wire does not.
    if (!fits_wire(delay)) {
        th.saturated++;
        delay = delay > 0 ? TARE_WIRE_DELAY_MAX_NS : TARE_WIRE_DELAY_MIN_NS;
    }
    tare_wire_t wire = tare_wire_pack(delay, time, static_cast<std::uint16_t>(flags));
    if (lo != delay || hi != delay)
        set_widths(wire, delay - lo, hi - delay);
    return wire;
}

// Is there anything to do about this stamp? Not for the tool's own message, nor while nobody has declared anything. The
// first that says otherwise wakes this process.
inline bool wakes(const tare_wire_t &wire) noexcept
{
    const unsigned flags = tare_wire_flags(wire);
    if (flags & TARE_WIRE_MUTED)
        return false;
    if (!(flags & TARE_WIRE_ACTIVE))
        return is_active();
    set_active();
    return true;
}

// A poll that follows a failed one: the program did nothing in between, but for the tool's own overhead. An interrupt
// may come in between, too: a thousand or so in a second, 4 to 30 us long, and a spin that it broke would forget the
// wait up to there. So a gap may also be an eighth of the spin so far, up to what an interrupt takes: a program that
// works between its polls has no spin behind it.
inline bool is_spinning(const tare_thread_t &th, std::int64_t now_ns) noexcept
{
    constexpr std::int64_t apart_ns = 1000, interrupt_ns = 50'000, part = 8;
    const std::int64_t gap = now_ns - th.spin_return_ns - (th.delay_ns - th.spin_return_delay_ns);
    return th.spinning && th.regions == th.spin_regions &&
           (gap < apart_ns || (gap < interrupt_ns && gap < (th.spin_return_ns - th.spin_entry_ns) / part));
}

inline void start_spin(tare_thread_t &th, std::int64_t now_ns) noexcept
{
    th.spin_entry_ns = now_ns;
    th.spin_delay_ns = th.delay_ns;
    th.spin_delay_lo_ns = th.delay_lo_ns;
    th.spin_delay_hi_ns = th.delay_hi_ns;
}

// When a thread was ready, and its delay then.
struct readiness {
    std::int64_t time_ns;
    std::int64_t delay_ns;
    std::int64_t delay_lo_ns;
    std::int64_t delay_hi_ns;
};

// Of the thread that runs progress: since it entered its call, or since its spin began.
inline readiness polling_since(const tare_thread_t &th, std::int64_t now_ns) noexcept
{
    if (th.polling && th.spinning)
        return {th.spin_entry_ns, th.spin_delay_ns, th.spin_delay_lo_ns, th.spin_delay_hi_ns};
    return {th.event_source == TARE_EVENT_NONE ? now_ns : th.event_ns, th.delay_ns, th.delay_lo_ns, th.delay_hi_ns};
}

// What the tool did between the last two polls of a spin: a message that came meanwhile was seen so much later.
struct hidden {
    std::int64_t until_ns;
    std::int64_t overhead_ns;
};

// The poll that ends a spin was a wait since the first failed one: what was declared since is absorbed by it or not, as
// everything else that happens in a wait.
inline hidden wait_since_spin_began(tare_thread_t &th) noexcept
{
    const hidden h{th.event_ns, th.delay_ns - th.spin_return_delay_ns};
    th.call_ns = th.event_ns = th.spin_entry_ns;
    th.event_source = TARE_EVENT_OWN;
    th.delay_ns = th.spin_delay_ns;
    th.delay_lo_ns = th.spin_delay_lo_ns;
    th.delay_hi_ns = th.spin_delay_hi_ns;
    return h;
}

}  // namespace tare

#endif
