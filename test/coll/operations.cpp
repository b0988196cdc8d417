// SPDX-License-Identifier: BSD-3-Clause
#include "operations.hpp"

namespace coll {

namespace {

constexpr int room = most_ranks * most_ranks * large_count;
int from[room], to[room];
int counts[most_ranks], displacements[most_ranks], byte_displacements[most_ranks];
MPI_Datatype types[most_ranks];

// Equal counts, for the calls that take one for each rank.
void fill(int n, int count)
{
    for (int i = 0; i < n; i++) {
        counts[i] = count;
        displacements[i] = i * count;
        byte_displacements[i] = displacements[i] * static_cast<int>(sizeof(int));
        types[i] = MPI_INT;
    }
}

const void *source(const arguments &a) { return a.in_place ? MPI_IN_PLACE : from; }
const void *source_at_root(const arguments &a) { return a.in_place && a.is_root ? MPI_IN_PLACE : from; }
void *target_at_root(const arguments &a) { return a.in_place && a.is_root ? MPI_IN_PLACE : to; }

int barrier(const arguments &a, MPI_Request *r) { return r ? MPI_Ibarrier(a.comm, r) : MPI_Barrier(a.comm); }

int bcast(const arguments &a, MPI_Request *r)
{
    return r ? MPI_Ibcast(from, a.count, MPI_INT, a.root, a.comm, r) : MPI_Bcast(from, a.count, MPI_INT, a.root, a.comm);
}

int gather(const arguments &a, MPI_Request *r)
{
    const void *s = source_at_root(a);
    return r ? MPI_Igather(s, a.count, MPI_INT, to, a.count, MPI_INT, a.root, a.comm, r)
             : MPI_Gather(s, a.count, MPI_INT, to, a.count, MPI_INT, a.root, a.comm);
}

int gatherv(const arguments &a, MPI_Request *r)
{
    const void *s = source_at_root(a);
    fill(a.peers, a.count);
    return r ? MPI_Igatherv(s, a.count, MPI_INT, to, counts, displacements, MPI_INT, a.root, a.comm, r)
             : MPI_Gatherv(s, a.count, MPI_INT, to, counts, displacements, MPI_INT, a.root, a.comm);
}

int scatter(const arguments &a, MPI_Request *r)
{
    void *t = target_at_root(a);
    return r ? MPI_Iscatter(from, a.count, MPI_INT, t, a.count, MPI_INT, a.root, a.comm, r)
             : MPI_Scatter(from, a.count, MPI_INT, t, a.count, MPI_INT, a.root, a.comm);
}

int scatterv(const arguments &a, MPI_Request *r)
{
    void *t = target_at_root(a);
    fill(a.peers, a.count);
    return r ? MPI_Iscatterv(from, counts, displacements, MPI_INT, t, a.count, MPI_INT, a.root, a.comm, r)
             : MPI_Scatterv(from, counts, displacements, MPI_INT, t, a.count, MPI_INT, a.root, a.comm);
}

int allgather(const arguments &a, MPI_Request *r)
{
    return r ? MPI_Iallgather(source(a), a.count, MPI_INT, to, a.count, MPI_INT, a.comm, r)
             : MPI_Allgather(source(a), a.count, MPI_INT, to, a.count, MPI_INT, a.comm);
}

int allgatherv(const arguments &a, MPI_Request *r)
{
    fill(a.peers, a.count);
    return r ? MPI_Iallgatherv(source(a), a.count, MPI_INT, to, counts, displacements, MPI_INT, a.comm, r)
             : MPI_Allgatherv(source(a), a.count, MPI_INT, to, counts, displacements, MPI_INT, a.comm);
}

int alltoall(const arguments &a, MPI_Request *r)
{
    return r ? MPI_Ialltoall(source(a), a.count, MPI_INT, to, a.count, MPI_INT, a.comm, r)
             : MPI_Alltoall(source(a), a.count, MPI_INT, to, a.count, MPI_INT, a.comm);
}

int alltoallv(const arguments &a, MPI_Request *r)
{
    fill(a.peers, a.count);
    return r ? MPI_Ialltoallv(source(a), counts, displacements, MPI_INT, to, counts, displacements, MPI_INT, a.comm, r)
             : MPI_Alltoallv(source(a), counts, displacements, MPI_INT, to, counts, displacements, MPI_INT, a.comm);
}

int alltoallw(const arguments &a, MPI_Request *r)
{
    const int *d = byte_displacements;
    fill(a.peers, a.count);
    return r ? MPI_Ialltoallw(source(a), counts, d, types, to, counts, d, types, a.comm, r)
             : MPI_Alltoallw(source(a), counts, d, types, to, counts, d, types, a.comm);
}

int reduce(const arguments &a, MPI_Request *r)
{
    const void *s = source_at_root(a);
    return r ? MPI_Ireduce(s, to, a.count, MPI_INT, a.op, a.root, a.comm, r)
             : MPI_Reduce(s, to, a.count, MPI_INT, a.op, a.root, a.comm);
}

int allreduce(const arguments &a, MPI_Request *r)
{
    return r ? MPI_Iallreduce(source(a), to, a.count, MPI_INT, a.op, a.comm, r)
             : MPI_Allreduce(source(a), to, a.count, MPI_INT, a.op, a.comm);
}

// Between two groups both reduce as much: the product of their sizes is a multiple of each.
int reduce_scatter(const arguments &a, MPI_Request *r)
{
    fill(a.size, a.count * a.peers);
    return r ? MPI_Ireduce_scatter(source(a), to, counts, MPI_INT, a.op, a.comm, r)
             : MPI_Reduce_scatter(source(a), to, counts, MPI_INT, a.op, a.comm);
}

int reduce_scatter_block(const arguments &a, MPI_Request *r)
{
    return r ? MPI_Ireduce_scatter_block(source(a), to, a.count * a.peers, MPI_INT, a.op, a.comm, r)
             : MPI_Reduce_scatter_block(source(a), to, a.count * a.peers, MPI_INT, a.op, a.comm);
}

int scan(const arguments &a, MPI_Request *r)
{
    return r ? MPI_Iscan(source(a), to, a.count, MPI_INT, a.op, a.comm, r)
             : MPI_Scan(source(a), to, a.count, MPI_INT, a.op, a.comm);
}

int exscan(const arguments &a, MPI_Request *r)
{
    return r ? MPI_Iexscan(source(a), to, a.count, MPI_INT, a.op, a.comm, r)
             : MPI_Exscan(source(a), to, a.count, MPI_INT, a.op, a.comm);
}

int neighbor_allgather(const arguments &a, MPI_Request *r)
{
    return r ? MPI_Ineighbor_allgather(from, a.count, MPI_INT, to, a.count, MPI_INT, a.comm, r)
             : MPI_Neighbor_allgather(from, a.count, MPI_INT, to, a.count, MPI_INT, a.comm);
}

int neighbor_allgatherv(const arguments &a, MPI_Request *r)
{
    fill(2, a.count);
    return r ? MPI_Ineighbor_allgatherv(from, a.count, MPI_INT, to, counts, displacements, MPI_INT, a.comm, r)
             : MPI_Neighbor_allgatherv(from, a.count, MPI_INT, to, counts, displacements, MPI_INT, a.comm);
}

int neighbor_alltoall(const arguments &a, MPI_Request *r)
{
    return r ? MPI_Ineighbor_alltoall(from, a.count, MPI_INT, to, a.count, MPI_INT, a.comm, r)
             : MPI_Neighbor_alltoall(from, a.count, MPI_INT, to, a.count, MPI_INT, a.comm);
}

int neighbor_alltoallv(const arguments &a, MPI_Request *r)
{
    fill(2, a.count);
    return r ? MPI_Ineighbor_alltoallv(from, counts, displacements, MPI_INT, to, counts, displacements, MPI_INT, a.comm, r)
             : MPI_Neighbor_alltoallv(from, counts, displacements, MPI_INT, to, counts, displacements, MPI_INT, a.comm);
}

int neighbor_alltoallw(const arguments &a, MPI_Request *r)
{
    static MPI_Aint d[2];
    fill(2, a.count);
    d[1] = byte_displacements[1];
    return r ? MPI_Ineighbor_alltoallw(from, counts, d, types, to, counts, d, types, a.comm, r)
             : MPI_Neighbor_alltoallw(from, counts, d, types, to, counts, d, types, a.comm);
}

}  // namespace

const operation operations[] = {
    {"BARRIER", barrier, needs::all, true, false, false},
    {"BCAST", bcast, needs::of_root, true, false, false},
    {"GATHER", gather, needs::by_root, true, true, false},
    {"GATHERV", gatherv, needs::by_root, true, true, false},
    {"SCATTER", scatter, needs::of_root, true, true, false},
    {"SCATTERV", scatterv, needs::of_root, true, true, false},
    {"ALLGATHER", allgather, needs::all, true, true, false},
    {"ALLGATHERV", allgatherv, needs::all, true, true, false},
    {"ALLTOALL", alltoall, needs::all, true, true, false},
    {"ALLTOALLV", alltoallv, needs::all, true, true, false},
    {"ALLTOALLW", alltoallw, needs::all, true, true, false},
    {"REDUCE", reduce, needs::by_root, true, true, true},
    {"ALLREDUCE", allreduce, needs::all, true, true, true},
    {"REDUCE_SCATTER", reduce_scatter, needs::all, true, true, true},
    {"REDUCE_SCATTER_BLOCK", reduce_scatter_block, needs::all, true, true, true},
    {"SCAN", scan, needs::up_to_here, false, true, true},
    {"EXSCAN", exscan, needs::up_to_here, false, true, true},
    {"NEIGHBOR_ALLGATHER", neighbor_allgather, needs::neighbors, false, false, false},
    {"NEIGHBOR_ALLGATHERV", neighbor_allgatherv, needs::neighbors, false, false, false},
    {"NEIGHBOR_ALLTOALL", neighbor_alltoall, needs::neighbors, false, false, false},
    {"NEIGHBOR_ALLTOALLV", neighbor_alltoallv, needs::neighbors, false, false, false},
    {"NEIGHBOR_ALLTOALLW", neighbor_alltoallw, needs::neighbors, false, false, false},
};
const int operation_count = sizeof(operations) / sizeof(operations[0]);

}  // namespace coll
