/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

/* Messages of header mode over UCX that are sent without asking and lie in one piece. Included by ucx_tare.c. What
 * MPIDIG does for them, without a request for what leaves at once and without steps that only other messages need. */

static int tare_isend_eager(const void *data, MPI_Aint data_sz, int tag, MPIR_Comm * comm, int context_offset,
                            MPIDI_av_entry_t * addr, MPIR_Errflag_t errflag, int src_vci, int dst_vci,
                            MPIR_Request ** request)
{
    int mpi_errno = MPI_SUCCESS;
    tare_packet_t *packet = tare_get_packet(MPIDIG_SEND, addr, src_vci, dst_vci);
    tare_eager_header_t *hdr = &packet->u.eager.header;
    ucp_request_param_t param = {.op_attr_mask = 0,.flags = UCP_AM_SEND_FLAG_EAGER };
    ucs_status_ptr_t ucp_request;

    MPIDI_Tare_stamp(&hdr->tare);
    hdr->src_rank = comm->rank;
    hdr->tag = tag;
    hdr->context_id = comm->context_id + context_offset;
    hdr->error_bits = errflag;
    if (data_sz <= TARE_COPY_SZ) {
        memcpy(packet->u.eager.data, data, data_sz);
        ucp_request = tare_post(packet, addr, MPIDI_UCX_TARE_EAGER_AM_ID, NULL, 0, hdr, sizeof(*hdr) + data_sz, &param);
    } else {
        ucp_request = tare_post(packet, addr, MPIDI_UCX_TARE_EAGER_AM_ID, hdr, sizeof(*hdr), data, data_sz, &param);
    }
    MPIDI_UCX_CHK_REQUEST(ucp_request);
    if (ucp_request == NULL) {
        *request = MPIR_Request_create_complete(MPIR_REQUEST_KIND__SEND);
    } else {
        *request = MPIR_Request_create_from_pool(MPIR_REQUEST_KIND__SEND, src_vci, 2);
        MPIR_ERR_CHKANDSTMT(*request == NULL, mpi_errno, MPIX_ERR_NOREQ, goto fn_fail, "**nomemreq");
        packet->sreq = *request;
    }

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* MPIDIG's header of such a message. */
static MPIDIG_hdr_t tare_full_header(const tare_eager_header_t * hdr, MPI_Aint data_sz)
{
    return (MPIDIG_hdr_t) {
        .src_rank = hdr->src_rank,
        .tag = hdr->tag,
        .context_id = hdr->context_id,
        .flags = MPIDIG_AM_SEND_FLAGS_NONE,
        .error_bits = hdr->error_bits,
        .data_sz = data_sz,
        .tare = hdr->tare,
    };
}

static void tare_copy_eager(MPIR_Request * rreq, void *data, MPI_Aint length)
{
    int is_contig;
    MPI_Aint data_sz, true_lb;
    MPIR_Datatype *dt_ptr;

    MPIDI_Datatype_get_info(MPIDIG_REQUEST(rreq, count), MPIDIG_REQUEST(rreq, datatype), is_contig, data_sz, dt_ptr,
                            true_lb);
    if (is_contig && length <= data_sz) {
        MPIR_Typerep_copy(MPIR_get_contig_ptr(MPIDIG_REQUEST(rreq, buffer), true_lb), data, length);
        MPIR_STATUS_SET_COUNT(rreq->status, length);
    } else {
        MPIDIG_recv_type_init(length, rreq);
        MPIDIG_recv_copy(data, rreq);
        MPIDIG_recv_finish(rreq);
    }
}

static void tare_receive_eager(MPIR_Request * rreq, const tare_eager_header_t * hdr, void *data, MPI_Aint length)
{
    if (tare_is_active(&hdr->tare)) {
        MPIDIG_hdr_t full = tare_full_header(hdr, length);
        MPIDI_Tare_arrive(rreq, &full, false);
    }
    rreq->status.MPI_SOURCE = hdr->src_rank;
    rreq->status.MPI_TAG = hdr->tag;
    rreq->status.MPI_ERROR = hdr->error_bits;
    tare_copy_eager(rreq, data, length);
    MPIR_Datatype_release_if_not_builtin(MPIDIG_REQUEST(rreq, datatype));
    MPID_Request_complete(rreq);
}

/* Most often the receive that was posted first is the one. */
static ucs_status_t tare_arrive_eager(void *arg, const void *header, size_t header_length, void *data, size_t length,
                                      const ucp_am_recv_param_t * param)
{
    tare_eager_header_t hdr;

    if (header_length == 0) {
        header = data;
        data = (char *) data + sizeof(hdr);
        length -= sizeof(hdr);
    }
    memcpy(&hdr, header, sizeof(hdr));  /* UCX puts it where it fits */
    MPIR_Request **posted = &MPIDI_global.per_vci[hdr.route.dst_vci].posted_list;
    MPIDI_Tare_is_same_clock = hdr.route.is_same_clock;
    if (*posted && MPIDIG_match_request(hdr.src_rank, hdr.tag, hdr.context_id, *posted, MPIDIG_PT2PT_POSTED)) {
        MPIR_Request *rreq = MPIDIG_rreq_dequeue(hdr.src_rank, hdr.tag, hdr.context_id, posted, MPIDIG_PT2PT_POSTED);
        tare_receive_eager(rreq, &hdr, data, length);
    } else {
        int attr = 0;
        MPIDIG_hdr_t full = tare_full_header(&hdr, length);
        MPIDIG_AM_ATTR_SET_VCIS(attr, hdr.route.src_vci, hdr.route.dst_vci);
        MPIDIG_send_target_msg_cb(&full, data, length, attr, NULL);
    }
    return UCS_OK;
}
