// SPDX-License-Identifier: BSD-3-Clause
// `tare report --peers`: for whom the calls of each rank have waited.
#ifndef TARE_TOOL_REPORT_PEERS_HPP
#define TARE_TOOL_REPORT_PEERS_HPP

#include "mpi_calls.hpp"
#include "report.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tare::tool {

// What one function of a rank has waited for one process, or for what is no single one.
struct peer_line {
    int rank;
    profile::waiting waited;
    std::int64_t ran_ns = 0;             // the rank, its threads together
    std::int64_t ran_comp_ns = 0;
};

struct peer_lines {
    std::vector<peer_line> lines;        // the largest of the key first
    std::size_t left_out = 0;            // by the limit
    std::int64_t wait_ns = 0;            // with those that are left out
    std::int64_t wait_comp_ns = 0;
};

// Of the rank and the function that were asked for. Sort and limit of the wish are there.
peer_lines select_peers(const profile::run &run, const std::vector<profile::rank_calls> &calls, const report_wish &wish);

// "rank 3", "all": for whom.
std::string whom_shown(const profile::waiting &waited);
// The state that waiting in its function, for messages in this order, is.
const char *state_of(const profile::waiting &waited);

// A status for main.
int report_peers(const profile::run &run, const report_wish &wish);

}  // namespace tare::tool

#endif
