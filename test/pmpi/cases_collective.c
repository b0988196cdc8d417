/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_IN_PLACE. */
#include "cases.h"

static int *four(int a, int b, int c, int d)
{
    int *p = room(4 * sizeof *p);
    p[0] = a, p[1] = b, p[2] = c, p[3] = d;
    return p;
}

#define EXPECT_FOUR(p, a, b, c, d) EXPECT((p)[0] == (a) && (p)[1] == (b) && (p)[2] == (c) && (p)[3] == (d))

static void in_place_reductions(void)
{
    const MPI_Comm w = MPI_COMM_WORLD;
    const int r = rank;
    int *p = four(r, 2 * r, 5, 6);
    MPI_Allreduce(MPI_IN_PLACE, p, 4, MPI_INT, MPI_SUM, w);
    EXPECT_FOUR(p, 1, 2, 10, 12);
    p = four(r, 7, 8, 9);
    MPI_Reduce(r == 1 ? MPI_IN_PLACE : p, r == 1 ? p : NULL, 4, MPI_INT, MPI_MAX, 1, w);
    EXPECT_FOUR(p, r, 7, 8, 9);
    p = four(r + 1, 1, 1, 1);
    MPI_Scan(MPI_IN_PLACE, p, 4, MPI_INT, MPI_SUM, w);
    EXPECT_FOUR(p, r == 0 ? 1 : 3, r + 1, r + 1, r + 1);
    p = four(r + 1, 1, 1, 1);
    MPI_Exscan(MPI_IN_PLACE, p, 4, MPI_INT, MPI_SUM, w);
    EXPECT(r == 0 || p[0] == 1);
    p = four(1, 2, 3, 4);
    MPI_Reduce_scatter_block(MPI_IN_PLACE, p, 2, MPI_INT, MPI_SUM, w);
    EXPECT(p[0] == (r == 0 ? 2 : 6) && p[1] == (r == 0 ? 4 : 8));
    const int counts[2] = { 1, 3 };
    p = four(1, 2, 3, 4);
    MPI_Reduce_scatter(MPI_IN_PLACE, p, counts, MPI_INT, MPI_SUM, w);
    EXPECT(p[0] == (r == 0 ? 2 : 4) && (r == 0 || p[2] == 8));
}

static void in_place_gathers(void)
{
    const MPI_Comm w = MPI_COMM_WORLD;
    const int r = rank, counts[2] = { 1, 3 }, places[2] = { 0, 1 };
    int *p = r == 0 ? four(1, 2, 0, 0) : four(0, 0, 3, 4);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, p, 2, MPI_INT, w);
    EXPECT_FOUR(p, 1, 2, 3, 4);
    p = r == 0 ? four(1, 0, 0, 0) : four(0, 2, 3, 4);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, p, counts, places, MPI_INT, w);
    EXPECT_FOUR(p, 1, 2, 3, 4);
    p = r == 0 ? four(1, 2, 0, 0) : four(3, 4, 0, 0);
    MPI_Gather(r == 0 ? MPI_IN_PLACE : p, 2, MPI_INT, p, 2, MPI_INT, 0, w);
    EXPECT(r == 1 || (p[0] == 1 && p[1] == 2 && p[2] == 3 && p[3] == 4));
    p = r == 0 ? four(1, 0, 0, 0) : four(2, 3, 4, 0);
    MPI_Gatherv(r == 0 ? MPI_IN_PLACE : p, counts[r], MPI_INT, p, counts, places, MPI_INT, 0, w);
    EXPECT(r == 1 || (p[0] == 1 && p[1] == 2 && p[2] == 3 && p[3] == 4));
    p = four(10 + r, 20 + r, 30 + r, 40 + r);
    MPI_Scatter(p, 2, MPI_INT, r == 0 ? MPI_IN_PLACE : p, 2, MPI_INT, 0, w);
    EXPECT_FOUR(p, r == 0 ? 10 : 30, r == 0 ? 20 : 40, 30 + r, 40 + r);
}

static void in_place_exchanges(void)
{
    const MPI_Comm w = MPI_COMM_WORLD;
    const int r = rank, counts[2] = { 2, 2 }, places[2] = { 0, 2 }, byte_places[2] = { 0, 2 * sizeof(int) };
    const MPI_Datatype types[2] = { MPI_INT, MPI_INT };
    for (int kind = 0; kind < 3; kind++) {
        int *p = four(10 * r, 10 * r + 1, 10 * r + 2, 10 * r + 3);
        if (kind == 0)
            MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, p, 2, MPI_INT, w);
        if (kind == 1)
            MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, p, counts, places, MPI_INT, w);
        if (kind == 2)
            MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, p, counts, byte_places, types, w);
        if (r == 0)
            EXPECT_FOUR(p, 0, 1, 10, 11);
        else
            EXPECT_FOUR(p, 2, 3, 12, 13);
    }
}

static void in_place_nonblocking(void)
{
    const MPI_Comm w = MPI_COMM_WORLD;
    const int r = rank;
    int *sum = four(r, 1, 2, 3), *all = r == 0 ? four(1, 2, 0, 0) : four(0, 0, 3, 4);
    int *exchanged = four(10 * r, 10 * r + 1, 10 * r + 2, 10 * r + 3);
    MPI_Request requests[3];
    MPI_Iallreduce(MPI_IN_PLACE, sum, 4, MPI_INT, MPI_SUM, w, &requests[0]);
    MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 2, MPI_INT, w, &requests[1]);
    MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, exchanged, 2, MPI_INT, w, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    EXPECT_FOUR(sum, 1, 2, 4, 6);
    EXPECT_FOUR(all, 1, 2, 3, 4);
    EXPECT(exchanged[0] == (r == 0 ? 0 : 2) && exchanged[3] == (r == 0 ? 11 : 13));
}

const test_case_t collective_cases[] = {
    { "in_place_reductions", in_place_reductions, "MPI_IN_PLACE" }, { "in_place_gathers", in_place_gathers, NULL },
    { "in_place_exchanges", in_place_exchanges, NULL }, { "in_place_nonblocking", in_place_nonblocking, NULL },
    { NULL, NULL, NULL },
};
