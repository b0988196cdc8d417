// SPDX-License-Identifier: BSD-3-Clause
// What is summed up for each region of a thread, and how a profile's rows come of it. The recorder of a running process
// fills it; who reads the memory of a killed one goes the same way.
#ifndef TARE_PROFILE_RECORD_HPP
#define TARE_PROFILE_RECORD_HPP

#include "profile.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tare {

// The counters of one thread that regions divide among themselves; all in ns. Those that lie side by side in the core's
// block do so here.
enum counter { c_delay, c_delay_lo, c_delay_hi, c_time, c_wait, c_wait_comp, c_residue, counter_count };

// Aligned, so that two counters that are moved at once never lie in two cache lines.
struct sample {
    alignas(16) std::int64_t v[counter_count];
};

// Unrolled, so that the compiler keeps a sample in registers, two counters in each: in memory it would be written one
// by one and read two by two, for which the processor waits.
inline void add(sample &a, const sample &b) noexcept
{
#pragma GCC unroll 8
    for (int i = 0; i < counter_count; i++)
        a.v[i] += b.v[i];
}

inline void take_off(sample &a, const sample &b) noexcept
{
#pragma GCC unroll 8
    for (int i = 0; i < counter_count; i++)
        a.v[i] -= b.v[i];
}

inline sample operator-(const sample &a, const sample &b) noexcept
{
    sample d;
#pragma GCC unroll 8
    for (int i = 0; i < counter_count; i++)
        d.v[i] = a.v[i] - b.v[i];
    return d;
}

// What one region has on one thread. Recursion: inclusive is counted at the outermost call only. While the region is
// open, exclusive lacks what it spends and is less by what the regions in it have spent.
struct accumulator {
    sample inclusive;
    sample exclusive;
    std::int64_t calls;
    std::int64_t subrs;
    std::int64_t open;
    std::int64_t measured_calls;         // not 0: the first so many calls; the others were only counted, and so is the next
};

// One visit of what the accumulator stands for ends. Inline, so that the samples stay in registers.
__attribute__((always_inline)) inline void end_visit(accumulator &a, const sample &spent) noexcept
{
    add(a.exclusive, spent);
    if (--a.open == 0)
        add(a.inclusive, spent);
}

// The same for a call path: its innermost region, and the number of a path that ends with the regions before that one.
// Recursion: inclusive is counted at the outermost call on the same path.
struct path_sum {
    accumulator sum;
    std::uint32_t region;
    std::uint32_t from;
    std::uint32_t length;        // in regions
};

// A region that is open and recorded, and the number of the path to it; 0: it is not known.
struct open_path {
    std::uint32_t region;
    std::uint32_t path;
};

struct frame {
    const void *of;              // what its leave names it by: the region, or the function that it is
    accumulator *sum;            // nullptr: not recorded (measuring was paused), only the nesting is kept
    sample start;
};

// A copy of a recorder that stands still.
struct recorded {
    std::vector<frame> frames;
    std::vector<accumulator> sums;       // by region number
    std::int64_t ignored_leaves = 0;
    std::vector<path_sum> paths;         // by number; the first is the path of no regions. Empty: none were recorded
    std::vector<std::uint32_t> open_paths;   // by frame; 0: not known
    std::int64_t lost_calls = 0;         // on paths that found no room
};

// How often to try to copy a record that is being changed: the more there is to copy, the longer an attempt takes.
constexpr int copy_attempts(std::size_t paths) noexcept
{
    constexpr int most = 10000, paths_of_an_attempt = 1000;
    return most / (1 + static_cast<int>(paths) / paths_of_an_attempt);
}

// The paths of open regions, as they were recorded. Frames that are not recorded have none.
void set_open_paths(recorded &r, const open_path *open, std::size_t count);

// Closes every open region at `end`; the frames are gone then.
void close_all(recorded &open, const sample &end);

// Regions of one name share a row: their sums are added.
void add_to_row(profile::figures &r, const accumulator &a);

}  // namespace tare

#endif
