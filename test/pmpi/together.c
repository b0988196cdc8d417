/* SPDX-License-Identifier: BSD-3-Clause */
/* together: who leaves an operation later than the first process, by construction: rank 1 alone takes long in the
 * reduction, which each of two processes makes for itself. As first argument
 *     works       it works for 2 ms, 20 times, in MPI_Allreduce
 *     probes      it calls MPI_Initialized instead, which the tests slow down by TARE_INJECT
 *     comms       the same on many communicators, and on one whose handle is another one's
 *     paused      rank 0 is not measured in every other operation
 *     alone       operations of one process
 *     other       operations that nothing is known of: between two groups, nonblocking, of what was opened
 *     all         each operation once
 *     stays       as works, then rank 1 kills itself */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { times = 20, most = 64 };

static int rank, probes;

static void reduce(void *in, void *inout, int *count, MPI_Datatype * type)
{
    const double until = MPI_Wtime() + 0.002;
    int flag;
    (void) type;
    for (int i = 0; i < *count; i++)
        ((int *) inout)[i] += ((int *) in)[i];
    if (rank != 1)
        return;
    if (probes)
        MPI_Initialized(&flag);
    else
        while (MPI_Wtime() < until)
            continue;
}

static void all_reduce(MPI_Op op, MPI_Comm comm)
{
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, op, comm);
    if (sum != 2)
        MPI_Abort(comm, 1);
}

static void reduce_often(MPI_Op op)
{
    for (int i = 0; i < times; i++)
        all_reduce(op, MPI_COMM_WORLD);
}

/* Duplicates, with operations between; then one is freed, and the next may have its handle. */
static void on_many(MPI_Op op)
{
    MPI_Comm comms[times], split;
    for (int i = 0; i < times; i++)
        MPI_Comm_dup(i == 0 ? MPI_COMM_WORLD : comms[i - 1], &comms[i]);
    for (int i = 0; i < times; i++)
        all_reduce(op, comms[i]);
    for (int i = 0; i < times; i++)
        MPI_Comm_free(&comms[i]);
    for (int i = 0; i < times; i++) {
        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &split);
        all_reduce(op, split);
        MPI_Comm_free(&split);
    }
}

static void pause_often(MPI_Op op)
{
    for (int i = 0; i < times; i++) {
        if (rank == 0)
            MPI_Pcontrol(i % 2);
        all_reduce(op, MPI_COMM_WORLD);
    }
    MPI_Pcontrol(1);
}

static void alone(MPI_Op op)
{
    int one = 1, sum;
    for (int i = 0; i < times; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_SELF);
}

static void others(MPI_Op op)
{
    MPI_Comm half, inter;
    MPI_Request request;
    int one = 1, sum;
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank, 0, &inter);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, op, inter);
    MPI_Barrier(inter);
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

static void each(MPI_Op op)
{
    int out[most] = { 0 }, in[most], counts[most], displs[most];
    MPI_Datatype types[most];
    for (int i = 0; i < most; i++) {
        counts[i] = 1;
        displs[i] = i;
        types[i] = MPI_INT;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Allgather(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgatherv(out, 1, MPI_INT, in, counts, displs, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallv(out, counts, displs, MPI_INT, in, counts, displs, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < most; i++)
        displs[i] = i * (int) sizeof(int);
    MPI_Alltoallw(out, counts, displs, types, in, counts, displs, types, MPI_COMM_WORLD);
    MPI_Allreduce(out, in, 1, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Reduce_scatter(out, in, counts, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(out, in, 1, MPI_INT, op, MPI_COMM_WORLD);
}

static void stay(MPI_Op op)
{
    reduce_often(op);
    if (rank == 1)
        raise(SIGKILL);
    sleep(60);
}

static const struct {
    const char *name;
    void (*play) (MPI_Op op);
} scenes[] = {
    {"works", reduce_often}, {"probes", reduce_often}, {"comms", on_many}, {"paused", pause_often}, {"alone", alone},
    {"other", others}, {"all", each}, {"stays", stay}
};

int main(int argc, char **argv)
{
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op_create(reduce, 1, &op);
    probes = argc > 1 && strcmp(argv[1], "probes") == 0;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (argc > 1 && strcmp(argv[1], scenes[i].name) == 0)
            scenes[i].play(op);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
