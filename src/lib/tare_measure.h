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

/* The core in use in this process: libmpi's if it exports tare_transport_v1 with a version that fits, else libtare's.
 * tare_measure_adopt looks again (a libmpi that was dlopened later; handle may be NULL) and moves the calling thread's
 * delay over; the PMPI layer calls it in MPI_Init before PMPI_Init. */
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

tare_region_t *tare_measure_region(const char *name, const char *group);

/* 1: regions are being recorded (TARE_PROFILE=1 and not paused). A probe may look at this first. */
int tare_measure_is_on(void);

/* Enter and leave with the overhead declared: measured between the first and the last instruction, or calibrated.
 * For MPI regions: enter returns after giving the core the time stamp of the call about to start; leave adds what the
 * core counted as waiting since enter to the region's wait metrics. `blocking`: without a carrier (TARE_MODE=off) the
 * whole time of a call that waits counts as waiting. */
void tare_measure_enter(tare_region_t * region);
void tare_measure_leave(tare_region_t * region);
void tare_measure_enter_mpi(tare_region_t * region);
void tare_measure_leave_mpi(tare_region_t * region, int blocking);

/* A carrier above MPI declares what it spent between two of its own clock reads, plus its calibrated constant. */
void tare_measure_overhead(int64_t ns);

/* Told by the PMPI layer. initialized: after PMPI_Init, with the rank and size in MPI_COMM_WORLD and a run id that is
 * the same on all ranks. finalizing: before PMPI_Finalize; writes this process's profile. metadata: a name and value
 * for the profile (calibrated constants, library version); copied. */
void tare_measure_initialized(int rank, int size, const char *run_id);
void tare_measure_finalizing(void);
void tare_measure_metadata(const char *name, const char *value);

/* MPI_Pcontrol(0/1). */
void tare_measure_pause(int paused);

#ifdef __cplusplus
}
#endif

#endif /* TARE_MEASURE_H_INCLUDED */
