/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded: CLOCK_MONOTONIC runs DRIFT_PPM millionths faster than the kernel's from the first call on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

typedef int clock_function(clockid_t, struct timespec *);

int clock_gettime(clockid_t which, struct timespec *t)
{
    static clock_function *next;
    static long long start_ns, ppm;

    if (next == NULL) {
        next = (clock_function *) dlsym(RTLD_NEXT, "clock_gettime");
        ppm = atoll(getenv("DRIFT_PPM"));
        next(CLOCK_MONOTONIC, t);
        start_ns = t->tv_sec * 1000000000LL + t->tv_nsec;
    }
    if (next(which, t) != 0)
        return -1;
    if (which == CLOCK_MONOTONIC) {
        long long now = t->tv_sec * 1000000000LL + t->tv_nsec;
        now += (now - start_ns) / 1000 * ppm / 1000;
        t->tv_sec = now / 1000000000;
        t->tv_nsec = now % 1000000000;
    }
    return 0;
}
