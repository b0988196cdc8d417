/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

/* What the core knows, for tools that ask by MPI_T. Included by mpit_initthread.c, so that no Makefile changes.
 *
 * Performance variables tell of the thread that reads them; times are in nanoseconds, signed, so doubles (exact up to
 * 2^53 ns). They are read where they are, so nobody pays for them who does not ask. */

#include "mpir_tare_variables.h"

/* A variable's address is the place of its member in the thread's block. */
static const void *tare_member(void *offset)
{
    return (const char *) tare_core_thread() + (size_t) offset;
}

static void tare_get_time(void *offset, void *obj_handle, int count, void *buf)
{
    *(double *) buf = (double) *(const int64_t *) tare_member(offset);
}

static void tare_get_count(void *offset, void *obj_handle, int count, void *buf)
{
    *(unsigned long long *) buf = *(const uint64_t *) tare_member(offset);
}

#define TARE_CATEGORY "TARE"

static void tare_register(MPIR_T_pvar_class_t class, MPI_Datatype type, const char *name, size_t offset,
                          MPIR_T_pvar_get_value_cb get, const char *what)
{
    const int flags = MPIR_T_PVAR_FLAG_READONLY | MPIR_T_PVAR_FLAG_CONTINUOUS;

    MPIR_T_PVAR_REGISTER_impl(class, type, name, (void *) offset, 1, MPI_T_ENUM_NULL, MPI_T_VERBOSITY_USER_BASIC,
                              MPI_T_BIND_NO_OBJECT, flags, get, NULL, TARE_CATEGORY, what);
}

#define TARE_TIME(name, member, what) \
    tare_register(MPI_T_PVAR_CLASS_LEVEL, MPI_DOUBLE, name, offsetof(tare_thread_t, member), tare_get_time, what)
#define TARE_COUNT(name, member, what) \
    tare_register(MPI_T_PVAR_CLASS_COUNTER, MPI_UNSIGNED_LONG_LONG, name, offsetof(tare_thread_t, member), \
                  tare_get_count, what)

static int tare_get_mode(void *obj_handle, void **addr)
{
    *addr = MPIR_Tare_mode_name;
    return MPI_SUCCESS;
}

static void tare_register_mode(void)
{
    const MPIR_T_cvar_value_t preset = {.str = MPIR_Tare_mode_name };

    MPIR_T_CVAR_REGISTER_impl(MPI_CHAR, "TARE_MODE", NULL, MPIR_TARE_MODE_NAME_SZ, MPI_T_ENUM_NULL,
                              MPI_T_VERBOSITY_USER_BASIC, MPI_T_BIND_NO_OBJECT, MPI_T_SCOPE_READONLY,
                              tare_get_mode, NULL, preset, TARE_CATEGORY,
                              "What carries delay, from MPI_Init on. Set by the environment variable TARE_MODE.");
}

#include "mpir_tare_events.c"

static void MPIR_Tare_register_variables(void)
{
    MPIR_T_cat_add_desc(TARE_CATEGORY, "Compensation of what measurement costs");
    TARE_TIME("tare_delay", delay_ns, "How much later this thread is than without measurement, in ns.");
    TARE_TIME("tare_delay_lo", delay_lo_ns, "The least that tare_delay may be where an arrival is not known, in ns.");
    TARE_TIME("tare_delay_hi", delay_hi_ns, "The most that tare_delay may be where an arrival is not known, in ns.");
    TARE_TIME("tare_residue", residue_ns, "Overhead declared beyond the time that had elapsed, in ns.");
    TARE_COUNT("tare_joins", joins, "Waits and messages that rule (R) was applied to.");
    TARE_COUNT("tare_adjusted", adjusted, "Those that changed tare_delay.");
    TARE_COUNT("tare_inversions", inversions,
               "Wildcard matches that the run without measurement could have made otherwise.");
    TARE_COUNT("tare_saturated", saturated, "Delays that a message had no room for.");
    TARE_COUNT("tare_early_unknown", early_unknown,
               "Messages whose arrival was guessed: tare_delay_lo and tare_delay_hi hold the truth.");
    TARE_COUNT("tare_unseen_waits", unseen_waits,
               "Waits for operations that a network does by itself: nobody tells of the delay in them.");
    tare_register_mode();
    tare_register_events();
}
