/* SPDX-License-Identifier: BSD-3-Clause */
/* collectives: every collective operation of OTF2's, blocking and nonblocking, and where the MPI library has them
 * persistent. did.RANK has a line for each event that the rank's trace must have: its operation, communicator, root, and the
 * bytes sent and received, each counted once for each process that they go to or come from. Neighbours are those that are
 * there. collectives.py prints the same of a trace. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>

enum { most = 8 };
static FILE *out;
static int rank, size, root;
static int data[64 * most], room[64 * most], counts[most], places[most];
static MPI_Datatype types[most];
static const char *form;         /* what comes before the operation in did.RANK */

/* Counts of rank i are i + 1. */
static int own(void) { return 4 * (rank + 1); }

static int all(void) { return 4 * size * (size + 1) / 2; }

static void did(const char *operation, int of_root, int sent, int received)
{
    char text[16] = "NONE";
    if (of_root >= 0)
        snprintf(text, sizeof text, "%d", of_root);
    fprintf(out, "%s%s %s %d %d\n", form, operation, text, sent, received);
}

static int at_root(int bytes) { return rank == root ? bytes : 0; }

/* Of one that is complete, or of each that is started and completed. */
static void did_all(void)
{
    did("BARRIER", -1, 0, 0);
    did("BCAST", root, at_root(12 * size), 12);
    did("GATHER", root, 8, at_root(8 * size));
    did("GATHERV", root, own(), at_root(all()));
    did("SCATTER", root, at_root(8 * size), 8);
    did("SCATTERV", root, at_root(all()), own());
    did("ALLGATHER", -1, 16 * size, 16 * size);
    did("ALLGATHERV", -1, own() * size, all());
    did("ALLTOALL", -1, 4 * size, 4 * size);
    did("ALLTOALLV", -1, all(), own() * size);
    did("ALLTOALLW", -1, all(), own() * size);
    did("ALLREDUCE", -1, 20 * size, 20 * size);
    did("REDUCE", root, 24, at_root(24 * size));
    did("REDUCE_SCATTER", -1, all(), own() * size);
    did("REDUCE_SCATTER_BLOCK", -1, 8 * size, 8 * size);
    did("SCAN", -1, 4 * (size - rank), 4 * (rank + 1));
    did("EXSCAN", -1, 4 * (size - rank - 1), 4 * rank);
}

static void blocking(MPI_Comm c)
{
    int of_own[most], w_counts[most], w_places[most];
    for (int i = 0; i < size; i++) {
        of_own[i] = rank + 1;
        w_counts[i] = i + 1;
        w_places[i] = 4 * places[i];
    }
    MPI_Barrier(c);
    MPI_Bcast(data, 3, MPI_INT, root, c);
    MPI_Gather(data, 2, MPI_INT, room, 2, MPI_INT, root, c);
    MPI_Gatherv(data, rank + 1, MPI_INT, room, counts, places, MPI_INT, root, c);
    MPI_Scatter(data, 2, MPI_INT, room, 2, MPI_INT, root, c);
    MPI_Scatterv(data, counts, places, MPI_INT, room, rank + 1, MPI_INT, root, c);
    MPI_Allgather(data, 4, MPI_INT, room, 4, MPI_INT, c);
    MPI_Allgatherv(data, rank + 1, MPI_INT, room, counts, places, MPI_INT, c);
    MPI_Alltoall(data, 1, MPI_INT, room, 1, MPI_INT, c);
    MPI_Alltoallv(data, counts, places, MPI_INT, room, of_own, places, MPI_INT, c);
    MPI_Alltoallw(data, w_counts, w_places, types, room, of_own, w_places, types, c);
    MPI_Allreduce(data, room, 5, MPI_INT, MPI_SUM, c);
    MPI_Reduce(data, room, 6, MPI_INT, MPI_SUM, root, c);
    MPI_Reduce_scatter(data, room, counts, MPI_INT, MPI_SUM, c);
    MPI_Reduce_scatter_block(data, room, 2, MPI_INT, MPI_SUM, c);
    MPI_Scan(data, room, 1, MPI_INT, MPI_SUM, c);
    MPI_Exscan(data, room, 1, MPI_INT, MPI_SUM, c);
    did_all();
}

/* Each waits: else buffers would be used twice. */
#define done MPI_Wait(&request, MPI_STATUS_IGNORE)
static void nonblocking(MPI_Comm c)
{
    MPI_Request request;
    int of_own[most], w_counts[most], w_places[most];
    for (int i = 0; i < size; i++) {
        of_own[i] = rank + 1;
        w_counts[i] = i + 1;
        w_places[i] = 4 * places[i];
    }
    form = "I";
    MPI_Ibarrier(c, &request), done;
    MPI_Ibcast(data, 3, MPI_INT, root, c, &request), done;
    MPI_Igather(data, 2, MPI_INT, room, 2, MPI_INT, root, c, &request), done;
    MPI_Igatherv(data, rank + 1, MPI_INT, room, counts, places, MPI_INT, root, c, &request), done;
    MPI_Iscatter(data, 2, MPI_INT, room, 2, MPI_INT, root, c, &request), done;
    MPI_Iscatterv(data, counts, places, MPI_INT, room, rank + 1, MPI_INT, root, c, &request), done;
    MPI_Iallgather(data, 4, MPI_INT, room, 4, MPI_INT, c, &request), done;
    MPI_Iallgatherv(data, rank + 1, MPI_INT, room, counts, places, MPI_INT, c, &request), done;
    MPI_Ialltoall(data, 1, MPI_INT, room, 1, MPI_INT, c, &request), done;
    MPI_Ialltoallv(data, counts, places, MPI_INT, room, of_own, places, MPI_INT, c, &request), done;
    MPI_Ialltoallw(data, w_counts, w_places, types, room, of_own, w_places, types, c, &request), done;
    MPI_Iallreduce(data, room, 5, MPI_INT, MPI_SUM, c, &request), done;
    MPI_Ireduce(data, room, 6, MPI_INT, MPI_SUM, root, c, &request), done;
    MPI_Ireduce_scatter(data, room, counts, MPI_INT, MPI_SUM, c, &request), done;
    MPI_Ireduce_scatter_block(data, room, 2, MPI_INT, MPI_SUM, c, &request), done;
    MPI_Iscan(data, room, 1, MPI_INT, MPI_SUM, c, &request), done;
    MPI_Iexscan(data, room, 1, MPI_INT, MPI_SUM, c, &request), done;
    did_all();
    form = "";
}

static void persistent(MPI_Comm c)
{
#if MPI_VERSION >= 4
    MPI_Request requests[2];
    form = "I";
    MPI_Bcast_init(data, 3, MPI_INT, root, c, MPI_INFO_NULL, &requests[0]);
    MPI_Allreduce_init(data + 8, room, 5, MPI_INT, MPI_SUM, c, MPI_INFO_NULL, &requests[1]);
    for (int i = 0; i < 2; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        did("BCAST", root, at_root(12 * size), 12);
        did("ALLREDUCE", -1, 20 * size, 20 * size);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    form = "";
#else
    (void) c;
#endif
}

/* The own data go nowhere. */
static void in_place(MPI_Comm c)
{
    MPI_Allreduce(MPI_IN_PLACE, room, 5, MPI_INT, MPI_SUM, c);
    did("ALLREDUCE", -1, 20 * size, 20 * size);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, room, 4, MPI_INT, c);
    did("ALLGATHER", -1, 16 * (size - 1), 16 * (size - 1));
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, room, 4, MPI_INT, c);
    did("ALLTOALL", -1, 16 * (size - 1), 16 * (size - 1));
    if (rank == root)
        MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, room, 2, MPI_INT, root, c);
    else
        MPI_Gather(data, 2, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, root, c);
    did("GATHER", root, rank == root ? 0 : 8, at_root(8 * (size - 1)));
}

/* On a line of ranks, whose ends have one neighbour, and on a ring whose ranks have one before them and one behind. */
static void neighbours(MPI_Comm line, int near)
{
    const int v[2] = {1, 1}, w_places[2] = {0, 4};
    const MPI_Aint a_places[2] = {0, 4};
    const MPI_Datatype two_types[2] = {MPI_INT, MPI_INT};
    MPI_Request request;
    MPI_Neighbor_allgather(data, 2, MPI_INT, room, 2, MPI_INT, line);
    did("ALLGATHER", -1, 8 * near, 8 * near);
    MPI_Neighbor_allgatherv(data, 1, MPI_INT, room, v, w_places, MPI_INT, line);
    did("ALLGATHERV", -1, 4 * near, 4 * near);
    MPI_Neighbor_alltoall(data, 3, MPI_INT, room, 3, MPI_INT, line);
    did("ALLTOALL", -1, 12 * near, 12 * near);
    MPI_Neighbor_alltoallv(data, v, w_places, MPI_INT, room, v, w_places, MPI_INT, line);
    did("ALLTOALLV", -1, 4 * near, 4 * near);
    MPI_Neighbor_alltoallw(data, v, a_places, two_types, room, v, a_places, two_types, line);
    did("ALLTOALLW", -1, 4 * near, 4 * near);
    form = "I";
    MPI_Ineighbor_allgather(data, 2, MPI_INT, room, 2, MPI_INT, line, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    did("ALLGATHER", -1, 8 * near, 8 * near);
    MPI_Ineighbor_alltoallv(data, v, w_places, MPI_INT, room, v, w_places, MPI_INT, line, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    did("ALLTOALLV", -1, 4 * near, 4 * near);
    form = "";
}

static void with_neighbours(void)
{
    const int length = size, open_end = 0, before = (rank + size - 1) % size, behind = (rank + 1) % size;
    MPI_Comm line, ring;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &length, &open_end, 0, &line);
    neighbours(line, (rank > 0) + (rank < size - 1));
    MPI_Comm_free(&line);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &behind, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &ring);
    neighbours(ring, 1);
    MPI_Comm_free(&ring);
}

int main(int argc, char **argv)
{
    char file[32];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    root = size - 1;
    form = "";
    for (int i = 0; i < size; i++) {
        counts[i] = i + 1;
        places[i] = 8 * i;
        types[i] = MPI_INT;
    }
    snprintf(file, sizeof file, "did.%d", rank);
    out = fopen(file, "w");
    if (out == NULL || size > most)
        MPI_Abort(MPI_COMM_WORLD, 1);
    blocking(MPI_COMM_WORLD);
    nonblocking(MPI_COMM_WORLD);
    persistent(MPI_COMM_WORLD);
    in_place(MPI_COMM_WORLD);
    with_neighbours();
    fclose(out);
    MPI_Finalize();
    return 0;
}
