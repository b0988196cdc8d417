// SPDX-License-Identifier: BSD-3-Clause
// Options of several actions of `tare trace`, and what is picked of a trace by them.
#ifndef TARE_TOOL_TRACE_OPTIONS_HPP
#define TARE_TOOL_TRACE_OPTIONS_HPP

#include "trace_timeline.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tare::tool {

// Each gives back a status where the text is refused, else -1.
int set_trace_clock(const std::string &text, trace_clock &clock);
int set_trace_output(const std::string &text, std::string &output);

// A part of a trace: nothing said is all of it. Times since the trace begins.
struct trace_pick {
    using range = std::pair<std::uint32_t, std::uint32_t>;       // both are in it

    std::vector<range> ranks;
    std::vector<range> threads;          // rank and thread
    std::uint64_t from_ns = 0, to_ns = UINT64_MAX;
};

int set_pick_ranks(const std::string &text, trace_pick &pick);
int set_pick_threads(const std::string &text, trace_pick &pick);
// name: --from or --to. "12us", "1.5ms", "2s"; without a unit: ns.
int set_pick_time(const char *name, const std::string &text, std::uint64_t &ns);
// Whether the options make sense together.
int check_pick(const trace_pick &pick);

// By location, those that are picked. Throws profile::error if a rank or thread is named that is not there.
std::vector<bool> picked_locations(const tare_archive_t &archive, const trace_pick &pick);

}  // namespace tare::tool

#endif
