/* SPDX-License-Identifier: BSD-3-Clause */
/* For programs that time batches where others have the cores, too, as on a virtual machine: what a batch takes counts if
 * equal work right before it and right after it took as long as on a quiet core. Such phases last half a millisecond
 * where the host is busy, so that a batch should take less. */
#ifndef TARE_TEST_QUIET_H
#define TARE_TEST_QUIET_H

#include "batches.h"

/* Of the shortest time that equal work takes: 1.0 to 1.1 on a quiet core, from 1.4 on a busy one. */
#define QUIET 1.2

PLAIN static int64_t equal_work_ns(void)
{
    const int64_t start = now_ns();
    for (volatile int i = 0; i < 100000; i++)
        ;
    return now_ns() - start;
}

/* The shortest of many: of five seconds. */
PLAIN static int64_t shortest_equal_work_ns(void)
{
    int64_t shortest = equal_work_ns();
    for (int64_t end = now_ns() + 5000000000; now_ns() < end;) {
        const int64_t t = equal_work_ns();
        shortest = t < shortest ? t : shortest;
    }
    return shortest;
}

/* The mean of the batches that count, in ns, and how many those are: among the batches, so that what comes in one of
 * them only has its share. */
PLAIN static double quiet_mean_ns(void (*batch)(void), int batches, int64_t shortest_ns, int *counted)
{
    int64_t sum = 0, before = equal_work_ns();
    *counted = 0;
    for (int i = 0; i < batches; i++) {
        const int64_t start = now_ns();
        batch();
        const int64_t t = now_ns() - start, after = equal_work_ns();
        if ((double) before <= QUIET * (double) shortest_ns && (double) after <= QUIET * (double) shortest_ns) {
            sum += t;
            ++*counted;
        }
        before = after;
    }
    return *counted ? (double) sum / *counted : 0;
}

#endif
