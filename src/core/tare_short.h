/* SPDX-License-Identifier: BSD-3-Clause */
/* The short form of a stamp: what a transport carries that has some bits of a word to spare, not two words.
 *
 *   bit                                1 + time_bits   time_bits              0
 *      +-------------------------------+-------------+------------------------+
 *      | delay (delay_bits)            | unsharp     | send time (time_bits)  |
 *      +-------------------------------+-------------+------------------------+
 *
 *   delay      0: nothing has been declared at the sender; 1: a message of the measuring tool itself; else the delay in
 *              ns + 2^(delay_bits - 1), saturating, never rounded: a quantum above 1 ns would lose small overheads
 *              round after round
 *   unsharp    the delay has bounds, which do not fit: a receiver knows no more than that it is not negative
 *   send time  the sender's CLOCK_MONOTONIC in 2^time_shift ns, modulo 2^time_bits, rounded down: the least of many
 *              latencies is then exact, and half a quantum is added where an arrival is estimated
 *
 * How many bits each part gets is the transport's choice (the layout), which all processes must share.
 * Units and owners: tare_wire.h. Nothing here reads a clock or fails.
 */
#ifndef TARE_SHORT_H_INCLUDED
#define TARE_SHORT_H_INCLUDED

#include "tare_wire.h"

typedef struct tare_short_layout {
    uint8_t delay_bits;         /* 0: there is no short form; else 3 to 48 */
    uint8_t time_bits;          /* 0: no send time; with delay_bits at most 62 */
    uint8_t time_shift;         /* time_bits + time_shift are at most 48 */
} tare_short_layout_t;

#define TARE_SHORT_MUTED UINT64_C(1)

static inline int64_t tare_short_delay_max_ns(tare_short_layout_t l)
{
    return (INT64_C(1) << (l.delay_bits - 1)) - 1;
}

static inline int64_t tare_short_delay_min_ns(tare_short_layout_t l)
{
    return 2 - (INT64_C(1) << (l.delay_bits - 1));
}

/* A send time comes back after so many ns. */
static inline uint64_t tare_short_period_ns(tare_short_layout_t l)
{
    return UINT64_C(1) << (l.time_bits + l.time_shift);
}

static inline int tare_short_fits(tare_wire_t wire, tare_short_layout_t l)
{
    const int64_t delay = tare_wire_delay_ns(wire);
    return delay >= tare_short_delay_min_ns(l) && delay <= tare_short_delay_max_ns(l);
}

/* The short form of a stamp; a delay that does not fit becomes the nearest that does, without bounds. */
static inline uint64_t tare_short_pack(tare_wire_t wire, tare_short_layout_t l)
{
    const unsigned flags = tare_wire_flags(wire);
    const uint64_t time = (wire.w1 & TARE_WIRE_FIELD_MASK) >> l.time_shift;
    const uint64_t bias = UINT64_C(1) << (l.delay_bits - 1);
    const int fits = tare_short_fits(wire, l);
    int64_t delay = tare_wire_delay_ns(wire);

    if (!(flags & TARE_WIRE_ACTIVE))
        return 0;
    if (flags & TARE_WIRE_MUTED)
        return TARE_SHORT_MUTED << (1 + l.time_bits);
    if (!fits)
        delay = delay > 0 ? tare_short_delay_max_ns(l) : tare_short_delay_min_ns(l);
    return (((uint64_t) delay + bias) << 1 | !(fits && tare_wire_is_sharp(wire))) << l.time_bits |
        (time & ((UINT64_C(1) << l.time_bits) - 1));
}

/* The stamp of a short form. Its send time is only known modulo tare_short_period_ns (TARE_EDGE_SHORT). */
static inline tare_wire_t tare_short_unpack(uint64_t bits, tare_short_layout_t l)
{
    const uint64_t raw = bits >> (1 + l.time_bits);
    const uint64_t time = (bits & ((UINT64_C(1) << l.time_bits) - 1)) << l.time_shift;
    unsigned flags = TARE_WIRE_ACTIVE | TARE_WIRE_VERSION << TARE_WIRE_VERSION_SHIFT;
    int64_t delay = 0;
    tare_wire_t wire;

    if (raw == 0)
        return tare_wire_pack(0, 0, 0);
    if (raw == TARE_SHORT_MUTED)
        return tare_wire_pack(0, 0, TARE_WIRE_ACTIVE | TARE_WIRE_MUTED);
    delay = (int64_t) (raw - (UINT64_C(1) << (l.delay_bits - 1)));
    if (l.time_bits)
        flags |= TARE_WIRE_TIME_VALID;
    wire = tare_wire_pack(delay, (int64_t) time, (uint16_t) flags);
    if (bits >> l.time_bits & 1)
        tare_wire_set_widths(&wire, delay > 0 ? delay : 0, INT64_MAX);
    return wire;
}

#endif /* TARE_SHORT_H_INCLUDED */
