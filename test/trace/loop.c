/* SPDX-License-Identifier: BSD-3-Clause */
/* loop TIMES [THREADS [killed]]: each thread enters and leaves a region inside another one so often. killed: SIGKILL at the
 * end, when the library's thread has had time for what it does ahead. */
#define _POSIX_C_SOURCE 200809L
#include "tare.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

static long times;

static void *work(void *unused)
{
    tare_region_t *outer = tare_region("outer"), *inner = tare_region("inner");
    (void) unused;
    tare_enter(outer);
    for (long i = 0; i < times; i++) {
        tare_enter(inner);
        tare_leave(inner);
    }
    tare_leave(outer);
    return NULL;
}

int main(int argc, char **argv)
{
    const int threads = argc > 2 ? atoi(argv[2]) : 1;
    pthread_t others[64];
    times = argc > 1 ? atol(argv[1]) : 1;
    for (int i = 1; i < threads && i < 64; i++)
        pthread_create(&others[i], NULL, work, NULL);
    work(NULL);
    for (int i = 1; i < threads && i < 64; i++)
        pthread_join(others[i], NULL);
    if (argc > 3) {
        const struct timespec moment = { 0, 300000000 };
        nanosleep(&moment, NULL);
        raise(SIGKILL);
    }
    return 0;
}
