/* SPDX-License-Identifier: BSD-3-Clause */
/* threads: rank 0 and rank 1 have four threads each. Thread i sends to thread i of the other rank, and what one thread has
 * begun another one completes. did.RANK has all events of the rank, sorted by nothing. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { threads = 4, messages = 200 };
static FILE *out;
static int rank;
static MPI_Request sends[threads][messages], receives[threads][messages];
static int data[threads][messages];
static pthread_barrier_t all;

static void message(const char *kind, int tag)
{
    fprintf(out, "%s MPI_COMM_WORLD %d %d 4\n", kind, 1 - rank, tag);
}

static void *work(void *of)
{
    const int i = (int) (long) of, next = (i + 1) % threads;
    for (int k = 0; k < messages; k++) {
        MPI_Irecv(&data[i][k], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &receives[i][k]);
        MPI_Isend(&rank, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &sends[i][k]);
    }
    pthread_barrier_wait(&all);
    MPI_Waitall(messages, sends[next], MPI_STATUSES_IGNORE);
    MPI_Waitall(messages, receives[next], MPI_STATUSES_IGNORE);
    for (int k = 0; k < messages; k++) {
        MPI_Send(&rank, 1, MPI_INT, 1 - rank, threads + i, MPI_COMM_WORLD);
        MPI_Recv(&data[i][k], 1, MPI_INT, 1 - rank, threads + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return NULL;
}

static void say_what_was_done(void)
{
    for (int i = 0; i < threads; i++)
        for (int k = 0; k < messages; k++) {
            fputs("IRECV_REQUEST\n", out);
            message("ISEND", i);
            message("ISEND_COMPLETE", i);
            message("IRECV", i);
            message("SEND", threads + i);
            message("RECV", threads + i);
        }
}

int main(int argc, char **argv)
{
    char file[32];
    int provided;
    pthread_t others[threads];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(file, sizeof file, "did.%d", rank);
    out = fopen(file, "w");
    if (out == NULL || provided != MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 1);
    pthread_barrier_init(&all, NULL, threads);
    for (int i = 1; i < threads; i++)
        pthread_create(&others[i], NULL, work, (void *) (long) i);
    work(NULL);
    for (int i = 1; i < threads; i++)
        pthread_join(others[i], NULL);
    say_what_was_done();
    fclose(out);
    MPI_Finalize();
    return 0;
}
