// SPDX-License-Identifier: BSD-3-Clause
// The operations of one-sided benchmarks and what they must leave behind.
#ifndef TARE_BENCH_ONE_SIDED_WORK_HPP
#define TARE_BENCH_ONE_SIDED_WORK_HPP

#include <vector>

#include "window.hpp"

namespace tare::bench {

enum class operation { put, get, acc, get_acc, fop, cas };

// The local operand is the send buffer, and `found` takes what get_acc, fop and cas find in the window.
class one_sided_work : public work {
  public:
    // `ways` 1: rank 0 alone is an origin. 2: both ranks are origins and targets.
    one_sided_work(const side &on, operation what, int ways);

    void run(int count) override;
    void fill() override;
    void settle() override { shown.settle(); }
    bool is_right(int count) const override;

  private:
    const operation does;
    const bool is_origin;
    const bool is_target;
    window shown;
    std::vector<char> found;
    std::vector<char> compared;

    void call();
    int memory_of(int rank) const { return self.ranks + rank; }
    bool is_right_at_origin(int calls) const;
    bool is_right_at_target(int calls) const;
    bool holds_sums(const char *memory, int target, int origin, int calls) const;
};

}  // namespace tare::bench

#endif
