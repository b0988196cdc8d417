// SPDX-License-Identifier: BSD-3-Clause
// How data flow in a collective call, from its arguments: one function for each word `collect=` of calls.tab, which
// takes the arguments of the blocking, the nonblocking and the persistent function, large counts or not.
//
// Where a call has no data (counts of 0) nobody waits for anybody. Between two groups such a call is taken as one
// with data, unless counts are given for each edge.
#ifndef TARE_PMPI_COLLECT_HPP
#define TARE_PMPI_COLLECT_HPP

#include "bytes.hpp"
#include "collective.hpp"

namespace tare::pmpi::collect {

// --- collect.cpp ---

collective_call along(flow how, MPI_Comm comm, std::int64_t bytes, int root);
// An empty list of edges.
collective_call edges(MPI_Comm comm);
// Is this process the root, or has it one in the other group?
bool is_root(const collective_call &call, int root);
// Adds an edge unless it is to nobody or to itself.
void add(const collective_call &call, std::vector<int> &ranks, int rank, bool has_data);
// All others, or all of the other group.
void add_all(const collective_call &call, std::vector<int> &ranks, bool have_data);
int peers(const collective_call &call);
// Those that the topology of a communicator names, in its order.
struct neighbours {
    std::vector<int> sources, destinations;
};
neighbours neighbours_of(MPI_Comm comm);
// Each rank once.
collective_call tidy(collective_call call);

using bytes::size_of;
// As long as the data that one process may send.
inline collective_call long_if(std::int64_t sent, collective_call call)
{
    call.is_long = sent > short_bytes;
    return call;
}
inline bool has_data(std::int64_t count, MPI_Datatype type) { return size_of(count, type) > 0; }
// Between two groups, the arguments of those who take no part mean nothing.
inline std::int64_t size_of(int root, std::int64_t count, MPI_Datatype type)
{
    return root == MPI_PROC_NULL ? 0 : size_of(count, type);
}

// --- all to all ---

template <typename... Rest> collective_call barrier(MPI_Comm comm, const Rest &...)
{
    return along(flow::to_all, comm, 1, 0);
}

template <typename... Rest>
collective_call allgather(const void *, std::int64_t, MPI_Datatype, const void *, std::int64_t count,
                          MPI_Datatype type, MPI_Comm comm, const Rest &...)
{
    return along(flow::to_all, comm, size_of(count, type), 0);
}

template <typename... Rest>
collective_call allreduce(const void *, const void *, std::int64_t count, MPI_Datatype type, MPI_Op, MPI_Comm comm,
                          const Rest &...)
{
    return along(flow::to_all, comm, size_of(count, type), 0);
}

// --- rooted, and scans ---

template <typename... Rest>
collective_call bcast(const void *, std::int64_t count, MPI_Datatype type, int root, MPI_Comm comm, const Rest &...)
{
    const std::int64_t sent = size_of(root, count, type);
    return long_if(sent, along(flow::from_root, comm, sent, root));
}

template <typename... Rest>
collective_call reduce(const void *, const void *, std::int64_t count, MPI_Datatype type, MPI_Op, int root,
                       MPI_Comm comm, const Rest &...)
{
    return along(flow::to_root, comm, size_of(root, count, type), root);
}

template <typename... Rest>
collective_call gather(const void *, std::int64_t sendcount, MPI_Datatype sendtype, const void *,
                       std::int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, const Rest &...)
{
    const bool receives = is_root(edges(comm), root);
    return along(flow::to_root, comm,
                 receives ? size_of(root, recvcount, recvtype) : size_of(root, sendcount, sendtype), root);
}

template <typename... Rest>
collective_call scatter(const void *, std::int64_t sendcount, MPI_Datatype sendtype, const void *,
                        std::int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, const Rest &...)
{
    const collective_call all = edges(comm);
    const std::int64_t each =
        is_root(all, root) ? size_of(root, sendcount, sendtype) : size_of(root, recvcount, recvtype);
    return long_if(each * peers(all), along(flow::from_root, comm, each, root));
}

template <typename... Rest>
collective_call scan(const void *, const void *, std::int64_t count, MPI_Datatype type, MPI_Op, MPI_Comm comm,
                     const Rest &...)
{
    return along(flow::to_later, comm, size_of(count, type), 0);
}

// --- edges as counts say ---

template <typename Counts>
bool all_positive(const collective_call &call, const Counts *counts)
{
    for (int i = 0; i < peers(call); i++)
        if (counts[i] == 0)
            return false;
    return true;
}

template <typename Counts, typename Displacements, typename... Rest>
collective_call allgatherv(const void *, std::int64_t sendcount, MPI_Datatype sendtype, const void *,
                           const Counts *recvcounts, const Displacements *, MPI_Datatype recvtype, MPI_Comm comm,
                           const Rest &...)
{
    collective_call call = edges(comm);
    if (call.comm == nullptr)
        return call;
    const bool inter = call.comm->inter;
    if (!inter && all_positive(call, recvcounts))
        return along(flow::to_all, comm, size_of(1, recvtype), 0);
    for (int i = 0; i < peers(call); i++)
        add(call, call.from, i, has_data(recvcounts[i], recvtype));
    add_all(call, call.to, inter ? has_data(sendcount, sendtype) : has_data(recvcounts[call.comm->rank], recvtype));
    return call;
}

template <typename Counts, typename... Rest>
collective_call reduce_scatter(const void *, const void *, const Counts *recvcounts, MPI_Datatype type, MPI_Op,
                               MPI_Comm comm, const Rest &...)
{
    collective_call call = edges(comm);
    if (call.comm == nullptr)
        return call;
    if (call.comm->inter || all_positive(call, recvcounts))
        return along(flow::to_all, comm, size_of(1, type), 0);
    for (int i = 0; i < peers(call); i++)
        add(call, call.to, i, has_data(recvcounts[i], type));
    add_all(call, call.from, has_data(recvcounts[call.comm->rank], type));
    return call;
}

template <typename Counts, typename Displacements, typename... Rest>
collective_call gatherv(const void *, std::int64_t sendcount, MPI_Datatype sendtype, const void *,
                        const Counts *recvcounts, const Displacements *, MPI_Datatype recvtype, int root,
                        MPI_Comm comm, const Rest &...)
{
    collective_call call = edges(comm);
    if (!is_root(call, root))
        add(call, call.to, root, root >= 0 && has_data(sendcount, sendtype));
    for (int i = 0; is_root(call, root) && i < peers(call); i++)
        add(call, call.from, i, has_data(recvcounts[i], recvtype));
    return call;
}

template <typename Counts, typename Displacements, typename... Rest>
collective_call scatterv(const void *, const Counts *sendcounts, const Displacements *, MPI_Datatype sendtype,
                         const void *, std::int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                         const Rest &...)
{
    collective_call call = edges(comm);
    if (!is_root(call, root))
        add(call, call.from, root, root >= 0 && has_data(recvcount, recvtype));
    for (int i = 0; is_root(call, root) && i < peers(call); i++)
        add(call, call.to, i, has_data(sendcounts[i], sendtype));
    return call;
}

// One type for all, or one for each.
inline MPI_Datatype type_at(MPI_Datatype type, int) { return type; }
inline MPI_Datatype type_at(const MPI_Datatype *types, int i) { return types[i]; }

// The v and the w form. With MPI_IN_PLACE as much is sent as received.
template <typename Counts, typename Displacements, typename Types, typename... Rest>
collective_call alltoallv(const void *sendbuf, const Counts *sendcounts, const Displacements *, Types sendtypes,
                          const void *, const Counts *recvcounts, const Displacements *, Types recvtypes,
                          MPI_Comm comm, const Rest &...)
{
    collective_call call = edges(comm);
    const bool in_place = sendbuf == MPI_IN_PLACE;
    for (int i = 0; i < peers(call); i++) {
        const bool gets = has_data(recvcounts[i], type_at(recvtypes, i));
        add(call, call.from, i, gets);
        add(call, call.to, i, in_place ? gets : has_data(sendcounts[i], type_at(sendtypes, i)));
    }
    return call;
}

// --- neighbourhoods ---

template <typename... Rest>
collective_call neighbor_same(const void *, std::int64_t sendcount, MPI_Datatype sendtype, const void *,
                              std::int64_t recvcount, MPI_Datatype recvtype, MPI_Comm comm, const Rest &...)
{
    collective_call call = edges(comm);
    const neighbours near = neighbours_of(comm);
    for (int source : near.sources)
        add(call, call.from, source, has_data(recvcount, recvtype));
    for (int destination : near.destinations)
        add(call, call.to, destination, has_data(sendcount, sendtype));
    return tidy(call);
}

template <typename Counts, typename Displacements, typename... Rest>
collective_call neighbor_allgatherv(const void *, std::int64_t sendcount, MPI_Datatype sendtype, const void *,
                                    const Counts *recvcounts, const Displacements *, MPI_Datatype recvtype,
                                    MPI_Comm comm, const Rest &...)
{
    collective_call call = edges(comm);
    const neighbours near = neighbours_of(comm);
    for (std::size_t i = 0; i < near.sources.size(); i++)
        add(call, call.from, near.sources[i], has_data(recvcounts[i], recvtype));
    for (int destination : near.destinations)
        add(call, call.to, destination, has_data(sendcount, sendtype));
    return tidy(call);
}

template <typename Counts, typename Displacements, typename Types, typename... Rest>
collective_call neighbor_alltoallv(const void *, const Counts *sendcounts, const Displacements *, Types sendtypes,
                                   const void *, const Counts *recvcounts, const Displacements *, Types recvtypes,
                                   MPI_Comm comm, const Rest &...)
{
    collective_call call = edges(comm);
    const neighbours near = neighbours_of(comm);
    for (std::size_t i = 0; i < near.sources.size(); i++)
        add(call, call.from, near.sources[i], has_data(recvcounts[i], type_at(recvtypes, static_cast<int>(i))));
    for (std::size_t i = 0; i < near.destinations.size(); i++)
        add(call, call.to, near.destinations[i], has_data(sendcounts[i], type_at(sendtypes, static_cast<int>(i))));
    return tidy(call);
}

}  // namespace tare::pmpi::collect

#endif
