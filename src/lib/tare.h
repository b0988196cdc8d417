/* SPDX-License-Identifier: BSD-3-Clause */
/* Tare: take the overhead of measurement out of a parallel program's times, waiting times included.
 *
 * Any tool that measures (a profiler, a tracer, a home-made timer) declares what it costs; the transport carries the
 * delay to the other processes, and every compensated time is a difference of tare_now_ns().
 *
 * Conventions
 *   1. Units: nanoseconds, signed 64 bit. Time stamps are CLOCK_MONOTONIC.
 *   2. Threads: every function works on the calling thread and may be called from any thread at any time, before
 *      MPI_Init and after MPI_Finalize as well. None is safe in a signal handler.
 *   3. Owners: a region lives until the process ends; names are copied.
 *   4. Errors: none of these functions fails. Declaring more overhead than has elapsed is counted as residue: the
 *      compensated clock never runs backwards.
 *   5. Link with -ltare (pkg-config tare). No measurement needs to be switched on: with TARE_MODE=header the patched
 *      MPICH carries the delay for any program that calls tare_overhead_add().
 */
#ifndef TARE_H_INCLUDED
#define TARE_H_INCLUDED

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* This thread has just spent ns on measurement. Costs a few instructions and reads no clock. */
void tare_overhead_add(int64_t ns);

/* Optional: the caller's own CLOCK_MONOTONIC time stamp of the MPI call about to start. Saves the transport its clock
 * read. Give it before every MPI call of this thread or before none; the next tare_overhead_add forgets it. */
void tare_event_ns(int64_t now_ns);

/* The delay D of the calling thread: how much later it is at this point than it would be without measurement, and
 * bounds of D where an arrival time stayed unknown. lo <= D <= hi. */
int64_t tare_delay_ns(void);
int64_t tare_delay_lo_ns(void);
int64_t tare_delay_hi_ns(void);

/* The compensated clock: CLOCK_MONOTONIC - D. Differences of it on one thread are compensated times. */
int64_t tare_now_ns(void);

/* Regions of the user's program. tare_region() returns the same region for the same name, on every thread. */
typedef struct tare_region tare_region_t;
tare_region_t *tare_region(const char *name);
void tare_enter(tare_region_t * region);
void tare_leave(tare_region_t * region);

/* The carrier in use: 0 off, 1 header, 2 datatype, 3 message, 4 copy. */
int tare_mode(void);
const char *tare_version(void);

/* Writes the profile of this process as it is now, if one is being taken. */
void tare_flush(void);

/* Memory that is named may have no value yet, which compilers would warn of. */
#if defined __GNUC__ && __GNUC__ >= 11
#define TARE_ONLY_NAMED(argument) __attribute__((access(none, argument)))
#else
#define TARE_ONLY_NAMED(argument)
#endif

/* For a trace with TARE_TRACE_RECORDS=data (tare_uses: or pages); otherwise, and while measuring is paused, these do nothing.
 * Texts are copied.
 * tare_data: from now on the `bytes` at `start` are called `name`, and are elements of `type`, as the program has it
 * ("double"; NULL: not said). bytes 0: what begins there has no name any more.
 * tare_copied: the program has copied so many bytes, so that what is sent later is known to have come from there.
 * tare_uses: `region`, any name of a part of the program, needs the `bytes` at `start`, whoever has sent them. */
void tare_data(const char *name, const void *start, size_t bytes, const char *type) TARE_ONLY_NAMED(2);
void tare_copied(const void *to, const void *from, size_t bytes);
void tare_uses(const char *region, const void *start, size_t bytes) TARE_ONLY_NAMED(2);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif /* TARE_H_INCLUDED */
