/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

/* What header mode asks of UCX when MPI starts. Included by ucx_tare.c. */

/* Messages are matched in the order in which they arrive, so all of them take one lane. */
int MPIDI_UCX_Tare_init_config(ucp_config_t * config)
{
    int mpi_errno = MPI_SUCCESS;
    if (tare_global.carry) {
        MPIR_Tare_set_path("ucx-am-2");
        MPIDI_UCX_Tare_isend = tare_global.numbered ? tare_isend_numbered : tare_isend;
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
