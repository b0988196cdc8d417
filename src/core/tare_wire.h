/* SPDX-License-Identifier: BSD-3-Clause */
/* What one message carries: the wire layout, and nothing else decides about it.
 *
 *   bit 63            48 47                                              0
 *      +----------------+------------------------------------------------+
 *   w0 | lo, hi (8 + 8) | delay_ns (48, two's complement, saturating)    |
 *      +----------------+------------------------------------------------+
 *   w1 | flags (16)     | send_time_ns (48, modulo 2^48, never saturated)|
 *      +----------------+------------------------------------------------+
 *
 *   flags   15         14        13        12..10     9..5      4..0
 *         | time valid | muted | active | version   | lo scale | hi scale |
 *
 *   delay_ns      the sender's delay D, +-39 h in nanoseconds
 *   send_time_ns  the sender's CLOCK_MONOTONIC at the send; compared modulo 2^48, because the clock itself passes
 *                 2^48 ns after 78 h of uptime
 *   time valid    send_time_ns was known; otherwise it is 0 and means nothing
 *   muted         a message of the measuring tool itself: carries no delay and changes none; `active` is set with it
 *   active        somebody declared overhead or gave time stamps before this message was sent
 *   lo, hi        bounds of the delay: [delay - width(lo), delay + width(hi)].  A width is a scale (5 bits of flags)
 *                 and a mantissa (8 bits of w0), rounded up by less than one part in 256: 0 for scale 0, mantissa + 1
 *                 ns for scale 1, (mantissa + 257) 2^(scale - 2) ns up to scale 30 (137 s), unbounded for 31.
 *                 Processes that wait for each other get their own bounds back, so what is rounded off must be small:
 *                 with powers of two they would double at every disturbance
 *
 * Both words are in the byte order of the machine: MPICH's headers are, too, and peers of another order are refused
 * before the first message.  A stamp without `active` is what a process sends that has declared nothing: its w1 is 0
 * and its w0 is not written.
 *
 * A stamp whose version is TARE_WIRE_FREED is no message's: a receiver leaves it in a cell of shared memory when it
 * gives the cell back.
 */
#ifndef TARE_WIRE_H_INCLUDED
#define TARE_WIRE_H_INCLUDED

#include <stdint.h>

/* Increase with every change of the layout above: it is part of what processes compare before they talk. */
#define TARE_WIRE_VERSION 2
#define TARE_WIRE_FREED 7u

typedef struct tare_wire {
    uint64_t w0;
    uint64_t w1;
} tare_wire_t;

#define TARE_WIRE_FIELD_BITS 48
#define TARE_WIRE_FIELD_MASK ((UINT64_C(1) << TARE_WIRE_FIELD_BITS) - 1)
#define TARE_WIRE_DELAY_MAX_NS ((INT64_C(1) << 47) - 1)
#define TARE_WIRE_DELAY_MIN_NS (-(INT64_C(1) << 47))

#define TARE_WIRE_TIME_VALID 0x8000u
#define TARE_WIRE_MUTED 0x4000u
#define TARE_WIRE_ACTIVE 0x2000u
#define TARE_WIRE_VERSION_SHIFT 10
#define TARE_WIRE_VERSION_MASK 0x1c00u
#define TARE_WIRE_SCALES_MASK 0x03ffu
#define TARE_WIRE_WIDTH_UNBOUNDED (31u << 8)

/* A stamp without bounds. */
static inline tare_wire_t tare_wire_pack(int64_t delay_ns, int64_t time_ns, uint16_t flags)
{
    tare_wire_t w;
    w.w0 = (uint64_t) delay_ns & TARE_WIRE_FIELD_MASK;
    w.w1 = ((uint64_t) time_ns & TARE_WIRE_FIELD_MASK) | ((uint64_t) flags << TARE_WIRE_FIELD_BITS);
    return w;
}

/* The stamp of the tool's own messages. */
static inline tare_wire_t tare_wire_muted(void)
{
    return tare_wire_pack(0, 0, TARE_WIRE_MUTED | TARE_WIRE_ACTIVE);
}

/* The signed value of a 48-bit field. */
static inline int64_t tare_wire_extend(uint64_t field)
{
    return (int64_t) (field << (64 - TARE_WIRE_FIELD_BITS)) >> (64 - TARE_WIRE_FIELD_BITS);
}

static inline int64_t tare_wire_delay_ns(tare_wire_t w)
{
    return tare_wire_extend(w.w0);
}

/* The send time nearest to a local time: clocks are compared modulo 2^48. */
static inline int64_t tare_wire_time_near_ns(tare_wire_t w, int64_t near_ns)
{
    return near_ns + tare_wire_extend((w.w1 - (uint64_t) near_ns) & TARE_WIRE_FIELD_MASK);
}

static inline unsigned tare_wire_flags(tare_wire_t w)
{
    return (unsigned) (w.w1 >> TARE_WIRE_FIELD_BITS);
}

/* A width rounded up to its code, scale and mantissa in one number, and back (INT64_MAX for unbounded). */
static inline unsigned tare_wire_width_code(int64_t width_ns)
{
    unsigned shift;
    if (width_ns <= 0)
        return 0;
    width_ns -= 1;
    if (width_ns < 256)
        return 1u << 8 | (unsigned) width_ns;
    shift = 55u - (unsigned) __builtin_clzll((unsigned long long) width_ns);
    if (shift > 28)
        return TARE_WIRE_WIDTH_UNBOUNDED;
    /* 9 bits are left, and the first of them is a 1: it counts as a scale. */
    return ((shift + 1) << 8) + (unsigned) (width_ns >> shift);
}

static inline int64_t tare_wire_width_ns(unsigned code)
{
    const unsigned scale = code >> 8;
    const int64_t mantissa = code & 0xff;
    if (scale <= 1)
        return scale == 0 ? 0 : mantissa + 1;
    return code >= TARE_WIRE_WIDTH_UNBOUNDED ? INT64_MAX : (mantissa + 257) << (scale - 2);
}

/* The stamp says one value, not bounds. */
static inline int tare_wire_is_sharp(tare_wire_t w)
{
    return !(w.w1 & (uint64_t) TARE_WIRE_SCALES_MASK << TARE_WIRE_FIELD_BITS);
}

/* Gives a stamp without bounds these. */
static inline void tare_wire_set_widths(tare_wire_t * w, int64_t lo_ns, int64_t hi_ns)
{
    const uint64_t lo = tare_wire_width_code(lo_ns), hi = tare_wire_width_code(hi_ns);
    w->w0 |= (lo & 0xff) << 56 | (hi & 0xff) << 48;
    w->w1 |= (lo >> 8) << 53 | (hi >> 8) << 48;
}

static inline int64_t tare_wire_width_lo_ns(tare_wire_t w)
{
    return tare_wire_width_ns((unsigned) (w.w1 >> 53 & 0x1f) << 8 | (unsigned) (w.w0 >> 56));
}

static inline int64_t tare_wire_width_hi_ns(tare_wire_t w)
{
    return tare_wire_width_ns((unsigned) (w.w1 >> 48 & 0x1f) << 8 | (unsigned) (w.w0 >> 48 & 0xff));
}

/* Beyond every delay, but not so far that a sum could overflow: an unbounded width. */
#define TARE_WIRE_FAR_NS (INT64_C(1) << 60)

/* The bounds of the delay. A run without measurement is nowhere later, so a lower bound below 0 would say nothing;
 * only where corrections have made the delay itself negative does it go on below. */
static inline int64_t tare_wire_delay_lo_ns(tare_wire_t w)
{
    const int64_t delay = tare_wire_delay_ns(w), width = tare_wire_width_lo_ns(w);
    if (delay >= 0)
        return width < delay ? delay - width : 0;
    return delay - (width < TARE_WIRE_FAR_NS ? width : TARE_WIRE_FAR_NS);
}

static inline int64_t tare_wire_delay_hi_ns(tare_wire_t w)
{
    const int64_t width = tare_wire_width_hi_ns(w);
    return tare_wire_delay_ns(w) + (width < TARE_WIRE_FAR_NS ? width : TARE_WIRE_FAR_NS);
}

#endif /* TARE_WIRE_H_INCLUDED */
