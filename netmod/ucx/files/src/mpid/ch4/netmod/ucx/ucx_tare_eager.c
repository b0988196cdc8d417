/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

/* Messages of header mode over UCX that are sent without asking and lie in one piece. Included by ucx_tare.c. What
 * MPIDIG does for them, without a request for what leaves at once and without steps that only other messages need. */

/* Header and data, each way as it is fastest: see TARE_COPY_SZ. */
static ucs_status_ptr_t tare_post_eager(tare_packet_t * packet, MPIDI_av_entry_t * addr, unsigned id,
                                        size_t header_sz, const void *data, MPI_Aint data_sz)
{
    ucp_request_param_t param = {.op_attr_mask = 0,.flags = UCP_AM_SEND_FLAG_EAGER };

    if (data_sz <= TARE_COPY_SZ) {
        memcpy(packet->u.eager_with_data + header_sz, data, data_sz);
        return tare_post(packet, addr, id, NULL, 0, &packet->u, header_sz + data_sz, &param);
    }
    if (data_sz <= TARE_INLINE_SZ)
        return tare_post(packet, addr, id, &packet->u, header_sz, data, data_sz, &param);
    /* *INDENT-OFF* */
    packet->iov[0] = (ucp_dt_iov_t) { &packet->u, header_sz };
    packet->iov[1] = (ucp_dt_iov_t) { (void *) data, data_sz };
    /* *INDENT-ON* */
    param.op_attr_mask = UCP_OP_ATTR_FIELD_DATATYPE;
    param.datatype = ucp_dt_make_iov();
    return tare_post(packet, addr, id, NULL, 0, packet->iov, 2, &param);
}

static int tare_isend_eager(const void *data, MPI_Aint data_sz, int tag, MPIR_Comm * comm, int context_offset,
                            MPIDI_av_entry_t * addr, MPIR_Errflag_t errflag, int src_vci, int dst_vci,
                            MPIR_Request ** request)
{
    int mpi_errno = MPI_SUCCESS;
    unsigned id = MPIDI_UCX_TARE_PLAIN_AM_ID;
    size_t header_sz = TARE_PLAIN_SZ;
    tare_packet_t *packet = tare_get_packet(MPIDIG_SEND, src_vci, dst_vci);
    tare_eager_header_t *hdr = &packet->u.eager;

    hdr->src_rank = comm->rank;
    hdr->tag = tag;
    hdr->context_id = comm->context_id + context_offset;
    hdr->error_bits = errflag;
    if (tare_is_live()) {
        MPIDI_Tare_stamp(comm, &hdr->tare);
        tare_to_job_clock(&hdr->tare);
        id = MPIDI_UCX_TARE_STAMPED_AM_ID;
        header_sz = sizeof(*hdr);
    }
    ucs_status_ptr_t ucp_request = tare_post_eager(packet, addr, id, header_sz, data, data_sz);
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
    /* *INDENT-OFF* */
    return (MPIDIG_hdr_t) {
        .src_rank = hdr->src_rank,
        .tag = hdr->tag,
        .context_id = hdr->context_id,
        .flags = MPIDIG_AM_SEND_FLAGS_NONE,
        .error_bits = hdr->error_bits,
        .data_sz = data_sz,
        .tare = hdr->tare,
    };
    /* *INDENT-ON* */
}

/* Pieces of the user's, or more than fit. */
static __attribute__ ((noinline))
void tare_unpack_eager(MPIR_Request * rreq, void *data, MPI_Aint length)
{
    MPIDIG_recv_type_init(length, rreq);
    MPIDIG_recv_copy(data, rreq);
    MPIDIG_recv_finish(rreq);
}

static inline void tare_copy_eager(MPIR_Request * rreq, void *data, MPI_Aint length)
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
        tare_unpack_eager(rreq, data, length);
    }
}

static inline void tare_receive_eager(MPIR_Request * rreq, const tare_eager_header_t * hdr, void *data,
                                      MPI_Aint length)
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

static __attribute__ ((noinline))
void tare_arrive_other(const tare_eager_header_t * hdr, void *data, size_t length)
{
    int attr = 0;
    MPIDIG_hdr_t full = tare_full_header(hdr, length);
    MPIDIG_AM_ATTR_SET_VCIS(attr, hdr->route.src_vci, hdr->route.dst_vci);
    MPIDIG_send_target_msg_cb(&full, data, length, attr, NULL);
}

/* Most often the receive that was posted first is the one. */
static inline ucs_status_t tare_arrive_eager(const void *header, size_t header_sz, size_t header_length, void *data,
                                             size_t length)
{
    tare_eager_header_t hdr;

    if (header_length == 0) {
        MPIR_Assert(length >= header_sz);
        header = data;
        data = (char *) data + header_sz;
        length -= header_sz;
    }
    hdr.tare.w1 = 0;
    memcpy(&hdr, header, header_sz);    /* UCX puts it where it fits */
    MPIR_Request **posted = &MPIDI_global.per_vci[hdr.route.dst_vci].posted_list;
    if (*posted && MPIDIG_match_request(hdr.src_rank, hdr.tag, hdr.context_id, *posted, MPIDIG_PT2PT_POSTED)) {
        MPIR_Request *rreq = MPIDIG_rreq_dequeue(hdr.src_rank, hdr.tag, hdr.context_id, posted, MPIDIG_PT2PT_POSTED);
        tare_receive_eager(rreq, &hdr, data, length);
    } else {
        tare_arrive_other(&hdr, data, length);
    }
    return UCS_OK;
}

static ucs_status_t tare_arrive_plain(void *arg, const void *header, size_t header_length, void *data, size_t length,
                                      const ucp_am_recv_param_t * param)
{
    return tare_arrive_eager(header, TARE_PLAIN_SZ, header_length, data, length);
}

static ucs_status_t tare_arrive_stamped(void *arg, const void *header, size_t header_length, void *data,
                                        size_t length, const ucp_am_recv_param_t * param)
{
    return tare_arrive_eager(header, sizeof(tare_eager_header_t), header_length, data, length);
}
