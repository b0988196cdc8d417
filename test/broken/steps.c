/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded: a time of day that steps an hour on or two hours back with every look, and says at the end how often
 * somebody looked. What is measured must not depend on it. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int looks;

static time_t step(void)
{
    static const time_t steps[] = { 3600, -7200, 3600, 1000000, -1000000 };
    return steps[__atomic_fetch_add(&looks, 1, __ATOMIC_RELAXED) % 5];
}

static int of_day(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    const int result = (int) syscall(SYS_clock_gettime, clock, now);
    if (of_day(clock))
        now->tv_sec += step();
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    (void) zone;
    struct timespec fine;
    clock_gettime(CLOCK_REALTIME, &fine);
    now->tv_sec = fine.tv_sec;
    now->tv_usec = fine.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now)
{
    struct timespec fine;
    clock_gettime(CLOCK_REALTIME, &fine);
    if (now != NULL)
        *now = fine.tv_sec;
    return fine.tv_sec;
}
