/* SPDX-License-Identifier: BSD-3-Clause */
/* What one message carries: the wire layout, and nothing else decides about it.
 *
 *   bit 63            48 47                                              0
 *      +----------------+------------------------------------------------+
 *   w0 | thread (16)    | delay_ns (48, two's complement, saturating)    |
 *      +----------------+------------------------------------------------+
 *   w1 | flags (16)     | send_time_ns (48, modulo 2^48, never saturated)|
 *      +----------------+------------------------------------------------+
 *
 *   flags   15         14        13        12..10     9..5      4..0
 *         | time valid | muted | active | version   | lo width | hi width |
 *
 *   delay_ns      the sender's delay D, +-39 h in nanoseconds
 *   send_time_ns  the sender's CLOCK_MONOTONIC at the send; compared modulo 2^48, because the clock itself passes
 *                 2^48 ns after 78 h of uptime
 *   thread        the sending thread's number in its process, modulo 2^16
 *   time valid    send_time_ns was known; otherwise it is 0 and means nothing
 *   muted         a message of the measuring tool itself: carries no delay and changes none; `active` is set with it
 *   active        somebody declared overhead or gave time stamps before this message was sent
 *   lo, hi width  bounds of the delay: [delay - width(lo), delay + width(hi)], each rounded up to
 *                 width(c) = 0 for c = 0, 2^(c+5) ns for 1 <= c <= 30 (64 ns to 34 s), unbounded for 31
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
#define TARE_WIRE_VERSION 1
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
#define TARE_WIRE_LO_SHIFT 5
#define TARE_WIRE_WIDTH_MASK 0x1fu
#define TARE_WIRE_WIDTH_UNBOUNDED 31u

static inline tare_wire_t tare_wire_pack(int64_t delay_ns, int64_t time_ns, uint16_t thread, uint16_t flags)
{
    tare_wire_t w;
    w.w0 = ((uint64_t) delay_ns & TARE_WIRE_FIELD_MASK) | ((uint64_t) thread << TARE_WIRE_FIELD_BITS);
    w.w1 = ((uint64_t) time_ns & TARE_WIRE_FIELD_MASK) | ((uint64_t) flags << TARE_WIRE_FIELD_BITS);
    return w;
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

static inline unsigned tare_wire_thread(tare_wire_t w)
{
    return (unsigned) (w.w0 >> TARE_WIRE_FIELD_BITS);
}

/* A width rounded up to its 5-bit code, and back (INT64_MAX for unbounded). */
static inline unsigned tare_wire_width_code(int64_t width_ns)
{
    unsigned bits;
    if (width_ns <= 0)
        return 0;
    if (width_ns <= 64)
        return 1;
    bits = 64u - (unsigned) __builtin_clzll((unsigned long long) width_ns - 1);
    return bits - 5 < TARE_WIRE_WIDTH_UNBOUNDED ? bits - 5 : TARE_WIRE_WIDTH_UNBOUNDED;
}

static inline int64_t tare_wire_width_ns(unsigned code)
{
    if (code == 0)
        return 0;
    return code >= TARE_WIRE_WIDTH_UNBOUNDED ? INT64_MAX : INT64_C(1) << (code + 5);
}

#endif /* TARE_WIRE_H_INCLUDED */
