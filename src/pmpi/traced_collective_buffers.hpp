// SPDX-License-Identifier: BSD-3-Clause
// The memory that collective calls read and write, as traced_buffers.hpp has that of others: one function for each word
// `moves=` of calls.tab.
#ifndef TARE_PMPI_TRACED_COLLECTIVE_BUFFERS_HPP
#define TARE_PMPI_TRACED_COLLECTIVE_BUFFERS_HPP

#include "traced_buffers.hpp"
#include "traced_collectives.hpp"

namespace tare::pmpi::traced::buffers {

template <typename... Rest> void barrier(const Rest &...) { const named_anew only; }

template <typename Displacement> const char *at(const void *buffer, Displacement displacement, std::int64_t unit)
{
    return static_cast<const char *>(buffer) + static_cast<std::int64_t>(displacement) * unit;
}

// Displacements are in extents where all have one type, else in bytes.
template <typename Counts, typename Displacements>
data blocks_of(const void *buffer, const Counts *counts, const Displacements *displs, MPI_Datatype type, std::int64_t n)
{
    data all;
    for (std::int64_t i = 0; i < n; i++)
        if (counts[i] > 0)
            add(all, data_of(at(buffer, displs[i], type_of(type).extent), static_cast<std::int64_t>(counts[i]), type));
    return all;
}

template <typename Counts, typename Displacements>
data blocks_of(const void *buffer, const Counts *counts, const Displacements *displs, const MPI_Datatype *types,
               std::int64_t n)
{
    data all;
    for (std::int64_t i = 0; i < n; i++)
        if (counts[i] > 0)
            add(all, data_of(at(buffer, displs[i], 1), static_cast<std::int64_t>(counts[i]), types[i]));
    return all;
}

template <typename... Rest>
void allgather(const void *sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, const void *recvbuf,
               std::int64_t recvcount, MPI_Datatype recvtype, MPI_Comm comm, const Rest &...)
{
    const named_anew only;
    const bool in_place = sendbuf == MPI_IN_PLACE;
    both(in_place ? data{} : data_of(sendbuf, sendcount, sendtype),
         data_of(recvbuf, recvcount * place(comm).others(), recvtype), in_place);
}

template <typename... Rest>
void alltoall(const void *sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, const void *recvbuf,
              std::int64_t recvcount, MPI_Datatype recvtype, MPI_Comm comm, const Rest &...)
{
    const named_anew only;
    const bool in_place = sendbuf == MPI_IN_PLACE;
    const std::int64_t others = place(comm).others();
    both(in_place ? data{} : data_of(sendbuf, sendcount * others, sendtype), data_of(recvbuf, recvcount * others, recvtype),
         in_place);
}

template <typename Counts, typename Displacements, typename... Rest>
void allgatherv(const void *sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, const void *recvbuf,
                const Counts *recvcounts, const Displacements *displs, MPI_Datatype recvtype, MPI_Comm comm, const Rest &...)
{
    const named_anew only;
    const bool in_place = sendbuf == MPI_IN_PLACE;
    both(in_place ? data{} : data_of(sendbuf, sendcount, sendtype),
         blocks_of(recvbuf, recvcounts, displs, recvtype, place(comm).others()), in_place);
}

// MPI_Alltoallw and its kin have types for each.
template <typename Counts, typename Displacements, typename Types, typename... Rest>
void alltoallv(const void *sendbuf, const Counts *sendcounts, const Displacements *sdispls, Types sendtypes,
               const void *recvbuf, const Counts *recvcounts, const Displacements *rdispls, Types recvtypes, MPI_Comm comm,
               const Rest &...)
{
    const named_anew only;
    const bool in_place = sendbuf == MPI_IN_PLACE;
    const std::int64_t others = place(comm).others();
    both(in_place ? data{} : blocks_of(sendbuf, sendcounts, sdispls, sendtypes, others),
         blocks_of(recvbuf, recvcounts, rdispls, recvtypes, others), in_place);
}
template <typename... Arguments> void alltoallw(const Arguments &...arguments) { alltoallv(arguments...); }

template <typename... Rest>
void allreduce(const void *sendbuf, const void *recvbuf, std::int64_t count, MPI_Datatype type, const Rest &...)
{
    const named_anew only;
    const bool in_place = sendbuf == MPI_IN_PLACE;
    both(in_place ? data{} : data_of(sendbuf, count, type), data_of(recvbuf, count, type), in_place);
}
template <typename... Arguments> void scan(const Arguments &...arguments) { allreduce(arguments...); }
template <typename... Arguments> void exscan(const Arguments &...arguments) { allreduce(arguments...); }

template <typename... Rest>
void reduce_scatter_block(const void *sendbuf, const void *recvbuf, std::int64_t count, MPI_Datatype type, MPI_Op,
                          MPI_Comm comm, const Rest &...)
{
    const named_anew only;
    const std::int64_t all = count * place(comm).in.size;
    const bool in_place = sendbuf == MPI_IN_PLACE;
    sends_data(data_of(in_place ? recvbuf : sendbuf, all, type));
    receives_data(data_of(recvbuf, count, type));
}

template <typename Counts, typename... Rest>
void reduce_scatter(const void *sendbuf, const void *recvbuf, const Counts *counts, MPI_Datatype type, MPI_Op, MPI_Comm comm,
                    const Rest &...)
{
    const named_anew only;
    const place here(comm);
    std::int64_t all = 0;
    for (int i = 0; i < here.in.size; i++)
        all += static_cast<std::int64_t>(counts[i]);
    const bool in_place = sendbuf == MPI_IN_PLACE;
    sends_data(data_of(in_place ? recvbuf : sendbuf, all, type));
    receives_data(data_of(recvbuf, static_cast<std::int64_t>(counts[here.in.rank]), type));
}

// --- with neighbours ---

template <typename... Rest>
void neighbor_allgather(const void *sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, const void *recvbuf,
                        std::int64_t recvcount, MPI_Datatype recvtype, MPI_Comm comm, const Rest &...)
{
    const named_anew only;
    const auto sources = static_cast<std::int64_t>(collect::neighbours_of(comm).sources.size());
    both(data_of(sendbuf, sendcount, sendtype), data_of(recvbuf, recvcount * sources, recvtype), false);
}

template <typename... Rest>
void neighbor_alltoall(const void *sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, const void *recvbuf,
                       std::int64_t recvcount, MPI_Datatype recvtype, MPI_Comm comm, const Rest &...)
{
    const named_anew only;
    const collect::neighbours near = collect::neighbours_of(comm);
    const auto destinations = static_cast<std::int64_t>(near.destinations.size());
    both(data_of(sendbuf, sendcount * destinations, sendtype),
         data_of(recvbuf, recvcount * static_cast<std::int64_t>(near.sources.size()), recvtype), false);
}

template <typename Counts, typename Displacements, typename... Rest>
void neighbor_allgatherv(const void *sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, const void *recvbuf,
                         const Counts *recvcounts, const Displacements *displs, MPI_Datatype recvtype, MPI_Comm comm,
                         const Rest &...)
{
    const named_anew only;
    const auto sources = static_cast<std::int64_t>(collect::neighbours_of(comm).sources.size());
    both(data_of(sendbuf, sendcount, sendtype), blocks_of(recvbuf, recvcounts, displs, recvtype, sources), false);
}

template <typename Counts, typename Displacements, typename Types, typename... Rest>
void neighbor_alltoallv(const void *sendbuf, const Counts *sendcounts, const Displacements *sdispls, Types sendtypes,
                        const void *recvbuf, const Counts *recvcounts, const Displacements *rdispls, Types recvtypes,
                        MPI_Comm comm, const Rest &...)
{
    const named_anew only;
    const collect::neighbours near = collect::neighbours_of(comm);
    both(blocks_of(sendbuf, sendcounts, sdispls, sendtypes, static_cast<std::int64_t>(near.destinations.size())),
         blocks_of(recvbuf, recvcounts, rdispls, recvtypes, static_cast<std::int64_t>(near.sources.size())), false);
}

// --- rooted; what is of the root alone means nothing at the others, and of two groups only one sends ---

template <typename... Rest>
void bcast(const void *buffer, std::int64_t count, MPI_Datatype type, int root, MPI_Comm comm, const Rest &...)
{
    const named_anew only;
    if (root == MPI_PROC_NULL)
        return;
    const data all = data_of(buffer, count, type);
    place(comm).is_root(root) ? sends_data(all) : receives_data(all);
}

// Of MPI_ROOT there is no part of its own.
inline bool is_apart(int root) { return root == MPI_PROC_NULL || root == MPI_ROOT; }

template <typename... Rest>
void reduce(const void *sendbuf, const void *recvbuf, std::int64_t count, MPI_Datatype type, MPI_Op, int root, MPI_Comm comm,
            const Rest &...)
{
    const named_anew only;
    if (!is_apart(root))
        sends_data(data_of(sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, count, type));
    if (place(comm).is_root(root))
        receives_data(data_of(recvbuf, count, type));
}

template <typename... Rest>
void gather(const void *sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, const void *recvbuf, std::int64_t recvcount,
            MPI_Datatype recvtype, int root, MPI_Comm comm, const Rest &...)
{
    const named_anew only;
    const place here(comm);
    if (!is_apart(root) && sendbuf != MPI_IN_PLACE)
        sends_data(data_of(sendbuf, sendcount, sendtype));
    if (here.is_root(root))
        receives_data(data_of(recvbuf, recvcount * here.others(), recvtype));
}

template <typename Counts, typename Displacements, typename... Rest>
void gatherv(const void *sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, const void *recvbuf,
             const Counts *recvcounts, const Displacements *displs, MPI_Datatype recvtype, int root, MPI_Comm comm,
             const Rest &...)
{
    const named_anew only;
    const place here(comm);
    if (!is_apart(root) && sendbuf != MPI_IN_PLACE)
        sends_data(data_of(sendbuf, sendcount, sendtype));
    if (here.is_root(root))
        receives_data(blocks_of(recvbuf, recvcounts, displs, recvtype, here.others()));
}

template <typename... Rest>
void scatter(const void *sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, const void *recvbuf, std::int64_t recvcount,
             MPI_Datatype recvtype, int root, MPI_Comm comm, const Rest &...)
{
    const named_anew only;
    const place here(comm);
    if (here.is_root(root))
        sends_data(data_of(sendbuf, sendcount * here.others(), sendtype));
    if (!is_apart(root) && recvbuf != MPI_IN_PLACE)
        receives_data(data_of(recvbuf, recvcount, recvtype));
}

template <typename Counts, typename Displacements, typename... Rest>
void scatterv(const void *sendbuf, const Counts *sendcounts, const Displacements *displs, MPI_Datatype sendtype,
              const void *recvbuf, std::int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, const Rest &...)
{
    const named_anew only;
    const place here(comm);
    if (here.is_root(root))
        sends_data(blocks_of(sendbuf, sendcounts, displs, sendtype, here.others()));
    if (!is_apart(root) && recvbuf != MPI_IN_PLACE)
        receives_data(data_of(recvbuf, recvcount, recvtype));
}

}  // namespace tare::pmpi::traced::buffers

#endif
