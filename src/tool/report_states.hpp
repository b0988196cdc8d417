// SPDX-License-Identifier: BSD-3-Clause
// `tare report --states`: the waiting of a run by what is waited for, which the function that waits tells
// (src/waits/states.hpp), and where in the program that was; and what is no waiting, but comes behind some of it.
#ifndef TARE_TOOL_REPORT_STATES_HPP
#define TARE_TOOL_REPORT_STATES_HPP

#include "mpi_calls.hpp"
#include "report.hpp"
#include "states.hpp"

#include <string>
#include <vector>

namespace tare::tool {

// Waits of one state, over the ranks that were asked for.
struct state_sum {
    waits::state state;
    std::string function;            // the region that waits; empty: all of the state
    std::string where;               // the innermost region around it, or the place that calls it; empty: not known
    std::int64_t calls = 0;          // of the functions that wait so, whether they did or not
    std::int64_t wait_ns = 0;
    std::int64_t wait_comp_ns = 0;
    int ranks = 0;                   // that have waited
    int max_rank = 0;                // the first with the most compensated waiting, and that
    std::int64_t max_comp_ns = 0;
};

struct state_rows {
    std::vector<state_sum> states;   // in which something has waited
    std::vector<state_sum> places;   // that have waited
    std::size_t left_out = 0;        // of the places, by the limit
    waiting_row all;                 // of all ranks that were asked for
};

// Places are what call paths tell, if the run has any; else what the tables of calls do, for the ranks that have left
// one. They add up to the states; but in which order messages came is known of functions alone, so that the state of a
// place is that of messages in order. Sort and limit of the wish are there.
state_rows select_states(const profile::run &run, const std::vector<profile::rank_calls> &calls,
                         const report_wish &wish);

bool has_paths(const profile::run &run);

// Whether a function that waits, or the place around it, is the region that was asked for, if one was.
bool is_wished(const std::string &function, const std::string &where, const report_wish &wish);

// What calls of one place took behind the first process that left the same operation, over the ranks that were asked for.
struct completion_sum {
    const waits::completion_words *words = nullptr;
    std::string function;
    std::string site;                // as tables of calls name it
    std::int64_t calls = 0;
    std::int64_t known_calls = 0;    // of which it is known when the first process has left them
    std::int64_t time_ns = 0;
    std::int64_t time_comp_ns = 0;
    int ranks = 0;                   // of which it is known
    int max_rank = 0;                // the first with the most compensated time, and that
    std::int64_t max_comp_ns = 0;
};

struct completion_rows {
    std::vector<completion_sum> sites;   // of which something is known, the longest first
    std::size_t left_out = 0;            // by the limit
    std::int64_t calls = 0;              // of all sites that have such operations
    std::int64_t known_calls = 0;
    std::size_t hosts = 0;               // several: the first of the own one counts, so the times are these at least
};

completion_rows select_completions(const profile::run &run, const std::vector<profile::rank_calls> &calls,
                                   const report_wish &wish);

std::string states_json(const profile::run &run, const state_rows &rows, const completion_rows &completions);

// A status for main.
int report_states(const profile::run &run, const report_wish &wish);

}  // namespace tare::tool

#endif
