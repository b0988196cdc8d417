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
    return (edge->flags & (TARE_EDGE_POSTED | TARE_EDGE_MUTED)) == TARE_EDGE_POSTED &&
        req->kind == MPIR_REQUEST_KIND__RECV && !MPIR_STATUS_GET_CANCEL_BIT(req->status);
}

static tare_edge_t tare_idle_edge(uint32_t flags)
{
    /* *INDENT-OFF* */
    return (tare_edge_t) { {0, 0}, 0, TARE_PEER_ANYBODY, 0, TARE_EDGE_SET | (flags & TARE_EDGE_EARLY) };
    /* *INDENT-ON* */
}

_Static_assert(sizeof(((MPIR_Request *) 0)->u.nbc) <= sizeof(((MPIR_Request *) 0)->u.persist_coll),
               "MPIR_Request must not grow");

/* A nonblocking collective is over, or an operation on a window: the caller learns of what it waited for. */
static __attribute__ ((noinline))
void tare_join_operation(MPIR_Request * req)
{
    if (req->kind == MPIR_REQUEST_KIND__RMA && req->has_tare_state)
        tare_core_join_deposits(&req->u.rma.tare);
    if (req->kind == MPIR_REQUEST_KIND__PREQUEST_COLL)
        req = req->u.persist_coll.real_request;
    if (req && req->kind == MPIR_REQUEST_KIND__COLL && req->has_tare_state) {
        tare_edge_t edge = tare_own_edge(&req->u.nbc.tare);
        req->has_tare_state = 0;
        tare_core_join(&edge);
    }
}

static void tare_join(MPIR_Request * req, uint32_t flags)
{
    tare_edge_t *edge;
    MPIR_Request *keeper = tare_keeper(req);

    if (keeper == NULL) {
        tare_join_operation(req);
        return;
    }
    edge = &MPIR_Tare_state(keeper)->edge;
    if (edge->flags & TARE_EDGE_SET) {
        edge->flags |= flags;
        tare_core_join(edge);
    } else if (tare_is_from_idle_sender(keeper, edge)) {
        tare_edge_t idle = tare_idle_edge(edge->flags | flags);
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
    else
        tare_join_operation(req);
}

/* ---- numbered messages ---- */

/* The caller learns that this receive is complete: of a persistent one, by the handle that it has. */
static void tare_tell_received(MPIR_Request * req)
{
    MPIR_Request *keeper = tare_keeper(req);

    if (keeper == NULL || keeper->kind != MPIR_REQUEST_KIND__RECV || !(keeper->has_tare_state & MPIR_TARE_HAS_SENDER))
        return;
    tare_core_received(&keeper->u.tare.state.sender, req->handle, keeper->has_tare_state & MPIR_TARE_SENDER_IS_TIMED);
    keeper->has_tare_state &= ~(MPIR_TARE_HAS_SENDER | MPIR_TARE_SENDER_IS_TIMED);
}

static void tare_complete_numbered(MPIR_Request * req)
{
    MPIR_Tare_live_complete(req);
    tare_tell_received(req);
}

static int tare_wait_numbered(MPIR_Request * req, MPID_Progress_state * state)
{
    int mpi_errno = MPIR_Tare_live_wait(req, state);
    tare_tell_received(req);
    return mpi_errno;
}

static const MPIR_Tare_calls_t tare_calls_of_any = { MPIR_Tare_live_complete, MPIR_Tare_live_wait };
static const MPIR_Tare_calls_t tare_calls_of_numbered = { tare_complete_numbered, tare_wait_numbered };

MPIR_Tare_calls_t MPIR_Tare_calls = { MPIR_Tare_live_complete, MPIR_Tare_live_wait };

void MPIR_Tare_number_messages(bool are_numbered)
{
    MPIR_Tare_calls = are_numbered ? tare_calls_of_numbered : tare_calls_of_any;
    tare_core_number_messages(are_numbered);
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

/* ---- schedules ---- */

void MPIR_Tare_live_step_seen(tare_wire_t * state, MPIR_Request * req)
{
    tare_edge_t *edge;

    if (req->kind == MPIR_REQUEST_KIND__COLL) {
        if (req->has_tare_state)
            MPIR_Tare_live_step_needed(state, &req->u.nbc.tare);
        return;
    }
    if (!req->has_tare_state || (req = tare_keeper(req)) == NULL)
        return;
    edge = &MPIR_Tare_state(req)->edge;
    if (edge->flags & TARE_EDGE_SET) {
        tare_core_gather(state, edge);
    } else if (tare_is_from_idle_sender(req, edge)) {
        tare_edge_t idle = tare_idle_edge(edge->flags);
        tare_core_gather(state, &idle);
    }
}

void MPIR_Tare_live_step_needed(tare_wire_t * state, const tare_wire_t * other)
{
    tare_edge_t edge = tare_own_edge(other);
    tare_core_gather(state, &edge);
}
