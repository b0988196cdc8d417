/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ranks. One of them comes 3 ms before the other, to a collective in which it needs nobody; prints for each
 * `OPERATION MICROSECONDS`, the median of what the call took. */
#define _GNU_SOURCE
#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tare_transport.h"

#define CALLS 31

static int rank;
static int data[2], result[2];

static void bcast(void) { MPI_Bcast(data, 2, MPI_INT, 0, MPI_COMM_WORLD); }
static void scatter(void) { MPI_Scatter(data, 1, MPI_INT, result, 1, MPI_INT, 0, MPI_COMM_WORLD); }
static void reduce(void) { MPI_Reduce(data, result, 2, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD); }
static void gather(void) { MPI_Gather(data, 1, MPI_INT, result, 1, MPI_INT, 1, MPI_COMM_WORLD); }
static void scan(void) { MPI_Scan(data, result, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }

static void ibcast(void)
{
    MPI_Request request;
    MPI_Ibcast(data, 2, MPI_INT, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Rank 0 is the early one: the root of those that send, a leaf of those that gather. */
static const struct {
    const char *name;
    void (*call)(void);
} operations[] = { {"bcast", bcast}, {"scatter", scatter}, {"reduce", reduce}, {"gather", gather}, {"scan", scan},
    {"ibcast", ibcast} };

static int compare(const void *a_, const void *b_)
{
    const double *a = a_, *b = b_;
    return (*a > *b) - (*a < *b);
}

static double median_us(void (*call)(void))
{
    double took[CALLS];

    for (int i = 0; i < CALLS; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1)
            usleep(3000);
        double start = MPI_Wtime();
        call();
        took[i] = 1e6 * (MPI_Wtime() - start);
    }
    qsort(took, CALLS, sizeof(took[0]), compare);
    return took[CALLS / 2];
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const tare_transport_v1_table_t *core = dlsym(RTLD_DEFAULT, "tare_transport_v1");
    if (core != NULL)
        core->overhead_add(1, 0);       /* so that delay is carried */
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        double us = median_us(operations[i].call);
        if (rank == 0)
            printf("%s %.2f\n", operations[i].name, us);
    }
    MPI_Finalize();
    return 0;
}
