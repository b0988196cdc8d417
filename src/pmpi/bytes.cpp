// SPDX-License-Identifier: BSD-3-Clause
#include "bytes.hpp"

#include "handle_hash.hpp"

namespace tare::pmpi::bytes {
namespace {

// Of a persistent request; kinds of messages that it has not are -1.
struct persistent {
    std::int64_t sent_bytes = -1;
    std::int64_t received_bytes = -1;
    int to = -1;                         // rank in MPI_COMM_WORLD: the communicator may be freed
    bool operator!=(const persistent &o) const
    {
        return sent_bytes != o.sent_bytes || received_bytes != o.received_bytes;
    }
};

// Any thread may start a request that another one has made.
std::mutex making;
handle_table<MPI_Request, persistent> requests;

}  // namespace

std::int64_t size_of(std::int64_t count, MPI_Datatype type)
{
    MPI_Count one = 0;
    return real.Type_size_x(type, &one) == MPI_SUCCESS && one > 0 ? count * one : 0;
}

std::int64_t received(const MPI_Status *status)
{
    MPI_Count bytes = 0;
    return real.Get_elements_x(status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes > 0 ? bytes : 0;
}

void begin_persistent(MPI_Request request, const moved_bytes &moved, int to)
{
    const std::lock_guard<std::mutex> lock(making);
    requests.take(request);
    if (moved.sent >= 0 || moved.received >= 0)
        requests.put(request, {moved.sent, moved.received, to});
}

moved_bytes start_persistent(MPI_Request request)
{
    persistent found;
    {
        const std::lock_guard<std::mutex> lock(making);
        found = requests.find(request);
    }
    if (found.sent_bytes >= 0)
        note_message(peer_in_world(found.to), found.sent_bytes);
    return {found.sent_bytes < 0 ? 0 : found.sent_bytes, found.received_bytes < 0 ? 0 : found.received_bytes};
}

}  // namespace tare::pmpi::bytes
