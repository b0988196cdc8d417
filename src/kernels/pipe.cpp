// SPDX-License-Identifier: BSD-3-Clause
// Producer, stages and consumer: a block a step goes from rank to rank, each of which changes it; a rank that is
// behind holds up the one before it by credits.
#include <algorithm>
#include <vector>

#include "kernel.hpp"
#include "part.hpp"

namespace tare::kernels {
namespace {

constexpr int credits = 8;  // blocks that may be on their way
constexpr int block_tag = 1, credit_tag = 2;

// As with the parts of grids: two passes or three.
int passes_of(int rank) { return rank % 2 == 0 ? 10 : 15; }

void change(std::vector<std::uint64_t> &block, int rank) {
    for (int pass = 0; pass < passes_of(rank); ++pass)
        for (std::uint64_t &word : block)
            word = scrambled(word + std::uint64_t(rank));
}

void produce(std::vector<std::uint64_t> &block, int number) {
    for (std::size_t i = 0; i < block.size(); ++i)
        block[i] = std::uint64_t(number) << 32 | i;
}

std::uint64_t hash_of(const std::vector<std::uint64_t> &block) {
    std::uint64_t hash = 0;
    for (const std::uint64_t word : block)
        hash = joined(hash, word);
    return hash;
}

class pipe_kernel : public kernel {
  public:
    pipe_kernel(const process &, int words) : block_(words) {}

    void step(process &self, int number) override {
        const bool is_last = self.rank == self.ranks - 1;
        if (self.rank > 0)
            take(self);
        self.work([&] {
            if (self.rank == 0)
                produce(block_, number);
            change(block_, self.rank);
            if (is_last)
                hash_ = joined(hash_, hash_of(block_));
        });
        if (self.rank > 0)
            self.call([&] { MPI_Send(nullptr, 0, MPI_BYTE, self.rank - 1, credit_tag, MPI_COMM_WORLD); });
        if (!is_last)
            pass_on(self, number);
    }

    // The consumer goes all the way once more, by itself.
    verdict check(process &self, int steps) override {
        if (self.rank < self.ranks - 1)
            for (int left = std::min(steps, credits); left > 0; --left)
                take_credit(self);
        if (self.rank < self.ranks - 1)
            return {true, 0};
        std::uint64_t again = 0;
        for (int number = 0; number < steps; ++number) {
            produce(block_, number);
            for (int rank = 0; rank < self.ranks; ++rank)
                change(block_, rank);
            again = joined(again, hash_of(block_));
        }
        return {hash_ == again, hash_};
    }

  private:
    void take(process &self) {
        self.call([&] {
            MPI_Recv(block_.data(), int(block_.size()), MPI_UINT64_T, self.rank - 1, block_tag, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        });
    }

    static void take_credit(process &self) {
        self.call([&] {
            MPI_Recv(nullptr, 0, MPI_BYTE, self.rank + 1, credit_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        });
    }

    void pass_on(process &self, int number) {
        if (number >= credits)
            take_credit(self);
        self.call([&] {
            MPI_Send(block_.data(), int(block_.size()), MPI_UINT64_T, self.rank + 1, block_tag, MPI_COMM_WORLD);
        });
    }

    std::vector<std::uint64_t> block_;
    std::uint64_t hash_ = 0;
};

}  // namespace

extern const kernel_kind pipe;
const kernel_kind pipe = {
    "pipe", "producer, stages and consumer, with credits", "words in a block",
    1000, 1, 10000000, 5000, 2, 0, any_ranks, make_kernel<pipe_kernel>};

}  // namespace tare::kernels
