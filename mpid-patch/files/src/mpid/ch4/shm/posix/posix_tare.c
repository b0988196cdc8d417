/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

/* The hooks of posix_tare.h; part of ch4_tare.c. */

/* What another process has left in a cell says where in it the stamp is: not behind it. */
static bool tare_has_freed_stamp(const MPIDI_POSIX_eager_iqueue_transport_t * transport,
                                 const MPIDI_POSIX_eager_iqueue_cell_t * cell)
{
    return cell->type == MPIDI_POSIX_TARE_CELL_FREED &&
        cell->payload_size <= MPIDI_POSIX_EAGER_IQUEUE_CELL_CAPACITY(transport) - MPIDI_POSIX_TARE_STAMP_SZ;
}

/* Looks at the cell that is free next, without taking it. False: there is none. */
static bool tare_free_cell(int src_vsi, int dst_vsi, tare_wire_t * wire)
{
    MPIDI_POSIX_eager_iqueue_transport_t *transport = MPIDI_POSIX_eager_iqueue_get_transport(src_vsi, dst_vsi);
    MPIDI_POSIX_eager_iqueue_cell_t *cell;

    MPIDU_genq_shmem_pool_cell_alloc(transport->cell_pool, (void **) &cell);
    if (cell == NULL)
        return false;
    if (tare_has_freed_stamp(transport, cell))
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

/* ---- flags ---- */

static uint64_t tare_power_of_two_above(uint64_t n)
{
    uint64_t power = 1;
    while (power < n)
        power *= 2;
    return power;
}

/* How deep the tree of a reduction may be: a chain, or not deeper than two binomial ones, of packages and in them. */
static uint64_t tare_tree_depth(int num_ranks)
{
    uint64_t depth = 1;
    if (MPIR_CVAR_REDUCE_INTRANODE_TREE_KVAL == 1)
        return num_ranks;
    for (int n = num_ranks; n > 1; n = (n + 1) / 2)
        depth += 2;
    return depth;
}

/* Of rank 0 nobody is further behind than a broadcast's cells, and in reductions nobody is further ahead than its parent
 * by their cells less one; what is asked for is as many operations old. */
static uint64_t tare_ring_length(int num_ranks)
{
    uint64_t bcast = MPIR_CVAR_BCAST_INTRANODE_NUM_CELLS, reduce = MPIR_CVAR_REDUCE_INTRANODE_NUM_CELLS;
    return tare_power_of_two_above(bcast + MPL_MAX(bcast, reduce) + tare_tree_depth(num_ranks) * reduce);
}

/* Equal on all ranks: they have the same mode and variables. */
size_t MPIDI_POSIX_Tare_rings_size(int num_ranks)
{
    return tare_global.carry ? 2 * num_ranks * tare_ring_length(num_ranks) * sizeof(tare_wire_t) : 0;
}

void MPIDI_POSIX_Tare_rings_init(MPIDI_POSIX_release_gather_comm_t * info, int num_ranks)
{
    info->tare_stamps = (char *) info->flags_addr + num_ranks * MPIDI_POSIX_RELEASE_GATHER_FLAG_SPACE_PER_RANK;
    info->tare_ring_mask = tare_ring_length(num_ranks) - 1;
    info->tare_barrier = 0;     /* gather_state is more in every operation */
}

static size_t tare_flag_number(const MPIDI_POSIX_release_gather_comm_t * info, MPL_atomic_uint64_t * flag)
{
    return ((char *) flag - (char *) info->flags_addr) / MPIDU_SHM_CACHE_LINE_LEN;
}

static bool tare_is_gather_flag(const MPIDI_POSIX_release_gather_comm_t * info, MPL_atomic_uint64_t * flag)
{
    return tare_flag_number(info, flag) % 2 == 0;
}

static tare_wire_t *tare_ring(const MPIDI_POSIX_release_gather_comm_t * info, MPL_atomic_uint64_t * flag)
{
    return (tare_wire_t *) info->tare_stamps + tare_flag_number(info, flag) * (info->tare_ring_mask + 1);
}

static bool tare_all_meet(MPIDI_POSIX_release_gather_opcode_t operation)
{
    return operation == MPIDI_POSIX_RELEASE_GATHER_OPCODE_BARRIER ||
        operation == MPIDI_POSIX_RELEASE_GATHER_OPCODE_ALLREDUCE;
}

/* A barrier comes to a flag. True: it comes from another one, with nothing in between, so that its event is known. Its
 * gather step counts before the first; in an allreduce data are reduced from one to the next. */
static bool tare_goes_on(MPIDI_POSIX_release_gather_comm_t * info, MPIDI_POSIX_release_gather_opcode_t operation)
{
    if (operation != MPIDI_POSIX_RELEASE_GATHER_OPCODE_BARRIER)
        return false;
    if (info->tare_barrier == info->gather_state)
        return true;
    info->tare_barrier = info->gather_state;
    return false;
}

/* What it goes on to behind this flag: the next child's, or its own, if there is somebody below who waits for that. */
static uint32_t tare_goes_on_behind(const MPIDI_POSIX_release_gather_comm_t * info, MPL_atomic_uint64_t * flag,
                                    MPIDI_POSIX_release_gather_opcode_t operation)
{
    bool is_last = !tare_is_gather_flag(info, flag) && info->bcast_tree.num_children == 0;
    return operation == MPIDI_POSIX_RELEASE_GATHER_OPCODE_BARRIER && !is_last ? TARE_EDGE_GOES_ON : 0;
}

/* A wait for cells: a broadcast's for the gather flags, and a reduction's for the release flags. */
static bool tare_waits_for_cells(const MPIDI_POSIX_release_gather_comm_t * info, MPL_atomic_uint64_t * flag,
                                 MPIDI_POSIX_release_gather_opcode_t operation)
{
    bool is_gather = tare_is_gather_flag(info, flag);
    return operation ==
        (is_gather ? MPIDI_POSIX_RELEASE_GATHER_OPCODE_BCAST : MPIDI_POSIX_RELEASE_GATHER_OPCODE_REDUCE);
}

static tare_wire_t tare_flag_stamp(MPIR_Comm * comm, MPIDI_POSIX_release_gather_opcode_t operation)
{
    bool goes_on = tare_goes_on(&MPIDI_POSIX_COMM(comm, release_gather), operation);
    if (MPIR_TARE_IS_MUTED(comm))
        return tare_wire_muted();
    return goes_on ? tare_core_stamp_going_on() : tare_core_stamp();
}

/* Flags of the gather step may pass several operations at once. Plain stores: the flag's own comes behind. */
void MPIDI_POSIX_Tare_live_flag_set(MPIR_Comm * comm, MPL_atomic_uint64_t * flag, uint64_t value,
                                    MPIDI_POSIX_release_gather_opcode_t operation)
{
    const MPIDI_POSIX_release_gather_comm_t *info = &MPIDI_POSIX_COMM(comm, release_gather);
    MPIDI_POSIX_Tare_flag_t *line = (MPIDI_POSIX_Tare_flag_t *) flag;
    tare_wire_t stamp = tare_flag_stamp(comm, operation), *ring = tare_ring(info, flag);

    for (uint64_t i = MPL_atomic_relaxed_load_uint64(flag) + 1; i <= value; i++)
        ring[i & info->tare_ring_mask] = stamp;
    if (tare_all_meet(operation))
        line->stamp = stamp;
    line->carries = 1;
}

void MPIDI_POSIX_Tare_live_flag_wait(MPIDI_POSIX_release_gather_comm_t * info,
                                     MPIDI_POSIX_release_gather_opcode_t operation)
{
    if (tare_goes_on(info, operation))
        tare_core_go_on();
    else
        tare_core_enter();
    if (MPIR_Tare_tell_ready)
        MPIR_Tare_tell_ready();
}

static uint32_t tare_flag_class(MPI_Aint count, MPI_Datatype datatype)
{
    MPI_Aint size = 0;
    if (count > 0)
        MPIR_Datatype_get_size_macro(datatype, size);
    return tare_size_class(TARE_CLASS_FLAG, (uint64_t) (count * size));
}

/* Who set the flag does not matter: all flags of a node are as far away. One without a stamp was set by a process that
 * had declared nothing. */
void MPIDI_POSIX_Tare_live_flag_seen(const MPIDI_POSIX_release_gather_comm_t * info, MPL_atomic_uint64_t * flag,
                                     uint64_t value, MPIDI_POSIX_release_gather_opcode_t operation,
                                     MPI_Aint count, MPI_Datatype datatype)
{
    bool for_cells = tare_waits_for_cells(info, flag, operation);
    uint32_t goes_on = tare_goes_on_behind(info, flag, operation);
    const tare_wire_t *stamp = tare_all_meet(operation) ? &((MPIDI_POSIX_Tare_flag_t *) flag)->stamp :
        &tare_ring(info, flag)[value & info->tare_ring_mask];
    tare_edge_t edge = { {0, 0}, 0, 0, 0, 0 };

    /* The other rules know no way back. */
    if (for_cells && (tare_global.rule != TARE_RULE_EXACT || !tare_is_active(stamp)))
        return;
    if (tare_is_active(stamp))
        tare_core_arrive(&edge, *stamp, TARE_PEER_ANYBODY, tare_flag_class(count, datatype),
                         TARE_EDGE_SAME_CLOCK | goes_on);
    else
        edge.flags = TARE_EDGE_SET | goes_on;
    tare_core_join(&edge);
}
