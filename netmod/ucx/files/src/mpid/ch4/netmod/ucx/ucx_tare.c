/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

/* Point-to-point messages of header mode (ucx_tare.h). Included by ucx_progress.c, so that no Makefile changes. */

/* How every header begins. */
typedef struct tare_route {
    uint8_t handler_id;
    uint8_t src_vci;
    uint8_t dst_vci;
    uint8_t unused;
} tare_route_t;

/* Of a message that is sent without asking. As long as there is nothing to carry, `tare` is left out. */
typedef struct tare_eager_header {
    tare_route_t route;
    int src_rank;
    int tag;
    MPIR_Context_id_t context_id;
    uint8_t error_bits;
    uint8_t unused;
    tare_wire_t tare;
} tare_eager_header_t;

#define TARE_PLAIN_SZ offsetof(tare_eager_header_t, tare)
_Static_assert(TARE_PLAIN_SZ == 16 && sizeof(tare_eager_header_t) == 32, "the wire format has changed");

/* Of all others: before MPIDIG's. */
typedef struct tare_am_header {
    tare_route_t route;
    uint32_t serial;            /* of the packet or fetch that an answer will name, or that is named */
} tare_am_header_t;

/* One piece leaves sooner than two, so data are copied behind the header as long as that costs next to nothing. Above
 * that UCX puts a header of its caller's behind the data, which is good while both are near. Long data follow one
 * that is gathered with them, because what stands in front is seen first. */
#define TARE_COPY_SZ 64
#define TARE_INLINE_SZ 512

/* UCX reads the header until the message has left, which may be after the call that sends it. */
typedef struct tare_packet {
    union {
        tare_route_t route;
        tare_eager_header_t eager;
        char eager_with_data[sizeof(tare_eager_header_t) + TARE_COPY_SZ];
        struct {
            tare_am_header_t header;
            MPIDIG_hdr_t body;  /* or a shorter one of MPIDIG's */
            uint64_t origin;    /* of a numbered message */
        } am;
    } u;
    struct tare_packet *next;
    MPIR_Request *sreq;         /* completed when the message has left; NULL: nobody waits for that */
    uint32_t serial;            /* another one each time that the packet is used */
    ucp_dt_iov_t iov[2];        /* header and data */
} tare_packet_t;

_Static_assert(offsetof(tare_packet_t, u.am.body) == offsetof(tare_packet_t, u) + sizeof(tare_am_header_t),
               "header and body are sent as one");
_Static_assert(sizeof(MPIDIG_send_cts_msg_t) <= sizeof(MPIDIG_hdr_t) &&
               sizeof(MPIDIG_send_data_msg_t) <= sizeof(MPIDIG_hdr_t) &&
               sizeof(MPIDIG_ssend_ack_msg_t) <= sizeof(MPIDIG_hdr_t), "a packet has room for each of them");

/* Packets that are not under way, for each VCI, whose lock protects them: the hot path allocates none. They are never
 * returned to the system, so that a late answer may look at what it names. */
static tare_packet_t *tare_free_packets[MPIDI_CH4_MAX_VCIS];

static tare_packet_t *tare_new_packet(void)
{
    tare_packet_t *packet = MPL_aligned_alloc(MPL_CACHELINE_SIZE, sizeof(*packet), MPL_MEM_BUFFER);
    MPIR_Assert(packet);
    packet->serial = 0;
    return packet;
}

static inline tare_packet_t *tare_get_packet(int handler_id, int src_vci, int dst_vci)
{
    tare_packet_t *packet = tare_free_packets[src_vci];
    if (packet)
        tare_free_packets[src_vci] = packet->next;
    else
        packet = tare_new_packet();
    packet->sreq = NULL;
    packet->u.route.handler_id = handler_id;
    packet->u.route.src_vci = src_vci;
    packet->u.route.dst_vci = dst_vci;
    return packet;
}

static void tare_put_packet(tare_packet_t * packet)
{
    packet->serial++;
    packet->next = tare_free_packets[packet->u.route.src_vci];
    tare_free_packets[packet->u.route.src_vci] = packet;
}

/* ---- what leaves ---- */

/* A message that did not leave at once has left. */
static void tare_left(void *ucp_request, ucs_status_t status, void *packet_)
{
    tare_packet_t *packet = packet_;
    MPIR_Request *sreq = packet->sreq;

    ucp_request_free(ucp_request);
    tare_put_packet(packet);
    if (sreq)
        MPIDIG_send_origin_cb(sreq);
}

/* NULL: the message has left, and the packet is free again. */
static ucs_status_ptr_t tare_post(tare_packet_t * packet, MPIDI_av_entry_t * addr, unsigned id, const void *header,
                                  size_t header_sz, const void *data, MPI_Aint count, ucp_request_param_t * param)
{
    ucp_ep_h ep = MPIDI_UCX_AV_TO_EP(addr, packet->u.route.src_vci, packet->u.route.dst_vci);

    param->op_attr_mask |= UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
    param->cb.send = tare_left;
    param->user_data = packet;
    ucs_status_ptr_t ucp_request = ucp_am_send_nbx(ep, id, header, header_sz, data, count, param);
    if (ucp_request == NULL || UCS_PTR_IS_ERR(ucp_request))
        tare_put_packet(packet);
    return ucp_request;
}

/* What UCX has to know of data of this type: where they begin, and how many. */
static const void *tare_describe_data(const void *buf, MPI_Aint * count, MPI_Datatype datatype, MPI_Aint * data_sz,
                                      ucp_request_param_t * param)
{
    int is_contig;
    MPI_Aint true_lb;
    MPIR_Datatype *dt_ptr;

    MPIDI_Datatype_get_info(*count, datatype, is_contig, *data_sz, dt_ptr, true_lb);
    if (is_contig) {
        *count = *data_sz;
        return MPIR_get_contig_ptr(buf, true_lb);
    }
    /* released by UCX's last call (ucx_datatype.c) */
    MPIR_Datatype_ptr_add_ref(dt_ptr);
    param->op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
    param->datatype = dt_ptr->dev.netmod.ucx.ucp_datatype;
    return buf;
}

/* A long message: the answer names this packet, while its serial is the same. */
static void tare_expect_answer(tare_packet_t * packet, int dest)
{
    MPIDIG_REQUEST(packet->sreq, u.send.dest) = dest;
    packet->u.am.body.sreq_ptr = (MPIR_Request *) packet;
    packet->u.am.header.serial = packet->serial;
}

int MPIDI_UCX_Tare_am_isend(int rank, MPIR_Comm * comm, int handler_id, const void *am_hdr, MPI_Aint am_hdr_sz,
                            const void *data, MPI_Aint count, MPI_Datatype datatype, int src_vci, int dst_vci,
                            MPIR_Request * sreq)
{
    int mpi_errno = MPI_SUCCESS;
    MPI_Aint data_sz;
    ucp_request_param_t param = {.op_attr_mask = 0 };
    MPIDI_av_entry_t *addr = MPIDIU_comm_rank_to_av(comm, rank);
    tare_packet_t *packet = tare_get_packet(handler_id, src_vci, dst_vci);

    data = tare_describe_data(data, &count, datatype, &data_sz, &param);
    memcpy(&packet->u.am.body, am_hdr, am_hdr_sz);
    MPIDI_Tare_to_network(handler_id, &packet->u.am.body);
    packet->sreq = sreq;
    param.flags = UCP_AM_SEND_FLAG_EAGER;
    if (data_sz > MPIDI_UCX_TARE_EAGER_SZ) {
        param.flags = UCP_AM_SEND_FLAG_RNDV;
        tare_expect_answer(packet, rank);
    }
    ucs_status_ptr_t ucp_request = tare_post(packet, addr, MPIDI_UCX_TARE_AM_ID, &packet->u,
                                             sizeof(tare_am_header_t) + am_hdr_sz, data, count, &param);
    MPIDI_UCX_CHK_REQUEST(ucp_request);
    if (ucp_request == NULL)
        mpi_errno = MPIDIG_send_origin_cb(sreq);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

static int tare_send_hdr(int rank, MPIR_Comm * comm, int handler_id, const void *am_hdr, MPI_Aint am_hdr_sz,
                         int src_vci, int dst_vci, uint32_t serial)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDI_av_entry_t *addr = MPIDIU_comm_rank_to_av(comm, rank);
    tare_packet_t *packet = tare_get_packet(handler_id, src_vci, dst_vci);
    ucp_request_param_t param = {.op_attr_mask = 0,.flags = UCP_AM_SEND_FLAG_EAGER };

    packet->u.am.header.serial = serial;
    memcpy(&packet->u.am.body, am_hdr, am_hdr_sz);
    MPIDI_Tare_to_network(handler_id, &packet->u.am.body);
    ucs_status_ptr_t ucp_request = tare_post(packet, addr, MPIDI_UCX_TARE_AM_ID, &packet->u,
                                             sizeof(tare_am_header_t) + am_hdr_sz, NULL, 0, &param);
    MPIDI_UCX_CHK_REQUEST(ucp_request);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

int MPIDI_UCX_Tare_am_send_hdr(int rank, MPIR_Comm * comm, int handler_id, const void *am_hdr,
                               MPI_Aint am_hdr_sz, int src_vci, int dst_vci)
{
    return tare_send_hdr(rank, comm, handler_id, am_hdr, am_hdr_sz, src_vci, dst_vci, 0);
}

#include "ucx_tare_eager.c"

/* Not where the others leave: it would take their registers. */
static __attribute__ ((noinline))
int tare_isend_other(const void *buf, MPI_Aint count, MPI_Datatype datatype, int rank, int tag, MPIR_Comm * comm,
                     int context_offset, MPIDI_av_entry_t * addr, uint8_t flags, int src_vci, int dst_vci,
                     MPIR_Request ** request, MPIR_Errflag_t errflag)
{
    return MPIDIG_isend_impl(buf, count, datatype, rank, tag, comm, context_offset, addr, flags, src_vci, dst_vci,
                             request, errflag);
}

static int tare_isend(const void *buf, MPI_Aint count, MPI_Datatype datatype, int rank, int tag, MPIR_Comm * comm,
                      int context_offset, MPIDI_av_entry_t * addr, uint8_t flags, MPIR_Errflag_t errflag,
                      MPIR_Request ** request)
{
    int mpi_errno, is_contig;
    MPI_Aint data_sz, true_lb;
    MPIR_Datatype *dt_ptr;
    int src_vci = MPIDI_UCX_get_vni(SRC_VCI_FROM_SENDER, comm, comm->rank, rank, tag);
    int dst_vci = MPIDI_UCX_get_vni(DST_VCI_FROM_SENDER, comm, comm->rank, rank, tag);

    MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(src_vci).lock);
    MPIDI_Datatype_get_info(count, datatype, is_contig, data_sz, dt_ptr, true_lb);
    if (data_sz > MPIDI_UCX_TARE_EAGER_SZ)
        flags = MPIDIG_AM_SEND_FLAGS_NONE;      /* UCX's rendezvous waits for the receiver anyway */
    if (is_contig && data_sz <= MPIDI_UCX_TARE_EAGER_SZ && flags == MPIDIG_AM_SEND_FLAGS_NONE && *request == NULL)
        mpi_errno = tare_isend_eager(MPIR_get_contig_ptr(buf, true_lb), data_sz, tag, comm, context_offset, addr,
                                     errflag, src_vci, dst_vci, request);
    else
        mpi_errno = tare_isend_other(buf, count, datatype, rank, tag, comm, context_offset, addr, flags, src_vci,
                                     dst_vci, request, errflag);
    MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(src_vci).lock);
    return mpi_errno;
}

/* Where messages are numbered, all of them take MPIDIG's header, behind which the number is. */
static int tare_isend_numbered(const void *buf, MPI_Aint count, MPI_Datatype datatype, int rank, int tag,
                               MPIR_Comm * comm, int context_offset, MPIDI_av_entry_t * addr, uint8_t flags,
                               MPIR_Errflag_t errflag, MPIR_Request ** request)
{
    int mpi_errno;
    MPI_Aint data_sz;
    int src_vci = MPIDI_UCX_get_vni(SRC_VCI_FROM_SENDER, comm, comm->rank, rank, tag);
    int dst_vci = MPIDI_UCX_get_vni(DST_VCI_FROM_SENDER, comm, comm->rank, rank, tag);

    MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(src_vci).lock);
    MPIDI_Datatype_check_size(datatype, count, data_sz);
    if (data_sz > MPIDI_UCX_TARE_EAGER_SZ)
        flags = MPIDIG_AM_SEND_FLAGS_NONE;
    mpi_errno = tare_isend_other(buf, count, datatype, rank, tag, comm, context_offset, addr, flags, src_vci, dst_vci,
                                 request, errflag);
    MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(src_vci).lock);
    return mpi_errno;
}

MPIDI_UCX_Tare_isend_t *MPIDI_UCX_Tare_isend = tare_isend;

/* ---- receives and probes ---- */

int MPIDI_UCX_Tare_irecv(void *buf, MPI_Aint count, MPI_Datatype datatype, int rank, int tag, MPIR_Comm * comm,
                         int context_offset, MPIR_Request ** request)
{
    int vci = MPIDI_UCX_get_vni(DST_VCI_FROM_RECVER, comm, rank, comm->rank, tag);
    return MPIDIG_mpi_irecv(buf, count, datatype, rank, tag, comm, context_offset, vci, request, 0, NULL);
}

int MPIDI_UCX_Tare_imrecv(void *buf, MPI_Aint count, MPI_Datatype datatype, MPIR_Request * message)
{
    return MPIDIG_mpi_imrecv(buf, count, datatype, message);
}

int MPIDI_UCX_Tare_cancel_recv(MPIR_Request * rreq)
{
    return MPIDIG_mpi_cancel_recv(rreq);
}

int MPIDI_UCX_Tare_iprobe(int source, int tag, MPIR_Comm * comm, int context_offset, int *flag, MPI_Status * status)
{
    int vci = MPIDI_UCX_get_vni(DST_VCI_FROM_RECVER, comm, source, comm->rank, tag);
    return MPIDIG_mpi_iprobe(source, tag, comm, context_offset, vci, flag, status);
}

int MPIDI_UCX_Tare_improbe(int source, int tag, MPIR_Comm * comm, int context_offset, int *flag,
                           MPIR_Request ** message, MPI_Status * status)
{
    int vci = MPIDI_UCX_get_vni(DST_VCI_FROM_RECVER, comm, source, comm->rank, tag);
    return MPIDIG_mpi_improbe(source, tag, comm, context_offset, vci, flag, message, status);
}

#include "ucx_tare_long.c"

/* ---- what arrives ---- */

static void tare_handle(const tare_am_header_t * own, void *body, void *data, size_t length, int attr)
{
    switch (own->route.handler_id) {
        case MPIDIG_SEND:
            MPIDIG_send_target_msg_cb(body, data, length, attr, NULL);
            break;
        case MPIDIG_SEND_CTS:
            tare_answered(body, own->serial);
            break;
        case MPIDIG_SEND_DATA:
            tare_data_leave(body, own->serial);
            break;
        default:
            MPIDIG_ssend_ack_target_msg_cb(body, NULL, 0, attr, NULL);
    }
}

static ucs_status_t tare_arrive(void *arg, const void *header, size_t header_length, void *data, size_t length,
                                const ucp_am_recv_param_t * param)
{
    struct {
        tare_am_header_t own;
        MPIDIG_hdr_t body;
        uint64_t origin;
    } aligned;
    int attr = 0;

    /* UCX puts the header where it fits. */
    MPIR_Assert(header_length <= sizeof(aligned));
    memcpy(&aligned, header, header_length);
    MPIDIG_AM_ATTR_SET_VCIS(attr, aligned.own.route.src_vci, aligned.own.route.dst_vci);
    if (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) {
        tare_arrive_long(&aligned.body, aligned.own.serial, data, attr);
        return UCS_INPROGRESS;
    }
    tare_handle(&aligned.own, &aligned.body, data, length, attr);
    return UCS_OK;
}

#include "ucx_tare_start.c"
