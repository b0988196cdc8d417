/* SPDX-License-Identifier: BSD-3-Clause */
/* killed SIGNAL [threads]: two ranks; rank 1 ends by a signal inside a region while rank 0 waits for it.
 * killed abort: the same with MPI_Abort.
 * killed before [threads]: the same, with a region and threads before MPI_Init; SIGKILL.
 * killed limit: both may write no file of more than 1 KiB any more, and end.
 * killed dump FILE: both send themselves SIGUSR2 and wait for the file that it makes; RANK in its name is the rank. */
#include "tare.h"

#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int rank;

static void call(const char *name, int times)
{
    tare_region_t *region = tare_region(name);
    for (int i = 0; i < times; i++) {
        tare_enter(region);
        tare_leave(region);
    }
}

static void exchange(void)
{
    int out = rank, in;
    MPI_Sendrecv(&out, 1, MPI_INT, 1 - rank, 1, &in, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void *worker(void *ready)
{
    call("worker", 10);
    tare_enter(tare_region("waiting"));
    pthread_barrier_wait(ready);
    sleep(60);
    return NULL;
}

static void start_threads(void)
{
    static pthread_barrier_t ready;
    pthread_barrier_init(&ready, NULL, 4);
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, worker, &ready);
    }
    pthread_barrier_wait(&ready);
}

static void die_by(int number)
{
    int never;
    call("work", 4);
    if (rank == 0)
        MPI_Recv(&never, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    tare_enter(tare_region("doomed"));
    call("work", 2);
    usleep(200000);
    if (number == 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    raise(number);
}

static void dump(char *file)
{
    char *place = strstr(file, "RANK");
    char path[4096];
    snprintf(path, sizeof path, "%.*s%d%s", (int) (place - file), file, rank, place + 4);
    call("before", 5);
    raise(SIGUSR2);
    for (int i = 0; i < 1000 && access(path, F_OK) != 0; i++)
        usleep(10000);
    puts(access(path, F_OK) == 0 ? "written" : "nothing");
    call("after", 2);
}

int main(int argc, char **argv)
{
    int provided;
    if (argc < 2)
        return 2;
    if (strcmp(argv[1], "before") == 0) {
        call("early", 7);
        if (argc == 3)
            start_threads();
    }
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++)
        exchange();
    if (argc == 3 && strcmp(argv[1], "dump") == 0) {
        dump(argv[2]);
    } else if (strcmp(argv[1], "limit") == 0) {
        const struct rlimit limit = { 1024, 1024 };
        setrlimit(RLIMIT_FSIZE, &limit);
    } else if (strcmp(argv[1], "abort") == 0) {
        die_by(0);
    } else if (strcmp(argv[1], "before") == 0) {
        die_by(SIGKILL);
    } else {
        if (argc == 3)
            start_threads();
        die_by(atoi(argv[1]));
    }
    MPI_Finalize();
    return 0;
}
