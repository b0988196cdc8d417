// SPDX-License-Identifier: BSD-3-Clause
#include "record.hpp"

#include "bounded_sum.hpp"

#include <algorithm>

namespace tare {
namespace {

// Of what was spent, the region inside this one has had its part.
void close(accumulator &sum, const sample &spent, const sample &of_inner)
{
    end_visit(sum, spent);
    take_off(sum.exclusive, of_inner);
}

}  // namespace

void set_open_paths(recorded &r, const open_path *open, std::size_t count)
{
    r.open_paths.assign(r.frames.size(), 0);
    std::size_t next = 0;
    for (std::size_t i = 0; i < r.frames.size() && next < count; i++)
        if (r.frames[i].sum != nullptr)
            r.open_paths[i] = open[next++].path;
}

void close_all(recorded &open, const sample &end)
{
    sample of_inner{};
    for (std::size_t i = open.frames.size(); i > 0; i--) {
        const frame &f = open.frames[i - 1];
        if (f.sum == nullptr)
            continue;
        const sample spent = end - f.start;
        close(*f.sum, spent, of_inner);
        const std::uint32_t path = i <= open.open_paths.size() ? open.open_paths[i - 1] : 0;
        if (path != 0 && path < open.paths.size())
            close(open.paths[path].sum, spent, of_inner);
        of_inner = spent;
    }
    open.frames.clear();
    open.open_paths.clear();
}

void add_to_row(profile::figures &r, const accumulator &a)
{
    const std::int64_t *incl = a.inclusive.v;
    const std::int64_t *excl = a.exclusive.v;
    const std::int64_t compensated = incl[c_time] - incl[c_delay];
    const std::int64_t lo = incl[c_time] - incl[c_delay_hi];
    const std::int64_t hi = incl[c_time] - incl[c_delay_lo];
    add_up(r.calls, a.calls);
    add_up(r.counted_calls, a.measured_calls != 0 ? a.calls - a.measured_calls : 0);
    add_up(r.subrs, a.subrs);
    add_up(r.incl_ns, incl[c_time]);
    add_up(r.excl_ns, excl[c_time]);
    add_up(r.incl_comp_ns, compensated);
    add_up(r.excl_comp_ns, excl[c_time] - excl[c_delay]);
    add_up(r.wait_ns, incl[c_wait]);
    add_up(r.wait_excl_ns, excl[c_wait]);
    add_up(r.wait_comp_ns, incl[c_wait_comp]);
    add_up(r.wait_comp_excl_ns, excl[c_wait_comp]);
    add_up(r.removed_ns, incl[c_delay]);
    add_up(r.residue_ns, excl[c_residue]);
    add_up(r.lo_ns, std::min({lo, compensated, hi}));
    add_up(r.hi_ns, std::max({lo, compensated, hi}));
}

}  // namespace tare
