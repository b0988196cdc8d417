/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

/* The hooks of posix_tare.h; part of ch4_tare.c. */

#include "../shm/posix/posix_tare.h"
#include "../shm/posix/eager/iqueue/iqueue_types.h"

/* Where the stamp is in a cell, filled or given back; NULL if it has none. */
static tare_wire_t *tare_cell_wire(MPIDI_POSIX_eager_iqueue_cell_t * cell)
{
    void *payload = MPIDI_POSIX_EAGER_IQUEUE_CELL_PAYLOAD(cell);
    if (cell->type == MPIDI_POSIX_EAGER_IQUEUE_CELL_TYPE_HDR)
        return MPIDI_Tare_wire_of(cell->am_header.handler_id, payload);
    return (tare_wire_t *) payload;
}

/* Looks at the cell that is free next, without taking it. False: there is none. */
static bool tare_free_cell(int src_vsi, int dst_vsi, tare_wire_t * wire)
{
    MPIDI_POSIX_eager_iqueue_transport_t *transport = MPIDI_POSIX_eager_iqueue_get_transport(src_vsi, dst_vsi);
    MPIDI_POSIX_eager_iqueue_cell_t *cell;
    tare_wire_t *place;

    MPIDU_genq_shmem_pool_cell_alloc(transport->cell_pool, (void **) &cell);
    if (cell == NULL)
        return false;
    place = tare_cell_wire(cell);
    wire->w0 = wire->w1 = 0;
    if (place)
        *wire = *place;
    MPIDU_genq_shmem_pool_cell_free(transport->cell_pool, cell);
    return true;
}

void MPIDI_POSIX_Tare_live_leave_queue(int vsi)
{
    MPIDI_POSIX_am_request_header_t *queued = MPIDI_POSIX_global.per_vsi[vsi].postponed_queue;
    tare_edge_t freed = { {0, 0}, 0, TARE_PEER_ANYBODY, TARE_CLASS_CELL, TARE_EDGE_SET | TARE_EDGE_SAME_CLOCK };
    MPIR_Request *owner = queued->request ? MPIDI_Tare_owner(queued->request) : NULL;
    tare_wire_t *wire = MPIDI_Tare_wire_of(queued->msg_hdr->handler_id, queued->am_hdr);

    if (!tare_free_cell(queued->src_vsi, queued->dst_vsi, &freed.wire))
        return;
    if (wire)
        *wire = tare_core_restamp(*wire, &freed);
    if (owner)
        tare_core_stalled(&MPIR_Tare_state(owner)->edge, &freed);
}

/* What continues a message was queued behind its header, whose stamp is kept up to date. */
void MPIDI_POSIX_Tare_put_stamp(int vsi, void *payload)
{
    MPIDI_POSIX_am_request_header_t *queued = MPIDI_POSIX_global.per_vsi[vsi].postponed_queue;
    tare_wire_t *wire = queued ? MPIDI_Tare_wire_of(queued->msg_hdr->handler_id, queued->am_hdr) : NULL;
    tare_wire_t none = { 0, 0 };
    *(tare_wire_t *) payload = wire ? *wire : none;
}

/* Who set the flag does not matter: all flags of a node are as far away. */
void MPIDI_POSIX_Tare_live_flag_seen(const tare_wire_t * wire)
{
    tare_edge_t edge = { {0, 0}, 0, 0, 0, 0 };
    tare_core_arrive(&edge, *wire, TARE_PEER_ANYBODY, TARE_CLASS_FLAG, TARE_EDGE_SAME_CLOCK);
    tare_core_join(&edge);
}
