/* SPDX-License-Identifier: BSD-3-Clause */
/* What libtare-otf2 does for libtare and the tool: the only part of Tare that knows OTF2. Who needs it loads it, so that a
 * program that writes no trace needs no OTF2. Not installed.
 *
 * The trace of a run is one folder. While it runs, each rank has an archive of its own in there, which can be read by
 * itself whatever becomes of the others:
 *
 *     DIR/rank.3/traces.otf2, traces.def, traces/     the archive of rank 3
 *     DIR/rank.3/whole                                it is closed
 *     DIR/traces.otf2, traces.def, traces/            all of them in one: join, which leaves no rank.N
 *
 * Joining writes definitions only: the files of events are moved as they are. So it takes as long as there are regions
 * and threads, not events.
 *
 * Units: nanoseconds. Threads: one at a time for each trace. Functions that may fail give back 0, or -1 with one
 * sentence in `message`, which has at least TARE_TRACE_MESSAGE bytes.
 */
#ifndef TARE_TRACE_MODULE_H_INCLUDED
#define TARE_TRACE_MODULE_H_INCLUDED

#include "archive.h"
#include "trace_event.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TARE_TRACE_MESSAGE 1024

typedef struct tare_trace_run {
    const char *dir;            /* made, for its owner alone, if it is not there */
    int rank;                   /* 0 to ranks - 1 */
    int ranks;
    const char *run_id;         /* the same on all ranks, and no other run's */
    const char *host;
    const char *program;
    int measured_clock;         /* time stamps are time, not time - delay */
} tare_trace_run_t;

/* name NULL: calls of it are left out. */
typedef struct tare_trace_region {
    const char *name;
    const char *group;          /* TARE_GROUP_* */
} tare_trace_region_t;

/* What is copied of a location: all but some of its events of MPI, by their numbers among those that are read (archive.h),
 * from 0 on, in order. */
typedef struct tare_trace_kept {
    uint64_t location;          /* its number in the archive */
    const uint64_t *left_out;
    size_t left_out_count;
} tare_trace_kept_t;

typedef struct tare_trace_copy {
    const char *const *paths;   /* archives, as of read */
    size_t path_count;
    const char *dir;            /* the new one's folder, which is not there yet */
    uint64_t from_ns;           /* time stamps; both are in it */
    uint64_t to_ns;
    const tare_trace_kept_t *kept;     /* of one archive; NULL: all of all locations */
    size_t kept_count;
} tare_trace_copy_t;

typedef struct tare_trace_module {
    uint64_t size;              /* of this table */
    /* Begins the archive of a rank; what an older run left in its place goes. NULL: failed. */
    void *(*begin) (const tare_trace_run_t * run, char *message);
    /* Events of a thread with the parts that follow them, behind those that it was given before. A LEAVE without an open region is ignored. A time stamp
     * that would be before the latest of its thread is the latest. Calls of region `left_out` are left out. */
    int (*write) (void *trace, uint32_t thread, const tare_trace_event_t * events, size_t count, uint32_t left_out,
                  char *message);
    /* What a thread that has events is called; others are only numbered. */
    int (*name_thread) (void *trace, uint32_t thread, const char *name, char *message);
    /* Behind a failed `write` nothing but this: frees the trace, which is not whole. */
    void (*give_up) (void *trace);
    /* Closes the archive, regions and definitions of each kind in the order of their numbers, and frees the trace whatever
     * happens. */
    int (*end) (void *trace, const tare_trace_region_t * regions, size_t count,
                const tare_trace_definition_t * definitions, size_t definition_count, char *message);
    /* One archive of those of all ranks, if all are whole and of one run and nobody else is joining them; 1: it is not yet
     * so. force: of those that are whole, and `message` has a sentence if some are not. */
    int (*join) (const char *dir, int ranks, int force, char *message);
    /* An archive, Tare's or another's: of a run's folder, or by its anchor file. 0 also where the reading was ended. */
    int (*read) (const char *path, const tare_archive_reading_t * to, char *message);
    /* A new archive of those that are Tare's, which must be of unlike runs and one clock: the ranks of each behind those of
     * the one before. Regions that are open where the range begins or ends are entered or left there. */
    int (*copy) (const tare_trace_copy_t * copy, char *message);
} tare_trace_module_t;

#ifdef __GNUC__
__attribute__((visibility("default")))
#endif
extern const tare_trace_module_t tare_trace_module;

#ifdef __cplusplus
}
#endif

#endif
