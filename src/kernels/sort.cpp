// SPDX-License-Identifier: BSD-3-Clause
// Integer sort: every rank makes keys, sends each to the rank of its range (MPI_Alltoallv), and sorts what it got.
#include <algorithm>
#include <numeric>
#include <vector>

#include "kernel.hpp"
#include "part.hpp"

namespace tare::kernels {
namespace {

constexpr int key_range = 1 << 24;

// Sums that do not depend on the order, of which one could be right by chance.
struct totals {
    std::uint64_t count = 0, sum = 0, scrambled_sum = 0;

    explicit totals(const std::vector<int> &keys) : count(keys.size()) {
        for (const int key : keys) {
            sum += std::uint64_t(key);
            scrambled_sum += scrambled(std::uint64_t(key));
        }
    }
};

class sort_kernel : public kernel {
  public:
    sort_kernel(const process &self, int keys)
        : place_(part_of(keys, self.rank, self.ranks)), made_(place_.size()), ordered_(place_.size()),
          sent_(self.ranks), received_(self.ranks), sent_at_(self.ranks), received_at_(self.ranks) {
        for (int rank = 0; rank < self.ranks; ++rank)
            ends_.push_back(part_of(key_range, rank, self.ranks).end);
    }

    void step(process &self, int number) override {
        self.work([&] { make_keys(number); });
        self.work([&] { order_by_rank(); });
        self.call([&] {
            MPI_Alltoall(sent_.data(), 1, MPI_INT, received_.data(), 1, MPI_INT, MPI_COMM_WORLD);
        });
        place(received_, received_at_);
        keys_.resize(std::accumulate(received_.begin(), received_.end(), std::size_t{0}));
        self.call([&] {
            MPI_Alltoallv(ordered_.data(), sent_.data(), sent_at_.data(), MPI_INT, keys_.data(), received_.data(),
                          received_at_.data(), MPI_INT, MPI_COMM_WORLD);
        });
        self.work([&] { std::sort(keys_.begin(), keys_.end()); });
    }

    verdict check(process &self, int) override {
        const bool is_sorted = std::is_sorted(keys_.begin(), keys_.end());
        const int low = self.rank == 0 ? 0 : ends_[self.rank - 1];
        const bool is_here = keys_.empty() || (keys_.front() >= low && keys_.back() < ends_[self.rank]);
        const totals mine(made_), got(keys_);
        const std::uint64_t difference[] = {mine.count - got.count, mine.sum - got.sum,
                                            mine.scrambled_sum - got.scrambled_sum};
        std::uint64_t all[3];
        MPI_Allreduce(difference, all, 3, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        verdict result = {is_sorted && is_here && all[0] == 0 && all[1] == 0 && all[2] == 0, 0};
        for (const int key : keys_)
            result.hash = joined(result.hash, std::uint64_t(key));
        return result;
    }

  private:
    int rank_of(int key) const {
        return static_cast<int>(std::upper_bound(ends_.begin(), ends_.end(), key) - ends_.begin());
    }

    static void place(const std::vector<int> &counts, std::vector<int> &at) {
        std::exclusive_scan(counts.begin(), counts.end(), at.begin(), 0);
    }

    void make_keys(int number) {
        const std::uint64_t first = std::uint64_t(number) << 32 | unsigned(place_.begin);
        for (int i = 0; i < place_.size(); ++i)
            made_[i] = static_cast<int>(scrambled(first + unsigned(i)) % key_range);
    }

    void order_by_rank() {
        std::fill(sent_.begin(), sent_.end(), 0);
        for (const int key : made_)
            ++sent_[rank_of(key)];
        place(sent_, sent_at_);
        std::vector<int> next = sent_at_;
        for (const int key : made_)
            ordered_[next[rank_of(key)]++] = key;
    }

    part place_;
    std::vector<int> made_, ordered_, keys_;
    std::vector<int> sent_, received_, sent_at_, received_at_;
    std::vector<int> ends_;  // of the ranks' ranges of keys
};

}  // namespace

extern const kernel_kind sort;
const kernel_kind sort = {
    "sort", "integer sort, keys to the rank of their range by MPI_Alltoallv", "keys",
    30000, 1, 100000000, 125, 2, 0, any_ranks, make_kernel<sort_kernel>};

}  // namespace tare::kernels
