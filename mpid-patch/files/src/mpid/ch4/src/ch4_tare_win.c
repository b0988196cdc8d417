/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

/* The hooks of ch4_tare_win.h while there is something to carry. Included by ch4_tare.c. */

static bool tare_is_rank_local(int rank, MPIR_Comm * comm)
{
#ifndef MPIDI_CH4_DIRECT_NETMOD
    return MPIDI_rank_is_local(rank, comm);
#else
    return false;
#endif
}

/* A stamp of a process of the window, gathered. */
static void tare_win_deposit(tare_wire_t * state, MPIR_Win * win, int rank, tare_wire_t wire, uint32_t size_class)
{
    uint32_t flags = TARE_EDGE_SAME_CLOCK;
    if (!tare_is_rank_local(rank, win->comm_ptr)) {
        tare_from_job_clock(&wire);
        flags = tare_network_flags();
    }
    tare_core_deposit(state, wire, tare_comm_peer(win->comm_ptr, rank), size_class, flags);
}

/* ---- waits ---- */

void MPIDI_Tare_live_win_join_targets(MPIR_Win * win)
{
    MPIDIG_win_target_t *target, *next;
    HASH_ITER(hash_handle, MPIDIG_WIN(win, targets), target, next)
        MPIDI_Tare_win_join_target(target);
}

/* ---- synchronisation ---- */

void MPIDI_Tare_live_win_arrive(tare_wire_t * state, MPIR_Win * win, const MPIDIG_win_cntrl_msg_t * packet)
{
    tare_win_deposit(state, win, packet->origin_rank, packet->tare, TARE_CLASS_CONTROL);
}

/* A shared lock waits for exclusive ones only; none ever waits for less than all before it, so nothing is cleared. */
void MPIDI_Tare_live_win_release(MPIR_Win * win, const MPIDIG_win_cntrl_msg_t * packet)
{
    MPIDI_Tare_live_win_arrive(&MPIDIG_WIN(win, tare).freed, win, packet);
    if (MPIDIG_WIN(win, sync).lock_recvd.type == MPI_LOCK_EXCLUSIVE)
        MPIDI_Tare_live_win_arrive(&MPIDIG_WIN(win, tare).freed_exclusive, win, packet);
}

void MPIDI_Tare_live_win_grant(MPIR_Win * win, const struct MPIDIG_win_lock *lock, tare_wire_t * wire)
{
    tare_wire_t state = lock->tare;
    MPIR_Tare_step_needed(&state, lock->type == MPI_LOCK_EXCLUSIVE ? &MPIDIG_WIN(win, tare).freed :
                          &MPIDIG_WIN(win, tare).freed_exclusive);
    *wire = tare_core_answer(&state);
}

void MPIDI_Tare_live_win_answer(MPIR_Win * win, const MPIDIG_win_cntrl_msg_t * packet, tare_wire_t * wire)
{
    tare_wire_t state = { 0, 0 };
    MPIDI_Tare_live_win_arrive(&state, win, packet);
    *wire = tare_core_answer(&state);
}

void MPIDI_Tare_live_packet_done(bool is_local, void *packet, tare_wire_t * wire)
{
    tare_leave_in_packet(is_local, packet, wire);
}

/* ---- operations ---- */

void MPIDI_Tare_live_op_asked(MPIR_Request * rreq, tare_wire_t wire)
{
    rreq->has_tare_state = 1;
    rreq->u.rma.tare.w1 = 0;
    tare_win_deposit(&rreq->u.rma.tare, rreq->u.rma.win, MPIDIG_REQUEST(rreq, u.target.origin_rank), wire,
                     TARE_CLASS_CONTROL);
}

/* Counted as MPIDIG counts operations: between fences of the window, else of the target. */
void MPIDI_Tare_live_op_done(MPIR_Request * sreq)
{
    MPIR_Win *win = sreq->u.rma.win;
    int rank = MPIDIG_REQUEST(sreq, u.origin.target_rank);
    tare_wire_t wire = sreq->u.rma.tare;
    tare_wire_t *acked = &MPIDIG_WIN(win, tare).acked;

    sreq->u.rma.tare.w1 = 0;
    tare_win_deposit(&sreq->u.rma.tare, win, rank, wire, TARE_CLASS_CONTROL);
    switch (MPIDIG_WIN(win, sync).access_epoch_type) {
        case MPIDIG_EPOTYPE_LOCK:
        case MPIDIG_EPOTYPE_LOCK_ALL:
        case MPIDIG_EPOTYPE_START:
            acked = &MPIDIG_win_target_find(win, rank)->tare.acked;
            break;
        default:
            break;
    }
    MPIR_Tare_step_needed(acked, &sreq->u.rma.tare);
}
