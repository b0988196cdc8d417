/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of two ranks for comparisons: steps STEPS [EXTRA].
 *
 * Each step is the same fixed amount of arithmetic on rank 0, in step(), and a message to rank 1. With EXTRA, rank 0
 * also calls extra(). */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

static volatile uint64_t result;

static __attribute__((no_instrument_function)) void compute(void)
{
    uint64_t x = result;
    for (int i = 0; i < 1000000; i++) {
        x = x * UINT64_C(6364136223846793005) + 1;
        __asm__ volatile("" : "+r"(x));
    }
    result = x;
}

__attribute__((noinline)) void step(int rank)
{
    int message = 0;
    if (rank == 1) {
        MPI_Recv(&message, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    compute();
    MPI_Send(&message, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
}

__attribute__((noinline)) void extra(void) { compute(); }

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < atoi(argv[1]); i++)
        step(rank);
    if (argc > 2 && rank == 0)
        extra();
    return MPI_Finalize();
}
