/* SPDX-License-Identifier: BSD-3-Clause */
/* loop TIMES [THREADS]: each thread enters and leaves a region inside another one so often. */
#include "tare.h"

#include <pthread.h>
#include <stdlib.h>

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
    return 0;
}
