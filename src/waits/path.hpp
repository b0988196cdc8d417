// SPDX-License-Identifier: BSD-3-Clause
// How a process has come to where it is: so much time in each step of the source, without a wait. Where it has waited,
// the steps of who it waited for stand instead.
#ifndef TARE_WAITS_PATH_HPP
#define TARE_WAITS_PATH_HPP

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
        ns_[step] += ns;
    }

    std::int64_t operator[](std::size_t step) const { return step < ns_.size() ? ns_[step] : 0; }
    std::int64_t sum() const { return std::accumulate(ns_.begin(), ns_.end(), std::int64_t{0}); }
    std::size_t size() const { return ns_.size(); }

  private:
    std::vector<std::int64_t> ns_;       // by step
};

// Calls use(step, ns) where `later` has more or less of a step than `earlier`.
template <typename Use> void for_difference(const path &later, const path &earlier, Use use)
{
    const std::size_t steps = std::max(later.size(), earlier.size());
    for (std::size_t i = 0; i < steps; i++)
        if (const std::int64_t ns = later[i] - earlier[i]; ns != 0)
            use(static_cast<std::uint32_t>(i), ns);
}

}  // namespace tare::waits

#endif
