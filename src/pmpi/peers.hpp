// SPDX-License-Identifier: BSD-3-Clause
// Which process a rank of a communicator is: its rank in MPI_COMM_WORLD, found once and remembered until a communicator
// is freed: then its handle may be another's.
//
// Threads: begin_peers and end_peers while no other is in MPI; each thread has an index of its own.
#ifndef TARE_PMPI_PEERS_HPP
#define TARE_PMPI_PEERS_HPP

#include "handle_hash.hpp"
#include "layer.hpp"

#include <memory>
#include <vector>

namespace tare::pmpi {

// After MPI_Init, and before MPI_Finalize. Without a world, as with sessions alone, no rank is known.
void begin_peers();
void end_peers();
// A communicator has been freed.
void forget_peers();

// Of rank `rank` of a communicator, or of its remote group. -1: it is none of this job's.
int world_rank_of(MPI_Comm comm, int rank);
// Of all of a group, in its order. False: some are none of this job's.
bool world_ranks_of(MPI_Group group, std::vector<std::uint32_t> &ranks);

struct peer;

// An open hash table. Grows by doubling.
class peer_index {
  public:
    // nullptr: not known.
    peer *find(MPI_Comm comm, int rank)
    {
        if (__builtin_expect(freed_ != freed(), 0))
            forget();
        const cell &c = cell_of(comm, rank);
        return c.who;
    }
    void put(MPI_Comm comm, int rank, peer *who);
    // Another number: a communicator's handle may be another one's since.
    static unsigned freed() { return freed_comms.load(std::memory_order_relaxed); }

  private:
    struct cell {
        std::uint64_t comm;
        int rank;
        peer *who;               // nullptr: empty
    };

    static std::atomic<unsigned> freed_comms;
    friend void forget_peers();

    cell &cell_of(MPI_Comm comm, int rank)
    {
        const std::uint64_t bits = handle_bits(comm);
        for (std::size_t i = (bits + static_cast<unsigned>(rank)) * hash_factor >> 32;; i++) {
            cell &c = cells_[i & mask_];
            if (c.who == nullptr || (c.rank == rank && c.comm == bits))
                return c;
        }
    }
    void forget();
    void grow();

    static constexpr std::size_t first_cells = 64;
    std::unique_ptr<cell[]> cells_{new cell[first_cells]()};
    std::size_t mask_ = first_cells - 1;
    std::size_t count_ = 0;
    unsigned freed_ = 0;         // freed_comms, when it was last empty
};

}  // namespace tare::pmpi

#endif
