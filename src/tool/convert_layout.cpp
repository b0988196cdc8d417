// SPDX-License-Identifier: BSD-3-Clause
#include "convert_layout.hpp"

#include <algorithm>

namespace tare::tool {

std::int64_t profile::figures::*width_figure(layout_clock clock) {
    return clock == layout_clock::measured ? &profile::figures::excl_ns : &profile::figures::excl_comp_ns;
}

void check_width(const content &c, layout_clock clock, const char *format) {
    const auto knows = [&](layout_clock of) { return c.known[figure_index(width_figure(of))]; };
    if (knows(clock))
        return;
    const layout_clock other =
        clock == layout_clock::measured ? layout_clock::compensated : layout_clock::measured;
    throw profile::error(std::string("what is converted lacks the ") + clock_names[static_cast<int>(clock)] +
                         " exclusive times that " + format + " is laid out by" +
                         (knows(other) ? std::string(": --clock=") + clock_names[static_cast<int>(other)] : ""));
}

std::vector<const call_nodes::value_type *> laid_out(const call_nodes &level, std::int64_t profile::figures::*width) {
    std::vector<std::pair<std::int64_t, const call_nodes::value_type *>> weighed;
    for (const auto &node : level)
        weighed.emplace_back(weight_of(node.second, width), &node);
    std::stable_sort(weighed.begin(), weighed.end(), [](const auto &a, const auto &b) { return a.first > b.first; });
    std::vector<const call_nodes::value_type *> order;
    for (const auto &w : weighed)
        order.push_back(w.second);
    return order;
}

}  // namespace tare::tool
