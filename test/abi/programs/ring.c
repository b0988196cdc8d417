/* SPDX-License-Identifier: BSD-3-Clause */
/* A number goes round all ranks, and all learn their sum: "ring N of RANKS". Plain MPI, for any library. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, ranks, got = -1, sum = 0, count = 0;
    MPI_Status status;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &request);
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % ranks, 7, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (count != 1 || status.MPI_TAG != 7 || status.MPI_SOURCE != got)
        MPI_Abort(MPI_COMM_WORLD, 3);
    printf("ring %d of %d\n", sum, ranks);
    return MPI_Finalize();
}
