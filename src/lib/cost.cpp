// SPDX-License-Identifier: BSD-3-Clause
#include "cost.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tare {

fine_ns to_fine(double ns) noexcept
{
    const double whole = std::floor(ns);
    return {static_cast<std::int64_t>(whole), static_cast<std::uint32_t>((ns - whole) * 4294967296.0)};
}

namespace {

double quartile(std::vector<double> &values, std::size_t number)
{
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() * number / 4);
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

}  // namespace

pair_cost fastest_of(const std::vector<batch> &batches)
{
    pair_cost best;
    double plain_ns = best.plain_ns;
    for (const batch &b : batches) {
        plain_ns = std::fmin(plain_ns, b.plain_ns);
        if (b.with_hooks_ns < best.with_hooks_ns)
            best = b;
    }
    best.plain_ns = plain_ns;
    return best;
}

pair_cost typical_of(std::vector<batch> batches)
{
    std::vector<double> plain_ns;
    for (const batch &b : batches)
        plain_ns.push_back(b.plain_ns);
    if (batches.empty())
        return {};
    const auto middle = batches.begin() + static_cast<std::ptrdiff_t>(batches.size() / 2);
    std::nth_element(batches.begin(), middle, batches.end(),
                     [](const batch &a, const batch &b) { return a.with_hooks_ns < b.with_hooks_ns; });
    pair_cost c = *middle;
    c.plain_ns = median_of(std::move(plain_ns));
    return c;
}

double median_of(std::vector<double> values) { return values.empty() ? 0 : quartile(values, 2); }

void tell_apart(pair_cost &c, const std::vector<sides> &batches)
{
    std::vector<double> more, more_inside;
    for (const sides &s : batches) {
        more.push_back(s.enter_ns - s.leave_ns);
        more_inside.push_back(s.enter_inside_ns - s.leave_inside_ns);
    }
    c.enter_more_ns = median_of(std::move(more));
    c.enter_more_inside_ns = median_of(std::move(more_inside));
}

double spread_of(std::vector<double> values)
{
    return values.empty() ? 0 : quartile(values, 3) - quartile(values, 1);
}

way_cost to_cost(const pair_cost &c) noexcept
{
    const std::int64_t inside_ns = std::llround(c.inside_ns);
    way_cost cost;
    cost.enter_inside_ns = std::llround((c.inside_ns + c.enter_more_inside_ns) / 2);
    cost.leave_inside_ns = inside_ns - cost.enter_inside_ns;
    cost.enter = to_fine(c.enter_ns());
    cost.leave = to_fine(c.leave_ns());
    return cost;
}

}  // namespace tare
