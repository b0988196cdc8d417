// SPDX-License-Identifier: BSD-3-Clause
// The memory that a call reads and writes, for a trace with TARE_TRACE_RECORDS=buffers: one function for each word
// `buffers=` of calls.tab, and in traced_collective_buffers.hpp for each `moves=`, which takes the arguments of the MPI
// functions that it is given to, after the call went well. Where it is on, in the note of the call and before its events.
//
// Of data in pieces it is all from the lowest byte to the highest. Data in place are read where they are written.
#ifndef TARE_PMPI_TRACED_BUFFERS_HPP
#define TARE_PMPI_TRACED_BUFFERS_HPP

#include "bytes.hpp"
#include "traced_types.hpp"

namespace tare::pmpi::traced {

inline bool are_buffers_recorded() { return __builtin_expect(state.records & TARE_RECORD_BUFFERS, 0); }

// Where the call in progress receives, as it has named it; and if users are looked for: so many bytes of it are there.
const tare_trace_buffer_t &receives_where();
inline bool are_uses_looked_for() { return __builtin_expect(state.records & TARE_RECORD_USES, 0); }

// The call reads (sent) or writes (received) this. is_dense: it is sent from the first to the last byte. unit: of a window.
void sends_from(const span &memory, std::uint32_t type, bool is_dense = false);
void receives_into(const span &memory, std::uint32_t type, std::int64_t unit = 0);

// And this of the target's window, where addresses count from the displacement on.
void reaches(const span &memory, std::uint32_t type, std::int64_t displacement);

// A persistent request has the buffers of the call that made it: kept by that, recorded by each start, which may have put
// another handle in its place. Any thread. Memory: used again by the next request with the handle.
void keep_buffers(MPI_Request request);
void record_buffers(MPI_Request before, MPI_Request request);

// What the message that has just been named sends: it is still there, and may not be changed yet.
void record_contents();

namespace buffers {

// Those that the call names are the only ones.
struct named_anew {
    named_anew();
};

// So much data in a row, of one type or each of its own.
struct data {
    span memory;
    std::uint32_t type = TARE_TRACE_NONE;
    bool is_dense = false;               // one piece
};
data data_of(const void *buffer, std::int64_t count, MPI_Datatype type);
void add(data &to, const data &more);

inline void sends_data(const data &d) { sends_from(d.memory, d.type, d.is_dense); }
inline void receives_data(const data &d) { receives_into(d.memory, d.type); }
inline void both(const data &sent, const data &received, bool in_place)
{
    sends_data(in_place ? received : sent);
    receives_data(received);
}

// --- point to point ---

// What is sent is known when the request starts.
template <typename... Rest>
void send_init(const void *buffer, std::int64_t count, MPI_Datatype type, int dest, const Rest &...)
{
    const named_anew only;
    if (dest != MPI_PROC_NULL)
        sends_data(data_of(buffer, count, type));
}

template <typename... Rest>
void send(const void *buffer, std::int64_t count, MPI_Datatype type, int dest, const Rest &...)
{
    send_init(buffer, count, type, dest);
    record_contents();
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
    record_contents();
    if (source != MPI_PROC_NULL)
        receives_data(data_of(recvbuf, recvcount, recvtype));
}

template <typename... Rest>
void sendrecv_replace(const void *buffer, std::int64_t count, MPI_Datatype type, int dest, int, int source, const Rest &...)
{
    const named_anew only;               // what was sent is not there any more
    const data all = data_of(buffer, count, type);
    if (dest != MPI_PROC_NULL)
        sends_data(all);
    if (source != MPI_PROC_NULL)
        receives_data(all);
}

template <typename... Rest>
void psend(const void *buffer, int partitions, std::int64_t count, MPI_Datatype type, int dest, const Rest &...)
{
    const named_anew only;               // when it starts its partitions are not ready
    const data all = data_of(buffer, partitions * count, type);
    if (dest != MPI_PROC_NULL)
        sends_from(all.memory, all.type);
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

inline void window_memory(const void *base, std::int64_t bytes, std::int64_t unit)
{
    receives_into(data_of(base, bytes, MPI_BYTE).memory, TARE_TRACE_NONE, unit);
}

template <typename... Rest> void win_create(const void *base, std::int64_t bytes, std::int64_t unit, const Rest &...)
{
    const named_anew only;
    window_memory(base, bytes, unit);
}

template <typename... Rest>
void win_allocate(std::int64_t bytes, std::int64_t unit, MPI_Info, MPI_Comm, const void *base, const Rest &...)
{
    const named_anew only;
    window_memory(*static_cast<void *const *>(base), bytes, unit);
}

inline void target(std::int64_t displacement, std::int64_t count, MPI_Datatype type)
{
    const data d = data_of(nullptr, count, type);
    reaches(d.memory, d.type, displacement);
}

template <typename... Rest>
void accumulate(const void *origin, std::int64_t count, MPI_Datatype type, int rank, std::int64_t displacement,
                std::int64_t target_count, MPI_Datatype target_type, const Rest &...)
{
    const named_anew only;
    const data d = data_of(origin, count, type);
    if (rank == MPI_PROC_NULL)
        return;
    sends_data(d);
    target(displacement, target_count, target_type);
}

template <typename... Rest> void put(const Rest &...arguments)
{
    accumulate(arguments...);
    record_contents();
}

template <typename... Rest>
void get(const void *origin, std::int64_t count, MPI_Datatype type, int rank, std::int64_t displacement,
         std::int64_t target_count, MPI_Datatype target_type, const Rest &...)
{
    const named_anew only;
    const data d = data_of(origin, count, type);
    if (rank == MPI_PROC_NULL)
        return;
    receives_data(d);
    target(displacement, target_count, target_type);
}

inline void fetch(const data &sent, const data &result, int rank, std::int64_t displacement, std::int64_t target_count,
                  MPI_Datatype target_type)
{
    if (rank == MPI_PROC_NULL)
        return;
    sends_data(sent);
    receives_data(result);
    target(displacement, target_count, target_type);
}

template <typename... Rest>
void get_accumulate(const void *origin, std::int64_t count, MPI_Datatype type, const void *result,
                    std::int64_t result_count, MPI_Datatype result_type, int rank, std::int64_t displacement,
                    std::int64_t target_count, MPI_Datatype target_type, MPI_Op op, const Rest &...)
{
    const named_anew only;
    fetch(op == MPI_NO_OP ? data{} : data_of(origin, count, type), data_of(result, result_count, result_type), rank,
          displacement, target_count, target_type);
}

inline void fetch_and_op(const void *origin, const void *result, MPI_Datatype type, int rank, std::int64_t displacement,
                         MPI_Op op, MPI_Win)
{
    const named_anew only;
    fetch(op == MPI_NO_OP ? data{} : data_of(origin, 1, type), data_of(result, 1, type), rank, displacement, 1, type);
}

inline void compare_and_swap(const void *origin, const void *, const void *result, MPI_Datatype type, int rank,
                             std::int64_t displacement, MPI_Win)
{
    const named_anew only;
    fetch(data_of(origin, 1, type), data_of(result, 1, type), rank, displacement, 1, type);
}

}  // namespace buffers

}  // namespace tare::pmpi::traced

#endif
