/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef POSIX_TARE_H_INCLUDED
#define POSIX_TARE_H_INCLUDED

/* Hooks of the compensation core in the cells of shared memory. Without HAVE_TARE all of it vanishes.
 *
 *    0      2      4              8           16
 *    | type | from | payload_size | am_header | payload ...                    | stamp of a cell without header
 *
 *   - A cell that continues a message (no header) has a stamp behind its data. The message is complete when its last
 *     cell comes, so only that one is stamped.
 *   - A receiver leaves a stamp of its own before it gives the cell of a message's header or data back: in the place of
 *     the header's, or of the first data. The type is then CELL_FREED, and payload_size tells where: senders set both
 *     anew. A sender that found no cell reads it in the one that it gets at last: the backward edge of a full queue.
 *     Elsewhere than in the cell's first cache lines it would be one more that goes back and forth.
 *
 * A barrier inside a node goes by flags, with a stamp behind each, in its cache line:
 *
 *    0      8        24          64
 *    | flag | stamp  | not used  |
 *
 * Each rank sets its flag for its parent, then one for its children, and nobody sets one again before it was seen; so
 * one place is enough. Broadcasts and reductions run ahead of each other by several cells: they go by messages.
 */

#ifdef HAVE_TARE

#include "../shm/posix/eager/iqueue/iqueue_types.h"

void MPIDI_POSIX_Tare_live_leave_queue(int vsi);
void MPIDI_POSIX_Tare_live_flag_seen(const tare_wire_t * wire);
void MPIDI_POSIX_Tare_live_end_segment(int vsi, tare_wire_t * wire);
void MPIDI_POSIX_Tare_live_take_segment(MPIR_Request * rreq, MPIDI_POSIX_eager_iqueue_cell_t * cell);

#define MPIDI_POSIX_TARE_CELL_FREED 2   /* beside the MPIDI_POSIX_EAGER_IQUEUE_CELL_TYPE_* */
#define MPIDI_POSIX_TARE_STAMP_SZ sizeof(tare_wire_t)

_Static_assert(sizeof(MPIDI_POSIX_eager_iqueue_cell_t) == 16, "the wire format has changed");
_Static_assert(sizeof(MPL_atomic_uint64_t) + sizeof(tare_wire_t) <= MPIDU_SHM_CACHE_LINE_LEN, "no room for a stamp");

/* Progress tries to send the head of the queue: its header takes the delay of this moment, its request the backward
 * edge. */
MPL_STATIC_INLINE_PREFIX void MPIDI_POSIX_Tare_leave_queue(int vsi)
{
    if (tare_is_live())
        MPIDI_POSIX_Tare_live_leave_queue(vsi);
}

/* Where the stamp of a cell without header is. */
MPL_STATIC_INLINE_PREFIX tare_wire_t *MPIDI_POSIX_Tare_segment_stamp(MPIDI_POSIX_eager_iqueue_cell_t * cell)
{
    return (tare_wire_t *) (MPIDI_POSIX_EAGER_IQUEUE_CELL_PAYLOAD(cell) +
                            MPL_ROUND_UP_ALIGN(cell->payload_size, sizeof(uint64_t)));
}

/* A cell is full. Without header it continues the message at the head of the queue. */
MPL_STATIC_INLINE_PREFIX void MPIDI_POSIX_Tare_end_segment(int vsi, MPIDI_POSIX_eager_iqueue_cell_t * cell)
{
    tare_wire_t *wire;

    if (likely(cell->type != MPIDI_POSIX_EAGER_IQUEUE_CELL_TYPE_DATA))
        return;
    wire = MPIDI_POSIX_Tare_segment_stamp(cell);
    wire->w1 = 0;
    if (tare_is_live())
        MPIDI_POSIX_Tare_live_end_segment(vsi, wire);
}

/* The data of a cell have been copied. */
MPL_STATIC_INLINE_PREFIX void MPIDI_POSIX_Tare_take_segment(MPIR_Request * rreq,
                                                            MPIDI_POSIX_eager_iqueue_cell_t * cell)
{
    if (cell->type != MPIDI_POSIX_EAGER_IQUEUE_CELL_TYPE_DATA)
        return;
    if (tare_is_active(MPIDI_POSIX_Tare_segment_stamp(cell)) || tare_is_live())
        MPIDI_POSIX_Tare_live_take_segment(rreq, cell);
}

MPL_STATIC_INLINE_PREFIX tare_wire_t *MPIDI_POSIX_Tare_flag_stamp(MPL_atomic_uint64_t * flag)
{
    return (tare_wire_t *) (flag + 1);
}

/* A flag is about to be set. */
MPL_STATIC_INLINE_PREFIX void MPIDI_POSIX_Tare_flag_set(MPL_atomic_uint64_t * flag)
{
    MPIDI_Tare_stamp(MPIDI_POSIX_Tare_flag_stamp(flag));
}

/* A wait for a flag begins. */
MPL_STATIC_INLINE_PREFIX void MPIDI_POSIX_Tare_flag_wait(void)
{
    if (tare_is_live())
        tare_core_enter();
}

/* It ends. */
MPL_STATIC_INLINE_PREFIX void MPIDI_POSIX_Tare_flag_seen(MPL_atomic_uint64_t * flag)
{
    if (tare_is_active(MPIDI_POSIX_Tare_flag_stamp(flag)))
        MPIDI_POSIX_Tare_live_flag_seen(MPIDI_POSIX_Tare_flag_stamp(flag));
}

#else /* !HAVE_TARE */

#define MPIDI_POSIX_TARE_STAMP_SZ 0
#define MPIDI_POSIX_Tare_leave_queue(vsi)
#define MPIDI_POSIX_Tare_end_segment(vsi, cell)
#define MPIDI_POSIX_Tare_take_segment(rreq, cell)
#define MPIDI_POSIX_Tare_flag_set(flag)
#define MPIDI_POSIX_Tare_flag_wait()
#define MPIDI_POSIX_Tare_flag_seen(flag)

#endif /* HAVE_TARE */

#endif /* POSIX_TARE_H_INCLUDED */
