/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef POSIX_TARE_H_INCLUDED
#define POSIX_TARE_H_INCLUDED

/* Hooks of the compensation core in the cells of shared memory. Without HAVE_TARE all of it vanishes.
 *
 * Two stamps live in cells, beside those in the packets' headers:
 *   - A receiver leaves its own in the place of the message's, before it gives the cell back (ch4_tare.c). A sender that
 *     found no cell reads it in the one that it gets at last: the backward edge of a full queue.
 *   - A cell that continues a message (no header) begins with a stamp: the message is complete when the last one comes.
 */

#ifdef HAVE_TARE

void MPIDI_POSIX_Tare_live_leave_queue(int vsi);
void MPIDI_POSIX_Tare_put_stamp(int vsi, void *payload);

/* Progress tries to send the head of the queue: its header takes the delay of this moment, its request the backward
 * edge. */
MPL_STATIC_INLINE_PREFIX void MPIDI_POSIX_Tare_leave_queue(int vsi)
{
    if (tare_is_live())
        MPIDI_POSIX_Tare_live_leave_queue(vsi);
}

/* A cell that continues the message at the head of the queue: its stamp, and the room that it takes. */
MPL_STATIC_INLINE_PREFIX size_t MPIDI_POSIX_Tare_put_segment(int vsi, void *payload)
{
    if (!tare_global.carry)
        return 0;
    MPIDI_POSIX_Tare_put_stamp(vsi, payload);
    return sizeof(tare_wire_t);
}

MPL_STATIC_INLINE_PREFIX size_t MPIDI_POSIX_Tare_take_segment(MPIR_Request * rreq, void *payload, size_t size)
{
    if (!tare_global.carry)
        return 0;
    MPIDI_Tare_data_arrive(rreq, (tare_wire_t *) payload, size);
    return sizeof(tare_wire_t);
}

#else /* !HAVE_TARE */

#define MPIDI_POSIX_Tare_leave_queue(vsi)
#define MPIDI_POSIX_Tare_put_segment(vsi, payload) 0
#define MPIDI_POSIX_Tare_take_segment(rreq, payload, size) 0

#endif /* HAVE_TARE */

#endif /* POSIX_TARE_H_INCLUDED */
