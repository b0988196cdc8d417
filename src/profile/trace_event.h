/* SPDX-License-Identifier: BSD-3-Clause */
/* An event of a trace, as threads record it, and what it names by numbers. Units: nanoseconds. */
#ifndef TARE_TRACE_EVENT_H_INCLUDED
#define TARE_TRACE_EVENT_H_INCLUDED

#include <stdint.h>

/* END leaves all regions of the thread that are open. Behind some of the others come parts, each as large as an event and
 * together with it in one piece of memory. What they are called is what OTF2 calls them. */
enum tare_trace_kind {
    TARE_TRACE_ENTER = 0,       /* of: a region */
    TARE_TRACE_LEAVE = 1,
    TARE_TRACE_END = 2,
    TARE_TRACE_SEND = 3,        /* of: a communicator; behind these four a message, and its origin if anything is known */
    TARE_TRACE_ISEND = 4,
    TARE_TRACE_RECV = 5,
    TARE_TRACE_IRECV = 6,
    TARE_TRACE_ISEND_COMPLETE = 7,      /* behind these four a message, of which there is the request only */
    TARE_TRACE_IRECV_REQUEST = 8,
    TARE_TRACE_REQUEST_TEST = 9,
    TARE_TRACE_REQUEST_CANCELLED = 10,
    TARE_TRACE_COMM_CREATE = 11,        /* of: a communicator */
    TARE_TRACE_COMM_DESTROY = 12,
    TARE_TRACE_COLLECTIVE_BEGIN = 13,
    TARE_TRACE_COLLECTIVE_END = 14,     /* of: a communicator; behind these two a message, and `received` */
    TARE_TRACE_COLLECTIVE_COMPLETE = 15,
    TARE_TRACE_COLLECTIVE_REQUEST = 16, /* behind it a message, of which there is the request only */
    TARE_TRACE_RMA_PUT = 17,            /* of these and all that follow: a window; behind it a message, whose peer is the
                                         * target, and whose request numbers the operation in the process */
    TARE_TRACE_RMA_GET = 18,            /* bytes: those that come */
    TARE_TRACE_RMA_ATOMIC = 19,         /* tag: enum tare_trace_atomic; behind the message `received` */
    TARE_TRACE_RMA_COMPLETE = 20,       /* behind these three a message, of which there is the request only */
    TARE_TRACE_RMA_COMPLETE_REMOTE = 21,
    TARE_TRACE_RMA_TEST = 22,
    TARE_TRACE_RMA_COLLECTIVE_BEGIN = 23,
    TARE_TRACE_RMA_COLLECTIVE_END = 24, /* tag: enum tare_trace_operation; bytes: TARE_TRACE_SYNC_* */
    TARE_TRACE_RMA_GROUP_SYNC = 25,     /* peer: a group; bytes: TARE_TRACE_SYNC_* */
    TARE_TRACE_RMA_REQUEST_LOCK = 26,   /* peer: whose part is locked; TARE_TRACE_ALL_TARGETS; tag: 1 if it is shared */
    TARE_TRACE_RMA_RELEASE_LOCK = 27,
    TARE_TRACE_RMA_SYNC = 28,           /* peer: the own rank */
    TARE_TRACE_WINDOW_CREATE = 29,
    TARE_TRACE_WINDOW_DESTROY = 30,
    TARE_TRACE_SITE = 31,               /* of: a text: where the call is made that the thread leaves next */
    TARE_TRACE_SENT_BUFFER = 32,        /* of: a text, the type, or NONE; behind these two a buffer, of the next event of the */
    TARE_TRACE_RECEIVED_BUFFER = 33,    /* thread that is a message, a request, collective or on a window, else its leave */
    TARE_TRACE_DATA_NAME = 34,          /* of: a text: what memory is called, of which comes next: */
    TARE_TRACE_DATA = 35,               /* of: a text, the type, or NONE; behind it a buffer; of the thread's next leave */
    TARE_TRACE_CONTENTS = 36,           /* behind it contents, of the thread's next message that is sent, or put */
    TARE_TRACE_COUNTERS = 37,   /* behind it counters, and of the next pages, both of the thread's next enter or leave */
    TARE_TRACE_PAGES = 38,
    TARE_TRACE_TARGET_BUFFER = 39,      /* of: a text, the type, or NONE; behind it a buffer, of the next operation on a window
                                         * of the thread: what it reads or writes there, from its displacement on */
    TARE_TRACE_STACK_FRAME = 40,        /* of: a text: the function on whose stack the sent or received buffer lies that comes
                                         * next, and of which the displacement then counts from its canonical frame address */
    TARE_TRACE_THREAD_RELEASE = 41,     /* of these three: what threads meet at, a number; behind it a message: bytes is the round */
    TARE_TRACE_THREAD_ACQUIRE = 42,     /* the call has waited for this release; tag: for that many of the round, or 0:
                                         * unknown. Round 0: for nobody */
    TARE_TRACE_THREAD_BEGIN = 43,       /* what the thread does from here on it does because of that release */
    TARE_TRACE_KINDS
};

/* Rounds of what threads meet at once: a team, or a thread that is made. Behind its END nobody names it again. */
#define TARE_TRACE_ROUND_BEGIN (UINT64_MAX - 1)
#define TARE_TRACE_ROUND_END UINT64_MAX

/* Collective operations, as OTF2 numbers them. */
enum tare_trace_operation {
    TARE_TRACE_BARRIER = 0,
    TARE_TRACE_BCAST = 1,
    TARE_TRACE_GATHER = 2,
    TARE_TRACE_GATHERV = 3,
    TARE_TRACE_SCATTER = 4,
    TARE_TRACE_SCATTERV = 5,
    TARE_TRACE_ALLGATHER = 6,
    TARE_TRACE_ALLGATHERV = 7,
    TARE_TRACE_ALLTOALL = 8,
    TARE_TRACE_ALLTOALLV = 9,
    TARE_TRACE_ALLTOALLW = 10,
    TARE_TRACE_ALLREDUCE = 11,
    TARE_TRACE_REDUCE = 12,
    TARE_TRACE_REDUCE_SCATTER = 13,
    TARE_TRACE_SCAN = 14,
    TARE_TRACE_EXSCAN = 15,
    TARE_TRACE_REDUCE_SCATTER_BLOCK = 16,
    TARE_TRACE_CREATE_HANDLE = 17,
    TARE_TRACE_DESTROY_HANDLE = 18,
    TARE_TRACE_CREATE_AND_ALLOCATE = 21,
    TARE_TRACE_DESTROY_AND_DEALLOCATE = 22
};

/* Atomic operations on a window, what a call on it has synchronised, and a lock of all of it, as OTF2 numbers them. */
enum tare_trace_atomic {
    TARE_TRACE_ACCUMULATE = 0,
    TARE_TRACE_COMPARE_AND_SWAP = 3,
    TARE_TRACE_SWAP = 4,
    TARE_TRACE_FETCH_AND_ADD = 5,
    TARE_TRACE_FETCH_AND_ACCUMULATE = 7
};
#define TARE_TRACE_SYNC_NONE 0u
#define TARE_TRACE_SYNC_PROCESSES 1u
#define TARE_TRACE_SYNC_MEMORY 2u
#define TARE_TRACE_ALL_TARGETS (-1)

/* Of one without a root, and between two groups of who is the root, and of the others in its group. */
#define TARE_TRACE_ROOT_NONE (-1)
#define TARE_TRACE_ROOT_SELF (-2)
#define TARE_TRACE_ROOT_THIS_GROUP (-3)

typedef struct tare_trace_event {
    int64_t time_ns;            /* CLOCK_MONOTONIC */
    int64_t delay_ns;           /* the thread's, then: compensated = time - delay */
    uint32_t of;                /* a number in the process */
    uint32_t kind;              /* enum tare_trace_kind, and from bit 8 on how many parts follow */
} tare_trace_event_t;

#define TARE_TRACE_PARTS(n) ((uint32_t) (n) << 8)
#define TARE_TRACE_KIND(kind) ((kind) & 0xffu)
#define TARE_TRACE_PARTS_OF(kind) ((kind) >> 8)

typedef struct tare_trace_message {
    uint64_t bytes;             /* of a collective operation those sent */
    uint64_t request;           /* no other in the process has its number */
    int32_t peer;               /* its rank in the communicator, or in the remote group; of a collective operation the root */
    int32_t tag;                /* of a collective operation enum tare_trace_operation */
} tare_trace_message_t;

typedef struct tare_trace_received {
    uint64_t bytes;             /* of a collective operation, or an atomic one */
    uint64_t unused[2];
} tare_trace_received_t;

/* Memory that a call reads (sent) or writes (received). */
typedef struct tare_trace_buffer {
    uint64_t address;           /* of the lowest byte */
    uint64_t span_bytes;        /* up to behind the highest one */
    int64_t displacement;       /* at a target: in its window, in its units; of a window its unit, in bytes; on
                                 * the stack from its frame on; else 0 */
} tare_trace_buffer_t;

/* The type of data that a module has, which are called MODULE+0xVALUE, the value that its symbol table gives them; and the
 * region whose leaves tell which part of the program uses data, in the place of a name. */
#define TARE_TRACE_STATIC_DATA "static data"
#define TARE_TRACE_USES_REGION "tare_uses()"

/* The type of a block of memory that the program has allocated, and what its name begins with: behind that the place of the
 * call is, as that of calls of MPI. */
#define TARE_TRACE_HEAP_DATA "heap"
#define TARE_TRACE_HEAP_NAME "heap of "

/* What a message sends: two of the same bytes have the same hash (XXH3, 64 bits). */
typedef struct tare_trace_contents {
    uint64_t hash;
    uint64_t unused[2];
} tare_trace_contents_t;

/* What a thread has had until then: the first two on every Linux, the others by what the machine counts. */
enum tare_trace_counter {
    TARE_COUNTER_CORE_NS = 0,   /* on a core */
    TARE_COUNTER_FAULTS = 1,    /* of pages */
    TARE_COUNTER_CYCLES = 2,    /* of the core, outside of the kernel, and so all that follow */
    TARE_COUNTER_INSTRUCTIONS = 3,
    TARE_COUNTER_STALLED = 4,   /* cycles in which nothing ended for want of something, mostly of memory */
    TARE_COUNTER_MISSES = 5,    /* of the last cache */
    TARE_COUNTER_REMOTE = 6,    /* reads from memory of another node */
    TARE_COUNTER_TOUCHED = 7,   /* pages that regions use (tare_uses), and so all that follow: there for the first time */
    TARE_COUNTER_MIGRATED = 8,  /* on another node than before */
    TARE_COUNTER_FAR = 9,       /* on another node than the thread, when it left the region */
    TARE_COUNTERS = 10
};
#define TARE_TRACE_COUNTED 7    /* of these the first, the others are in pages */
typedef struct tare_trace_counters {
    uint64_t value[TARE_TRACE_COUNTED];
    uint64_t known;             /* a bit for each */
    uint64_t unused;
} tare_trace_counters_t;
typedef struct tare_trace_pages {
    uint64_t first_touched;
    uint64_t migrated;
    uint64_t remote;
} tare_trace_pages_t;

/* Where a message comes from: what it carried. Of one that is sent only the first of two parts. */
#define TARE_TRACE_KNOWS_DELAY 1u
#define TARE_TRACE_KNOWS_SEQUENCE 2u
#define TARE_TRACE_KNOWS_THREAD 4u
#define TARE_TRACE_KNOWS_SENT 8u
typedef struct tare_trace_origin {
    int64_t delay_ns;
    uint64_t sequence;          /* of the message among those of its sending thread */
    uint32_t thread;            /* which sent it: its number in its process */
    uint32_t known;             /* TARE_TRACE_KNOWS_* */
    int64_t sent_ns;            /* on the sender's clock */
    uint64_t unused[2];
} tare_trace_origin_t;

/* The longest that there is. */
typedef struct tare_trace_record {
    tare_trace_event_t event;
    tare_trace_message_t message;
    union {
        tare_trace_origin_t origin;
        tare_trace_received_t received;
    } more;
} tare_trace_record_t;
enum { TARE_TRACE_MOST_PARTS = sizeof(tare_trace_record_t) / sizeof(tare_trace_event_t) - 1 };

/* What events name, by numbers from 0 in the order in which it was defined: groups of processes, communicators,
 * windows, and texts: the same text once. */
#define TARE_TRACE_NONE UINT32_MAX
#define TARE_TRACE_SELF_GROUP (UINT32_MAX - 1)  /* of MPI_COMM_SELF: each process alone */
enum tare_trace_definition_kind { TARE_TRACE_GROUP = 0, TARE_TRACE_COMM = 1, TARE_TRACE_WINDOW = 2, TARE_TRACE_TEXT = 3 };
#define TARE_TRACE_DEFINITION_KINDS 4

typedef struct tare_trace_definition {
    uint32_t kind;              /* enum tare_trace_definition_kind */
    uint32_t count;             /* GROUP: how many ranks */
    const uint32_t *ranks;      /* in MPI_COMM_WORLD */
    uint64_t identity;          /* of the others: the same on all processes that have part in it, and no other's */
    uint32_t group;             /* COMM: its group; WINDOW: the communicator that it was made on */
    uint32_t other_group;       /* of an intercommunicator, the remote one; else NONE */
    uint32_t parent;            /* COMM: that it was made from, or NONE */
    uint32_t is_made;           /* by the program, so that there are events of it */
    const char *name;           /* "": none was given; TEXT: all of it */
} tare_trace_definition_t;

#endif
