/* SPDX-License-Identifier: BSD-3-Clause */
/* Of which thread a message is, and which of its messages: what a trace pairs sends and receives by.
 *
 *   bit 63                    48 47                                              0
 *      +------------------------+------------------------------------------------+
 *      | thread (16)            | sequence (48), from 1                          |
 *      +------------------------+------------------------------------------------+
 *
 *   thread    of the sending process: what its tool calls it (number_thread), else the order in which threads first sent
 *             such a message, from 0. 65535: the number does not fit
 *   sequence  counts the sending thread's messages, whomever they go to. A word of 0 is no origin: the message has none
 *
 * Messages have one where the user asks for a trace (TARE_TRACE=1) and the transport carries delay (TARE_MODE=header):
 * tare_global.numbered is 1 then, in all processes or none (MPI_Init compares). Otherwise nothing is added to a message.
 *
 * Numbered is what the program sends to a rank: MPI_Send, MPI_Isend, MPI_Start and their kin, once each, also to itself.
 * Not numbered, so that no number is left out for them: messages inside of collective and partitioned operations and of
 * those on windows, those on a muted communicator, those to MPI_PROC_NULL, those that another process's memory is read
 * for (XPMEM, GPU), and native messages of libfabric (doc/wire.md), which have no room. Messages that MPI's own file
 * operations send between processes count as the program's.
 *
 * Rule (R) never looks at any of this.
 *
 * Use by a tool, in a thread of the program:
 *
 *   static __thread tare_received_t entries[64];
 *   static __thread tare_received_log_t log = {entries, 64, 0, 0};
 *   table->log_received(&log);                 once a thread; NULL before its memory goes
 *
 *   log.count = 0;                             before MPI_Recv, MPI_Wait, MPI_Test, ...
 *   PMPI_Waitall(n, requests, statuses);       the handles have been copied before
 *   for (i = 0; i < log.count; i++) ...        one entry for each message received that the call made known
 *
 *   before = table->sent();
 *   PMPI_Send(...);                            has a number if table->sent() is not what it was; MPI_Startall: the
 *                                              numbers up to that one, in the order of its requests
 */
#ifndef TARE_ORIGIN_H_INCLUDED
#define TARE_ORIGIN_H_INCLUDED

#include "tare_wire.h"

#define TARE_ORIGIN_SEQUENCE_BITS 48
#define TARE_ORIGIN_THREAD_UNKNOWN 65535u

static inline uint32_t tare_origin_thread(uint64_t origin)
{
    return (uint32_t) (origin >> TARE_ORIGIN_SEQUENCE_BITS);
}

static inline uint64_t tare_origin_sequence(uint64_t origin)
{
    return origin & ((UINT64_C(1) << TARE_ORIGIN_SEQUENCE_BITS) - 1);
}

/* A message that has been received, as the thread learns that its receive is complete: once, also where that is
 * MPI_Request_get_status. */
typedef struct tare_received {
    int64_t request;            /* the caller's handle (in MPICH an int), also of a persistent request. A call that takes
                                 * none (MPI_Recv, MPI_Mrecv, MPI_Sendrecv) has one of MPI's own */
    uint64_t sequence;
    int64_t delay_ns;           /* the sender's, when the message left it: later than its call if a full queue held it */
    int64_t sent_ns;            /* when that was, on this process's CLOCK_MONOTONIC; 0: not known */
    uint32_t thread;            /* up to TARE_ORIGIN_THREAD_UNKNOWN */
    uint32_t unused;
} tare_received_t;

/* The caller's. A thread appends to its own log and no other does, so that nothing is locked. What does not fit is
 * counted; the owner may set `count` and `lost` at any time outside of MPI. */
typedef struct tare_received_log {
    tare_received_t *entries;
    uint32_t capacity;
    uint32_t count;
    uint64_t lost;
} tare_received_log_t;

/* What a request keeps of its message's sender: the first stamp, also where the data have a later one. */
typedef struct tare_sender {
    tare_wire_t wire;           /* on this process's clock where that is known to be the sender's, or compared with it */
    uint64_t origin;
} tare_sender_t;

#endif /* TARE_ORIGIN_H_INCLUDED */
