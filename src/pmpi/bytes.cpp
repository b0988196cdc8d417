// SPDX-License-Identifier: BSD-3-Clause
#include "bytes.hpp"

#include "requests.hpp"

#include <algorithm>

namespace tare::pmpi::bytes {

std::int64_t size_of(std::int64_t count, MPI_Datatype type)
{
    if (count <= 0 || type == MPI_DATATYPE_NULL)
        return 0;
    MPI_Count one = 0;
    return real.Type_size_x(type, &one) == MPI_SUCCESS && one > 0 ? count * one : 0;
}

#ifdef MPICH_NUMVERSION
// As all libraries of MPICH's ABI have it; the lowest bit of the upper half is that of cancelled. Asking the library is a
// hundred instructions.
std::int64_t received(const MPI_Status *status)
{
    const auto upper = static_cast<std::uint32_t>(status->count_hi_and_cancelled) >> 1;
    return static_cast<std::int64_t>(std::uint64_t{upper} << 32 | static_cast<std::uint32_t>(status->count_lo));
}
#else
std::int64_t received(const MPI_Status *status)
{
    int few = 0;
    if (real.Get_count(status, MPI_BYTE, &few) == MPI_SUCCESS && few != MPI_UNDEFINED)
        return std::max(few, 0);
    MPI_Count bytes = 0;
    return real.Get_elements_x(status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes > 0 ? bytes : 0;
}
#endif

void begin_persistent(MPI_Request request, const moved_bytes &moved, int to)
{
    followed_request r;
    r.sent_bytes = moved.sent;
    r.received_bytes = moved.received;
    r.to = to;
    r.persistent = true;
    if (moved.sent >= 0 || moved.received >= 0)
        requests::follow(request, r);
    else
        requests::forget(request);
}

moved_bytes start_persistent(MPI_Request request)
{
    const followed_request found = requests::find(request);
    if (found.is_collective || found.is_partitioned)
        return {};
    if (found.sent_bytes >= 0)
        note_message(peer_in_world(found.to), found.sent_bytes);
    return {found.sent_bytes < 0 ? 0 : found.sent_bytes, found.received_bytes < 0 ? 0 : found.received_bytes};
}

}  // namespace tare::pmpi::bytes
