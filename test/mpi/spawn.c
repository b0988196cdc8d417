/* SPDX-License-Identifier: BSD-3-Clause */
/* A process and the two that it spawns. The first child keeps its parent waiting for 20 ms of overhead, then the parent keeps
 * all waiting for 30 ms more, in a collective. Each prints the delay that it has after each, and its bounds; then the same
 * with others that it spawns when these have gone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "tare_transport.h"

static const tare_transport_v1_table_t *core;

/* Measures for so long, and says so. */
static void overhead(int ms)
{
    usleep(1000 * ms);
    core->overhead_add(INT64_C(1000000) * ms, 0);
}

static void print(const char *who, const char *what)
{
    const tare_thread_t *th = core->thread();
    printf("%s %s %.0f from %.0f to %.0f\n", who, what, th->delay_ns / 1e6, th->delay_lo_ns / 1e6,
           th->delay_hi_ns / 1e6);
}

/* Leaves `other` behind. */
static void meet(MPI_Comm other, int is_child)
{
    MPI_Comm both;
    char word = 0;
    int rank, one = 1, sum = 0;
    const char *who = "parent";

    MPI_Intercomm_merge(other, is_child, &both);
    MPI_Comm_rank(both, &rank);
    if (is_child)
        who = rank == 1 ? "child" : "other child";
    MPI_Barrier(both);
    core->test_set_delay(0);
    if (rank == 1) {
        overhead(20);
        MPI_Send(&word, 1, MPI_BYTE, 0, 0, other);
    } else if (rank == 0) {
        MPI_Recv(&word, 1, MPI_BYTE, 0, 0, other, MPI_STATUS_IGNORE);
    }
    print(who, "message");
    if (rank == 0)
        overhead(30);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, both);
    print(who, "allreduce");
    fflush(stdout);
    MPI_Comm_free(&both);
    MPI_Comm_disconnect(&other);
}

int main(int argc, char **argv)
{
    MPI_Comm parent, children;

    MPI_Init(&argc, &argv);
    core = dlsym(RTLD_DEFAULT, "tare_transport_v1");
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        meet(parent, 1);
    for (int i = 0; i < 2 && parent == MPI_COMM_NULL; i++) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE);
        meet(children, 0);
    }
    MPI_Finalize();
    return 0;
}
