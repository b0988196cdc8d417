/* SPDX-License-Identifier: BSD-3-Clause */
/* race: two threads of each of two ranks write one number without a lock, and call MPI. What the thread sanitizer must find
 * here, or what it says of the layer means nothing (threadcheck).
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { threads = 2, times = 1000 };

static int shared;
static MPI_Comm comms[threads];

static void *race(void *of)
{
    for (int i = 0; i < times; i++)
        shared++;
    MPI_Barrier(*(MPI_Comm *) of);
    return NULL;
}

int main(void)
{
    pthread_t t[threads];
    int level;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    for (int i = 0; i < threads; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, race, &comms[i]);
    for (int i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < threads; i++)
        MPI_Comm_free(&comms[i]);
    MPI_Finalize();
    printf("race %d\n", shared > 0);
    return 0;
}
