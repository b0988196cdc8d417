/* SPDX-License-Identifier: BSD-3-Clause */
/* exchanges N: what a message of a rank to itself takes, in ns: blocking, and with two requests. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double *data, *room;              /* on main's stack */

static void blocking(void)
{
    MPI_Sendrecv(data, 1, MPI_DOUBLE, 0, 0, room, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void with_requests(void)
{
    MPI_Request requests[2];
    MPI_Irecv(room, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(data, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static double ns_of(void (*exchange)(void), int n)
{
    const double start = MPI_Wtime();
    for (int i = 0; i < n; i++)
        exchange();
    return (MPI_Wtime() - start) * 1e9 / n;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1;
    double sent[1] = {1}, received[1];
    data = sent;
    room = received;
    MPI_Init(&argc, &argv);
    ns_of(blocking, n / 10 + 1);
    printf("%.1f ", ns_of(blocking, n));
    printf("%.1f\n", ns_of(with_requests, n));
    MPI_Finalize();
    return 0;
}
