// SPDX-License-Identifier: BSD-3-Clause
#include "cost.hpp"

#include <cmath>

namespace tare {

fine_ns to_fine(double ns) noexcept
{
    const double whole = std::floor(ns);
    return {static_cast<std::int64_t>(whole), static_cast<std::uint32_t>((ns - whole) * 4294967296.0)};
}

way_cost to_cost(const pair_cost &c) noexcept
{
    const std::int64_t inside_ns = std::llround(c.inside_ns);
    way_cost cost;
    cost.enter_inside_ns = inside_ns / 2;
    cost.leave_inside_ns = inside_ns - cost.enter_inside_ns;
    const double outside_ns = c.outside_ns() + c.inside_ns - static_cast<double>(inside_ns);
    cost.enter = to_fine(outside_ns / 2 + static_cast<double>(cost.enter_inside_ns));
    cost.leave = to_fine(outside_ns / 2 + static_cast<double>(cost.leave_inside_ns));
    return cost;
}

}  // namespace tare
