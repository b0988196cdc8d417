// SPDX-License-Identifier: BSD-3-Clause
// MPI_Bsend's buffer, which needs room for what the carrier adds to each message.
#include "carried.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>

namespace tare::pmpi::carried {

namespace {

struct attached {
    void *larger = nullptr;
    void *users = nullptr;
    MPI_Count size = 0;
} attached_buffer;

}  // namespace

// As many messages as may lie in the user's buffer, each with what the carrier adds, and aligned.
void *larger_buffer(MPI_Count size, MPI_Count *larger_size)
{
    constexpr MPI_Count aligned = 32;
    const MPI_Count messages = size / std::max(MPI_BSEND_OVERHEAD, 1) + 1;
    *larger_size = size + messages * (in_use->more_bytes() + aligned);
    void *larger = *larger_size > INT_MAX ? nullptr : std::malloc(static_cast<std::size_t>(*larger_size));
    if (larger == nullptr)
        die("no memory for the buffer of MPI_Buffer_attach with room for what the carrier adds: %lld bytes",
            static_cast<long long>(*larger_size));
    return larger;
}

void keep_users_buffer(void *larger, void *users, MPI_Count size) { attached_buffer = {larger, users, size}; }

void users_buffer(void *larger, void **users, MPI_Count *size)
{
    if (larger == nullptr || larger != attached_buffer.larger)
        return;
    *users = attached_buffer.users;
    *size = attached_buffer.size;
    std::free(larger);
    attached_buffer = {};
}

}  // namespace tare::pmpi::carried
