/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

/* The hooks of posix_tare.h; part of ch4_tare.c. */

/* Looks at the cell that is free next, without taking it. False: there is none. */
static bool tare_free_cell(int src_vsi, int dst_vsi, tare_wire_t * wire)
{
    MPIDI_POSIX_eager_iqueue_transport_t *transport = MPIDI_POSIX_eager_iqueue_get_transport(src_vsi, dst_vsi);
    MPIDI_POSIX_eager_iqueue_cell_t *cell;

    MPIDU_genq_shmem_pool_cell_alloc(transport->cell_pool, (void **) &cell);
    if (cell == NULL)
        return false;
    if (cell->type == MPIDI_POSIX_TARE_CELL_FREED)
        *wire = *(tare_wire_t *) (MPIDI_POSIX_EAGER_IQUEUE_CELL_PAYLOAD(cell) + cell->payload_size);
    MPIDU_genq_shmem_pool_cell_free(transport->cell_pool, cell);
    return true;
}

/* What is queued is the rest of a message whose header has left. */
static bool tare_continues(const MPIDI_POSIX_am_request_header_t * queued)
{
    return queued->request && MPIDIG_am_send_async_get_offset(queued->request) > 0;
}

/* The next cell takes all that is left of the message. */
static bool tare_is_last_segment(const MPIDI_POSIX_am_request_header_t * queued)
{
    MPIDI_POSIX_eager_iqueue_transport_t *transport =
        MPIDI_POSIX_eager_iqueue_get_transport(queued->src_vsi, queued->dst_vsi);
    return MPIDIG_am_send_async_get_data_sz_left(queued->request) <=
        MPIDI_POSIX_EAGER_IQUEUE_CELL_CAPACITY(transport) - MPIDI_POSIX_TARE_STAMP_SZ;
}

/* Whose rest progress has tried to send since a cell with some of it left. */
static MPIR_Request *tare_tried[MPIDI_CH4_MAX_VCIS];

/* Progress has tried this before, and the message is no further: there was no cell. */
static bool tare_has_stalled(int vsi, const MPIDI_POSIX_am_request_header_t * queued)
{
    bool stalled = tare_tried[vsi] == queued->request;
    tare_tried[vsi] = queued->request;
    return stalled;
}

void MPIDI_POSIX_Tare_live_leave_queue(int vsi)
{
    MPIDI_POSIX_am_request_header_t *queued = MPIDI_POSIX_global.per_vsi[vsi].postponed_queue;
    tare_edge_t freed = { {0, 0}, 0, TARE_PEER_ANYBODY, TARE_CLASS_CELL, TARE_EDGE_SET | TARE_EDGE_SAME_CLOCK };
    MPIR_Request *owner = queued->request ? MPIDI_Tare_owner(queued->request) : NULL;
    tare_wire_t *wire = MPIDI_Tare_wire_of(queued->msg_hdr->handler_id, queued->am_hdr);

    if (tare_continues(queued) && !tare_has_stalled(vsi, queued)) {
        if (wire && tare_is_last_segment(queued))
            *wire = tare_core_restamp(*wire, NULL);
        return;
    }
    if (!tare_free_cell(queued->src_vsi, queued->dst_vsi, &freed.wire))
        return;
    if (wire)
        *wire = tare_core_restamp(*wire, &freed);
    if (owner)
        tare_core_stalled(&MPIR_Tare_state(owner)->edge, &freed);
}

void MPIDI_POSIX_Tare_live_take_segment(MPIR_Request * rreq, MPIDI_POSIX_eager_iqueue_cell_t * cell)
{
    tare_wire_t *wire = MPIDI_POSIX_Tare_segment_stamp(cell);

    if (tare_is_active(wire))
        tare_data_arrive(rreq, wire, cell->payload_size);
    tare_leave_in_cell(cell, (tare_wire_t *) MPIDI_POSIX_EAGER_IQUEUE_CELL_PAYLOAD(cell));
}

/* What continues a message was queued behind its header, whose stamp is kept up to date. The last cell completes the
 * message, so the others need none. */
void MPIDI_POSIX_Tare_live_end_segment(int vsi, tare_wire_t * wire)
{
    MPIDI_POSIX_am_request_header_t *queued = MPIDI_POSIX_global.per_vsi[vsi].postponed_queue;
    tare_wire_t *header = queued && tare_is_last_segment(queued) ?
        MPIDI_Tare_wire_of(queued->msg_hdr->handler_id, queued->am_hdr) : NULL;
    if (header)
        *wire = *header;
    tare_tried[vsi] = NULL;
}

/* Who set the flag does not matter: all flags of a node are as far away. */
void MPIDI_POSIX_Tare_live_flag_seen(const tare_wire_t * wire)
{
    tare_edge_t edge = { {0, 0}, 0, 0, 0, 0 };
    tare_core_arrive(&edge, *wire, TARE_PEER_ANYBODY, TARE_CLASS_FLAG, TARE_EDGE_SAME_CLOCK);
    tare_core_join(&edge);
}
