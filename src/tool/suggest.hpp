// SPDX-License-Identifier: BSD-3-Clause
// `tare report --suggest-filter`: the regions that cost most to measure for what they tell, as a filter file.
#ifndef TARE_TOOL_SUGGEST_HPP
#define TARE_TOOL_SUGGEST_HPP

#include "report.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tare::tool {

struct suggestion {
    std::string region;
    std::int64_t calls = 0;
    std::int64_t mean_ns = 0;            // exclusive and compensated, of a call that was measured
    std::int64_t cost_ns = 0;            // of measuring the calls that were measured
    std::int64_t counted_calls = 0;
};

struct suggestions {
    std::vector<suggestion> regions;     // the dearest first
    std::size_t left_out = 0;            // by the limit
    std::int64_t calls = 0;              // of all regions
    std::int64_t cost_ns = 0;            // of measuring them
    std::int64_t incl_ns = 0;            // of the roots
    bool knows_ways_to_mpi = false;      // else only regions that call no others are suggested
};

// Throws profile::error where the profile does not tell what measuring costs.
suggestions suggest(const profile::run &run, const report_wish &wish);

// A region's name as a pattern that stands for nothing else.
std::string pattern_of(const std::string &region);

int report_suggestions(const profile::run &run, const report_wish &wish);

}  // namespace tare::tool

#endif
