/* SPDX-License-Identifier: BSD-3-Clause */
/* What is read of a trace: what it defines, and events in the order of time. No OTF2: whoever looks at events needs none.
 *
 * Processes, locations, regions, communicators and windows have numbers of their own here, from 0 on. A location is a thread of a
 * process. What is not known is TARE_ARCHIVE_UNKNOWN. Units: nanoseconds, bytes.
 */
#ifndef TARE_ARCHIVE_H_INCLUDED
#define TARE_ARCHIVE_H_INCLUDED

#include <stddef.h>
#include <stdint.h>

#define TARE_ARCHIVE_UNKNOWN UINT32_MAX

typedef struct tare_archive_process {
    const char *name;
    uint32_t rank;              /* as it is named, else by the order of the world's group or of the definitions */
} tare_archive_process_t;

typedef struct tare_archive_location {
    const char *name;
    uint32_t process;
    uint32_t thread;            /* in the process: as it is named, else by the order of the definitions */
    uint64_t number;            /* in the archive */
} tare_archive_location_t;

typedef struct tare_archive_communicator {
    const char *name;
    uint32_t size;              /* of an intercommunicator: of both groups */
    int is_inter;
    const uint32_t *members;    /* processes, by rank; NULL: of an intercommunicator, or of each process alone */
} tare_archive_communicator_t;

typedef struct tare_archive_window {
    const char *name;
    uint32_t communicator;      /* that it was made on */
} tare_archive_window_t;

typedef struct tare_archive {
    const char *file;           /* the anchor file */
    const char *const *regions; /* names */
    size_t region_count;
    const tare_archive_process_t *processes;
    size_t process_count;
    const tare_archive_location_t *locations;
    size_t location_count;
    const tare_archive_communicator_t *communicators;
    size_t communicator_count;
    const tare_archive_window_t *windows;
    size_t window_count;
    uint64_t first_ns;          /* as the archive says */
    uint64_t last_ns;
    const char *clock;          /* compensated, measured; "": it is not Tare's */
    const char *const *texts;   /* what events name by numbers */
    size_t text_count;
} tare_archive_t;

enum tare_archive_kind {
    TARE_ARCHIVE_ENTER,
    TARE_ARCHIVE_LEAVE,
    TARE_ARCHIVE_SEND,
    TARE_ARCHIVE_ISEND,
    TARE_ARCHIVE_ISEND_COMPLETE,
    TARE_ARCHIVE_IRECV_REQUEST,
    TARE_ARCHIVE_RECV,
    TARE_ARCHIVE_IRECV,
    TARE_ARCHIVE_REQUEST_TEST,
    TARE_ARCHIVE_REQUEST_CANCELLED,
    TARE_ARCHIVE_COLLECTIVE_BEGIN,
    TARE_ARCHIVE_COLLECTIVE_END,
    TARE_ARCHIVE_COLLECTIVE_REQUEST,     /* of a nonblocking one: its request, and nothing of the rest */
    TARE_ARCHIVE_COLLECTIVE_COMPLETE,
    TARE_ARCHIVE_RMA_PUT,               /* from here on: of a window; these three are all that has a peer, the target */
    TARE_ARCHIVE_RMA_GET,
    TARE_ARCHIVE_RMA_ATOMIC,
    TARE_ARCHIVE_RMA_COMPLETE,          /* at its origin */
    TARE_ARCHIVE_WINDOW_CREATE,
    TARE_ARCHIVE_WINDOW_DESTROY,
    TARE_ARCHIVE_THREAD_RELEASE,         /* these three are between threads of a process: see trace_event.h */
    TARE_ARCHIVE_THREAD_ACQUIRE,
    TARE_ARCHIVE_THREAD_BEGIN,
    TARE_ARCHIVE_KINDS           /* others are not read */
};

/* Attributes that an event has, by their names. */
#define TARE_ARCHIVE_REMOVED_NS UINT64_C(1)
#define TARE_ARCHIVE_DELAY_NS UINT64_C(2)
#define TARE_ARCHIVE_SENT_NS UINT64_C(4)
#define TARE_ARCHIVE_PEER_THREAD UINT64_C(8)
#define TARE_ARCHIVE_SEQUENCE UINT64_C(16)
#define TARE_ARCHIVE_SITE UINT64_C(32)
#define TARE_ARCHIVE_SEND_ADDRESS UINT64_C(64)
#define TARE_ARCHIVE_SEND_SPAN UINT64_C(128)
#define TARE_ARCHIVE_SEND_TYPE UINT64_C(256)
#define TARE_ARCHIVE_RECEIVE_ADDRESS UINT64_C(512)
#define TARE_ARCHIVE_RECEIVE_SPAN UINT64_C(1024)
#define TARE_ARCHIVE_RECEIVE_TYPE UINT64_C(2048)
#define TARE_ARCHIVE_DATA_NAME UINT64_C(4096)
#define TARE_ARCHIVE_DATA_ADDRESS UINT64_C(8192)
#define TARE_ARCHIVE_DATA_SPAN UINT64_C(16384)
#define TARE_ARCHIVE_DATA_TYPE UINT64_C(32768)
#define TARE_ARCHIVE_CONTENTS UINT64_C(65536)

/* Of an enter or leave: enum tare_trace_counter. */
#define TARE_ARCHIVE_COUNTERS 10
#define TARE_ARCHIVE_COUNTER(counter) (UINT64_C(131072) << (counter))

/* Of an operation on a window; the last one of a window's creation. */
#define TARE_ARCHIVE_DISPLACEMENT (UINT64_C(1) << 27)
#define TARE_ARCHIVE_TARGET_OFFSET (UINT64_C(1) << 28)
#define TARE_ARCHIVE_TARGET_SPAN (UINT64_C(1) << 29)
#define TARE_ARCHIVE_TARGET_TYPE (UINT64_C(1) << 30)
#define TARE_ARCHIVE_DISPLACEMENT_UNIT (UINT64_C(1) << 31)

/* Of memory on the stack of the calling thread. */
#define TARE_ARCHIVE_SEND_FRAME (UINT64_C(1) << 32)
#define TARE_ARCHIVE_SEND_FRAME_OFFSET (UINT64_C(1) << 33)
#define TARE_ARCHIVE_RECEIVE_FRAME (UINT64_C(1) << 34)
#define TARE_ARCHIVE_RECEIVE_FRAME_OFFSET (UINT64_C(1) << 35)

/* Between threads. */
#define TARE_ARCHIVE_NUMBER (UINT64_C(1) << 36)
#define TARE_ARCHIVE_ARRIVALS (UINT64_C(1) << 37)

/* Memory that an event's call reads or writes. */
typedef struct tare_archive_buffer {
    uint64_t address;           /* of the lowest byte */
    uint64_t span_bytes;        /* up to behind the highest one */
    uint32_t type;              /* a text */
    uint32_t name;              /* a text, of declared data */
    uint32_t frame;             /* a text: the function whose frame has the address */
    int64_t frame_offset;       /* of the address, from that frame's canonical frame address on */
} tare_archive_buffer_t;

typedef struct tare_archive_event {
    uint64_t time_ns;
    uint64_t known;             /* TARE_ARCHIVE_* */
    uint32_t kind;              /* enum tare_archive_kind */
    uint32_t location;
    uint32_t region;            /* of ENTER and LEAVE */
    uint32_t communicator;      /* of what follows: only where it has a meaning */
    uint32_t peer;              /* the process at the other end, or the root: peer_rank in the communicator */
    uint32_t peer_rank;
    uint32_t tag;
    uint32_t operation;         /* of a collective: enum tare_trace_operation; its root is the peer, if it has one; of an
                                 * atomic operation enum tare_trace_atomic */
    uint32_t window;
    uint64_t length;
    uint64_t received_length;   /* of an atomic operation: what comes back */
    uint64_t request;           /* unique in the process while it is open; those of windows have numbers of their own */
    int64_t removed_ns;
    int64_t delay_ns;
    uint64_t sent_ns;
    uint64_t sequence;
    uint32_t peer_thread;
    uint32_t site;              /* a text */
    uint64_t contents;          /* a hash of what is sent */
    uint64_t counters[TARE_ARCHIVE_COUNTERS];
    tare_archive_buffer_t sent_buffer;
    tare_archive_buffer_t received_buffer;       /* or declared data, by what is known: no event has both */
    tare_archive_buffer_t target_buffer; /* on a window; its address counts from the displacement on, in bytes, modulo 2^64 */
    uint32_t number;            /* between threads: of what they meet at, in the process; its round is the sequence */
    uint32_t arrivals;          /* how many of that round were waited for; 0: not known */
    int64_t displacement;       /* in the target's units; of a window's creation the own unit, in bytes */
} tare_archive_event_t;

/* Who reads. Each gives back 0 to go on. */
typedef struct tare_archive_reading {
    void *data;
    /* Once, before the first event; what it points to is there until the reading ends. */
    int (*begin) (void *data, const tare_archive_t * archive);
    /* Those of all locations in the order of time; at equal times in the order of the locations. */
    int (*events) (void *data, const tare_archive_event_t * events, size_t count);
    /* Once, behind the last event. */
    int (*end) (void *data);
    /* Before the end, a sentence: what could not be read, or is not as it should be. All else is. */
    void (*problem) (void *data, const char *sentence);
} tare_archive_reading_t;

#endif
