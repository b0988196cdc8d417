// SPDX-License-Identifier: BSD-3-Clause
// Sweeps over a grid of which every point needs the one above and the one beside it: a block of rows goes to the next
// rank as soon as it is done. In turn from the first rank to the last and back.
//
// A point is the sum of both (modulo a prime), the outermost are 1: so they are the binomial coefficients.
#include <vector>

#include "kernel.hpp"
#include "part.hpp"

namespace tare::kernels {
namespace {

constexpr int blocks = 16;
constexpr int rows_per_block = 32;
constexpr std::uint64_t prime = 2147483647;

std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
    std::uint64_t result = 1;
    for (; exponent > 0; exponent >>= 1, base = base * base % prime)
        if (exponent & 1)
            result = result * base % prime;
    return result;
}

class wavefront_kernel : public kernel {
  public:
    wavefront_kernel(const process &self, int columns)
        : columns_(columns), place_(part_of(columns, self.rank, self.ranks)), row_(place_.size()) {}

    void step(process &self, int number) override {
        const int onwards = number % 2 == 0 ? 1 : -1;
        const int from = self.rank - onwards, to = self.rank + onwards;
        row_.assign(row_.size(), 1);
        for (int block = 0; block < blocks; ++block) {
            std::uint32_t edge[rows_per_block];
            if (from >= 0 && from < self.ranks)
                self.call([&] { MPI_Recv(edge, rows_per_block, MPI_UINT32_T, from, 0, MPI_COMM_WORLD,
                                         MPI_STATUS_IGNORE); });
            else
                std::fill(edge, edge + rows_per_block, 1);
            self.work([&] { sum_rows(edge); });
            if (to >= 0 && to < self.ranks)
                self.call([&] { MPI_Send(edge, rows_per_block, MPI_UINT32_T, to, 0, MPI_COMM_WORLD); });
        }
    }

    // The last row, of the last sweep.
    verdict check(process &, int steps) override {
        const int before = steps % 2 == 1 ? place_.begin : columns_ - place_.end;
        constexpr int last_row = blocks * rows_per_block;
        verdict result = {true, 0};
        std::uint64_t expected = 1;
        for (int j = 1; j <= before + place_.size(); ++j) {
            expected = expected * std::uint64_t(last_row + j) % prime * power(std::uint64_t(j), prime - 2) % prime;
            if (j <= before)
                continue;
            result.is_right &= row_[j - before - 1] == expected;
            result.hash = joined(result.hash, row_[j - before - 1]);
        }
        return result;
    }

  private:
    // `edge`: of each row the point before the first one here, then the last one here.
    void sum_rows(std::uint32_t *edge) {
        for (int i = 0; i < rows_per_block; ++i) {
            std::uint32_t beside = edge[i];
            for (std::uint32_t &here : row_) {
                beside += here;
                beside -= beside >= prime ? std::uint32_t(prime) : 0;
                here = beside;
            }
            edge[i] = beside;
        }
    }

    int columns_;
    part place_;
    std::vector<std::uint32_t> row_;
};

}  // namespace

extern const kernel_kind wavefront;
const kernel_kind wavefront = {
    "wavefront", "sweeps from the first rank to the last and back, a block of rows a message", "columns",
    2500, 1, 1000000, 125, 2, 0, any_ranks, make_kernel<wavefront_kernel>};

}  // namespace tare::kernels
