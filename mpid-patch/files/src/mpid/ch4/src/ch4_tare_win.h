/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef CH4_TARE_WIN_H_INCLUDED
#define CH4_TARE_WIN_H_INCLUDED

/* Hooks of the compensation core in one-sided communication by active messages. Included by ch4_tare.h.
 *
 * Packets come when they like: what they say is gathered in a state (tare_core_deposit) of the window, of its target, or
 * of an operation's request, until somebody waits for it or answers. All of it is under the lock of the window's VCI. */

#ifdef HAVE_TARE

_Static_assert(sizeof(MPIDIG_win_cntrl_msg_t) == 32, "the wire format has changed");
_Static_assert(sizeof(MPIDIG_put_msg_t) == 80 && sizeof(MPIDIG_get_msg_t) == 72, "the wire format has changed");
_Static_assert(sizeof(MPIDIG_acc_req_msg_t) == 80 && sizeof(MPIDIG_cswap_req_msg_t) == 48,
               "the wire format has changed");
_Static_assert(sizeof(MPIDIG_put_ack_msg_t) == 24 && sizeof(MPIDIG_get_ack_msg_t) == 32,
               "the wire format has changed");

/* ---- waits ---- */

/* A wait inside a call begins: each of them has its own. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_win_wait_begin(void)
{
    if (tare_is_live())
        tare_core_enter();
}

/* It has been for the network, which does operations by itself: needs_peer, but only while the peer polls. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_win_waited_unseen(bool needs_peer)
{
    if (tare_is_live())
        tare_core_waited_unseen(needs_peer);
}

/* The calling thread has waited for all that is in `state`. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_win_join(tare_wire_t * state)
{
    if (tare_is_active(state))
        tare_core_join_deposits(state);
}

/* The same of the answers to operations: from one target, which may be NULL, or from all. */
void MPIDI_Tare_live_win_join_targets(MPIR_Win * win);
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_win_join_target(MPIDIG_win_target_t * target)
{
    if (target)
        MPIDI_Tare_win_join(&target->tare.acked);
}

MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_win_join_targets(MPIR_Win * win)
{
    if (tare_is_live())
        MPIDI_Tare_live_win_join_targets(win);
}

MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_win_target_init(MPIDIG_win_target_t * target)
{
    target->tare.granted.w1 = target->tare.acked.w1 = 0;
}

/* ---- synchronisation ---- */

void MPIDI_Tare_live_win_arrive(tare_wire_t * state, MPIR_Win * win, const MPIDIG_win_cntrl_msg_t * packet);
void MPIDI_Tare_live_win_release(MPIR_Win * win, const MPIDIG_win_cntrl_msg_t * packet);
void MPIDI_Tare_live_win_grant(MPIR_Win * win, const struct MPIDIG_win_lock *lock, tare_wire_t * wire);
void MPIDI_Tare_live_win_answer(MPIR_Win * win, const MPIDIG_win_cntrl_msg_t * packet, tare_wire_t * wire);
void MPIDI_Tare_live_packet_done(bool is_local, void *packet, tare_wire_t * wire);

/* A packet of the window has come. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_win_arrive(tare_wire_t * state, MPIR_Win * win,
                                                    const MPIDIG_win_cntrl_msg_t * packet)
{
    if (tare_is_live() || tare_is_active(&packet->tare))
        MPIDI_Tare_live_win_arrive(state, win, packet);
}

/* A lock of this process is released: before who waits for it gets it. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_win_release(MPIR_Win * win, const MPIDIG_win_cntrl_msg_t * packet)
{
    if (tare_is_live() || tare_is_active(&packet->tare))
        MPIDI_Tare_live_win_release(win, packet);
}

/* A lock is granted: because of its request, of the releases that it needed, and of a thread that polls. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_win_grant(MPIR_Win * win, const struct MPIDIG_win_lock *lock,
                                                   tare_wire_t * wire)
{
    wire->w1 = 0;
    if (tare_is_live())
        MPIDI_Tare_live_win_grant(win, lock, wire);
}

/* What a packet asked for is done at once. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_win_answer(MPIR_Win * win, const MPIDIG_win_cntrl_msg_t * packet,
                                                    tare_wire_t * wire)
{
    wire->w1 = 0;
    if (tare_is_live())
        MPIDI_Tare_live_win_answer(win, packet, wire);
}

/* Nobody reads the packet's stamp any more. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_win_packet_done(uint32_t attr, void *packet, tare_wire_t * wire)
{
    if (tare_is_active(wire))
        MPIDI_Tare_live_packet_done(attr & MPIDIG_AM_ATTR__IS_LOCAL, packet, wire);
}

/* ---- operations ---- */

void MPIDI_Tare_live_op_asked(MPIR_Request * rreq, tare_wire_t wire);
void MPIDI_Tare_live_op_done(MPIR_Request * sreq);

/* The target gets a request, of which its packet stays as it is but for the stamp. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_op_asked(MPIR_Request * rreq, uint32_t attr, void *packet,
                                                  tare_wire_t * wire)
{
    if (tare_is_live() || tare_is_active(wire))
        MPIDI_Tare_live_op_asked(rreq, *wire);
    MPIDI_Tare_win_packet_done(attr, packet, wire);
}

/* It is done, and answered. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_op_answer(MPIR_Request * rreq, tare_wire_t * wire)
{
    wire->w1 = 0;
    if (rreq->has_tare_state)
        *wire = tare_core_answer(&rreq->u.rma.tare);
}

/* The answer begins to arrive at the origin. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_op_answered(MPIR_Request * sreq, const tare_wire_t * wire)
{
    if (tare_is_live() || tare_is_active(wire)) {
        sreq->has_tare_state = 1;
        sreq->u.rma.tare = *wire;
    }
}

/* All of it is there: before the operation counts as complete. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_op_done(MPIR_Request * sreq)
{
    if (sreq->has_tare_state)
        MPIDI_Tare_live_op_done(sreq);
}

#else /* !HAVE_TARE */

#define MPIDI_Tare_win_wait_begin()
#define MPIDI_Tare_win_waited_unseen(needs_peer)
#define MPIDI_Tare_win_join(state)
#define MPIDI_Tare_win_join_target(target)
#define MPIDI_Tare_win_join_targets(win)
#define MPIDI_Tare_win_target_init(target)
#define MPIDI_Tare_win_arrive(state, win, packet)
#define MPIDI_Tare_win_release(win, packet)
#define MPIDI_Tare_win_grant(win, lock, wire)
#define MPIDI_Tare_win_answer(win, packet, wire)
#define MPIDI_Tare_win_packet_done(attr, packet, wire)
#define MPIDI_Tare_op_asked(rreq, attr, packet, wire)
#define MPIDI_Tare_op_answer(rreq, wire)
#define MPIDI_Tare_op_answered(sreq, wire)
#define MPIDI_Tare_op_done(sreq)

#endif /* HAVE_TARE */

#endif /* CH4_TARE_WIN_H_INCLUDED */
