/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded into the ranks of a test (mpich-suite): the main thread offers its core to the others twice in a millisecond.
 *
 * A rank that polls keeps its core until the scheduler's tick, 4 ms at 250 Hz, so that four ranks on two cores meet in
 * a barrier after 8 ms, and eight after 20. With short turns they take a tenth of it. Time at which nobody polls stays as
 * it is: the calls that sleep go on after the signal. Nothing here knows MPI.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { turn_ns = 500000, slice_ns = 100000 };

/* Of Linux's sched_setattr; glibc 2.36 declares none. */
struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_ns, deadline_ns, period_ns;
};

static void offer(int number)
{
    const int before = errno;
    (void) number;
    sched_yield();
    errno = before;
}

/* Where the kernel knows no slices (before 6.12) the yield alone has to do. */
static void ask_for_short_slices(void)
{
    struct attributes wanted;
    memset(&wanted, 0, sizeof wanted);
    wanted.size = sizeof wanted;
    wanted.runtime_ns = slice_ns;
    syscall(SYS_sched_setattr, 0, &wanted, 0);
}

/* The signal is one that no test of MPICH's uses; only the main thread gets it. */
static void start(void)
{
    const int number = SIGRTMAX - 3;
    struct sigaction action;
    struct sigevent event;
    struct itimerspec often = { {0, turn_ns}, {0, turn_ns} };
    timer_t timer;

    memset(&action, 0, sizeof action);
    action.sa_handler = offer;
    action.sa_flags = SA_RESTART;
    sigaction(number, &action, NULL);
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = number;
    event.sigev_notify_thread_id = (pid_t) syscall(SYS_gettid);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
        timer_settime(timer, 0, &often, NULL);
}

__attribute__((constructor))
static void begin(void)
{
    ask_for_short_slices();
    start();
    pthread_atfork(NULL, NULL, start);
}

/* --- calls that a handled signal would end early: they sleep until a time --- */

static int sleep_until(clockid_t clock, const struct timespec *end)
{
    while (syscall(SYS_clock_nanosleep, clock, TIMER_ABSTIME, end, NULL) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left)
{
    const long second_ns = 1000000000;
    struct timespec end;

    if (flags & TIMER_ABSTIME)
        return sleep_until(clock, time);
    if (time->tv_sec < 0 || time->tv_nsec < 0 || time->tv_nsec >= second_ns)
        return EINVAL;
    if (left != NULL)
        left->tv_sec = left->tv_nsec = 0;
    if (clock_gettime(clock, &end) != 0)
        return errno;
    end.tv_sec += time->tv_sec + (end.tv_nsec + time->tv_nsec) / second_ns;
    end.tv_nsec = (end.tv_nsec + time->tv_nsec) % second_ns;
    return sleep_until(clock, &end);
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
    const int failure = clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);

    if (failure != 0)
        errno = failure;
    return failure == 0 ? 0 : -1;
}

unsigned int sleep(unsigned int seconds)
{
    const struct timespec time = { (time_t) seconds, 0 };

    nanosleep(&time, NULL);
    return 0;
}

int usleep(useconds_t microseconds)
{
    const struct timespec time = { (time_t) (microseconds / 1000000), (long) (microseconds % 1000000) * 1000 };

    return nanosleep(&time, NULL);
}
