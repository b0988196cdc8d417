/* SPDX-License-Identifier: BSD-3-Clause */
/* steps [victim]: each rank works and meets the others a few times; rank 0 has a region more. With `victim` rank 1 is
 * killed half-way. */
#define _GNU_SOURCE
#include "tare.h"

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void work_us(long us)
{
    struct timespec now, end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += us * 1000;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
}

static void step(int rank, int i)
{
    tare_region_t *only_here = rank == 0 ? tare_region("only on rank 0") : NULL;
    tare_region_t *work = tare_region("work");
    int sum = 0;
    if (only_here != NULL) {
        tare_enter(only_here);
        work_us(200);
        tare_leave(only_here);
    }
    tare_enter(work);
    work_us(300);
    tare_leave(work);
    MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 20; i++) {
        if (i == 10 && rank == 1 && argc > 1 && strcmp(argv[1], "victim") == 0)
            raise(SIGKILL);
        if (i == 10 && rank == 0 && argc > 1)
            return 0;
        step(rank, i);
    }
    MPI_Finalize();
    return 0;
}
