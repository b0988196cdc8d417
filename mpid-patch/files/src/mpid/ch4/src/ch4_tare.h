/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef CH4_TARE_H_INCLUDED
#define CH4_TARE_H_INCLUDED

/* Hooks of the compensation core in the device: stamps on what leaves, edges from what arrives. Included by
 * ch4_impl.h, behind the headers of the packets. Without HAVE_TARE all of it vanishes.
 *
 * Each is one branch that is not taken until there is something to carry, or until a message says that its sender has;
 * what it does then is in ch4_tare.c. */

#include "ch4_types.h"
#include "mpidig.h"

#ifdef HAVE_TARE

/* The layout is part of what processes agree on: another one needs another TARE_LAYOUT (mpir_tare_init.c). */
_Static_assert(sizeof(MPIDIG_hdr_t) == 48, "MPIDIG_hdr_t must not grow");
_Static_assert(offsetof(MPIDIG_hdr_t, tare) == 32, "the wire format has changed");
_Static_assert(offsetof(MPIDIG_send_cts_msg_t, tare) == 16, "the wire format has changed");
_Static_assert(offsetof(MPIDIG_send_data_msg_t, tare) == 8, "the wire format has changed");
_Static_assert(offsetof(MPIDIG_ssend_ack_msg_t, tare) == 8, "the wire format has changed");
_Static_assert(offsetof(MPIDIG_part_send_init_msg_t, tare) == 32, "the wire format has changed");
_Static_assert(offsetof(MPIDIG_part_cts_msg_t, tare) == 16, "the wire format has changed");
_Static_assert(offsetof(MPIDIG_part_send_data_msg_t, tare) == offsetof(MPIDIG_send_data_msg_t, tare),
               "MPIDI_Tare_live_data_arrive");

/* Where messages are numbered (tare_origin.h) the header of one has 8 bytes more, and a flag that says so. Other
 * messages keep the header that they have. */
typedef struct MPIDIG_Tare_numbered_hdr_t {
    MPIDIG_hdr_t hdr;
    uint64_t origin;
} MPIDIG_Tare_numbered_hdr_t;
#define MPIDI_TARE_FLAG_NUMBERED (1 << 2)       /* of MPIDIG_hdr_t, beside MPIDIG_AM_SEND_FLAGS_* */

_Static_assert(sizeof(MPIDIG_Tare_numbered_hdr_t) == 56, "the wire format has changed");

/* What the hooks call there, and elsewhere. */
typedef struct MPIDI_Tare_calls {
    void (*arrive) (MPIR_Request * rreq, MPIDIG_hdr_t * hdr, int is_rts);
    void (*take_edge) (MPIR_Request * to, MPIR_Request * from);
    void (*self_queue) (MPIR_Request * req, int context_offset);
    void (*self_match) (MPIR_Request * queued, MPIR_Request * now, MPIR_Comm * comm, int context_offset);
} MPIDI_Tare_calls_t;
extern TARE_HIDDEN MPIDI_Tare_calls_t MPIDI_Tare_calls;

/* The program's own, not those inside of a collective operation. */
#define MPIDI_TARE_IS_NUMBERED(comm, context_offset) \
    ((comm)->tare == MPIR_TARE_NUMBERED && (context_offset) == MPIR_CONTEXT_INTRA_PT2PT)

/* ---- what leaves ---- */

void MPIDI_Tare_live_reply(MPIR_Request * rreq, tare_wire_t * wire);
void MPIDI_Tare_live_react(MPIR_Request * sreq, tare_wire_t * wire);

/* A message leaves. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_stamp(MPIR_Comm * comm, tare_wire_t * wire)
{
    wire->w1 = 0;
    if (tare_is_live())
        *wire = MPIR_TARE_IS_MUTED(comm) ? tare_wire_muted() : tare_core_stamp();
}

int MPIDI_Tare_isend_numbered(const void *buf, MPI_Aint count, MPI_Datatype datatype, int rank, int tag,
                              MPIR_Comm * comm, int context_offset, MPIDI_av_entry_t * addr, uint8_t flags,
                              int src_vci, int dst_vci, MPIR_Request * sreq, MPIR_Errflag_t errflag);

/* The same of the program's own: a numbered message is sent by `call` instead. What asks whether a communicator is muted
 * asks that, too, so that it takes no instruction where none is. */
#define MPIDI_TARE_STAMP_OR(comm, context_offset, wire, call) \
    do { \
        (wire)->w1 = 0; \
        if (tare_is_live()) { \
            if (unlikely((comm)->tare) && MPIDI_TARE_IS_NUMBERED(comm, context_offset)) \
                return call; \
            *(wire) = MPIR_TARE_IS_MUTED(comm) ? tare_wire_muted() : tare_core_stamp(); \
        } \
    } while (0)

/* A packet that answers a message (CTS, ACK) leaves: the match is the event. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_reply(MPIR_Request * rreq, tare_wire_t * wire)
{
    wire->w1 = 0;
    if (tare_is_live())
        MPIDI_Tare_live_reply(rreq, wire);
}

/* The data of a rendezvous leave in reaction to the CTS that has just arrived. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_react(MPIR_Request * sreq, tare_wire_t * wire)
{
    wire->w1 = 0;
    if (tare_is_live())
        MPIDI_Tare_live_react(sreq, wire);
}

/* ---- what arrives ---- */

void MPIDI_Tare_live_arrive(MPIR_Request * rreq, MPIDIG_hdr_t * hdr, int is_rts);
void MPIDI_Tare_live_answered(MPIR_Request * sreq, tare_wire_t * wire, int dest);
void MPIDI_Tare_live_data_arrive(MPIR_Request * rreq, tare_wire_t * wire, MPI_Aint data_sz);
void MPIDI_Tare_live_post(MPIR_Request * rreq, int source);
void MPIDI_Tare_live_match_unexpected(MPIR_Request * unexp_req, int source);
void MPIDI_Tare_live_probed(MPIR_Request * unexp_req, int source);
void MPIDI_Tare_live_take_post(MPIR_Request * holder, MPIR_Request * posted);
void MPIDI_Tare_live_take_edge(MPIR_Request * to, MPIR_Request * from);

/* A receive is posted. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_post(MPIR_Request * rreq, int source)
{
    if (tare_is_live())
        MPIDI_Tare_live_post(rreq, source);
}

/* A message arrives, and is matched or becomes unexpected. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_arrive(MPIR_Request * rreq, MPIDIG_hdr_t * hdr, int is_rts)
{
    if (tare_is_active(&hdr->tare))
        MPIDI_Tare_calls.arrive(rreq, hdr, is_rts);
}

/* A receive finds its message among the unexpected ones: the calling thread matches it, and may answer it. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_match_unexpected(MPIR_Request * unexp_req, int source)
{
    if (tare_is_live())
        MPIDI_Tare_live_match_unexpected(unexp_req, source);
}

/* A probe finds a message: the caller learns of it now. The edge stays for the receive, which finds it early. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_probed(MPIR_Request * unexp_req, int source)
{
    if (tare_is_live())
        MPIDI_Tare_live_probed(unexp_req, source);
}

/* A receive that was posted gets its message from another request that holds the message's data. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_take_post(MPIR_Request * holder, MPIR_Request * posted)
{
    if (tare_is_live())
        MPIDI_Tare_live_take_post(holder, posted);
}

/* Goes wherever a status is copied from one request to another. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_take_edge(MPIR_Request * to, MPIR_Request * from)
{
    if (tare_is_live())
        MPIDI_Tare_calls.take_edge(to, from);
}

/* A packet that answers a send (CTS, ACK) arrives. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_answered(MPIR_Request * sreq, tare_wire_t * wire, int dest)
{
    if (tare_is_active(wire))
        MPIDI_Tare_live_answered(sreq, wire, dest);
}

/* The data of a rendezvous arrive, first or later segment: the receive completes on the last, not on the RTS. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_data_arrive(MPIR_Request * rreq, tare_wire_t * wire, MPI_Aint data_sz)
{
    if (tare_is_active(wire))
        MPIDI_Tare_live_data_arrive(rreq, wire, data_sz);
}

/* ---- a message of a process to itself over a communicator of one: no packet, the requests meet ---- */

/* One side of it is queued; its communicator is set. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_self_queue(MPIR_Request * req, int context_offset)
{
    if (tare_is_live())
        MPIDI_Tare_calls.self_queue(req, context_offset);
}

/* The other side finds it: each gets the stamp of the other. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_self_match(MPIR_Request * queued, MPIR_Request * now, MPIR_Comm * comm,
                                                    int context_offset)
{
    if (tare_is_live())
        MPIDI_Tare_calls.self_match(queued, now, comm, context_offset);
}

/* ---- partitioned operations: the receiver is ready when it starts, the sender at its latest MPI_Pready ---- */

void MPIDI_Tare_live_part_ready(MPIR_Request * part_req);
void MPIDI_Tare_live_part_arrive(MPIR_Request * part_req, tare_wire_t * wire, int peer);

MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_part_ready(MPIR_Request * part_req)
{
    if (tare_is_live())
        MPIDI_Tare_live_part_ready(part_req);
}

/* The sender's handshake or CTS, at the other side. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_part_arrive(MPIR_Request * part_req, tare_wire_t * wire, int peer)
{
    if (tare_is_active(wire))
        MPIDI_Tare_live_part_arrive(part_req, wire, peer);
}

/* CTS or data leave: in reaction to what has just arrived, else because the caller says so. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_part_leave(MPIR_Request * part_req, tare_wire_t * wire, bool is_reply)
{
    if (is_reply)
        MPIDI_Tare_reply(part_req, wire);
    else
        MPIDI_Tare_stamp(part_req->comm, wire);
}

/* ---- barriers ---- */

/* MPICH ends a barrier by a broadcast inside each node, which tells nothing new where there is only one. */
#define MPIDI_TARE_IS_BARRIER_OVER(comm) \
    (tare_global.carry && MPIR_Comm_size(comm) == MPIR_Comm_size((comm)->node_comm))

/* ---- shared between transports ---- */

/* A packet leaves by the network: its stamp goes on the job's clock. */
void MPIDI_Tare_live_to_network(int handler_id, const void *am_hdr);
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_to_network(int handler_id, const void *am_hdr)
{
    if (tare_clock.to_job_ns != 0)
        MPIDI_Tare_live_to_network(handler_id, am_hdr);
}

/* As MPIDI_Tare_reply, of an answer that is none of MPIDIG's packets. */
MPL_STATIC_INLINE_PREFIX void MPIDI_Tare_network_reply(MPIR_Request * rreq, tare_wire_t * wire)
{
    MPIDI_Tare_reply(rreq, wire);
    tare_to_job_clock(wire);
}

/* A stamp has come by the network, on the job's clock: the edge of what is known of its sender's. flags: TARE_EDGE_* */
void MPIDI_Tare_network_arrive(MPIR_Request * req, tare_wire_t wire, uint64_t peer, uint32_t size_class,
                               uint32_t flags);

/* From now on messages are numbered, or no more. */
void MPIDI_Tare_number_messages(bool are_numbered);

/* The stamp of a packet, NULL if it has none. */
tare_wire_t *MPIDI_Tare_wire_of(int handler_id, void *am_hdr);
/* Whose completion is waited for: a partitioned operation moves its data by requests of its own. NULL: nobody's that
 * keeps an edge. */
MPIR_Request *MPIDI_Tare_owner(MPIR_Request * req);

#else /* !HAVE_TARE */

#define MPIDI_Tare_stamp(comm, wire)
#define MPIDI_TARE_STAMP_OR(comm, context_offset, wire, call)
#define MPIDI_Tare_post(rreq, source)
#define MPIDI_Tare_arrive(rreq, hdr, is_rts)
#define MPIDI_Tare_match_unexpected(unexp_req, source)
#define MPIDI_Tare_probed(unexp_req, source)
#define MPIDI_Tare_take_post(holder, posted)
#define MPIDI_Tare_take_edge(to, from)
#define MPIDI_Tare_reply(rreq, wire)
#define MPIDI_Tare_answered(sreq, wire, dest)
#define MPIDI_Tare_react(sreq, wire)
#define MPIDI_Tare_data_arrive(rreq, wire, data_sz)
#define MPIDI_Tare_self_queue(req, context_offset)
#define MPIDI_Tare_self_match(queued, now, comm, context_offset)
#define MPIDI_Tare_part_ready(part_req)
#define MPIDI_Tare_part_arrive(part_req, wire, peer)
#define MPIDI_Tare_part_leave(part_req, wire, is_reply)
#define MPIDI_TARE_IS_BARRIER_OVER(comm) 0
#define MPIDI_Tare_to_network(handler_id, am_hdr)
#define MPIDI_Tare_network_reply(rreq, wire)

#endif /* HAVE_TARE */

#include "ch4_tare_win.h"

#endif /* CH4_TARE_H_INCLUDED */
