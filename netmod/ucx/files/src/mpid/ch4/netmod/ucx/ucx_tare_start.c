/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

/* What header mode asks of UCX and of the node when MPI starts. Included by ucx_tare.c. */

#include "mpidu_init_shm.h"
#include <sys/stat.h>

/* Messages are matched in the order in which they arrive, so all of them take one lane. */
int MPIDI_UCX_Tare_init_config(ucp_config_t * config)
{
    int mpi_errno = MPI_SUCCESS;
    if (tare_global.carry) {
        MPIR_Tare_set_path("ucx-am-1");
        ucs_status_t ucx_status = ucp_config_modify(config, "MAX_EAGER_LANES", "1");
        MPIDI_UCX_CHK_STATUS(ucx_status);
    }

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

static ucs_status_t tare_set_handler(ucp_worker_h worker, unsigned id, ucp_am_recv_callback_t handler)
{
    ucp_am_handler_param_t param = {
        .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB,
        .id = id,
        .cb = handler,
    };
    return ucp_worker_set_am_recv_handler(worker, &param);
}

int MPIDI_UCX_Tare_init_worker(ucp_worker_h worker)
{
    int mpi_errno = MPI_SUCCESS;
    if (tare_global.carry) {
        ucs_status_t ucx_status = tare_set_handler(worker, MPIDI_UCX_TARE_AM_ID, tare_arrive);
        MPIDI_UCX_CHK_STATUS(ucx_status);
        ucx_status = tare_set_handler(worker, MPIDI_UCX_TARE_PLAIN_AM_ID, tare_arrive_plain);
        MPIDI_UCX_CHK_STATUS(ucx_status);
        ucx_status = tare_set_handler(worker, MPIDI_UCX_TARE_STAMPED_AM_ID, tare_arrive_stamped);
        MPIDI_UCX_CHK_STATUS(ucx_status);
    }

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* Where this process stands in time: its time namespace. Zeros if that is not known. */
typedef struct tare_clock {
    uint64_t device, inode;
} tare_clock_t;

static tare_clock_t tare_own_clock(void)
{
    struct stat info;
    if (stat("/proc/self/ns/time", &info) != 0)
        return (tare_clock_t) { 0, 0 };
    return (tare_clock_t) { info.st_dev, info.st_ino };
}

/* Processes of a node share memory here, so they have one kernel; its time namespaces have clocks of their own. */
int MPIDI_UCX_Tare_init_node(void)
{
    int mpi_errno = MPI_SUCCESS;
    tare_clock_t own = tare_own_clock(), other;

    if (!tare_global.carry || MPIR_Process.local_size == 1)
        return MPI_SUCCESS;
    mpi_errno = MPIDU_Init_shm_put(&own, sizeof(own));
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = MPIDU_Init_shm_barrier();
    MPIR_ERR_CHECK(mpi_errno);
    tare_has_node_one_clock = own.inode != 0;
    for (int i = 0; i < MPIR_Process.local_size; i++) {
        mpi_errno = MPIDU_Init_shm_get(i, sizeof(other), &other);
        MPIR_ERR_CHECK(mpi_errno);
        tare_has_node_one_clock &= other.device == own.device && other.inode == own.inode;
    }
    mpi_errno = MPIDU_Init_shm_barrier();
    MPIR_ERR_CHECK(mpi_errno);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}
