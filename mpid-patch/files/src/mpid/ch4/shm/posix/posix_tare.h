/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef POSIX_TARE_H_INCLUDED
#define POSIX_TARE_H_INCLUDED

/* Hooks of the compensation core in the cells of shared memory. Without HAVE_TARE all of it vanishes.
 *
 * A cell has room for a stamp beside those in the packets' headers:
 *
 *    0      2      4              8           16      32
 *    | type | from | payload_size | am_header | stamp | payload ...
 *
 *   - A receiver leaves its own there before it gives the cell of a message's header or data back (ch4_tare.c). A sender
 *     that found no cell reads it in the one that it gets at last: the backward edge of a full queue.
 *   - Where a cell continues a message (no header), it is the sender's. The message is complete when its last cell
 *     comes, so that one is stamped.
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
void MPIDI_POSIX_Tare_put_stamp(int vsi, tare_wire_t * wire);
void MPIDI_POSIX_Tare_live_take_segment(MPIR_Request * rreq, MPIDI_POSIX_eager_iqueue_cell_t * cell);

_Static_assert(offsetof(MPIDI_POSIX_eager_iqueue_cell_t, tare) == 16, "the wire format has changed");
_Static_assert(sizeof(MPIDI_POSIX_eager_iqueue_cell_t) == 32, "the wire format has changed");
_Static_assert(sizeof(MPL_atomic_uint64_t) + sizeof(tare_wire_t) <= MPIDU_SHM_CACHE_LINE_LEN, "no room for a stamp");

/* Progress tries to send the head of the queue: its header takes the delay of this moment, its request the backward
 * edge. */
MPL_STATIC_INLINE_PREFIX void MPIDI_POSIX_Tare_leave_queue(int vsi)
{
    if (tare_is_live())
        MPIDI_POSIX_Tare_live_leave_queue(vsi);
}

/* A cell is taken: what its last receiver left is out of date. */
MPL_STATIC_INLINE_PREFIX void MPIDI_POSIX_Tare_fill_cell(MPIDI_POSIX_eager_iqueue_cell_t * cell)
{
    cell->tare.w1 = 0;
}

/* A cell that continues the message at the head of the queue. */
MPL_STATIC_INLINE_PREFIX void MPIDI_POSIX_Tare_put_segment(int vsi, MPIDI_POSIX_eager_iqueue_cell_t * cell)
{
    if (tare_is_live())
        MPIDI_POSIX_Tare_put_stamp(vsi, &cell->tare);
}

MPL_STATIC_INLINE_PREFIX void MPIDI_POSIX_Tare_take_segment(MPIR_Request * rreq,
                                                            MPIDI_POSIX_eager_iqueue_cell_t * cell)
{
    if (tare_is_active(&cell->tare) || tare_is_live())
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

#define MPIDI_POSIX_Tare_leave_queue(vsi)
#define MPIDI_POSIX_Tare_put_segment(vsi, cell)
#define MPIDI_POSIX_Tare_take_segment(rreq, cell)
#define MPIDI_POSIX_Tare_fill_cell(cell)
#define MPIDI_POSIX_Tare_flag_set(flag)
#define MPIDI_POSIX_Tare_flag_wait()
#define MPIDI_POSIX_Tare_flag_seen(flag)

#endif /* HAVE_TARE */

#endif /* POSIX_TARE_H_INCLUDED */
