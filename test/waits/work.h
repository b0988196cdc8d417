/* SPDX-License-Identifier: BSD-3-Clause */
/* For programs of known cause. */
#ifndef TARE_TEST_WAITS_WORK_H
#define TARE_TEST_WAITS_WORK_H

#include "tare.h"

#include <time.h>

/* Asleep: who waits for it may spin, and there may be fewer cores than ranks. */
static void work(const char *step, long ms)
{
    const struct timespec time = { 0, ms * 1000000L };
    tare_region_t *region = tare_region(step);
    tare_enter(region);
    nanosleep(&time, NULL);
    tare_leave(region);
}

#endif
