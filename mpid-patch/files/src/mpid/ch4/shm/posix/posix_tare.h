/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef POSIX_TARE_H_INCLUDED
#define POSIX_TARE_H_INCLUDED

/* Hooks of the compensation core in the cells of shared memory. Without HAVE_TARE all of it vanishes.
 *
 *    0      2      4              8           16
 *    | type | from | payload_size | am_header | payload ...                    | stamp of a cell without header
 *
 *   - A cell that continues a message (no header) has a stamp behind its data. The message is complete when its last
 *     cell comes, so only that one is stamped.
 *   - A receiver leaves a stamp of its own before it gives the cell of a message's header or data back: in the place of
 *     the header's, or of the first data. The type is then CELL_FREED, and payload_size tells where: senders set both
 *     anew. A sender that found no cell reads it in the one that it gets at last: the backward edge of a full queue.
 *     Elsewhere than in the cell's first cache lines it would be one more that goes back and forth.
 *
 * Collectives inside a node go by flags, which count operations; a long one is several. Each flag has a cache line to
 * itself, and a ring of stamps behind all flags:
 *
 *    0      8        24        32         64           0                16               32
 *    | flag | stamp  | carries | not used |    ...     | of operation n | of n + 1       | ... modulo the length
 *
 *   - Where all ranks meet (barrier, allreduce) nobody sets a flag again before it was seen: its stamp is in its line,
 *     so that there is no further line to fetch.
 *   - Broadcasts and reductions run ahead of each other by several cells, and wait for what a rank did some operations
 *     ago: it gave back the cell that is to be filled (broadcast), or came to where it reads that cell (reduction). So
 *     each operation's stamp is kept as long as somebody may ask for it.
 *   - carries: 1 since there has been a stamp, to look at beside the flag. What a process sets that has nothing to
 *     carry has no stamp: the rings are 0 at first, and once it has something it always has.
 */

#ifdef HAVE_TARE

#include "../shm/posix/eager/iqueue/iqueue_types.h"

void MPIDI_POSIX_Tare_live_leave_queue(int vsi);
size_t MPIDI_POSIX_Tare_rings_size(int num_ranks);
void MPIDI_POSIX_Tare_rings_init(MPIDI_POSIX_release_gather_comm_t * info, int num_ranks);
void MPIDI_POSIX_Tare_live_flag_set(MPIR_Comm * comm, MPL_atomic_uint64_t * flag, uint64_t value,
                                    MPIDI_POSIX_release_gather_opcode_t operation);
void MPIDI_POSIX_Tare_live_flag_wait(MPIDI_POSIX_release_gather_comm_t * info,
                                     MPIDI_POSIX_release_gather_opcode_t operation);
void MPIDI_POSIX_Tare_live_flag_seen(const MPIDI_POSIX_release_gather_comm_t * info, MPL_atomic_uint64_t * flag,
                                     uint64_t value, MPIDI_POSIX_release_gather_opcode_t operation,
                                     MPI_Aint count, MPI_Datatype datatype);
void MPIDI_POSIX_Tare_live_end_segment(int vsi, tare_wire_t * wire);
void MPIDI_POSIX_Tare_live_take_segment(MPIR_Request * rreq, MPIDI_POSIX_eager_iqueue_cell_t * cell);

#define MPIDI_POSIX_TARE_CELL_FREED 2   /* beside the MPIDI_POSIX_EAGER_IQUEUE_CELL_TYPE_* */
#define MPIDI_POSIX_TARE_STAMP_SZ sizeof(tare_wire_t)

_Static_assert(sizeof(MPIDI_POSIX_eager_iqueue_cell_t) == 16, "the wire format has changed");

/* Progress tries to send the head of the queue: its header takes the delay of this moment, its request the backward
 * edge. */
MPL_STATIC_INLINE_PREFIX void MPIDI_POSIX_Tare_leave_queue(int vsi)
{
    if (tare_is_live())
        MPIDI_POSIX_Tare_live_leave_queue(vsi);
}

/* Where the stamp of a cell without header is. */
MPL_STATIC_INLINE_PREFIX tare_wire_t *MPIDI_POSIX_Tare_segment_stamp(MPIDI_POSIX_eager_iqueue_cell_t * cell)
{
    return (tare_wire_t *) (MPIDI_POSIX_EAGER_IQUEUE_CELL_PAYLOAD(cell) +
                            MPL_ROUND_UP_ALIGN(cell->payload_size, sizeof(uint64_t)));
}

/* A cell is full. Without header it continues the message at the head of the queue. */
MPL_STATIC_INLINE_PREFIX void MPIDI_POSIX_Tare_end_segment(int vsi, MPIDI_POSIX_eager_iqueue_cell_t * cell)
{
    tare_wire_t *wire;

    if (likely(cell->type != MPIDI_POSIX_EAGER_IQUEUE_CELL_TYPE_DATA))
        return;
    wire = MPIDI_POSIX_Tare_segment_stamp(cell);
    wire->w1 = 0;
    if (tare_is_live())
        MPIDI_POSIX_Tare_live_end_segment(vsi, wire);
}

/* The data of a cell have been copied. */
MPL_STATIC_INLINE_PREFIX void MPIDI_POSIX_Tare_take_segment(MPIR_Request * rreq,
                                                            MPIDI_POSIX_eager_iqueue_cell_t * cell)
{
    if (cell->type != MPIDI_POSIX_EAGER_IQUEUE_CELL_TYPE_DATA)
        return;
    if (tare_is_active(MPIDI_POSIX_Tare_segment_stamp(cell)) || tare_is_live())
        MPIDI_POSIX_Tare_live_take_segment(rreq, cell);
}

/* A flag's cache line. */
typedef struct {
    MPL_atomic_uint64_t flag;
    tare_wire_t stamp;
    uint64_t carries;
} MPIDI_POSIX_Tare_flag_t;

_Static_assert(sizeof(MPIDI_POSIX_Tare_flag_t) <= MPIDU_SHM_CACHE_LINE_LEN, "no room for a stamp");

/* A flag is about to be set. Names of the functions around, as in MPIDI_POSIX_RELEASE_GATHER_*_FLAG_ADDR. */
#define MPIDI_POSIX_Tare_flag_set(flag, value) \
    do { \
        if (tare_is_live()) \
            MPIDI_POSIX_Tare_live_flag_set(comm_ptr, flag, value, operation); \
    } while (0)

/* A wait for a flag begins. */
#define MPIDI_POSIX_Tare_flag_wait() \
    do { \
        if (tare_is_live()) \
            MPIDI_POSIX_Tare_live_flag_wait(release_gather_info_ptr, operation); \
    } while (0)

/* It ends: the flag is at least `value`. */
#define MPIDI_POSIX_Tare_flag_seen(flag, value) \
    do { \
        if (unlikely(((MPIDI_POSIX_Tare_flag_t *) (flag))->carries) || tare_is_live()) \
            MPIDI_POSIX_Tare_live_flag_seen(release_gather_info_ptr, flag, value, operation, count, datatype); \
    } while (0)

/* A tool's time stamp of the call is that of its first chunk. */
MPL_STATIC_INLINE_PREFIX void MPIDI_POSIX_Tare_next_chunk(int i)
{
    if (i > 0 && tare_is_live())
        tare_self.event_source = TARE_EVENT_NONE;
}

#else /* !HAVE_TARE */

#define MPIDI_POSIX_TARE_STAMP_SZ 0
#define MPIDI_POSIX_Tare_leave_queue(vsi)
#define MPIDI_POSIX_Tare_end_segment(vsi, cell)
#define MPIDI_POSIX_Tare_take_segment(rreq, cell)
#define MPIDI_POSIX_Tare_rings_size(num_ranks) 0
#define MPIDI_POSIX_Tare_rings_init(info, num_ranks)
#define MPIDI_POSIX_Tare_flag_set(flag, value)
#define MPIDI_POSIX_Tare_flag_wait()
#define MPIDI_POSIX_Tare_flag_seen(flag, value)
#define MPIDI_POSIX_Tare_next_chunk(i)

#endif /* HAVE_TARE */

#endif /* POSIX_TARE_H_INCLUDED */
