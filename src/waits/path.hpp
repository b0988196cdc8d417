// SPDX-License-Identifier: BSD-3-Clause
// How a process has come to where it is: so much time in each step of the source, without a wait. Where it has waited,
// the steps of who it waited for stand instead.
#ifndef TARE_WAITS_PATH_HPP
#define TARE_WAITS_PATH_HPP

#include "counted.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace tare::waits {

class path {
  public:
    void add(std::uint32_t step, std::int64_t ns)
    {
        if (step >= ns_.size())
            ns_.resize(step + 1, 0);
        add_up(ns_[step], ns);
    }

    // What that time was: nothing is kept where nothing is counted.
    void add(std::uint32_t step, const counted &more)
    {
        if (step >= counted_.size())
            counted_.resize(step + 1);
        counted_[step].add(more);
    }

    bool is_counted() const { return !counted_.empty(); }
    counted counted_in(std::size_t step) const { return step < counted_.size() ? counted_[step] : counted{}; }
    std::int64_t operator[](std::size_t step) const { return step < ns_.size() ? ns_[step] : 0; }
    std::int64_t sum() const { return std::accumulate(ns_.begin(), ns_.end(), std::int64_t{0}, plus); }
    std::size_t size() const { return std::max(ns_.size(), counted_.size()); }

  private:
    std::vector<std::int64_t> ns_;       // by step
    std::vector<counted> counted_;       // likewise
};

// Calls use(step, ns, counted) where `later` has more or less of a step than `earlier`.
template <typename Use> void for_difference(const path &later, const path &earlier, Use use)
{
    const std::size_t steps = std::max(later.size(), earlier.size());
    const bool is_counted = later.is_counted() || earlier.is_counted();
    for (std::size_t i = 0; i < steps; i++) {
        const std::int64_t ns = minus(later[i], earlier[i]);
        const counted more = is_counted ? later.counted_in(i).take_away(earlier.counted_in(i)) : counted{};
        if (ns != 0 || !more.is_zero())
            use(static_cast<std::uint32_t>(i), ns, more);
    }
}

}  // namespace tare::waits

#endif
