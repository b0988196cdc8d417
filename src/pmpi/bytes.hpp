// SPDX-License-Identifier: BSD-3-Clause
// How much data a call has moved, from its arguments. Each function takes the arguments of the MPI functions that
// calls.tab gives it, after the call went well; messages to and from MPI_PROC_NULL are none.
//
// What is received is what the status tells where the call has one; else the room that the receive offers.
#ifndef TARE_PMPI_BYTES_HPP
#define TARE_PMPI_BYTES_HPP

#include "layer.hpp"
#include "peers.hpp"

namespace tare::pmpi::bytes {

// --- bytes.cpp ---

// 0 where there is no type. Where there is no data MPICH takes none, and asked about it would end the program; and
// nothing may be asked about arguments that a nonblocking call's library has not checked yet.
std::int64_t size_of(std::int64_t count, MPI_Datatype type);
// As the library tells it, with the stamp where a carrier has received one and the status is not corrected yet.
std::int64_t received(const MPI_Status *status);
// A persistent request moves its data each time it is started; what it sends goes to a rank in MPI_COMM_WORLD.
void begin_persistent(MPI_Request request, const moved_bytes &moved, int to = -1);
moved_bytes start_persistent(MPI_Request request);

inline std::int64_t sent(std::int64_t count, MPI_Datatype type, int dest, MPI_Comm comm)
{
    if (dest == MPI_PROC_NULL)
        return 0;
    const std::int64_t bytes = size_of(count, type);
    note_message(peer_of(comm, dest), bytes);
    return bytes;
}

inline std::int64_t room(std::int64_t count, MPI_Datatype type, int source)
{
    return source == MPI_PROC_NULL ? 0 : size_of(count, type);
}

// --- one for each word of calls.tab ---

template <typename... Rest>
moved_bytes send(const void *, std::int64_t count, MPI_Datatype type, int dest, int, MPI_Comm comm, const Rest &...)
{
    return {sent(count, type, dest, comm), 0};
}

inline moved_bytes recv(const void *, std::int64_t, MPI_Datatype, int, int, MPI_Comm, const MPI_Status *status)
{
    return {0, received(status)};
}

template <typename... Rest>
moved_bytes irecv(const void *, std::int64_t count, MPI_Datatype type, int source, const Rest &...)
{
    return {0, room(count, type, source)};
}

inline moved_bytes mrecv(const void *, std::int64_t, MPI_Datatype, const MPI_Message *, const MPI_Status *status)
{
    return {0, received(status)};
}

inline moved_bytes imrecv(const void *, std::int64_t count, MPI_Datatype type, const MPI_Message *,
                          const MPI_Request *)
{
    return {0, size_of(count, type)};
}

inline moved_bytes sendrecv(const void *, std::int64_t count, MPI_Datatype type, int dest, int, const void *,
                            std::int64_t, MPI_Datatype, int, int, MPI_Comm comm, const MPI_Status *status)
{
    return {sent(count, type, dest, comm), received(status)};
}

inline moved_bytes sendrecv_replace(const void *, std::int64_t count, MPI_Datatype type, int dest, int, int, int,
                                    MPI_Comm comm, const MPI_Status *status)
{
    return {sent(count, type, dest, comm), received(status)};
}

inline moved_bytes isendrecv(const void *, std::int64_t count, MPI_Datatype type, int dest, int, const void *,
                             std::int64_t recvcount, MPI_Datatype recvtype, int source, int, MPI_Comm comm,
                             const MPI_Request *)
{
    return {sent(count, type, dest, comm), room(recvcount, recvtype, source)};
}

inline moved_bytes isendrecv_replace(const void *, std::int64_t count, MPI_Datatype type, int dest, int, int source,
                                     int, MPI_Comm comm, const MPI_Request *)
{
    return {sent(count, type, dest, comm), room(count, type, source)};
}

inline moved_bytes send_init(const void *, std::int64_t count, MPI_Datatype type, int dest, int, MPI_Comm comm,
                             const MPI_Request *request)
{
    if (dest == MPI_PROC_NULL)
        begin_persistent(*request, {-1, -1});
    else
        begin_persistent(*request, {size_of(count, type), -1}, world_rank_of(comm, dest));
    return {};
}

inline moved_bytes recv_init(const void *, std::int64_t count, MPI_Datatype type, int source, int, MPI_Comm,
                             const MPI_Request *request)
{
    begin_persistent(*request, {-1, room(count, type, source)});
    return {};
}

// Persistent operations of other kinds: their requests may have the handles of earlier ones.
template <typename First, typename... Rest> moved_bytes other_init(const First &, const Rest &...rest)
{
    if constexpr (sizeof...(rest) == 1)
        (begin_persistent(*rest, {-1, -1}), ...);
    else
        other_init(rest...);
    return {};
}

inline moved_bytes start(const MPI_Request *request) { return start_persistent(*request); }

inline moved_bytes startall(int count, const MPI_Request *requests)
{
    moved_bytes all;
    for (int i = 0; i < count; i++) {
        const moved_bytes one = start_persistent(requests[i]);
        all.sent += one.sent;
        all.received += one.received;
    }
    return all;
}

// Collective calls count what they name, on each rank; between two groups some ranks name nothing.
template <typename... Rest>
moved_bytes bcast(const void *, std::int64_t count, MPI_Datatype type, int root, const Rest &...)
{
    return {root == MPI_PROC_NULL ? 0 : size_of(count, type), 0};
}

template <typename... Rest>
moved_bytes reduce(const void *, const void *, std::int64_t count, MPI_Datatype type, MPI_Op, int root,
                   const Rest &...)
{
    return {root == MPI_PROC_NULL ? 0 : size_of(count, type), 0};
}

template <typename... Rest>
moved_bytes allreduce(const void *, const void *, std::int64_t count, MPI_Datatype type, const Rest &...)
{
    return {size_of(count, type), 0};
}

}  // namespace tare::pmpi::bytes

#endif
