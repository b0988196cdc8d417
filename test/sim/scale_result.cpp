// SPDX-License-Identifier: BSD-3-Clause
// What became of all processes, against the truth.
#include <algorithm>
#include <cmath>

#include "scale_world.hpp"

namespace scale {

namespace {

struct end {
    std::int64_t error_ns;  // of the compensated end
    std::int64_t beyond_ns;  // of the bounds
    bool is_sharp;
};

end end_of(const process &p)
{
    const tare_thread_t &th = p.thread;
    const std::int64_t late_ns = p.now_ns - p.plain_ns;
    const std::int64_t beyond_ns = std::max(late_ns - th.delay_hi_ns, th.delay_lo_ns - late_ns);
    return {late_ns - th.delay_ns, std::max<std::int64_t>(beyond_ns, 0), th.delay_lo_ns == th.delay_hi_ns};
}

void add_end(totals &t, const process &p, double weight)
{
    const end e = end_of(p);
    const auto error_ns = static_cast<double>(e.error_ns);
    t.plain_ns = std::max(t.plain_ns, p.plain_ns);
    t.measured_ns = std::max(t.measured_ns, p.now_ns);
    t.compensated_ns = std::max(t.compensated_ns, p.now_ns - p.thread.delay_ns);
    t.mean_error_ns += weight * error_ns;
    t.mean_abs_error_ns += weight * std::abs(error_ns);
    if (std::abs(error_ns) > std::abs(t.worst_error_ns))
        t.worst_error_ns = error_ns;
    t.held += e.beyond_ns == 0 ? 1 : 0;
    t.beyond_ns = std::max(t.beyond_ns, static_cast<double>(e.beyond_ns));
    t.sharp += e.is_sharp ? weight : 0;
}

void add_waits(totals &t, const process &p, double weight)
{
    const auto plain = static_cast<double>(p.plain_wait_ns);
    const auto compensated = static_cast<double>(p.thread.wait_compensated_ns);
    t.plain_wait_ns += weight * plain;
    t.measured_wait_ns += weight * static_cast<double>(p.thread.wait_ns);
    t.compensated_wait_ns += weight * compensated;
    t.wait_abs_error_ns += weight * std::abs(compensated - plain);
    t.joins += static_cast<std::int64_t>(p.thread.joins);
    t.unknown += static_cast<std::int64_t>(p.thread.early_unknown);
    t.saturated += static_cast<std::int64_t>(p.thread.saturated);
}

}  // namespace

totals world::result() const
{
    totals t;
    std::vector<double> widths;
    const double weight = 1.0 / static_cast<double>(processes_.size());
    for (const process &p : processes_) {
        add_end(t, p, weight);
        add_waits(t, p, weight);
        if (p.thread.delay_lo_ns != p.thread.delay_hi_ns)
            widths.push_back(static_cast<double>(p.thread.delay_hi_ns - p.thread.delay_lo_ns));
    }
    if (!widths.empty()) {
        const auto middle = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2);
        std::nth_element(widths.begin(), middle, widths.end());
        t.width_ns = *middle;
    }
    // The program begins when the lessons are over.
    t.plain_ns -= program_start_ns;
    t.measured_ns -= program_start_ns;
    t.compensated_ns -= program_start_ns;
    t.held /= static_cast<double>(processes_.size());
    return t;
}

}  // namespace scale
