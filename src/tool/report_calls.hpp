// SPDX-License-Identifier: BSD-3-Clause
// `tare report --callsites` and `--messages`: where the program calls MPI, and how large its messages are.
#ifndef TARE_TOOL_REPORT_CALLS_HPP
#define TARE_TOOL_REPORT_CALLS_HPP

#include "mpi_calls.hpp"
#include "report.hpp"

#include <string>
#include <vector>

namespace tare::tool {

// A site over the ranks that were asked for.
struct site_line {
    profile::call_site site;
    int ranks = 0;               // that call there
    double share = 0;            // of the time of all sites, 0 to 1

    std::int64_t mean_ns() const { return site.time_ns / site.calls; }
};

// What the directory holds, which may be nothing. Belongs to the run, or is refused.
std::vector<profile::rank_calls> calls_of(const profile::run &run, const std::string &directory);

// Which ranks of the profile are not among them; empty if all are.
std::string absent_calls_sentence(const profile::run &run, const std::vector<profile::rank_calls> &calls);

// Of the rank and the MPI function that were asked for; the longest time first.
std::vector<site_line> select_sites(const std::vector<profile::rank_calls> &calls, const report_wish &wish);

// A status for main.
int report_callsites(const profile::run &run, const report_wish &wish);
int report_messages(const profile::run &run, const report_wish &wish);

}  // namespace tare::tool

#endif
