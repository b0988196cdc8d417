/* SPDX-License-Identifier: BSD-3-Clause */
/* What libtare offers to the layers that measure: the function probes and the PMPI layer. Not installed.
 *
 * Threads: as tare.h. Units: nanoseconds on CLOCK_MONOTONIC.
 */
#ifndef TARE_MEASURE_H_INCLUDED
#define TARE_MEASURE_H_INCLUDED

#include "tare.h"
#include "tare_env.h"
#include "tare_transport.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* The core in use in this process: libmpi's if it exports tare_transport_v1 with a version that fits, else libtare's.
 * tare_measure_adopt looks again (a libmpi that was dlopened later; handle may be NULL) and moves the calling
 * thread's delay over; the PMPI layer calls it in MPI_Init before PMPI_Init. */
const tare_transport_v1_table_t *tare_measure_core(void);
void tare_measure_adopt(void *libmpi_handle);

/* The settings that were read when libtare was loaded; a value that is not allowed has not ended the process yet:
 * the message is kept for MPI_Init (or the first use without MPI). NULL: all good. */
const tare_settings_t *tare_measure_settings(void);
const char *tare_measure_settings_error(void);

/* Groups of regions, as they appear in the profile's GROUP field. */
#define TARE_GROUP_USER "TAU_USER"
#define TARE_GROUP_FUNCTION "TAU_DEFAULT"
#define TARE_GROUP_MPI "MPI"
#define TARE_GROUP_PTHREAD "PTHREAD"
#define TARE_GROUP_OPENMP "OPENMP"
#define TARE_GROUP_JAVA "java"
#define TARE_GROUP_JAVA_GC "java_gc"

tare_region_t *tare_measure_region(const char *name, const char *group);
/* TARE_FILTER leaves it out: who puts in hooks while the program runs can do without. */
int tare_measure_is_excluded(const tare_region_t *region);

/* What the calling thread is called from now on, in the profile, the trace and what a killed process leaves. Copied. A
 * thread that enters no region leaves no name. */
void tare_measure_name_thread(const char *name);

/* A region whose name is found out later: when the profile is written, or at once where TARE_FILTER or TARE_INJECT needs
 * names. resolve(what, which, buffer, size) writes the name, cut to size. Regions that turn out to have one name share one row. */
enum tare_measure_name { TARE_NAME_SHOWN = 0, TARE_NAME_MANGLED = 1 };  /* the second is the linker's */
typedef void (*tare_measure_resolve_t) (const void *what, enum tare_measure_name which, char *name, size_t size);
tare_region_t *tare_measure_region_late(const void *what, tare_measure_resolve_t resolve, const char *group);
/* Where the function of such a region is: the path of its module, its value in the module's symbol table, and its
 * dynamic symbol or "". Copied. Whoever reads what a killed process has left finds the name by it. */
void tare_measure_place(tare_region_t * region, const char *module, uint64_t offset, const char *symbol);

/* What enters and leaves go to: chosen once, so that no hook has to look whether and how it measures. */
typedef struct tare_measure_hooks {
    void (*enter_region) (const void *region);
    void (*leave_region) (const void *region);
    void (*enter_function) (const void *function);
    void (*leave_function) (const void *function);
} tare_measure_hooks_t;

/* on: entering a region does something (it is recorded, or TARE_INJECT asks for it). It stays 1 while measuring is
 * paused: enters and leaves must reach libtare in pairs. measured: regions are recorded and TARE_OVERHEAD=measured.
 * hooks: the probes of functions jump to theirs, with the function's address, as their first instruction; where nothing
 * is on they do nothing. The block lives as long as the process and is never NULL. */
typedef struct tare_measure_state {
    uint32_t on;
    uint32_t measured;
    tare_measure_hooks_t hooks;
} tare_measure_state_t;
const tare_measure_state_t *tare_measure_state(void);
int tare_measure_is_on(void);

/* Each thread remembers the functions that it has entered; of others `region_of` tells the region. NULL: the function is
 * none of the program's. */
typedef tare_region_t *(*tare_measure_function_t)(const void *function);
void tare_measure_functions_from(tare_measure_function_t region_of);

/* Enter and leave of MPI regions with the overhead declared: measured between the first and the last instruction, or
 * calibrated. Enter returns after giving the core the time stamp of the call about to start; leave adds what the
 * core counted as waiting since enter to the region's wait metrics. `blocking`: without a carrier (TARE_MODE=off) the
 * whole time of a call that waits counts as waiting. Neither changes errno. */
void tare_measure_enter_mpi(tare_region_t * region);
void tare_measure_leave_mpi(tare_region_t * region, int blocking);
/* The same for a call that polls (MPI_Test, MPI_Iprobe, ...). failed: nothing was complete. Failed polls that follow one
 * another at once are one visit of their region, with all of their calls: one wait, as the core sees it. */
void tare_measure_leave_poll(tare_region_t * region, int failed);

/* What one MPI call took: what its leave adds to its region. Of polls that are one visit of their region each gets its
 * part, so that parts add up to the region's. */
typedef struct tare_measure_spent {
    int64_t time_ns;
    int64_t delay_ns;                    /* the compensated time is less by it */
    int64_t wait_ns;
    int64_t wait_compensated_ns;
    int64_t left_ns, left_delay_ns;      /* of one call: the clock where it ended, and the delay there */
} tare_measure_spent_t;

/* Leaves an MPI region as the functions above do, and has the layer take a note of the call: note(call, spent, thread)
 * runs where its cost is measured as overhead, on the calling thread, whose block in the core is `thread`, only while
 * something is recorded. It may allocate, but not enter a region. */
enum tare_measure_end { TARE_END_RETURNS = 0, TARE_END_BLOCKS = 1, TARE_END_FAILED_POLL = 2 };
/* | TARE_END_NOTED(WHAT), below TARE_NOTE_COSTS: TARE_OVERHEAD=calibrated measures no note, so it adds to the
 * constant of the way what the layer has told that a note of such a call costs more. 0: nothing. Any thread. */
#define TARE_END_NOTED(what) ((unsigned) (what) << 8)
enum { TARE_NOTE_COSTS = 16 };
void tare_measure_note_cost(unsigned what, double ns);
typedef void (*tare_measure_note_t)(void *call, const tare_measure_spent_t *spent, tare_thread_t *thread);
void tare_measure_leave_noted(tare_region_t *region, unsigned end, tare_measure_note_t note, void *call);

/* TARE_TRACE; what is passed is defined in src/profile/trace_event.h. is_traced: from load on, for who keeps what events will need.
 * trace: an event of MPI, from inside of a note, which has the time at which its call was entered or is left. What is no
 *   part of a recorded call is none. The record's time and delay are not looked at.
 * trace_group, trace_text, trace_define: what events name, defined before the first of them; a group for the same ranks and
 *   a text once, communicators and windows by trace_define. The ranks
 *   are those in MPI_COMM_WORLD. The number that it has; copied. Any thread. TARE_TRACE_NONE: there is no memory.
 * trace_name: the latest name of a communicator or a window.
 * traces_threads: from load on, whether what threads wait for is to be recorded, too (TARE_TRACE_RECORDS=threads).
 * trace_now: an event that is in no note, as it happens; declares what it takes. On a thread that has none it begins the record.
 * thread_number: the calling thread's in the profile and the trace; UINT32_MAX: it has none yet. */
struct tare_trace_record;
struct tare_trace_definition;
enum tare_measure_moment { TARE_MOMENT_ENTER = 0, TARE_MOMENT_LEAVE = 1 };
int tare_measure_is_traced(void);
uint32_t tare_measure_thread_number(void);
void tare_measure_trace(const struct tare_trace_record *record, enum tare_measure_moment when);
int tare_measure_traces_threads(void);
void tare_measure_trace_now(const struct tare_trace_record *record);
uint32_t tare_measure_trace_group(const uint32_t *ranks, uint32_t count);
uint32_t tare_measure_trace_text(const char *text);
uint32_t tare_measure_trace_define(const struct tare_trace_definition *what);
void tare_measure_trace_name(uint32_t kind, uint32_t number, const char *name);

/* What the layer has noted, as it goes beside the profile: collect(to) is called on any thread when the profile is
 * written, and gives everything to the functions below, which sum up what has one name. */
typedef void (*tare_measure_collect_t)(void *to);
void tare_measure_notes_from(tare_measure_collect_t collect);

typedef struct tare_measure_site {
    const char *function;                /* "MPI_Send()" */
    const char *module;                  /* where it is called: path of the module or "", and the return address as */
    uint64_t offset;                     /* the module's symbol table would give it */
    const char *symbol;                  /* the dynamic symbol that it lies behind, or "", and that one's value */
    uint64_t symbol_offset;
    int64_t calls, sent_bytes, received_bytes;
    int64_t least_ns, most_ns;           /* of the time of a call */
    tare_measure_spent_t sum;
    int64_t completed;                   /* calls of which it is known when the first process has left them */
    int64_t completion_ns, completion_compensated_ns;    /* what they took behind that */
} tare_measure_site_t;
void tare_measure_add_site(void *to, const tare_measure_site_t *site);

/* Messages from the calling process to one other, from all of its threads or some. */
typedef struct tare_measure_peer {
    int rank;                            /* in MPI_COMM_WORLD; -1: it is not in there */
    int64_t messages, bytes;
    int64_t least_bytes, most_bytes;     /* of one message */
    double squares;                      /* sum of bytes^2 */
} tare_measure_peer_t;
void tare_measure_add_peer(void *to, const tare_measure_peer_t *peer);

/* What one MPI function has waited for one process, whose rank in MPI_COMM_WORLD `whom` is, or for what else. */
enum tare_measure_whom {
    TARE_WHOM_ELSEWHERE = -1,            /* a process that is not in MPI_COMM_WORLD */
    TARE_WHOM_SEVERAL = -2,
    TARE_WHOM_ALL = -3,
    TARE_WHOM_UNKNOWN = -4
};
enum { TARE_WHOM_KINDS = 3 };            /* from SEVERAL on */
/* Whether a message that had been sent before the one that was waited for was received behind it, by the same thread and
 * in the same communicator: from the same process, or from others only. */
enum tare_measure_order { TARE_ORDER_KEPT = 0, TARE_ORDER_WRONG_SAME = 1, TARE_ORDER_WRONG_DIFFERENT = 2 };
enum { TARE_ORDERS = 3 };
typedef struct tare_measure_waiting {
    int whom;
    int order;                           /* enum tare_measure_order */
    const char *function;                /* "MPI_Recv()" */
    int64_t calls;                       /* that have waited */
    int64_t wait_ns, wait_compensated_ns;
} tare_measure_waiting_t;
void tare_measure_add_waiting(void *to, const tare_measure_waiting_t *waiting);

/* What a killed process leaves of the notes: those that lie in the live file, which describes them by where their
 * parts are (src/profile/live.hpp), in bytes from the beginning of a thread's notes, of a site, of a peer, and of a waiting.
 * note_memory: zeroed, aligned to a cache line, never given back; in the live file as long as that has room, or will
 *   be as soon as there is one. NULL: there is no memory.
 * is_kept: whether it is in the file. What was taken before it is so, too.
 * show_notes: from now on the file shows one more thread's notes, if it keeps them. `next` in them is written by this
 *   function alone. Sites, peers and waits that the file does not keep are none of the lists that it shows. */
typedef struct tare_measure_notes_layout {
    uint32_t size;
    uint32_t messages, bytes;            /* int64_t for each class of sizes */
    uint32_t sites;                      /* address of the newest site that is kept; stored when that is whole */
    uint32_t next;                       /* address */
    uint32_t site_size;
    uint32_t site_next;                  /* address of an older site */
    uint32_t function, module, symbol;   /* addresses of texts, as in tare_measure_site */
    uint32_t offset, symbol_offset;      /* uint64_t */
    uint32_t calls, sent_bytes, received_bytes;                           /* int64_t */
    uint32_t time, least, most, delay, wait, wait_compensated;
    uint32_t completed, completion, completion_compensated;
    uint32_t peers;                      /* address of the newest peer that is kept, as sites */
    uint32_t peer_size;
    uint32_t peer_next;                  /* address of an older peer */
    uint32_t peer_rank;                  /* int64_t, as the others but the last, a double */
    uint32_t peer_messages, peer_bytes, peer_least, peer_most, peer_squares;
    uint32_t waits;                      /* address of the newest waiting that is kept, as sites */
    uint32_t wait_size;
    uint32_t wait_next, wait_function;   /* addresses: of an older waiting, of a text */
    uint32_t wait_whom, wait_order;      /* int64_t, and so on */
    uint32_t wait_calls, wait_measured, wait_without_delay;
} tare_measure_notes_layout_t;
void *tare_measure_note_memory(size_t bytes);
int tare_measure_is_kept(const void *memory);
void tare_measure_show_notes(void *notes, const tare_measure_notes_layout_t *layout);

/* Messages sent. Class 0 are those without data; class c holds those of 2^(c-1) bytes up to less than 2^c. */
enum { TARE_SIZE_CLASSES = 64 };
void tare_measure_add_messages(void *to, int size_class, int64_t messages, int64_t bytes);

/* Ways into a region. What they cost outside their clock reads is calibrated for each, when the first region of the
 * process is entered. A library with a way of its own registers it when it is loaded: `instrumented` makes n calls of
 * tare_measure_trial_work() that pass through the hooks, `plain` the same calls without. The first does a short work
 * in batches, and reads the clock where enter is told apart from leave. */
enum tare_measure_way { TARE_WAY_REGION = 0, TARE_WAY_MPI = 1, TARE_WAY_PROBE = 2, TARE_WAYS = 3 };
typedef void (*tare_measure_calls_t) (int n);
void tare_measure_calibrate(enum tare_measure_way way, tare_measure_calls_t instrumented, tare_measure_calls_t plain);
void tare_measure_trial_work(void);
/* All of it again, now, on the calling thread; the time is declared. Every thread takes the new constants over within
 * 128 pairs of hooks; they replace the old ones in the metadata. 0: nothing has happened, because measuring is paused,
 * nothing is recorded, or probes are repeated. */
int tare_measure_calibrate_again(void);

/* For other constants of a layer: what a call of `with` costs more than one of `without`, in ns: the median of
 * batches in turn, because a difference is small beside the moods of a machine. Both may pass through the hooks.
 * Goes into the metadata as `tare cost NAME ns`, with its spread. On a thread that has entered a region. The caller
 * declares the time that it takes. */
double tare_measure_constant(const char *name, tare_measure_calls_t with, tare_measure_calls_t without);

/* The region of what a way has registered as `instrumented`, which enters and leaves this one: that of the pairs that
 * TARE_REPEAT_PROBES adds, else the calibration's. NULL: nothing is recorded. No rule excludes it. */
tare_region_t *tare_measure_trial_region(void);

/* A few ns that depend on the call before. */
__attribute__((no_instrument_function)) static inline void tare_measure_short_work(void)
{
    static volatile uint64_t result;
    const uint64_t x = result;
    result = x * 3 + 1;
}

/* A carrier above MPI declares what it spent between two of its own clock reads, plus its calibrated constant. */
void tare_measure_overhead(int64_t ns);

/* Told by the PMPI layer.
 * initialized: after PMPI_Init, with the rank and size in MPI_COMM_WORLD and a run id that all ranks share. It
 *   looks at the place of the profile: if it cannot be used, rank 0 says so in one sentence and ends the process with
 *   status 1. Each rank removes its own files of an older run there, and rank 0 those of ranks that are no more: no
 *   barrier is needed. The caller declares the time that this takes.
 * finalizing: before PMPI_Finalize; writes this process's profile and declares its own time. The profile is written
 *   again at exit if anything was measured after that.
 * total_begin, total_end: when MPI_Init has returned, and when MPI_Finalize is called: the time between goes into the
 *   metadata, as measured and compensated with its bounds. The end without a beginning on this thread does nothing.
 * metadata: a name and value for the profile (calibrated constants, library version); copied. */
void tare_measure_initialized(int rank, int size, const char *run_id);
void tare_measure_total_begin(void);
void tare_measure_total_end(void);
void tare_measure_finalizing(void);
void tare_measure_metadata(const char *name, const char *value);

/* TARE_PROFILE_FORMAT, told by the PMPI layer in MPI_Finalize of several ranks; one rank alone does it at exit.
 * wants_formats: whether this process records and others than tau are asked for; rank 0's answer counts.
 * is_written: after tare_measure_finalizing: whether this process's profile is there, or none was asked for.
 * make_formats: on rank 0, while the others wait; all_are_written: whether there is a profile of each. 1: the tau files
 *   have been removed. Failure is said, and the process's exit status is 1.
 * end_profile: on every rank, in that case: nothing more is written. */
int tare_measure_wants_formats(void);
int tare_measure_is_written(void);
int tare_measure_make_formats(int all_are_written);
void tare_measure_end_profile(void);

/* A sentence that all ranks would say, for when MPI cannot be asked any more: the one says it that is rank 0, by the
 * launcher's word where MPI has not told. */
void tare_measure_say_at_end(const char *sentence);

/* MPI_Pcontrol(0/1). Waits while another thread calibrates. */
void tare_measure_pause(int paused);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif /* TARE_MEASURE_H_INCLUDED */
