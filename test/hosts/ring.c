/* SPDX-License-Identifier: BSD-3-Clause */
/* A token goes round a ring; once, rank 0 keeps it for 20 ms of overhead. Each prints its rank, the seconds of its
 * CLOCK_MONOTONIC, its own overhead and the delay that it has come to. As argument how many barriers there are behind that. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <tare.h>
#include <time.h>

static long long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static long long spend_overhead(long long ns)
{
    long long start = now_ns();
    while (now_ns() < start + ns) {
    }
    ns = now_ns() - start;
    tare_overhead_add(ns);
    return ns;
}

int main(int argc, char **argv)
{
    int rank, size;
    long long overhead_ns = 0;
    char token = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 1000; i++) {
        if (rank > 0)
            MPI_Recv(&token, 1, MPI_BYTE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 0 && i == 500)
            overhead_ns = spend_overhead(20000000);
        MPI_Send(&token, 1, MPI_BYTE, (rank + 1) % size, 0, MPI_COMM_WORLD);
        if (rank == 0)
            MPI_Recv(&token, 1, MPI_BYTE, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    printf("%d %lld %lld %lld\n", rank, now_ns() / 1000000000, overhead_ns, (long long) tare_delay_ns());
    for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
