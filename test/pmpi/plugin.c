/* SPDX-License-Identifier: BSD-3-Clause */
/* A shared library that uses MPI, opened by a program that does not (local.c). */
#include <mpi.h>
#include <stdio.h>

int run_plugin(void)
{
    int rank, in[4] = { -1, -1, -1, -1 }, count;
    MPI_Status status;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 5; i++) {
        if (rank == 0)
            MPI_Send(&i, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        else
            MPI_Recv(in, 4, MPI_INT, 0, 1, MPI_COMM_WORLD, &status);
    }
    if (rank == 1) {
        MPI_Get_count(&status, MPI_INT, &count);
        printf("%d %d %d\n", in[0], in[1], count);
    }
    MPI_Finalize();
    return 0;
}
