// SPDX-License-Identifier: BSD-3-Clause
// What the events of a trace tell of collective calls: one function for each word `moves=` of calls.tab, which takes
// the arguments of the blocking, the nonblocking and the persistent function, large counts or not.
//
// Bytes count once for each process that they go to, or come from; the own one is among those, unless the call is in
// place. Between two groups they are those of the other group. OTF2 has no operations for neighbourhoods: theirs are
// those of the whole communicator, in the region of their call, with the bytes of neighbours that are there.
#ifndef TARE_PMPI_TRACED_COLLECTIVES_HPP
#define TARE_PMPI_TRACED_COLLECTIVES_HPP

#include "bytes.hpp"
#include "collect.hpp"
#include "known_comms.hpp"
#include "requests.hpp"

#include <algorithm>
#include <type_traits>

namespace tare::pmpi::traced {

struct collective_facts {
    enum tare_trace_operation operation;
    MPI_Comm comm;
    int root;                    // as in the call, or no_root
    std::int64_t sent, received;
};
constexpr int no_root = INT32_MIN;

// --- traced_collectives.cpp ---

// Of a call that went well: blocking, begun, and made to be started.

void write_collective(const collective_facts &c);
void begin_collective(const collective_facts &c, MPI_Request request);
void describe_collective(const collective_facts &c, MPI_Request request);

// --- what the functions below are made of ---

// Of one process, as its data go.
struct place {
    explicit place(MPI_Comm comm) : in(known::summary_of(comm)) {}
    std::int64_t others() const { return in.remote_size > 0 ? in.remote_size : in.size; }
    // Those that data in place come from or go to.
    std::int64_t others(bool in_place) const { return others() - in_place; }
    bool is_root(int root) const { return root == MPI_ROOT || (in.remote_size == 0 && root == in.rank); }
    const known::comm_summary in;
};

inline std::int64_t block(std::int64_t count, MPI_Datatype type) { return bytes::size_of(count, type); }

inline MPI_Datatype type_at(MPI_Datatype type, int) { return type; }
inline MPI_Datatype type_at(const MPI_Datatype *types, int i) { return types[i]; }

// Of all, or of all but the own one.
template <typename Counts, typename Types>
std::int64_t blocks(const place &here, const Counts *counts, Types types, bool without_own)
{
    std::int64_t sum = 0;
    for (int i = 0; i < here.others(); i++)
        if (!without_own || i != here.in.rank)
            sum += block(static_cast<std::int64_t>(counts[i]), type_at(types, i));
    return sum;
}

// --- all to all ---

template <typename... Rest> collective_facts barrier(MPI_Comm comm, const Rest &...)
{
    return {TARE_TRACE_BARRIER, comm, no_root, 0, 0};
}

template <enum tare_trace_operation operation>
collective_facts equal_blocks(const void *sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, std::int64_t recvcount,
                              MPI_Datatype recvtype, MPI_Comm comm)
{
    const place here(comm);
    const bool in_place = sendbuf == MPI_IN_PLACE;
    const std::int64_t received = block(recvcount, recvtype), sent = in_place ? received : block(sendcount, sendtype);
    return {operation, comm, no_root, sent * here.others(in_place), received * here.others(in_place)};
}

template <typename... Rest>
collective_facts allgather(const void *sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, const void *,
                           std::int64_t recvcount, MPI_Datatype recvtype, MPI_Comm comm, const Rest &...)
{
    return equal_blocks<TARE_TRACE_ALLGATHER>(sendbuf, sendcount, sendtype, recvcount, recvtype, comm);
}

template <typename... Rest>
collective_facts alltoall(const void *sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, const void *,
                          std::int64_t recvcount, MPI_Datatype recvtype, MPI_Comm comm, const Rest &...)
{
    return equal_blocks<TARE_TRACE_ALLTOALL>(sendbuf, sendcount, sendtype, recvcount, recvtype, comm);
}

template <typename Counts, typename Displacements, typename... Rest>
collective_facts allgatherv(const void *sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, const void *,
                            const Counts *recvcounts, const Displacements *, MPI_Datatype recvtype, MPI_Comm comm,
                            const Rest &...)
{
    const place here(comm);
    const bool in_place = sendbuf == MPI_IN_PLACE;
    const std::int64_t sent = in_place ? block(recvcounts[here.in.rank], recvtype) : block(sendcount, sendtype);
    return {TARE_TRACE_ALLGATHERV, comm, no_root, sent * here.others(in_place),
            blocks(here, recvcounts, recvtype, in_place)};
}

template <enum tare_trace_operation operation, typename Counts, typename Types>
collective_facts own_blocks(const void *sendbuf, const Counts *sendcounts, Types sendtypes, const Counts *recvcounts,
                            Types recvtypes, MPI_Comm comm)
{
    const place here(comm);
    const bool in_place = sendbuf == MPI_IN_PLACE;
    const std::int64_t received = blocks(here, recvcounts, recvtypes, in_place);
    return {operation, comm, no_root, in_place ? received : blocks(here, sendcounts, sendtypes, false), received};
}

template <typename Counts, typename Displacements, typename... Rest>
collective_facts alltoallv(const void *sendbuf, const Counts *sendcounts, const Displacements *, MPI_Datatype sendtype,
                           const void *, const Counts *recvcounts, const Displacements *, MPI_Datatype recvtype,
                           MPI_Comm comm, const Rest &...)
{
    return own_blocks<TARE_TRACE_ALLTOALLV>(sendbuf, sendcounts, sendtype, recvcounts, recvtype, comm);
}

template <typename Counts, typename Displacements, typename... Rest>
collective_facts alltoallw(const void *sendbuf, const Counts *sendcounts, const Displacements *,
                           const MPI_Datatype *sendtypes, const void *, const Counts *recvcounts, const Displacements *,
                           const MPI_Datatype *recvtypes, MPI_Comm comm, const Rest &...)
{
    return own_blocks<TARE_TRACE_ALLTOALLW>(sendbuf, sendcounts, sendtypes, recvcounts, recvtypes, comm);
}

template <typename... Rest>
collective_facts allreduce(const void *, const void *, std::int64_t count, MPI_Datatype type, MPI_Op, MPI_Comm comm,
                           const Rest &...)
{
    const std::int64_t all = block(count, type) * place(comm).others();
    return {TARE_TRACE_ALLREDUCE, comm, no_root, all, all};
}

template <typename... Rest>
collective_facts reduce_scatter_block(const void *, const void *, std::int64_t count, MPI_Datatype type, MPI_Op,
                                      MPI_Comm comm, const Rest &...)
{
    const std::int64_t all = block(count, type) * place(comm).others();
    return {TARE_TRACE_REDUCE_SCATTER_BLOCK, comm, no_root, all, all};
}

template <typename Counts, typename... Rest>
collective_facts reduce_scatter(const void *, const void *, const Counts *counts, MPI_Datatype type, MPI_Op, MPI_Comm comm,
                                const Rest &...)
{
    const place here(comm);
    const auto own = static_cast<std::int64_t>(counts[here.in.rank]);
    // Between two groups the counts are those of the own one, and what is sent has as many.
    std::int64_t sent = 0;
    for (int i = 0; i < here.in.size; i++)
        sent += block(static_cast<std::int64_t>(counts[i]), type);
    return {TARE_TRACE_REDUCE_SCATTER, comm, no_root, sent, block(own, type) * here.others()};
}

// Later ranks get it, and earlier ones send.
template <enum tare_trace_operation operation>
collective_facts scanned(std::int64_t count, MPI_Datatype type, MPI_Comm comm, int with_own)
{
    const place here(comm);
    const std::int64_t each = block(count, type);
    return {operation, comm, no_root, each * (here.in.size - here.in.rank - 1 + with_own), each * (here.in.rank + with_own)};
}

template <typename... Rest>
collective_facts scan(const void *, const void *, std::int64_t count, MPI_Datatype type, MPI_Op, MPI_Comm comm,
                      const Rest &...)
{
    return scanned<TARE_TRACE_SCAN>(count, type, comm, 1);
}

template <typename... Rest>
collective_facts exscan(const void *, const void *, std::int64_t count, MPI_Datatype type, MPI_Op, MPI_Comm comm,
                        const Rest &...)
{
    return scanned<TARE_TRACE_EXSCAN>(count, type, comm, 0);
}

// --- with neighbours ---

// To or from all of them as much; and to or from each its own.
inline std::int64_t with_each(const std::vector<int> &near, std::int64_t bytes)
{
    return bytes * std::count_if(near.begin(), near.end(), [](int rank) { return rank != MPI_PROC_NULL; });
}
template <typename Counts, typename Types>
std::int64_t with_each(const std::vector<int> &near, const Counts *counts, Types types)
{
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < near.size(); i++)
        if (near[i] != MPI_PROC_NULL)
            sum += block(static_cast<std::int64_t>(counts[i]), type_at(types, static_cast<int>(i)));
    return sum;
}

template <enum tare_trace_operation operation>
collective_facts neighbor_same(std::int64_t sendcount, MPI_Datatype sendtype, std::int64_t recvcount, MPI_Datatype recvtype,
                               MPI_Comm comm)
{
    const collect::neighbours near = collect::neighbours_of(comm);
    return {operation, comm, no_root, with_each(near.destinations, block(sendcount, sendtype)),
            with_each(near.sources, block(recvcount, recvtype))};
}

template <typename... Rest>
collective_facts neighbor_allgather(const void *, std::int64_t sendcount, MPI_Datatype sendtype, const void *,
                                    std::int64_t recvcount, MPI_Datatype recvtype, MPI_Comm comm, const Rest &...)
{
    return neighbor_same<TARE_TRACE_ALLGATHER>(sendcount, sendtype, recvcount, recvtype, comm);
}

template <typename... Rest>
collective_facts neighbor_alltoall(const void *, std::int64_t sendcount, MPI_Datatype sendtype, const void *,
                                   std::int64_t recvcount, MPI_Datatype recvtype, MPI_Comm comm, const Rest &...)
{
    return neighbor_same<TARE_TRACE_ALLTOALL>(sendcount, sendtype, recvcount, recvtype, comm);
}

template <typename Counts, typename Displacements, typename... Rest>
collective_facts neighbor_allgatherv(const void *, std::int64_t sendcount, MPI_Datatype sendtype, const void *,
                                     const Counts *recvcounts, const Displacements *, MPI_Datatype recvtype, MPI_Comm comm,
                                     const Rest &...)
{
    const collect::neighbours near = collect::neighbours_of(comm);
    return {TARE_TRACE_ALLGATHERV, comm, no_root, with_each(near.destinations, block(sendcount, sendtype)),
            with_each(near.sources, recvcounts, recvtype)};
}

template <typename Counts, typename Displacements, typename Types, typename... Rest>
collective_facts neighbor_alltoallv(const void *, const Counts *sendcounts, const Displacements *, Types sendtypes,
                                    const void *, const Counts *recvcounts, const Displacements *, Types recvtypes,
                                    MPI_Comm comm, const Rest &...)
{
    const collect::neighbours near = collect::neighbours_of(comm);
    return {std::is_same_v<Types, MPI_Datatype> ? TARE_TRACE_ALLTOALLV : TARE_TRACE_ALLTOALLW, comm, no_root,
            with_each(near.destinations, sendcounts, sendtypes), with_each(near.sources, recvcounts, recvtypes)};
}

// --- rooted; of those between two groups that take no part the arguments mean nothing ---

template <typename... Rest>
collective_facts bcast(const void *, std::int64_t count, MPI_Datatype type, int root, MPI_Comm comm, const Rest &...)
{
    const place here(comm);
    if (root == MPI_PROC_NULL)
        return {TARE_TRACE_BCAST, comm, root, 0, 0};
    const std::int64_t each = block(count, type);
    return {TARE_TRACE_BCAST, comm, root, here.is_root(root) ? each * here.others() : 0, root == MPI_ROOT ? 0 : each};
}

template <typename... Rest>
collective_facts reduce(const void *, const void *, std::int64_t count, MPI_Datatype type, MPI_Op, int root, MPI_Comm comm,
                        const Rest &...)
{
    const place here(comm);
    if (root == MPI_PROC_NULL)
        return {TARE_TRACE_REDUCE, comm, root, 0, 0};
    const std::int64_t each = block(count, type);
    return {TARE_TRACE_REDUCE, comm, root, root == MPI_ROOT ? 0 : each, here.is_root(root) ? each * here.others() : 0};
}

template <typename... Rest>
collective_facts gather(const void *sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, const void *,
                        std::int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, const Rest &...)
{
    const place here(comm);
    const bool in_place = sendbuf == MPI_IN_PLACE, sends = root != MPI_PROC_NULL && root != MPI_ROOT && !in_place;
    return {TARE_TRACE_GATHER, comm, root, sends ? block(sendcount, sendtype) : 0,
            here.is_root(root) ? block(recvcount, recvtype) * here.others(in_place) : 0};
}

template <typename Counts, typename Displacements, typename... Rest>
collective_facts gatherv(const void *sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, const void *,
                         const Counts *recvcounts, const Displacements *, MPI_Datatype recvtype, int root, MPI_Comm comm,
                         const Rest &...)
{
    const place here(comm);
    const bool in_place = sendbuf == MPI_IN_PLACE, sends = root != MPI_PROC_NULL && root != MPI_ROOT && !in_place;
    return {TARE_TRACE_GATHERV, comm, root, sends ? block(sendcount, sendtype) : 0,
            here.is_root(root) ? blocks(here, recvcounts, recvtype, in_place) : 0};
}

template <typename... Rest>
collective_facts scatter(const void *, std::int64_t sendcount, MPI_Datatype sendtype, const void *recvbuf,
                         std::int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, const Rest &...)
{
    const place here(comm);
    const bool in_place = recvbuf == MPI_IN_PLACE, receives = root != MPI_PROC_NULL && root != MPI_ROOT && !in_place;
    return {TARE_TRACE_SCATTER, comm, root, here.is_root(root) ? block(sendcount, sendtype) * here.others(in_place) : 0,
            receives ? block(recvcount, recvtype) : 0};
}

template <typename Counts, typename Displacements, typename... Rest>
collective_facts scatterv(const void *, const Counts *sendcounts, const Displacements *, MPI_Datatype sendtype,
                          const void *recvbuf, std::int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                          const Rest &...)
{
    const place here(comm);
    const bool in_place = recvbuf == MPI_IN_PLACE, receives = root != MPI_PROC_NULL && root != MPI_ROOT && !in_place;
    return {TARE_TRACE_SCATTERV, comm, root, here.is_root(root) ? blocks(here, sendcounts, sendtype, in_place) : 0,
            receives ? block(recvcount, recvtype) : 0};
}

}  // namespace tare::pmpi::traced

#endif
