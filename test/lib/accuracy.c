/* SPDX-License-Identifier: BSD-3-Clause */
/* How much of the cost of a million pairs of hooks is really taken out, against the same calls without hooks.
 * Batches in alternation, so that a busy machine meets both; prints the medians, in ns for one call:
 * plain WITH_HOOKS COMPENSATED. */
#define _GNU_SOURCE
#include "batches.h"
#include "tare.h"

#include <stdio.h>
#include <stdlib.h>

enum { batches = 50, calls = 20000 };

#ifdef TARE_TEST_FUNCTIONS
#define HOOKED __attribute__((noinline))
#define ENTER() (void) 0
#define LEAVE() (void) 0
#else
static tare_region_t *region;
#define HOOKED __attribute__((noinline, no_instrument_function))
#define ENTER() tare_enter(region)
#define LEAVE() tare_leave(region)
#endif
HOOKED void hooked(void) { __asm__ volatile(""); }
PLAIN void plain(void) { __asm__ volatile(""); }

PLAIN static void measure(double *without, double *with, double *compensated)
{
    int64_t start = now_ns();
    for (int i = 0; i < calls; i++)
        plain();
    *without = (double) (now_ns() - start) / calls;
    start = now_ns();
    const int64_t start_compensated = tare_now_ns();
    for (int i = 0; i < calls; i++) {
        ENTER();
        hooked();
        LEAVE();
    }
    *compensated = (double) (tare_now_ns() - start_compensated) / calls;
    *with = (double) (now_ns() - start) / calls;
}

PLAIN int main(void)
{
    static double without[batches], with[batches], compensated[batches];
#ifndef TARE_TEST_FUNCTIONS
    region = tare_region("hooked");
#endif
    ENTER();
    hooked();
    LEAVE();
    for (int i = 0; i < batches; i++)
        measure(&without[i], &with[i], &compensated[i]);
    printf("%.2f %.2f %.2f\n", median(without, batches), median(with, batches), median(compensated, batches));
    return 0;
}
