/* SPDX-License-Identifier: BSD-3-Clause */
/* coexist ROUNDS WORK_NS PAIRS: in each round rank 0 works so long, sends itself so many messages, and then rank 1 one,
 * which waits for it. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void work(int64_t ns)
{
    const int64_t ends = now_ns() + ns;
    while (now_ns() < ends)
        ;
}

static void send_oneself(int i)
{
    int in = -1;
    MPI_Request both[2];
    MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &both[0]);
    MPI_Isend(&i, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    if (in != i)
        MPI_Abort(MPI_COMM_WORLD, 3);
}

int main(int argc, char **argv)
{
    int rank, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 4)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < atoi(argv[1]); i++) {
        int value = i;
        if (rank == 0) {
            work(atoll(argv[2]));
            for (int j = 0; j < atoi(argv[3]); j++)
                send_oneself(j);
            MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        } else {
            MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        sum += value;
    }
    printf("rank %d: sum %d\n", rank, sum);
    MPI_Finalize();
    return 0;
}
