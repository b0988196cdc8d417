/* SPDX-License-Identifier: BSD-3-Clause */
/* What `opener` opens: rank 0 declares 20 ms before it sends; rank 1 prints how late it is then. */
#include "tare.h"

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int run_opened(int dies);

static void exchange(int rank)
{
    for (int i = 0; i < 5; i++) {
        if (rank == 0 && i == 4) {
            usleep(60000);
            tare_overhead_add(20000000);
        }
        if (rank == 0)
            MPI_Send(&i, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        else
            MPI_Recv(&i, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int run_opened(int dies)
{
    int rank;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    exchange(rank);
    if (rank == 1)
        printf("%lld\n", (long long) tare_delay_ns());
    if (dies && rank == 1)
        raise(SIGKILL);
    MPI_Finalize();
    return 0;
}
