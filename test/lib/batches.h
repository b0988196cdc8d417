/* SPDX-License-Identifier: BSD-3-Clause */
/* For programs that time batches. Never instrumented: some of them are compiled with hooks. */
#ifndef TARE_TEST_BATCHES_H
#define TARE_TEST_BATCHES_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define PLAIN __attribute__((noinline, no_instrument_function, unused))

PLAIN static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

PLAIN static int compare(const void *a, const void *b)
{
    const double x = *(const double *) a, y = *(const double *) b;
    return (x > y) - (x < y);
}

/* Sorts them. */
PLAIN static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

#endif
