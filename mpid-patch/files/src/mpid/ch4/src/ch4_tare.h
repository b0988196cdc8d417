/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef CH4_TARE_H_INCLUDED
#define CH4_TARE_H_INCLUDED

/* Hooks of the compensation core in the device: stamps on what leaves, edges from what arrives. Included by
 * ch4_impl.h, behind the headers of the packets. Without HAVE_TARE all of it vanishes. */

#include "ch4_types.h"
#include "mpidig.h"

#ifdef HAVE_TARE

/* The layout is part of what processes agree on: another one needs another TARE_LAYOUT (mpir_tare_init.c). */
_Static_assert(sizeof(MPIDIG_hdr_t) == 48, "MPIDIG_hdr_t must not grow");
_Static_assert(offsetof(MPIDIG_hdr_t, tare) == 32, "the wire format has changed");
_Static_assert(offsetof(MPIDIG_send_cts_msg_t, tare) == 16, "the wire format has changed");
_Static_assert(offsetof(MPIDIG_send_data_msg_t, tare) == 8, "the wire format has changed");
_Static_assert(offsetof(MPIDIG_ssend_ack_msg_t, tare) == 8, "the wire format has changed");

MPL_STATIC_INLINE_PREFIX uint32_t MPIDI_Tare_locality(MPIR_Request * req)
{
#ifdef MPIDI_CH4_DIRECT_NETMOD
    return 0;
#else
    return MPIDI_REQUEST(req, is_local) ? TARE_EDGE_SAME_CLOCK : 0;
#endif
}

MPL_STATIC_INLINE_PREFIX tare_request_t *MPIDI_Tare_state(MPIR_Request * req)
{
    return &req->u.tare.state;
}

MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_set_edge(MPIR_Request * req, tare_wire_t wire,
                                                  uint64_t peer, uint32_t size_class,
                                                  uint32_t locality, int64_t seen_ns)
{
    tare_edge_t *edge = &MPIDI_Tare_state(req)->edge;
    edge->wire = wire;
    edge->peer = peer;
    edge->size_class = size_class;
    edge->seen_ns = seen_ns;
    edge->flags = (edge->flags & TARE_EDGE_ANY_SOURCE) | TARE_EDGE_SET | locality;
}

MPL_STATIC_INLINE_PREFIX int64_t MPIDI_Tare_seen_ns(void)
{
    return tare_self.watching ? tare_core_now_ns() : 0;
}

/* A message leaves. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_stamp(MPIDIG_hdr_t * hdr)
{
    if (tare_carries())
        hdr->tare = tare_core_stamp();
}

/* A receive is posted. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_post(MPIR_Request * rreq, int source)
{
    if (tare_carries()) {
        MPIDI_Tare_state(rreq)->edge.flags = source == MPI_ANY_SOURCE ? TARE_EDGE_ANY_SOURCE : 0;
        tare_core_post(&MPIDI_Tare_state(rreq)->post);
    }
}

/* A message arrives, and is matched or becomes unexpected. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_arrive(MPIR_Request * rreq, const MPIDIG_hdr_t * hdr, int is_rts)
{
    if (tare_carries()) {
        uint32_t size_class = is_rts ? TARE_CLASS_CONTROL
            : tare_size_class(TARE_CLASS_EAGER, hdr->data_sz);
        MPIDI_Tare_set_edge(rreq, hdr->tare, tare_peer(hdr->context_id, hdr->src_rank),
                            size_class, MPIDI_Tare_locality(rreq), MPIDI_Tare_seen_ns());
    }
}

/* An unexpected message has no posted receive yet. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_unexpected(MPIR_Request * rreq)
{
    if (tare_carries())
        MPIDI_Tare_state(rreq)->post.post_ns = 0;
}

/* A receive finds its message among the unexpected ones: the calling thread matches it, and may answer it. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_match_unexpected(MPIR_Request * unexp_req, int source)
{
    if (tare_carries()) {
        tare_core_enter();
        MPIDI_Tare_state(unexp_req)->edge.flags |=
            TARE_EDGE_EARLY | (source == MPI_ANY_SOURCE ? TARE_EDGE_ANY_SOURCE : 0);
    }
}

/* A receive that was posted gets its message from another request that holds the message's data. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_take_post(MPIR_Request * holder, MPIR_Request * posted)
{
    if (tare_carries())
        MPIDI_Tare_state(holder)->post = MPIDI_Tare_state(posted)->post;
}

/* Goes wherever a status is copied from one request to another. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_take_edge(MPIR_Request * to, MPIR_Request * from)
{
    if (tare_carries())
        MPIDI_Tare_state(to)->edge = MPIDI_Tare_state(from)->edge;
}

/* A packet that answers a message (CTS, ACK) leaves: the match is the event. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_reply(MPIR_Request * rreq, tare_wire_t * wire)
{
    if (tare_carries())
        *wire = tare_core_reply(&MPIDI_Tare_state(rreq)->edge, &MPIDI_Tare_state(rreq)->post);
}

/* A packet that answers a send (CTS, ACK) arrives. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_answered(MPIR_Request * sreq, const tare_wire_t * wire, int dest)
{
    if (tare_carries()) {
        uint32_t context = sreq->comm ? sreq->comm->context_id : 0;
        MPIDI_Tare_set_edge(sreq, *wire, tare_peer(context, dest), TARE_CLASS_CONTROL,
                            MPIDI_Tare_locality(sreq),
                            tare_global.active ? tare_core_now_ns() : 0);
    }
}

/* The data of a rendezvous leave in reaction to the CTS that has just arrived. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_react(MPIR_Request * sreq, tare_wire_t * wire)
{
    if (tare_carries())
        *wire = tare_core_reply(&MPIDI_Tare_state(sreq)->edge, NULL);
}

/* The data of a rendezvous arrive: the receive completes on them, not on the RTS. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_data_arrive(MPIR_Request * rreq, const tare_wire_t * wire, MPI_Aint data_sz)
{
    if (tare_carries())
        MPIDI_Tare_set_edge(rreq, *wire, MPIDI_Tare_state(rreq)->edge.peer,
                            tare_size_class(TARE_CLASS_DATA, data_sz),
                            MPIDI_Tare_locality(rreq), MPIDI_Tare_seen_ns());
}

/* A header that was queued is put on the wire now. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_restamp(int handler_id, void *am_hdr)
{
    tare_wire_t *wire;

    if (!tare_carries())
        return;
    switch (handler_id) {
        case MPIDIG_SEND:
            wire = &((MPIDIG_hdr_t *) am_hdr)->tare;
            break;
        case MPIDIG_SEND_CTS:
            wire = &((MPIDIG_send_cts_msg_t *) am_hdr)->tare;
            break;
        case MPIDIG_SEND_DATA:
            wire = &((MPIDIG_send_data_msg_t *) am_hdr)->tare;
            break;
        case MPIDIG_SSEND_ACK:
            wire = &((MPIDIG_ssend_ack_msg_t *) am_hdr)->tare;
            break;
        default:
            return;
    }
    *wire = tare_core_restamp(*wire);
}

/* A message of a process to itself over a communicator of one: no packet, the requests meet. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_self_edge(MPIR_Request * req, tare_wire_t wire, int context_id)
{
    MPIDI_Tare_set_edge(req, wire, tare_peer(context_id, 0), TARE_CLASS_CONTROL,
                        TARE_EDGE_SAME_CLOCK, MPIDI_Tare_seen_ns());
}

/* One side of it is queued. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_self_queue(MPIR_Request * req)
{
    if (tare_carries()) {
        MPIDI_Tare_state(req)->edge.wire = tare_core_stamp();
        MPIDI_Tare_state(req)->edge.flags = 0;
    }
}

/* The other side finds it: each gets the stamp of the other. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_self_match(MPIR_Request * queued, MPIR_Request * now, int context_id)
{
    if (tare_carries()) {
        tare_wire_t wire = MPIDI_Tare_state(queued)->edge.wire;
        MPIDI_Tare_self_edge(queued, tare_core_stamp(), context_id);
        if (now) {
            MPIDI_Tare_state(now)->edge.flags = 0;
            MPIDI_Tare_self_edge(now, wire, context_id);
        }
    }
}

#else /* !HAVE_TARE */

#define MPIDI_Tare_stamp(hdr)
#define MPIDI_Tare_post(rreq, source)
#define MPIDI_Tare_arrive(rreq, hdr, is_rts)
#define MPIDI_Tare_unexpected(rreq)
#define MPIDI_Tare_match_unexpected(unexp_req, source)
#define MPIDI_Tare_take_post(holder, posted)
#define MPIDI_Tare_take_edge(to, from)
#define MPIDI_Tare_reply(rreq, wire)
#define MPIDI_Tare_answered(sreq, wire, dest)
#define MPIDI_Tare_react(sreq, wire)
#define MPIDI_Tare_data_arrive(rreq, wire, data_sz)
#define MPIDI_Tare_restamp(handler_id, am_hdr)
#define MPIDI_Tare_self_queue(req)
#define MPIDI_Tare_self_match(queued, now, context_id)

#endif /* HAVE_TARE */

#endif /* CH4_TARE_H_INCLUDED */
