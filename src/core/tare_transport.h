/* SPDX-License-Identifier: BSD-3-Clause */
/* The compensation core as a transport sees it: the one header that MPICH's patches include.
 *
 * Conventions
 *   1. Units: nanoseconds, signed 64 bit, on the local CLOCK_MONOTONIC, unless a name says otherwise.
 *   2. Owners: nothing here allocates. A thread block belongs to its thread; an edge belongs to whoever holds it.
 *   3. Threads: every function works on the calling thread's block, and may run on any number of threads at once.
 *      The latency table is shared without a lock (latency.hpp).
 *   4. Errors: none of these functions fails. What cannot be represented is counted in the thread block.
 *   5. Cost: a hook is one load and one branch that is not taken, until this process both carries delay and has
 *      something to carry (tare_global.live). What it does then is out of line.
 *
 * The same core is linked into libmpi (patched MPICH) and into libtare. A process uses one of them: libmpi's if it
 * exports tare_transport_v1, else libtare's own.
 */
#ifndef TARE_TRANSPORT_H_INCLUDED
#define TARE_TRANSPORT_H_INCLUDED

#include "tare_origin.h"
#include "tare_short.h"
#include "tare_wire.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tare_mode_value {
    TARE_MODE_OFF = 0,
    TARE_MODE_HEADER = 1,
    TARE_MODE_DATATYPE = 2,
    TARE_MODE_MESSAGE = 3,
    TARE_MODE_COPY = 4
};
enum tare_rule_value { TARE_RULE_EXACT = 0, TARE_RULE_PUBLISHED = 1, TARE_RULE_LOCAL = 2 };

/* Layers above MPI that have said they are there (tare_transport_v1.layers). */
#define TARE_LAYER_PMPI 1u

/* Where event_ns of a thread comes from. */
enum tare_event_source { TARE_EVENT_NONE = 0, TARE_EVENT_OWN = 1, TARE_EVENT_TOOL = 2 };

/* When a message was sent, on this process's clock, and by whom. */
typedef struct tare_sent {
    int64_t sent_ns;            /* TARE_SENT_NONE: there is none, or it is not known */
    uint64_t peer;              /* tare_peer() */
} tare_sent_t;
#define TARE_SENT_NONE INT64_MAX

/* The state of one thread. */
typedef struct tare_thread {
    int64_t delay_ns;           /* D; exact to 1 ns, the fraction is below */
    int64_t delay_lo_ns;        /* bounds of D where an arrival time stayed unknown */
    int64_t delay_hi_ns;
    int64_t event_ns;           /* entry of the MPI call in progress, or the last join inside it */
    int64_t call_ns;            /* entry of the MPI call or wait in progress */
    int64_t compensated_ns;     /* the latest compensated time seen: it never runs backwards */
    int64_t wait_ns;            /* sum of waits as measured */
    int64_t wait_compensated_ns;        /* the same without the effect of measurement */
    int64_t residue_ns;         /* overhead declared beyond the time that had elapsed, signed */
    uint32_t fraction;          /* rounding remainder of delay_ns, in 2^-32 ns */
    uint32_t event_source;      /* enum tare_event_source */
    uint32_t muted;             /* > 0: the tool's own messages, no delay carried or changed */
    uint32_t number;            /* this thread's number in the process, from 1; 0: not yet numbered */
    uint32_t watching;          /* 1: in a wait for several requests or a poll, so arrivals note when they are seen */
    uint32_t polling;           /* 1: in a poll (MPI_Test, MPI_Iprobe, ...), which does not wait by itself */
    uint32_t spinning;          /* 1: the latest poll failed, and the members below tell of the spin it belongs to */
    uint32_t regions;           /* written by the tool: enters and leaves of the program's own regions, modulo 2^32 */
    uint32_t spin_regions;      /* `regions` at that time */
    uint32_t woken;             /* 1: since a message told this process that somebody measures, no call has begun */
    int64_t spin_entry_ns;      /* entry of the first failed poll of the spin, and the delay then */
    int64_t spin_delay_ns;
    int64_t spin_delay_lo_ns;
    int64_t spin_delay_hi_ns;
    int64_t spin_return_ns;     /* return of the latest failed poll, and the delay then */
    int64_t spin_return_delay_ns;
    uint64_t joins;             /* edges applied */
    uint64_t adjusted;          /* joins that changed the delay */
    uint64_t early_unknown;     /* messages whose arrival had to be guessed: only the bounds are sure */
    uint64_t saturated;         /* delays that did not fit the wire */
    uint64_t inversions;        /* wildcard matches that the uninstrumented run could have made otherwise */
    int64_t inversion_ns;       /* sum of their sizes */
    int64_t any_source_ns;      /* approximated arrival of the last wildcard match, and its communicator */
    uint64_t any_source_context;
    uint64_t unseen_waits;      /* waits for others, of which no stamp told */
    int64_t unseen_ns;          /* sum of their lengths */
    /* While account_waits is set, of the messages received since a tool has set sent_ns to TARE_SENT_NONE: */
    tare_sent_t sent_first;     /* the one that was sent first */
    tare_sent_t sent_awaited;   /* the last that was waited for */
} tare_thread_t;

/* One way in which an event had to wait for another process. */
typedef struct tare_edge {
    tare_wire_t wire;           /* as it came */
    int64_t seen_ns;            /* when a poll inside a wait saw it first; 0: not noted */
    uint64_t peer;              /* tare_peer(): who sent it, for the latency table */
    uint32_t size_class;        /* tare_size_class(), TARE_CLASS_CONTROL, ... */
    uint32_t flags;             /* TARE_EDGE_* */
} tare_edge_t;

#define TARE_EDGE_SET 1u        /* holds a stamp that has not been applied yet */
#define TARE_EDGE_SAME_CLOCK 2u /* the sender's CLOCK_MONOTONIC is this process's: same node and time namespace */
#define TARE_EDGE_EARLY 4u      /* known to have been ready when the wait was entered */
#define TARE_EDGE_ANY_SOURCE 8u /* matched a wildcard */
#define TARE_EDGE_POSTED 32u    /* a receive whose `post` is known; without TARE_EDGE_SET its sender declared nothing */
#define TARE_EDGE_WATCHED 16u   /* came while its thread was waiting for several; seen_ns is noted where it matters */
#define TARE_EDGE_SHORT 64u     /* came in the short form: its send time is known modulo tare_short_period_ns() */
#define TARE_EDGE_SYNCED 128u   /* the sender's clock is another one, which has been compared with this (tare_clock) */
#define TARE_EDGE_OWN 256u      /* of this process: it was ready when its stamp says */
#define TARE_EDGE_MUTED 512u    /* without TARE_EDGE_SET: its message was the tool's own */
#define TARE_EDGE_GOES_ON 1024u /* the call goes on behind it (tare_core_go_on): event_ns stays known */

/* When a receive was posted, for packets that answer it: valid with TARE_EDGE_POSTED. post_ns == 0: not known. */
typedef struct tare_post {
    int64_t post_ns;
    int64_t delay_ns;
} tare_post_t;

/* What a request keeps; no pointer. */
typedef struct tare_request {
    tare_edge_t edge;
    tare_post_t post;
    tare_sender_t sender;       /* of a numbered message; written and read by who knows that it is one */
} tare_request_t;

/* An operation of several steps that goes on whenever a thread polls, and waits by itself: a nonblocking collective. Its
 * state is the stamp that it would send: the time of its latest step, and how late that was. Steps that do not need each
 * other have a state each, which is cleared before the schedule begins (w1 0), and are gathered in the schedule's. */
enum tare_step_kind {
    TARE_STEP_NONE = 0,
    TARE_STEP_LOCAL = 1,        /* computes: a reduction, a copy, a callback */
    TARE_STEP_MESSAGE = 2       /* sends or posts: meanwhile the thread has the delay of the step */
};

typedef struct tare_step {
    int64_t delay_ns;           /* the thread's own */
    int64_t delay_lo_ns;
    int64_t delay_hi_ns;
    int64_t event_ns;
    int64_t call_ns;
    uint32_t event_source;
    uint32_t muted;
    uint32_t polling;
    uint32_t woken;
    uint32_t kind;              /* enum tare_step_kind, of the step that a thread is in */
} tare_step_t;

typedef struct tare_schedule {
    tare_wire_t begin;
    tare_wire_t state;
    tare_step_t step;
} tare_schedule_t;

/* In `active` and `account_waits`: somebody is told of what happens (tare_core_listen), so that the hooks take the long
 * way, in which nobody looks who does not listen. */
#define TARE_LISTENED 2u

/* A stamp has come, of a message, a packet or a flag. */
typedef struct tare_stamp_event {
    int64_t delay_ns;           /* the sender's */
    int64_t sent_ns;            /* on this process's clock if it is the sender's, too; 0: not known */
    uint64_t peer;              /* tare_peer(), or TARE_PEER_ANYBODY */
    uint64_t size_class;
} tare_stamp_event_t;

/* A wait whose end rule (R) has given another delay than its begin, because of `edge`: what a message brought, or what an
 * operation has gathered from several. Times are this process's CLOCK_MONOTONIC. */
typedef struct tare_wait_event {
    int64_t entered_ns;
    int64_t ended_ns;
    int64_t delay_before_ns;
    int64_t delay_ns;
    int64_t delay_lo_ns;
    int64_t delay_hi_ns;
    tare_stamp_event_t edge;
} tare_wait_event_t;

typedef struct tare_listener {
    void (*stamp) (const tare_stamp_event_t * event);   /* NULL: is not told of them */
    void (*wait) (const tare_wait_event_t * event);
} tare_listener_t;

/* State of the process that every hook looks at first. */
typedef struct tare_global {
    uint8_t live;               /* 1: carry and active; a byte is compared in one instruction */
    uint8_t numbered;           /* 1: messages say of which thread they are (tare_origin.h) */
    uint8_t unused[2];
    uint32_t carry;             /* 1: the transport carries delay (header mode) */
    uint32_t active;            /* not 0: somebody here or a peer has declared overhead or given a time stamp; TARE_LISTENED */
    uint32_t rule;              /* enum tare_rule_value */
    uint32_t mode;              /* enum tare_mode_value */
    uint32_t account_waits;     /* 1: a tool reads wait_ns, so every wait needs its end; TARE_LISTENED */
    uint32_t layers;            /* TARE_LAYER_* */
    uint32_t threads;           /* threads numbered so far */
} tare_global_t;

/* This process's CLOCK_MONOTONIC and those of the others, which a transport between hosts compares once. Over networks
 * send times travel on the job's clock, which is one of them: the transport converts them. The core counts on its own. */
typedef struct tare_clock {
    int64_t to_job_ns;          /* job's clock - own clock */
    int64_t error_ns;           /* between any two clocks of the job, when they were measured */
    int64_t measured_ns;        /* when that was, on the own clock: they drift apart since */
    uint32_t network;           /* of edges that come by the network: TARE_EDGE_SAME_CLOCK, TARE_EDGE_SYNCED, or 0 */
    uint32_t strangers;         /* not 0: processes of other jobs have been met whose clock is not known to be this one's */
} tare_clock_t;

#define TARE_HIDDEN __attribute__((visibility("hidden")))

extern TARE_HIDDEN tare_global_t tare_global;
extern TARE_HIDDEN tare_clock_t tare_clock;
/* What the transport has chosen at its start; delay_bits 0: it has no short form. */
extern TARE_HIDDEN tare_short_layout_t tare_short_layout;
extern TARE_HIDDEN __thread tare_thread_t tare_self __attribute__((tls_model("initial-exec")));

/* Classes of the latency table: what was sent decides how long it travels. */
#define TARE_CLASS_CONTROL 0u   /* RTS, CTS, ACK */
#define TARE_CLASS_EAGER 1u     /* + log2(bytes + 1) */
#define TARE_CLASS_DATA 64u     /* + log2(bytes + 1): the data of a rendezvous */
#define TARE_CLASS_CELL 128u    /* a cell of a full queue was freed: what a stalled sender waits for */
#define TARE_CLASS_FLAG 129u    /* a shared flag of a barrier */
#define TARE_PEER_ANYBODY UINT64_MAX    /* whoever freed it, or set it */

static inline uint32_t tare_size_class(uint32_t base, uint64_t bytes)
{
    return base + 63u - (uint32_t) __builtin_clzll(bytes + 1);
}

static inline uint64_t tare_peer(uint32_t context, uint32_t rank)
{
    return (uint64_t) context << 32 | rank;
}

/* What this process itself has done or gathered, as an edge: it counts under every rule that knows other edges. */
static inline tare_edge_t tare_own_edge(const tare_wire_t * state)
{
    tare_edge_t edge = { *state, 0, TARE_PEER_ANYBODY, TARE_CLASS_CONTROL, TARE_EDGE_SET | TARE_EDGE_OWN };
    return edge;
}

/* ---- called by transports and carriers; out of line, C++ behind ---- */

/* The start of an MPI call or of a wait inside one: makes event_ns valid if anything has been declared. */
TARE_HIDDEN void tare_core_enter(void);
/* The same inside a call that has just stamped what it sends, or joined an edge with TARE_EDGE_GOES_ON, and has done nothing
 * since: it begins to wait when that event was, so that no clock is read. */
TARE_HIDDEN void tare_core_go_on(void);
/* A poll begins: a call that completes something if it can and does not wait. Polls that fail one after the other with
 * nothing in between are one wait, which began at the first of them. */
TARE_HIDDEN void tare_core_poll(void);
/* It ends. failed: nothing was complete. */
TARE_HIDDEN void tare_core_poll_end(int failed);
/* What a message that is sent now carries. */
TARE_HIDDEN tare_wire_t tare_core_stamp(void);
/* The same of what it sends as soon as it has joined an edge with TARE_EDGE_GOES_ON. */
TARE_HIDDEN tare_wire_t tare_core_stamp_going_on(void);
/* The short form of a stamp in tare_short_layout. A delay that does not fit is counted. */
TARE_HIDDEN uint64_t tare_core_shorten(tare_wire_t wire);
/* What a receiver leaves in a cell that it gives back: when the polling thread was ready, and its delay. The thread's
 * call goes on as it was. */
TARE_HIDDEN tare_wire_t tare_core_freed_stamp(void);
/* A message with an active stamp has come. Keeps the edge's ANY_SOURCE and POSTED; notes when it was seen if the thread
 * is watching and anybody will ask. The first that a process ever gets wakes it, and is joined at once. */
TARE_HIDDEN void tare_core_arrive(tare_edge_t * edge, tare_wire_t wire, uint64_t peer, uint32_t size_class,
                                  uint32_t flags);
/* The calling thread waited for this edge (or finds it ready): rule (R). Clears TARE_EDGE_SET; twice is once. */
TARE_HIDDEN void tare_core_join(tare_edge_t * edge);
/* What a packet carries that is sent inside progress in reaction to an edge and nothing else: (R) over the polling
 * thread's own readiness, the edge, and the posting of the receive if there was one. The thread keeps its delay. */
TARE_HIDDEN tare_wire_t tare_core_reply(const tare_edge_t * edge, const tare_post_t * post);
/* The same of what leaves in reaction to `edge`, which the thread goes on to work for: what it does then belongs to no
 * edge, so the edge is seen now. */
TARE_HIDDEN tare_wire_t tare_core_react(tare_edge_t * edge);
/* A packet that was queued with this stamp leaves now, into a cell that was freed as `freed` says (NULL: not known). */
TARE_HIDDEN tare_wire_t tare_core_restamp(tare_wire_t queued, const tare_edge_t * freed);
/* A sender stalled until this cell was freed: the edge of its request, unless that has a later one. */
TARE_HIDDEN void tare_core_stalled(tare_edge_t * edge, const tare_edge_t * freed);
/* The calling thread posts a receive. */
TARE_HIDDEN void tare_core_post(tare_post_t * post);
TARE_HIDDEN int64_t tare_core_now_ns(void);

/* A message has come that nobody may be waiting for, and perhaps others that are needed with it: gathered in `state`,
 * which is empty before the first (w1 0). No call of this process is changed by it. flags: TARE_EDGE_* of its clock. */
TARE_HIDDEN void tare_core_deposit(tare_wire_t * state, tare_wire_t wire, uint64_t peer, uint32_t size_class,
                                   uint32_t flags);
/* The calling thread has waited for all that has come: (R). The state is empty then. */
TARE_HIDDEN void tare_core_join_deposits(tare_wire_t * state);
/* What a packet carries that is sent inside progress in reaction to all that has come, and nothing else. */
TARE_HIDDEN tare_wire_t tare_core_answer(const tare_wire_t * state);
/* Since the call's entry, or the wait's inside it, the calling thread has waited for what nobody sends a stamp of: an
 * operation that a network does by itself. Counted; needs_peer: it may have been for a process that polls, so the bounds
 * become as wide as its delay may be. */
TARE_HIDDEN void tare_core_waited_unseen(int needs_peer);

/* A schedule begins: it needs what the calling thread has done. */
TARE_HIDDEN void tare_core_schedule_begin(tare_schedule_t * s);
/* A step begins that needs what `state` says and a thread that polls; both are then what it sends. Every way out passes
 * the end, before another step of the schedule begins. kind: enum tare_step_kind. */
TARE_HIDDEN void tare_core_step_begin(tare_schedule_t * s, tare_wire_t * state, int kind);
TARE_HIDDEN void tare_core_step_end(tare_schedule_t * s, tare_wire_t * state);
/* The next step needs this edge, too: (R). Clears TARE_EDGE_SET. With TARE_EDGE_OWN another state. */
TARE_HIDDEN void tare_core_gather(tare_wire_t * state, tare_edge_t * edge);

/* ---- called by tools, through tare_transport_v1 ---- */

TARE_HIDDEN void tare_core_overhead_add(int64_t ns, uint32_t fraction);
TARE_HIDDEN void tare_core_event(int64_t now_ns);

TARE_HIDDEN tare_thread_t *tare_core_thread(void);
TARE_HIDDEN int64_t tare_core_compensated_now_ns(void);
TARE_HIDDEN void tare_core_test_set_delay(int64_t ns);

/* The calling thread begins because another one has started it, and for no other reason. */
TARE_HIDDEN void tare_core_inherit(const tare_wire_t * creator);

/* From now on `listener` is called, inside MPI and in the thread that it happens to; NULL: nobody. It must not call MPI. */
TARE_HIDDEN void tare_core_listen(const tare_listener_t * listener);

/* ---- numbered messages (tare_origin.h), each of the calling thread ---- */

/* From now on the process's messages are numbered, which makes it active, or no more. Before MPI's first. */
TARE_HIDDEN void tare_core_number_messages(int are_numbered);
/* A message of the program leaves: its origin. */
TARE_HIDDEN uint64_t tare_core_next_origin(void);
/* The receive of this request is complete, and its caller learns of it. is_timed: the send time is on this clock. */
TARE_HIDDEN void tare_core_received(const tare_sender_t * sender, int64_t request, int is_timed);
/* A tool calls this thread so: 0 to 65534. Before its first message is sent, else that one has its number by order. */
TARE_HIDDEN void tare_core_number_thread(uint32_t number);
/* The origin of the thread's latest numbered message; 0: it has sent none. */
TARE_HIDDEN uint64_t tare_core_sent(void);
/* What the thread receives is appended to `log`; NULL: to none. The log stays valid until then. */
TARE_HIDDEN void tare_core_log_received(tare_received_log_t * log);

/* Called once by MPI_Init after the environment has been read (src/env). */
TARE_HIDDEN void tare_core_configure(int mode, int rule, int carry);

/* What one loaded object offers to the others in the process: libmpi exports it, libtare looks it up by name.
 * Members are only ever appended; size tells what is there. */
#define TARE_TRANSPORT_VERSION 3
typedef struct tare_transport_v1_table {
    uint32_t version;           /* TARE_TRANSPORT_VERSION */
    uint32_t size;              /* sizeof of this struct in the object that defines it */
    uint32_t wire_version;      /* TARE_WIRE_VERSION */
    uint32_t carries_header;    /* 1: defined by an MPI whose transport can carry delay */
    tare_global_t *global;
    tare_thread_t *(*thread) (void);    /* the calling thread's block; valid until the thread ends */
    void (*enter) (void);
    tare_wire_t(*stamp) (void);
    void (*join) (tare_edge_t * edge);
    tare_wire_t(*reply) (const tare_edge_t * edge, const tare_post_t * post);
    void (*overhead_add) (int64_t ns, uint32_t fraction);
    void (*event) (int64_t now_ns);
    int64_t(*now_ns) (void);    /* the compensated clock: CLOCK_MONOTONIC - D */
    void (*configure) (int mode, int rule, int carry);
    void (*test_set_delay) (int64_t ns);        /* for tests: gives the calling thread a delay out of nothing */
    void (*gather) (tare_wire_t * state, tare_edge_t * edge);
    void (*inherit) (const tare_wire_t * creator);
    /* From here on: there if size says so, and of use where global->numbered is 1. tare_origin.h has an example. */
    void (*number_thread) (uint32_t number);    /* the calling thread's number in its messages: 0 to 65534 */
    uint64_t(*sent) (void);     /* the origin of the calling thread's latest numbered message; 0: none yet */
    void (*log_received) (tare_received_log_t * log);   /* of the calling thread; NULL: no more */
} tare_transport_v1_table_t;

#define TARE_TRANSPORT_TABLE(carries_header_)                                                                    \
    {                                                                                                            \
        TARE_TRANSPORT_VERSION, sizeof(tare_transport_v1_table_t), TARE_WIRE_VERSION, carries_header_,           \
        &tare_global, tare_core_thread, tare_core_enter, tare_core_stamp, tare_core_join, tare_core_reply,       \
        tare_core_overhead_add, tare_core_event, tare_core_compensated_now_ns, tare_core_configure,              \
        tare_core_test_set_delay, tare_core_gather, tare_core_inherit, tare_core_number_thread, tare_core_sent,  \
        tare_core_log_received                                                                                   \
    }

/* The core's own table, for libtare where no libmpi exports one. libmpi exports tare_transport_v1, which is
 * TARE_TRANSPORT_TABLE(1). */
extern TARE_HIDDEN const tare_transport_v1_table_t tare_core_table;

/* A stamp that leaves by a network, and one that has come by it. */
static inline void tare_shift_time(tare_wire_t * wire, int64_t ns)
{
    if (tare_wire_flags(*wire) & TARE_WIRE_TIME_VALID)
        wire->w1 = (wire->w1 & ~TARE_WIRE_FIELD_MASK) | ((wire->w1 + (uint64_t) ns) & TARE_WIRE_FIELD_MASK);
}

static inline void tare_to_job_clock(tare_wire_t * wire)
{
    tare_shift_time(wire, tare_clock.to_job_ns);
}

static inline void tare_from_job_clock(tare_wire_t * wire)
{
    tare_shift_time(wire, -tare_clock.to_job_ns);
}

/* ---- inline hooks ---- */

#define TARE_UNLIKELY(x) __builtin_expect(!!(x), 0)

static inline int tare_is_live(void)
{
    return TARE_UNLIKELY(tare_global.live);
}

/* Has the sender of this stamp declared anything? */
static inline int tare_is_active(const tare_wire_t * wire)
{
    return TARE_UNLIKELY(wire->w1 & (uint64_t) TARE_WIRE_ACTIVE << TARE_WIRE_FIELD_BITS);
}

#ifdef __cplusplus
}
#endif

#endif /* TARE_TRANSPORT_H_INCLUDED */
