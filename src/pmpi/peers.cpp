// SPDX-License-Identifier: BSD-3-Clause
#include "peers.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tare::pmpi {
namespace {

constexpr int nowhere = -1;
MPI_Group world;
bool has_world;

}  // namespace

std::atomic<unsigned> peer_index::freed_comms{0};

void begin_peers() { has_world = real.Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS; }

void end_peers()
{
    if (has_world)
        real.Group_free(&world);
    has_world = false;
}

void forget_peers() { peer_index::freed_comms.fetch_add(1, std::memory_order_relaxed); }

int world_rank_of(MPI_Comm comm, int rank)
{
    if (!has_world)
        return nowhere;
    if (comm == MPI_COMM_WORLD)
        return rank;
    int is_inter = 0, found = MPI_UNDEFINED;
    MPI_Group group;
    if (real.Comm_test_inter(comm, &is_inter) != MPI_SUCCESS ||
        (is_inter ? real.Comm_remote_group : real.Comm_group)(comm, &group) != MPI_SUCCESS)
        return nowhere;
    real.Group_translate_ranks(group, 1, &rank, world, &found);
    real.Group_free(&group);
    return found == MPI_UNDEFINED ? nowhere : found;
}

bool world_ranks_of(MPI_Group group, std::vector<std::uint32_t> &ranks)
{
    int size = 0;
    if (!has_world || real.Group_size(group, &size) != MPI_SUCCESS)
        return false;
    std::vector<int> own(static_cast<std::size_t>(size)), found(own.size());
    std::iota(own.begin(), own.end(), 0);
    real.Group_translate_ranks(group, size, own.data(), world, found.data());
    ranks.assign(found.begin(), found.end());
    return std::find(found.begin(), found.end(), MPI_UNDEFINED) == found.end();
}

void peer_index::put(MPI_Comm comm, int rank, peer *who)
{
    if (2 * (count_ + 1) > mask_)
        grow();
    cell_of(comm, rank) = {handle_bits(comm), rank, who};
    count_++;
}

void peer_index::forget()
{
    freed_ = freed();
    std::fill_n(cells_.get(), mask_ + 1, cell{});
    count_ = 0;
}

void peer_index::grow()
{
    const std::size_t old_count = mask_ + 1;
    const std::unique_ptr<cell[]> old = std::exchange(cells_, std::unique_ptr<cell[]>(new cell[2 * old_count]()));
    mask_ = 2 * old_count - 1;
    for (std::size_t i = 0; i < old_count; i++) {
        const cell &c = old[i];
        if (c.who == nullptr)
            continue;
        std::size_t at = (c.comm + static_cast<unsigned>(c.rank)) * hash_factor >> 32;
        while (cells_[at & mask_].who != nullptr)
            at++;
        cells_[at & mask_] = c;
    }
}

}  // namespace tare::pmpi
