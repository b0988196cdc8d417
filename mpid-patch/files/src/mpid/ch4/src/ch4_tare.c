/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

/* The hooks of ch4_tare.h and posix_tare.h while there is something to carry. Included by mpidig_pt2pt_callbacks.c, so
 * that no Makefile changes. */

#ifndef MPIDI_CH4_DIRECT_NETMOD
#include "../shm/posix/posix_tare.h"
#endif

#ifndef MPIDI_CH4_DIRECT_NETMOD
static bool tare_is_local(MPIR_Request * req)
{
    return MPIDI_REQUEST(req, is_local);
}
#else
#define tare_is_local(req) false
#endif

static uint64_t tare_comm_peer(MPIR_Comm * comm, int rank)
{
    return tare_peer(comm ? comm->context_id : 0, rank);
}

/* An edge from a packet's stamp. */
static void tare_arrive_from(MPIR_Request * req, const tare_wire_t * wire, uint64_t peer, uint32_t size_class)
{
    if (tare_is_local(req))
        tare_core_arrive(&MPIR_Tare_state(req)->edge, *wire, peer, size_class, TARE_EDGE_SAME_CLOCK);
    else
        MPIDI_Tare_network_arrive(req, *wire, peer, size_class, 0);
}

/* What is known of the clock at the other end of the network. Nobody says here which of its processes it is. */
static uint32_t tare_network_flags(void)
{
    return tare_clock.strangers == 0 ? tare_clock.network : 0;
}

void MPIDI_Tare_network_arrive(MPIR_Request * req, tare_wire_t wire, uint64_t peer, uint32_t size_class,
                               uint32_t flags)
{
    tare_from_job_clock(&wire);
    tare_core_arrive(&MPIR_Tare_state(req)->edge, wire, peer, size_class, flags | tare_network_flags());
}

#ifndef MPIDI_CH4_DIRECT_NETMOD
/* What this process leaves in a cell of shared memory. */
static void tare_leave_in_cell(MPIDI_POSIX_eager_iqueue_cell_t * cell, tare_wire_t * where)
{
    *where = tare_core_freed_stamp();
    cell->payload_size = (char *) where - MPIDI_POSIX_EAGER_IQUEUE_CELL_PAYLOAD(cell);
    cell->type = MPIDI_POSIX_TARE_CELL_FREED;
}
#endif

/* A packet that came in one: its stamp has been read. */
static void tare_leave_in_packet(bool is_local, void *packet, tare_wire_t * where)
{
#ifndef MPIDI_CH4_DIRECT_NETMOD
    if (is_local)
        tare_leave_in_cell((MPIDI_POSIX_eager_iqueue_cell_t *) packet - 1, where);
#endif
}

/* Data are copied behind the look at the stamp of their header, and their cache lines are another core's: they come
 * meanwhile. The processor foresees later ones. As many steps for a size wherever a cell begins in its cache line,
 * because a wrong guess at the end of a loop costs more than all of them; the last line is one more, or the same again.
 * A macro, because gcc 12 drops calls of a function that does no more. */
#define TARE_FETCH_DATA(data, data_sz) \
    do { \
        const MPI_Aint line_sz_ = 64, sz_ = MPL_MIN(data_sz, 32 * line_sz_); \
        for (MPI_Aint at_ = 0; at_ < sz_; at_ += line_sz_) \
            __builtin_prefetch((const char *) (data) + at_); \
        __builtin_prefetch((const char *) (data) + sz_ - 1); \
    } while (0)

MPIR_Request *MPIDI_Tare_owner(MPIR_Request * req)
{
    if (req->kind == MPIR_REQUEST_KIND__SEND || req->kind == MPIR_REQUEST_KIND__RECV)
        return req;
    if (req->kind == MPIR_REQUEST_KIND__PART)
        return MPIDIG_REQUEST(req, req->part_am_req.part_req_ptr);
    return NULL;
}

/* ---- what leaves ---- */

void MPIDI_Tare_live_reply(MPIR_Request * rreq, tare_wire_t * wire)
{
    tare_request_t *state = MPIR_Tare_state(rreq);
    *wire = tare_core_reply(&state->edge, (state->edge.flags & TARE_EDGE_POSTED) ? &state->post : NULL);
}

/* The data are copied next. */
void MPIDI_Tare_live_react(MPIR_Request * sreq, tare_wire_t * wire)
{
    *wire = tare_core_react(&MPIR_Tare_state(sreq)->edge);
}

tare_wire_t *MPIDI_Tare_wire_of(int handler_id, void *am_hdr)
{
    switch (handler_id) {
        case MPIDIG_SEND:
            return &((MPIDIG_hdr_t *) am_hdr)->tare;
        case MPIDIG_SEND_CTS:
            return &((MPIDIG_send_cts_msg_t *) am_hdr)->tare;
        case MPIDIG_SEND_DATA:
            return &((MPIDIG_send_data_msg_t *) am_hdr)->tare;
        case MPIDIG_SSEND_ACK:
            return &((MPIDIG_ssend_ack_msg_t *) am_hdr)->tare;
        case MPIDIG_PART_SEND_INIT:
            return &((MPIDIG_part_send_init_msg_t *) am_hdr)->tare;
        case MPIDIG_PART_CTS:
            return &((MPIDIG_part_cts_msg_t *) am_hdr)->tare;
        case MPIDIG_PART_SEND_DATA:
            return &((MPIDIG_part_send_data_msg_t *) am_hdr)->tare;
        case MPIDIG_PUT_REQ:
        case MPIDIG_PUT_DT_REQ:
            return &((MPIDIG_put_msg_t *) am_hdr)->tare;
        case MPIDIG_GET_REQ:
            return &((MPIDIG_get_msg_t *) am_hdr)->tare;
        case MPIDIG_ACC_REQ:
        case MPIDIG_ACC_DT_REQ:
        case MPIDIG_GET_ACC_REQ:
        case MPIDIG_GET_ACC_DT_REQ:
            return &((MPIDIG_acc_req_msg_t *) am_hdr)->tare;
        case MPIDIG_CSWAP_REQ:
            return &((MPIDIG_cswap_req_msg_t *) am_hdr)->tare;
        case MPIDIG_PUT_ACK:
            return &((MPIDIG_put_ack_msg_t *) am_hdr)->tare;
        case MPIDIG_GET_ACK:
            return &((MPIDIG_get_ack_msg_t *) am_hdr)->tare;
        case MPIDIG_ACC_ACK:
        case MPIDIG_GET_ACC_ACK:
            return &((MPIDIG_acc_ack_msg_t *) am_hdr)->tare;
        case MPIDIG_CSWAP_ACK:
            return &((MPIDIG_cswap_ack_msg_t *) am_hdr)->tare;
        case MPIDIG_WIN_COMPLETE:
        case MPIDIG_WIN_POST:
        case MPIDIG_WIN_LOCK:
        case MPIDIG_WIN_LOCK_ACK:
        case MPIDIG_WIN_UNLOCK:
        case MPIDIG_WIN_UNLOCK_ACK:
        case MPIDIG_WIN_LOCKALL:
        case MPIDIG_WIN_LOCKALL_ACK:
        case MPIDIG_WIN_UNLOCKALL:
        case MPIDIG_WIN_UNLOCKALL_ACK:
            return &((MPIDIG_win_cntrl_msg_t *) am_hdr)->tare;
        default:
            return NULL;
    }
}

/* Its sender has done with it, so that it is changed where it is. */
void MPIDI_Tare_live_to_network(int handler_id, const void *am_hdr)
{
    tare_wire_t *wire = MPIDI_Tare_wire_of(handler_id, (void *) am_hdr);
    if (wire)
        tare_to_job_clock(wire);
}

/* ---- what arrives ---- */

void MPIDI_Tare_live_post(MPIR_Request * rreq, int source)
{
    MPIR_Tare_state(rreq)->edge.flags = TARE_EDGE_POSTED | (source == MPI_ANY_SOURCE ? TARE_EDGE_ANY_SOURCE : 0);
    tare_core_post(&MPIR_Tare_state(rreq)->post);
}

void MPIDI_Tare_live_arrive(MPIR_Request * rreq, MPIDIG_hdr_t * hdr, int is_rts)
{
    uint32_t size_class = is_rts ? TARE_CLASS_CONTROL : tare_size_class(TARE_CLASS_EAGER, hdr->data_sz);
    if (tare_is_local(rreq) && !is_rts)
        TARE_FETCH_DATA(hdr + 1, hdr->data_sz);
    tare_arrive_from(rreq, &hdr->tare, tare_peer(hdr->context_id, hdr->src_rank), size_class);
    tare_leave_in_packet(tare_is_local(rreq), hdr, &hdr->tare);
}

void MPIDI_Tare_live_match_unexpected(MPIR_Request * unexp_req, int source)
{
    tare_core_enter();
    MPIR_Tare_state(unexp_req)->post.post_ns = 0;       /* it was here before */
    MPIR_Tare_state(unexp_req)->edge.flags |=
        TARE_EDGE_POSTED | TARE_EDGE_EARLY | (source == MPI_ANY_SOURCE ? TARE_EDGE_ANY_SOURCE : 0);
}

void MPIDI_Tare_live_probed(MPIR_Request * unexp_req, int source)
{
    tare_edge_t edge = MPIR_Tare_state(unexp_req)->edge;
    if (!(edge.flags & TARE_EDGE_WATCHED))
        edge.flags |= TARE_EDGE_EARLY;
    if (source == MPI_ANY_SOURCE)
        edge.flags |= TARE_EDGE_ANY_SOURCE;
    tare_core_join(&edge);
}

void MPIDI_Tare_live_take_post(MPIR_Request * holder, MPIR_Request * posted)
{
    MPIR_Tare_state(holder)->post = MPIR_Tare_state(posted)->post;
    MPIR_Tare_state(holder)->edge.flags |=
        MPIR_Tare_state(posted)->edge.flags & (TARE_EDGE_POSTED | TARE_EDGE_ANY_SOURCE);
}

void MPIDI_Tare_live_take_edge(MPIR_Request * to, MPIR_Request * from)
{
    MPIR_Tare_state(to)->edge = MPIR_Tare_state(from)->edge;
}

void MPIDI_Tare_live_answered(MPIR_Request * sreq, tare_wire_t * wire, int dest)
{
    tare_arrive_from(sreq, wire, tare_comm_peer(sreq->comm, dest), TARE_CLASS_CONTROL);
}

static void tare_data_arrive(MPIR_Request * rreq, const tare_wire_t * wire, MPI_Aint data_sz)
{
    MPIR_Request *owner = MPIDI_Tare_owner(rreq);
    if (owner) {
        int source = owner == rreq ? MPIDIG_REQUEST(rreq, u.recv.source) : MPIDI_PART_REQUEST(owner, u.recv.source);
        tare_arrive_from(owner, wire, tare_comm_peer(owner->comm, source), tare_size_class(TARE_CLASS_DATA, data_sz));
    }
}

void MPIDI_Tare_live_data_arrive(MPIR_Request * rreq, tare_wire_t * wire, MPI_Aint data_sz)
{
    tare_data_arrive(rreq, wire, data_sz);
    tare_leave_in_packet(tare_is_local(rreq), (char *) wire - offsetof(MPIDIG_send_data_msg_t, tare), wire);
}

/* ---- messages to oneself ---- */

static void tare_self_queue(MPIR_Request * req, int context_offset)
{
    MPIR_Tare_state(req)->edge.wire = tare_core_stamp();
    MPIR_Tare_state(req)->edge.flags = 0;
}

static void tare_self_arrive(MPIR_Request * req, tare_wire_t wire, int context_id)
{
    MPIR_Tare_state(req)->edge.flags = 0;
    if (tare_is_active(&wire))
        tare_core_arrive(&MPIR_Tare_state(req)->edge, wire, tare_peer(context_id, 0), TARE_CLASS_CONTROL,
                         TARE_EDGE_SAME_CLOCK);
}

static void tare_self_match(MPIR_Request * queued, MPIR_Request * now, MPIR_Comm * comm, int context_offset)
{
    tare_wire_t wire = MPIR_Tare_state(queued)->edge.wire;
    tare_self_arrive(queued, tare_core_stamp(), comm->context_id);
    if (now)
        tare_self_arrive(now, wire, comm->context_id);
}

/* ---- partitioned operations ---- */

void MPIDI_Tare_live_part_ready(MPIR_Request * part_req)
{
    MPIR_Tare_state(part_req)->edge.flags |= TARE_EDGE_POSTED;
    tare_core_post(&MPIR_Tare_state(part_req)->post);
}

void MPIDI_Tare_live_part_arrive(MPIR_Request * part_req, tare_wire_t * wire, int peer)
{
    tare_arrive_from(part_req, wire, tare_comm_peer(part_req->comm, peer), TARE_CLASS_CONTROL);
}

#include "ch4_tare_numbered.c"
#include "ch4_tare_win.c"
#ifndef MPIDI_CH4_DIRECT_NETMOD
#include "../shm/posix/posix_tare.c"
#endif
