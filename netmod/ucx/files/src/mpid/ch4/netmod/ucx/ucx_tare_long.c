/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

/* Long messages of header mode over UCX. Included by ucx_tare.c.
 *
 *     sender                       receiver
 *       |  MPIDIG_SEND, UCX's RTS   |
 *       | ------------------------> |  matched, at once or later
 *       |  MPIDIG_SEND_CTS          |  the match, for the sender
 *       | <------------------------ |
 *       |        UCX's own          |
 *       | <------------------------ |
 *       |  MPIDIG_SEND_DATA         |  since when the sender is there to move the data
 *       | ------------------------> |
 *       |          data             |
 *       | ========================> |
 *
 * The latter two carry a stamp and move no data, which is UCX's business; without a stamp they are not sent. They
 * come before what UCX sends behind them on the same lane. Where UCX reads from the sender's memory the receiver may
 * have the data before the sender has seen anything: the last stamp then finds its fetch gone and is nobody's. */

typedef struct tare_fetch {
    struct tare_fetch *next;
    MPIR_Request *rreq;
    uint32_t serial;            /* another one when the data are there */
} tare_fetch_t;

typedef struct tare_answer {
    MPIDIG_send_cts_msg_t cts;  /* names the sender's packet and the receiver's fetch */
    uint64_t fetch_serial;
} tare_answer_t;

_Static_assert(sizeof(tare_answer_t) <= sizeof(MPIDIG_hdr_t), "a packet has room for it");

/* Never returned to the system, so that a late stamp may look at its own. */
static tare_fetch_t *tare_free_fetches[MPIDI_CH4_MAX_VCIS];

static tare_fetch_t *tare_get_fetch(MPIR_Request * rreq)
{
    int vci = MPIDI_Request_get_vci(rreq);
    tare_fetch_t *fetch = tare_free_fetches[vci];
    if (fetch)
        tare_free_fetches[vci] = fetch->next;
    else
        fetch = MPL_calloc(1, sizeof(*fetch), MPL_MEM_BUFFER);
    MPIR_Assert(fetch);
    fetch->rreq = rreq;
    return fetch;
}

static void tare_put_fetch(tare_fetch_t * fetch)
{
    int vci = MPIDI_Request_get_vci(fetch->rreq);
    fetch->serial++;
    fetch->next = tare_free_fetches[vci];
    tare_free_fetches[vci] = fetch;
}

/* Of an unexpected message: UCX's descriptor, and what an answer names. */
#define TARE_DESCRIPTOR(rreq) ((rreq)->dev.ch4.am.netmod_am.ucx.iov[0].buffer)
#define TARE_PEER_PACKET(rreq) ((rreq)->dev.ch4.am.netmod_am.ucx.iov[1].buffer)
#define TARE_PEER_SERIAL(rreq) ((rreq)->dev.ch4.am.netmod_am.ucx.iov[1].length)
/* Where a message goes that is longer than the user's buffer. */
#define TARE_PACK_BUFFER(rreq) ((rreq)->dev.ch4.am.netmod_am.ucx.pack_buffer)

/* The data are there. UCX tells how many the buffer has room for, not how many have come. */
static void tare_received(void *ucp_request, ucs_status_t status, size_t room, void *fetch_)
{
    tare_fetch_t *fetch = fetch_;
    MPIR_Request *rreq = fetch->rreq;

    if (ucp_request)
        ucp_request_free(ucp_request);
    tare_put_fetch(fetch);
    if (status != UCS_OK)
        rreq->status.MPI_ERROR = MPI_ERR_OTHER;
    if (TARE_PACK_BUFFER(rreq))
        MPIDIG_recv_copy(TARE_PACK_BUFFER(rreq), rreq);
    else
        MPIR_STATUS_SET_COUNT(rreq->status, MPIDIG_recv_in_data_sz(rreq));
    MPIDIG_REQUEST(rreq, req->target_cmpl_cb) (rreq);
}

/* Where the data go: to the user, or where they do not fit to a buffer that is copied from. */
static void *tare_destination(MPIR_Request * rreq, MPI_Aint * count, ucp_request_param_t * param)
{
    MPI_Aint length = MPIDIG_recv_in_data_sz(rreq), type_sz;

    MPIR_Datatype_get_size_macro(MPIDIG_REQUEST(rreq, datatype), type_sz);
    *count = MPIDIG_REQUEST(rreq, count);
    if (type_sz * *count >= length)
        return (void *) tare_describe_data(MPIDIG_REQUEST(rreq, buffer), count, MPIDIG_REQUEST(rreq, datatype),
                                           &type_sz, param);
    *count = length;
    MPIR_gpu_malloc_host((void **) &TARE_PACK_BUFFER(rreq), length);
    return TARE_PACK_BUFFER(rreq);
}

/* Tells the sender of the match. */
static int tare_answer(tare_fetch_t * fetch)
{
    MPIR_Request *rreq = fetch->rreq;
    tare_answer_t answer = {
        .cts.sreq_ptr = TARE_PEER_PACKET(rreq),
        .cts.rreq_ptr = (MPIR_Request *) fetch,
        .fetch_serial = fetch->serial,
    };

    MPIDI_Tare_reply(rreq, &answer.cts.tare);
    if (!tare_is_active(&answer.cts.tare))
        return MPI_SUCCESS;
    return tare_send_hdr(MPIDIG_REQUEST(rreq, u.recv.source), rreq->comm, MPIDIG_SEND_CTS, &answer, sizeof(answer),
                         MPIDIG_REQUEST(rreq, req->local_vci), MPIDIG_REQUEST(rreq, req->remote_vci),
                         TARE_PEER_SERIAL(rreq));
}

/* Asks for the data of a message that has been matched. */
static int tare_fetch(MPIR_Request * rreq, void *descriptor)
{
    int mpi_errno = MPI_SUCCESS;
    MPI_Aint count;
    tare_fetch_t *fetch = tare_get_fetch(rreq);
    ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
        .cb.recv_am = tare_received,
        .user_data = fetch,
    };

    mpi_errno = tare_answer(fetch);
    MPIR_ERR_CHECK(mpi_errno);
    void *destination = tare_destination(rreq, &count, &param);
    ucs_status_ptr_t ucp_request = ucp_am_recv_data_nbx(MPIDI_UCX_global.ctx[MPIDI_Request_get_vci(rreq)].worker,
                                                        descriptor, destination, count, &param);
    MPIDI_UCX_CHK_REQUEST(ucp_request);
    if (ucp_request == NULL)
        tare_received(NULL, UCS_OK, 0, fetch);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

int MPIDI_UCX_Tare_fetch_unexpected(MPIR_Request * rreq)
{
    return tare_fetch(rreq, TARE_DESCRIPTOR(rreq));
}

static void tare_arrive_long(MPIDIG_hdr_t * hdr, uint32_t serial, void *descriptor, int attr)
{
    MPIR_Request *rreq = NULL;

    attr |= MPIDIG_AM_ATTR__IS_ASYNC | MPIDIG_AM_ATTR__IS_RNDV;
    MPIDIG_send_target_msg_cb(hdr, NULL, 0, attr, &rreq);
    TARE_PEER_PACKET(rreq) = hdr->sreq_ptr;
    TARE_PEER_SERIAL(rreq) = serial;
    if (MPIDIG_recv_initialized(rreq))
        tare_fetch(rreq, descriptor);
    else
        TARE_DESCRIPTOR(rreq) = descriptor;
}

/* The receiver has answered: UCX moves the data next. */
static void tare_answered(tare_answer_t * answer, uint32_t serial)
{
    tare_packet_t *packet = (tare_packet_t *) answer->cts.sreq_ptr;
    MPIDIG_send_data_msg_t leave = {.rreq_ptr = answer->cts.rreq_ptr };

    if (packet->serial != serial)
        return;
    MPIR_Request *sreq = packet->sreq;
    int dest = MPIDIG_REQUEST(sreq, u.send.dest);
    MPIDI_Tare_answered(sreq, &answer->cts.tare, dest);
    MPIDI_Tare_react(sreq, &leave.tare);
    if (tare_is_active(&leave.tare))
        tare_send_hdr(dest, sreq->comm, MPIDIG_SEND_DATA, &leave, sizeof(leave), MPIDIG_REQUEST(sreq, req->local_vci),
                      MPIDIG_REQUEST(sreq, req->remote_vci), answer->fetch_serial);
}

static void tare_data_leave(MPIDIG_send_data_msg_t * leave, uint32_t serial)
{
    tare_fetch_t *fetch = (tare_fetch_t *) leave->rreq_ptr;
    if (fetch->serial == serial)
        MPIDI_Tare_data_arrive(fetch->rreq, &leave->tare, MPIDIG_recv_in_data_sz(fetch->rreq));
}
