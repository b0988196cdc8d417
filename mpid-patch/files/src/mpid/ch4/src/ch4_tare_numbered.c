/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

/* Numbered messages (tare_origin.h); part of ch4_tare.c. */

/* ---- what leaves ---- */

/* As the rest of MPIDIG_isend_impl, with the longer header. */
int MPIDI_Tare_isend_numbered(const void *buf, MPI_Aint count, MPI_Datatype datatype, int rank, int tag,
                              MPIR_Comm * comm, int context_offset, MPIDI_av_entry_t * addr, uint8_t flags,
                              int src_vci, int dst_vci, MPIR_Request * sreq, MPIR_Errflag_t errflag)
{
    int mpi_errno = MPI_SUCCESS;
    int is_local = MPIDI_av_is_local(addr);
    MPI_Aint data_sz;
    MPIDIG_Tare_numbered_hdr_t am_hdr;

    MPIDI_Datatype_check_size(datatype, count, data_sz);
    /* *INDENT-OFF* */
    am_hdr.hdr = (MPIDIG_hdr_t) {
        .src_rank = comm->rank,
        .tag = tag,
        .context_id = comm->context_id + context_offset,
        .flags = flags | MPIDI_TARE_FLAG_NUMBERED,
        .error_bits = errflag,
        .sreq_ptr = sreq,
        .data_sz = data_sz,
        .tare = tare_core_stamp(),
    };
    /* *INDENT-ON* */
    am_hdr.origin = tare_core_next_origin();
    if (flags & MPIDIG_AM_SEND_FLAGS_SYNC)
        MPIR_cc_inc(sreq->cc_ptr);      /* expecting SSEND_ACK */
    MPIDIG_REQUEST(sreq, buffer) = (void *) buf;
    MPIDIG_REQUEST(sreq, count) = count;
    MPIDIG_REQUEST(sreq, datatype) = datatype;
    MPIDIG_REQUEST(sreq, u.send.dest) = rank;
    if (MPIDIG_check_eager(is_local, sizeof(am_hdr), data_sz, buf, count, datatype, sreq)) {
        CH4_CALL(am_isend(rank, comm, MPIDIG_SEND, &am_hdr, sizeof(am_hdr), buf, count, datatype, src_vci, dst_vci,
                          sreq), is_local, mpi_errno);
    } else {
        MPIR_Datatype_add_ref_if_not_builtin(datatype);
        MPIDIG_AM_SEND_SET_RNDV(am_hdr.hdr.flags, MPIDIG_RNDV_GENERIC);
        CH4_CALL(am_send_hdr(rank, comm, MPIDIG_SEND, &am_hdr, sizeof(am_hdr), src_vci, dst_vci), is_local,
                 mpi_errno);
    }
    return mpi_errno;
}

/* ---- what arrives ---- */

/* is_timed: the stamp is on this process's clock. */
static void tare_keep_sender(MPIR_Request * rreq, tare_wire_t wire, uint64_t origin, bool is_timed)
{
    tare_sender_t *sender = &MPIR_Tare_state(rreq)->sender;
    sender->wire = wire;
    sender->origin = origin;
    rreq->has_tare_state |= MPIR_TARE_HAS_SENDER | (is_timed ? MPIR_TARE_SENDER_IS_TIMED : 0);
}

/* The stamp is read before its place is used for another one. */
static void tare_arrive_numbered(MPIR_Request * rreq, MPIDIG_hdr_t * hdr, int is_rts)
{
    const bool is_local = tare_is_local(rreq);
    tare_wire_t wire = hdr->tare;

    if (hdr->flags & MPIDI_TARE_FLAG_NUMBERED) {
        if (!is_local)
            tare_from_job_clock(&wire);
        tare_keep_sender(rreq, wire, ((MPIDIG_Tare_numbered_hdr_t *) hdr)->origin, is_local || tare_network_flags());
    }
    MPIDI_Tare_live_arrive(rreq, hdr, is_rts);
}

static void tare_take_sender(MPIR_Request * to, MPIR_Request * from)
{
    if (!(from->has_tare_state & MPIR_TARE_HAS_SENDER))
        return;
    MPIR_Tare_state(to)->sender = MPIR_Tare_state(from)->sender;
    to->has_tare_state |= from->has_tare_state;
}

static void tare_take_edge_numbered(MPIR_Request * to, MPIR_Request * from)
{
    MPIDI_Tare_live_take_edge(to, from);
    tare_take_sender(to, from);
}

/* ---- messages to oneself ---- */

static void tare_self_queue_numbered(MPIR_Request * req, int context_offset)
{
    tare_self_queue(req, context_offset);
    if (req->kind == MPIR_REQUEST_KIND__SEND && MPIDI_TARE_IS_NUMBERED(req->comm, context_offset))
        tare_keep_sender(req, MPIR_Tare_state(req)->edge.wire, tare_core_next_origin(), true);
}

/* now: NULL if it is the send that finds its receive, which leaves no request. */
static void tare_self_match_numbered(MPIR_Request * queued, MPIR_Request * now, MPIR_Comm * comm, int context_offset)
{
    if (now)
        tare_take_sender(now, queued);
    else if (MPIDI_TARE_IS_NUMBERED(comm, context_offset))
        tare_keep_sender(queued, tare_core_stamp(), tare_core_next_origin(), true);
    tare_self_match(queued, now, comm, context_offset);
}

/* ---- which of both ---- */

#define TARE_CALLS_OF_ANY { MPIDI_Tare_live_arrive, MPIDI_Tare_live_take_edge, tare_self_queue, tare_self_match }

static const MPIDI_Tare_calls_t tare_calls_of_any = TARE_CALLS_OF_ANY;
static const MPIDI_Tare_calls_t tare_calls_of_numbered = {
    tare_arrive_numbered, tare_take_edge_numbered, tare_self_queue_numbered, tare_self_match_numbered
};

MPIDI_Tare_calls_t MPIDI_Tare_calls = TARE_CALLS_OF_ANY;

void MPIDI_Tare_number_messages(bool are_numbered)
{
    MPIDI_Tare_calls = are_numbered ? tare_calls_of_numbered : tare_calls_of_any;
}
