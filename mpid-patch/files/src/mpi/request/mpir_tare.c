/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

/* The hooks of mpir_tare.h while there is something to carry. Included by mpir_request.c, so that no Makefile changes. */

void (*MPIR_Tare_tell_ready) (void);

static inline void tare_begin_to_poll(void)
{
    if (unlikely(MPIR_Tare_tell_ready))
        MPIR_Tare_tell_ready();
}

/* The request that keeps the edge, or NULL. Builtin requests have the kinds and never an edge. */
static MPIR_Request *tare_keeper(MPIR_Request * req)
{
    if (req->kind == MPIR_REQUEST_KIND__PREQUEST_SEND || req->kind == MPIR_REQUEST_KIND__PREQUEST_RECV)
        req = req->u.persist.real_request;
    if (req == NULL)
        return NULL;
    switch (req->kind) {
        case MPIR_REQUEST_KIND__SEND:
        case MPIR_REQUEST_KIND__RECV:
        case MPIR_REQUEST_KIND__PART_SEND:
        case MPIR_REQUEST_KIND__PART_RECV:
            return req;
        default:
            return NULL;
    }
}

/* A receive was posted and has got a message whose sender has declared nothing: no delay, and nobody knows when it
 * was sent. */
static bool tare_is_from_idle_sender(const MPIR_Request * req, const tare_edge_t * edge)
{
    return (edge->flags & TARE_EDGE_POSTED) && req->kind == MPIR_REQUEST_KIND__RECV &&
        !MPIR_STATUS_GET_CANCEL_BIT(req->status);
}

static void tare_join(MPIR_Request * req, uint32_t flags)
{
    tare_edge_t *edge;

    req = tare_keeper(req);
    if (req == NULL)
        return;
    edge = &MPIR_Tare_state(req)->edge;
    if (edge->flags & TARE_EDGE_SET) {
        edge->flags |= flags;
        tare_core_join(edge);
    } else if (tare_is_from_idle_sender(req, edge)) {
        tare_edge_t idle = { {0, 0}, 0, 0, 0, TARE_EDGE_SET | flags | (edge->flags & TARE_EDGE_EARLY) };
        tare_core_join(&idle);
    }
    edge->flags &= ~TARE_EDGE_POSTED;
}

void MPIR_Tare_live_wait_begin(MPIR_Request * req)
{
    tare_core_enter();
    if (MPIR_Request_is_complete(req) && (req = tare_keeper(req)) != NULL)
        MPIR_Tare_state(req)->edge.flags |= TARE_EDGE_EARLY;
}

/* As MPIR_Wait_state. Not inlined: a short send would pay for its frame. */
static int tare_wait(MPIR_Request * req, MPID_Progress_state * state) ATTRIBUTE((noinline));
static int tare_wait(MPIR_Request * req, MPID_Progress_state * state)
{
    int mpi_errno = MPI_SUCCESS;

    tare_begin_to_poll();
    while (!MPIR_Request_is_complete(req)) {
        mpi_errno = MPID_Progress_wait(state);
        MPIR_ERR_CHECK(mpi_errno);

        if (unlikely(MPIR_Request_is_anysrc_mismatched(req))) {
            mpi_errno = MPIR_Request_handle_proc_failed(req);
            goto fn_fail;
        }
    }
    tare_join(req, 0);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* A short send is complete and waits for nobody: it keeps no edge. */
int MPIR_Tare_live_wait(MPIR_Request * req, MPID_Progress_state * state)
{
    if (req->kind == MPIR_REQUEST_KIND__SEND && !req->has_tare_state && MPIR_Request_is_complete(req))
        return MPI_SUCCESS;
    return tare_wait(req, state);
}

void MPIR_Tare_live_complete(MPIR_Request * req)
{
    MPIR_Request *keeper = tare_keeper(req);
    if (keeper)
        tare_join(keeper, (MPIR_Tare_state(keeper)->edge.flags & TARE_EDGE_WATCHED) ? 0 : TARE_EDGE_EARLY);
}

void MPIR_Tare_live_watch(bool begins)
{
    if (begins)
        tare_core_enter();
    tare_self.watching = begins;
    if (begins)
        tare_begin_to_poll();
}

void MPIR_Tare_live_poll(void)
{
    tare_core_poll();
    tare_begin_to_poll();
}
