/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef UCX_TARE_H_INCLUDED
#define UCX_TARE_H_INCLUDED

/* Header mode over UCX. Its tags have no bit left, so where this process carries delay, point-to-point messages are
 * MPIDIG's, whose headers have the stamp, and travel as active messages with a header of their own. All processes do
 * so or none (MPIR_Tare_agree). Everything else stays as it is: messages in other modes, one-sided and partitioned
 * operations. Included by ucx_impl.h. Without HAVE_TARE all of it vanishes.
 *
 * Each hook is one branch; what is done then is in ucx_tare.c. */

#ifdef HAVE_TARE

/* The ids of these active messages; MPIDI_UCX_AM_HANDLER_ID is that of the others. */
#define MPIDI_UCX_TARE_AM_ID (1)
#define MPIDI_UCX_TARE_PLAIN_AM_ID (2)
#define MPIDI_UCX_TARE_STAMPED_AM_ID (3)

/* Up to here a message is sent without asking, above by UCX's rendezvous: as UCX itself does it for tags. */
#define MPIDI_UCX_TARE_EAGER_SZ (8 * 1024)

/* In header mode the function that begins with this is another one. */
#define MPIDI_UCX_TARE_INSTEAD(call) \
    do { \
        if (tare_global.carry) \
            return call; \
    } while (0)

/* The same of the active messages that point-to-point consists of. */
#define MPIDI_UCX_TARE_INSTEAD_OF_AM(handler_id, call) \
    do { \
        if ((handler_id) <= MPIDIG_SSEND_ACK) \
            MPIDI_UCX_TARE_INSTEAD(call); \
    } while (0)

/* Which of both is known at the start: messages of which none is numbered, or some are. */
typedef int MPIDI_UCX_Tare_isend_t(const void *buf, MPI_Aint count, MPI_Datatype datatype, int rank, int tag,
                                   MPIR_Comm * comm, int context_offset, MPIDI_av_entry_t * addr, uint8_t flags,
                                   MPIR_Errflag_t errflag, MPIR_Request ** request);
extern TARE_HIDDEN MPIDI_UCX_Tare_isend_t *MPIDI_UCX_Tare_isend;
int MPIDI_UCX_Tare_irecv(void *buf, MPI_Aint count, MPI_Datatype datatype, int rank, int tag, MPIR_Comm * comm,
                         int context_offset, MPIR_Request ** request);
int MPIDI_UCX_Tare_imrecv(void *buf, MPI_Aint count, MPI_Datatype datatype, MPIR_Request * message);
int MPIDI_UCX_Tare_cancel_recv(MPIR_Request * rreq);
int MPIDI_UCX_Tare_iprobe(int source, int tag, MPIR_Comm * comm, int context_offset, int *flag, MPI_Status * status);
int MPIDI_UCX_Tare_improbe(int source, int tag, MPIR_Comm * comm, int context_offset, int *flag,
                           MPIR_Request ** message, MPI_Status * status);

/* What MPIDIG sends: a packet, with data or without. */
int MPIDI_UCX_Tare_am_isend(int rank, MPIR_Comm * comm, int handler_id, const void *am_hdr, MPI_Aint am_hdr_sz,
                            const void *data, MPI_Aint count, MPI_Datatype datatype, int src_vci, int dst_vci,
                            MPIR_Request * sreq);
int MPIDI_UCX_Tare_am_send_hdr(int rank, MPIR_Comm * comm, int handler_id, const void *am_hdr,
                               MPI_Aint am_hdr_sz, int src_vci, int dst_vci);
/* A receive finds an unexpected message whose data are still at the sender. */
int MPIDI_UCX_Tare_fetch_unexpected(MPIR_Request * rreq);

/* At start: before the context, and for each worker. */
int MPIDI_UCX_Tare_init_config(ucp_config_t * config);
int MPIDI_UCX_Tare_init_worker(ucp_worker_h worker);

#else /* !HAVE_TARE */

#define MPIDI_UCX_TARE_INSTEAD(call)
#define MPIDI_UCX_TARE_INSTEAD_OF_AM(handler_id, call)
#define MPIDI_UCX_Tare_init_config(config) MPI_SUCCESS
#define MPIDI_UCX_Tare_init_worker(worker) MPI_SUCCESS

#endif /* HAVE_TARE */

#endif /* UCX_TARE_H_INCLUDED */
