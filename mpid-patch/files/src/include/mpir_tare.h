/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef MPIR_TARE_H_INCLUDED
#define MPIR_TARE_H_INCLUDED

/* Hooks of the compensation core in the MPI layer: what a request keeps, and the joins where a completion becomes
 * visible to the caller. Included by mpir_request.h, behind struct MPIR_Request. Without HAVE_TARE all of it vanishes.
 *
 * A wait for one request learns of the event at its end; a wait for several lets the arrival handlers note when
 * each message was first seen ("watching"). */

#ifdef HAVE_TARE

/* A request is created: `u` is not cleared by anybody else. */
MPL_STATIC_INLINE_PREFIX void MPIR_Tare_request_init(MPIR_Request * req)
{
    req->u.tare.state.edge.flags = 0;
}

/* The edge that completing this request means, or NULL. Builtin requests never hold one. */
MPL_STATIC_INLINE_PREFIX tare_edge_t *MPIR_Tare_edge(MPIR_Request * req)
{
    if (req->kind == MPIR_REQUEST_KIND__PREQUEST_SEND ||
        req->kind == MPIR_REQUEST_KIND__PREQUEST_RECV) {
        req = req->u.persist.real_request;
        if (req == NULL)
            return NULL;
    }
    if (req->kind != MPIR_REQUEST_KIND__SEND && req->kind != MPIR_REQUEST_KIND__RECV)
        return NULL;
    return (req->u.tare.state.edge.flags & TARE_EDGE_SET) ? &req->u.tare.state.edge : NULL;
}

MPL_STATIC_INLINE_PREFIX void MPIR_Tare_join(tare_edge_t * edge, uint32_t flags)
{
    if (edge) {
        edge->flags |= flags;
        tare_core_join(edge);
    }
}

/* A wait for one request begins. True if there is nothing to wait for: its edge was ready before. */
MPL_STATIC_INLINE_PREFIX bool MPIR_Tare_wait_begin(MPIR_Request * req)
{
    if (!tare_carries())
        return false;
    tare_core_enter();
    return MPIR_Request_is_complete(req);
}

MPL_STATIC_INLINE_PREFIX void MPIR_Tare_wait_end(MPIR_Request * req, bool early)
{
    if (tare_carries())
        MPIR_Tare_join(MPIR_Tare_edge(req), early ? TARE_EDGE_EARLY : 0);
}

/* A wait for several requests, or a poll that does not wait. */
MPL_STATIC_INLINE_PREFIX void MPIR_Tare_watch_begin(void)
{
    if (tare_carries()) {
        tare_core_enter();
        tare_self.watching = tare_global.active;
    }
}

MPL_STATIC_INLINE_PREFIX void MPIR_Tare_watch_end(void)
{
    if (tare_carries())
        tare_self.watching = 0;
}

MPL_STATIC_INLINE_PREFIX void MPIR_Tare_poll(void)
{
    if (tare_carries())
        tare_core_enter();
}

/* The completion of this request becomes visible to the caller. A wait for it alone has joined already; what was not
 * seen by a watching wait was there before. */
MPL_STATIC_INLINE_PREFIX void MPIR_Tare_complete(MPIR_Request * req)
{
    if (tare_carries()) {
        tare_edge_t *edge = MPIR_Tare_edge(req);
        MPIR_Tare_join(edge, edge && edge->seen_ns ? 0 : TARE_EDGE_EARLY);
    }
}

/* In MPI_Init. configure: reads the environment, before the device is initialized. announce and agree: before and
 * after the first PMI barrier; they do not return if the environment or another process's layout is not acceptable. */
void MPIR_Tare_configure(void);
void MPIR_Tare_announce(void);
void MPIR_Tare_agree(void);

#else /* !HAVE_TARE */

MPL_STATIC_INLINE_PREFIX void MPIR_Tare_request_init(MPIR_Request * req)
{
}

MPL_STATIC_INLINE_PREFIX bool MPIR_Tare_wait_begin(MPIR_Request * req)
{
    return false;
}

MPL_STATIC_INLINE_PREFIX void MPIR_Tare_wait_end(MPIR_Request * req, bool early)
{
}

MPL_STATIC_INLINE_PREFIX void MPIR_Tare_watch_begin(void)
{
}

MPL_STATIC_INLINE_PREFIX void MPIR_Tare_watch_end(void)
{
}

MPL_STATIC_INLINE_PREFIX void MPIR_Tare_poll(void)
{
}

MPL_STATIC_INLINE_PREFIX void MPIR_Tare_complete(MPIR_Request * req)
{
}

#define MPIR_Tare_configure()
#define MPIR_Tare_announce()
#define MPIR_Tare_agree()

#endif /* HAVE_TARE */

#endif /* MPIR_TARE_H_INCLUDED */
