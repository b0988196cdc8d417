/* SPDX-License-Identifier: BSD-3-Clause */
/* buffers: calls whose memory is known. did.RANK has a line for each event of the rank's trace that has buffers, in that
 * order, as buffers.py prints them; lines.RANK the source line of each of its calls in this file, by function. With an
 * argument rank 1 is killed at the end. */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { two = 2 };
static FILE *out, *lines;
static int rank, other;
static double field[100], halo[100];
static int numbers[64], more[64];

static void reads(const char *event, const void *from, long span, const char *type)
{
    fprintf(out, "%s reads %p %ld %s\n", event, from, span, type);
}

static void writes(const char *event, const void *to, long span, const char *type)
{
    fprintf(out, "%s writes %p %ld %s\n", event, to, span, type);
}

static void does_both(const char *event, const void *from, long span, const char *type, const void *to, long to_span,
                      const char *to_type)
{
    fprintf(out, "%s reads %p %ld %s writes %p %ld %s\n", event, from, span, type, to, to_span, to_type);
}

/* CALL(Send, ...): and where it is. */
#define CALL(name, ...) (fprintf(lines, "MPI_" #name " %s %d\n", __func__, __LINE__), MPI_##name(__VA_ARGS__))

static void messages(void)
{
    if (rank == 0) {
        CALL(Send, numbers, 10, MPI_INT, other, 0, MPI_COMM_WORLD);
        reads("MpiSend", numbers, 40, "MPI_INT");
    } else {
        CALL(Recv, numbers, 64, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        writes("MpiRecv", numbers, 256, "MPI_INT");
    }
    CALL(Sendrecv, numbers, 1, MPI_INT, other, 1, more, 2, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    reads("MpiSend", numbers, 4, "MPI_INT");
    writes("MpiRecv", more, 8, "MPI_INT");
    CALL(Sendrecv_replace, more, 2, MPI_INT, other, 2, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    reads("MpiSend", more, 8, "MPI_INT");
    writes("MpiRecv", more, 8, "MPI_INT");
    CALL(Send, numbers, 10, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    CALL(Send, NULL, 0, MPI_INT, other, 3, MPI_COMM_WORLD);
    CALL(Recv, numbers, 10, MPI_INT, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    writes("MpiRecv", numbers, 40, "MPI_INT");
}

static void requests(void)
{
    MPI_Request both[two];
    CALL(Irecv, halo, 10, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &both[0]);
    writes("MpiIrecvRequest", halo, 80, "MPI_DOUBLE");
    CALL(Isend, field + 5, 10, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &both[1]);
    reads("MpiIsend", field + 5, 80, "MPI_DOUBLE");
    CALL(Waitall, two, both, MPI_STATUSES_IGNORE);
    CALL(Recv_init, halo, 4, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &both[0]);
    writes("Leave MPI_Recv_init", halo, 32, "MPI_DOUBLE");
    CALL(Send_init, field, 4, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &both[1]);
    reads("Leave MPI_Send_init", field, 32, "MPI_DOUBLE");
    for (int i = 0; i < 2; i++) {
        CALL(Startall, two, both);
        writes("MpiIrecvRequest", halo, 32, "MPI_DOUBLE");
        reads("MpiIsend", field, 32, "MPI_DOUBLE");
        CALL(Waitall, two, both, MPI_STATUSES_IGNORE);
    }
    CALL(Request_free, &both[0]);
    CALL(Request_free, &both[1]);
}

static void send_and_receive(MPI_Datatype type, void *from, long span, const char *text)
{
    CALL(Type_commit, &type);
    CALL(Sendrecv, from, 1, type, other, 1, halo, 100, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    reads("MpiSend", from, span, text);
    writes("MpiRecv", halo, 800, "MPI_DOUBLE");
    CALL(Type_free, &type);
}

/* Handles come again when their types are freed. */
static void types(void)
{
    MPI_Datatype type, inner;
    CALL(Type_contiguous, 2, MPI_DOUBLE, &type);
    send_and_receive(type, field, 16, "contiguous(2;;MPI_DOUBLE)");
    CALL(Type_contiguous, 3, MPI_DOUBLE, &type);
    send_and_receive(type, field, 24, "contiguous(3;;MPI_DOUBLE)");
    CALL(Type_vector, 3, 2, 4, MPI_DOUBLE, &type);
    send_and_receive(type, field + 1, 80, "vector(3,2,4;;MPI_DOUBLE)");
    CALL(Type_vector, 3, 1, -4, MPI_DOUBLE, &type);
    CALL(Type_commit, &type);
    CALL(Sendrecv, field + 8, 1, type, other, 1, halo, 100, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    reads("MpiSend", field, 72, "vector(3,1,-4;;MPI_DOUBLE)");
    writes("MpiRecv", halo, 800, "MPI_DOUBLE");
    CALL(Type_free, &type);
    CALL(Type_create_hvector, 2, 1, 24, MPI_INT, &inner);
    CALL(Type_create_resized, inner, 0, 48, &type);
    CALL(Type_free, &inner);
    send_and_receive(type, field, 28, "resized(;0,48;hvector(2,1;24;MPI_INT))");
#if MPI_VERSION >= 4
    CALL(Type_contiguous_c, 2, MPI_DOUBLE, &inner);
    CALL(Type_vector_c, 3, 1, 2, inner, &type);
    CALL(Type_free, &inner);
    send_and_receive(type, field, 80, "vector(3,1,2;;contiguous(2;;MPI_DOUBLE))");
#endif
}

static void collectives(void)
{
    const int counts[two] = {1, 2}, displs[two] = {4, 0};
    MPI_Request request;
    CALL(Bcast, numbers, 4, MPI_INT, 1, MPI_COMM_WORLD);
    if (rank == 1)
        reads("MpiCollectiveEnd", numbers, 16, "MPI_INT");
    else
        writes("MpiCollectiveEnd", numbers, 16, "MPI_INT");
    CALL(Allgather, numbers, 4, MPI_INT, more, 4, MPI_INT, MPI_COMM_WORLD);
    does_both("MpiCollectiveEnd", numbers, 16, "MPI_INT", more, 32, "MPI_INT");
    CALL(Allreduce, MPI_IN_PLACE, more, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    does_both("MpiCollectiveEnd", more, 16, "MPI_INT", more, 16, "MPI_INT");
    CALL(Gatherv, numbers, rank + 1, MPI_INT, more, counts, displs, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        does_both("MpiCollectiveEnd", numbers, 4, "MPI_INT", more, 20, "MPI_INT");
    else
        reads("MpiCollectiveEnd", numbers, 8, "MPI_INT");
    CALL(Scatter, numbers, 3, MPI_INT, rank == 0 ? MPI_IN_PLACE : (void *) more, 3, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        reads("MpiCollectiveEnd", numbers, 24, "MPI_INT");
    else
        writes("MpiCollectiveEnd", more, 12, "MPI_INT");
    CALL(Barrier, MPI_COMM_WORLD);
    CALL(Ireduce, numbers, more, 5, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD, &request);
    if (rank == 0)
        does_both("NonBlockingCollectiveRequest", numbers, 20, "MPI_INT", more, 20, "MPI_INT");
    else
        reads("NonBlockingCollectiveRequest", numbers, 20, "MPI_INT");
    CALL(Wait, &request, MPI_STATUS_IGNORE);
}

static void windows(void)
{
    MPI_Win win;
    MPI_Datatype pairs;
    CALL(Type_vector, 2, 2, 4, MPI_DOUBLE, &pairs);
    CALL(Type_commit, &pairs);
    CALL(Win_create, halo, sizeof halo, sizeof *halo, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    writes("RmaWinCreate unit 8", halo, sizeof halo, "-");
    CALL(Win_fence, 0, win);
    CALL(Put, field, 4, MPI_DOUBLE, other, 7, 1, pairs, win);
    reads("RmaPut at 7+0 48 vector(2,2,4;;MPI_DOUBLE)", field, 32, "MPI_DOUBLE");
    CALL(Get, field + 10, 2, MPI_DOUBLE, other, 50, 2, MPI_DOUBLE, win);
    writes("RmaGet at 50+0 16 MPI_DOUBLE", field + 10, 16, "MPI_DOUBLE");
    CALL(Fetch_and_op, field, field + 20, MPI_DOUBLE, other, 60, MPI_SUM, win);
    does_both("RmaAtomic at 60+0 8 MPI_DOUBLE", field, 8, "MPI_DOUBLE", field + 20, 8, "MPI_DOUBLE");
    CALL(Win_fence, 0, win);
    CALL(Win_free, &win);
    CALL(Type_free, &pairs);
}

static void packing(void)
{
    char packed[100];
    int position = 8;
    CALL(Pack, numbers, 3, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
    does_both("Leave MPI_Pack", numbers, 12, "MPI_INT", packed + 8, position - 8, "-");
    const int end = position;
    position = 8;
    CALL(Unpack, packed, end, &position, more, 3, MPI_INT, MPI_COMM_WORLD);
    does_both("Leave MPI_Unpack", packed + 8, end - 8, "-", more, 12, "MPI_INT");
}

int main(int argc, char **argv)
{
    char name[20];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    snprintf(name, sizeof name, "did.%d", rank);
    out = fopen(name, "w");
    snprintf(name, sizeof name, "lines.%d", rank);
    lines = fopen(name, "w");
    if (out == NULL || lines == NULL)
        return 2;
    messages();
    requests();
    types();
    collectives();
    windows();
    packing();
    fclose(out);
    fclose(lines);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1 && rank == 1)
        raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
