// SPDX-License-Identifier: BSD-3-Clause
// The memory that a call reads and writes, for a trace with TARE_TRACE_RECORDS=buffers: one function for each word
// `buffers=` of calls.tab, and for each `moves=`, which takes the arguments of the MPI functions that it is given to,
// after the call went well. Where it is on, in the note of the call and before its events.
//
// Of data in pieces it is all from the lowest byte to the highest. Data in place are read where they are written.
#ifndef TARE_PMPI_TRACED_BUFFERS_HPP
#define TARE_PMPI_TRACED_BUFFERS_HPP

#include "traced_collectives.hpp"
#include "traced_types.hpp"

namespace tare::pmpi::traced {

inline bool are_buffers_recorded() { return __builtin_expect(state.records & TARE_RECORD_BUFFERS, 0); }

// The call reads (sent) or writes (received) this. With a displacement: on a window.
void sends_from(const span &memory, std::uint32_t type, std::int64_t displacement = 0);
void receives_into(const span &memory, std::uint32_t type, std::int64_t displacement = 0);

// A persistent request has the buffers of the call that made it: kept by that, recorded by each start, which may have put
// another handle in its place. Any thread. Memory: used again by the next request with the handle.
void keep_buffers(MPI_Request request);
void record_buffers(MPI_Request before, MPI_Request request);

namespace buffers {

// Those that the call names are the only ones.
struct named_anew {
    named_anew();
};

// So much data in a row, of one type or each of its own.
struct data {
    span memory;
    std::uint32_t type = TARE_TRACE_NONE;
};
data data_of(const void *buffer, std::int64_t count, MPI_Datatype type);
void add(data &to, const data &more);

inline void sends_data(const data &d) { sends_from(d.memory, d.type); }
inline void receives_data(const data &d) { receives_into(d.memory, d.type); }
inline void both(const data &sent, const data &received, bool in_place)
{
    sends_data(in_place ? received : sent);
    receives_data(received);
}

// --- point to point ---

template <typename... Rest>
void send(const void *buffer, std::int64_t count, MPI_Datatype type, int dest, const Rest &...)
{
    const named_anew only;
    if (dest != MPI_PROC_NULL)
        sends_data(data_of(buffer, count, type));
}

template <typename... Rest>
void recv(const void *buffer, std::int64_t count, MPI_Datatype type, int source, const Rest &...)
{
    const named_anew only;
    if (source != MPI_PROC_NULL)
        receives_data(data_of(buffer, count, type));
}

template <typename... Rest>
void mrecv(const void *buffer, std::int64_t count, MPI_Datatype type, const MPI_Message *, const Rest &...)
{
    const named_anew only;
    receives_data(data_of(buffer, count, type));
}

template <typename... Rest>
void sendrecv(const void *sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, int dest, int, const void *recvbuf,
              std::int64_t recvcount, MPI_Datatype recvtype, int source, const Rest &...)
{
    const named_anew only;
    if (dest != MPI_PROC_NULL)
        sends_data(data_of(sendbuf, sendcount, sendtype));
    if (source != MPI_PROC_NULL)
        receives_data(data_of(recvbuf, recvcount, recvtype));
}

template <typename... Rest>
void sendrecv_replace(const void *buffer, std::int64_t count, MPI_Datatype type, int dest, int, int source, const Rest &...)
{
    const named_anew only;
    const data all = data_of(buffer, count, type);
    if (dest != MPI_PROC_NULL)
        sends_data(all);
    if (source != MPI_PROC_NULL)
        receives_data(all);
}

template <typename... Rest>
void psend(const void *buffer, int partitions, std::int64_t count, MPI_Datatype type, int dest, const Rest &...)
{
    send(buffer, partitions * count, type, dest);
}

template <typename... Rest>
void precv(const void *buffer, int partitions, std::int64_t count, MPI_Datatype type, int source, const Rest &...)
{
    recv(buffer, partitions * count, type, source);
}

// --- packing: copies that the MPI library makes ---

template <typename Position, typename... Rest>
void pack(const void *from, std::int64_t count, MPI_Datatype type, const void *to, std::int64_t, const Position *position,
          const Rest &...)
{
    const named_anew only;
    const data packed = data_of(from, count, type);
    sends_data(packed);
    // The position is behind what was packed.
    const auto end = static_cast<std::int64_t>(*position), bytes = bytes::size_of(count, type);
    receives_into(data_of(static_cast<const char *>(to) + end - bytes, bytes, MPI_BYTE).memory, TARE_TRACE_NONE);
}

template <typename Position, typename... Rest>
void unpack(const void *from, std::int64_t, const Position *position, const void *to, std::int64_t count, MPI_Datatype type,
            const Rest &...)
{
    const named_anew only;
    const auto end = static_cast<std::int64_t>(*position), bytes = bytes::size_of(count, type);
    sends_from(data_of(static_cast<const char *>(from) + end - bytes, bytes, MPI_BYTE).memory, TARE_TRACE_NONE);
    receives_data(data_of(to, count, type));
}

// --- on windows ---

inline void window_memory(const void *base, std::int64_t bytes)
{
    receives_into(data_of(base, bytes, MPI_BYTE).memory, TARE_TRACE_NONE);
}

template <typename... Rest> void win_create(const void *base, std::int64_t bytes, const Rest &...)
{
    const named_anew only;
    window_memory(base, bytes);
}

template <typename... Rest>
void win_allocate(std::int64_t bytes, std::int64_t, MPI_Info, MPI_Comm, const void *base, const Rest &...)
{
    const named_anew only;
    window_memory(*static_cast<void *const *>(base), bytes);
}

template <typename... Rest>
void put(const void *origin, std::int64_t count, MPI_Datatype type, int target, std::int64_t displacement, const Rest &...)
{
    const named_anew only;
    const data d = data_of(origin, count, type);
    if (target != MPI_PROC_NULL)
        sends_from(d.memory, d.type, displacement);
}

template <typename... Rest>
void get(const void *origin, std::int64_t count, MPI_Datatype type, int target, std::int64_t displacement, const Rest &...)
{
    const named_anew only;
    const data d = data_of(origin, count, type);
    if (target != MPI_PROC_NULL)
        receives_into(d.memory, d.type, displacement);
}

inline void fetch(const data &sent, const data &result, int target, std::int64_t displacement)
{
    if (target == MPI_PROC_NULL)
        return;
    sends_from(sent.memory, sent.type, displacement);
    receives_into(result.memory, result.type, displacement);
}

template <typename... Rest>
void get_accumulate(const void *origin, std::int64_t count, MPI_Datatype type, const void *result,
                    std::int64_t result_count, MPI_Datatype result_type, int target, std::int64_t displacement,
                    std::int64_t, MPI_Datatype, MPI_Op op, const Rest &...)
{
    const named_anew only;
    fetch(op == MPI_NO_OP ? data{} : data_of(origin, count, type), data_of(result, result_count, result_type), target,
          displacement);
}

inline void fetch_and_op(const void *origin, const void *result, MPI_Datatype type, int target, std::int64_t displacement,
                         MPI_Op op, MPI_Win)
{
    const named_anew only;
    fetch(op == MPI_NO_OP ? data{} : data_of(origin, 1, type), data_of(result, 1, type), target, displacement);
}

inline void compare_and_swap(const void *origin, const void *, const void *result, MPI_Datatype type, int target,
                             std::int64_t displacement, MPI_Win)
{
    const named_anew only;
    fetch(data_of(origin, 1, type), data_of(result, 1, type), target, displacement);
}

// --- collective ---

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

}  // namespace buffers

}  // namespace tare::pmpi::traced

#endif
