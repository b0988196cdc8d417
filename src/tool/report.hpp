// SPDX-License-Identifier: BSD-3-Clause
// What `tare report` shows of a profile, before it is printed in one form or another.
#ifndef TARE_TOOL_REPORT_HPP
#define TARE_TOOL_REPORT_HPP

#include "figures.hpp"
#include "profile.hpp"

#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tare::tool {

// What a line of the report is.
enum class report_view {
    automatic,  // each where that is readable, else sum
    each,       // a region on a rank and thread
    sum,        // a region, all ranks and threads together
    imbalance,  // a region: how far the ranks are apart
    waiting,    // a rank: its waiting in MPI before and after compensation
    states,     // a wait state, and a place that waits (report_states.hpp)
    peers,      // a function of a rank, and whom it has waited for (report_peers.hpp)
    callsites,  // a place in the program that calls MPI (report_calls.hpp)
    messages,   // a size of messages (the same)
    matrix,     // two ranks: what one has sent to the other
    callpath,   // a call path, below those that lead to it
    suggestion, // a rule of a filter file (suggest.hpp)
};

struct report_wish {
    std::string directory = ".";
    std::string region;                // empty: all
    std::optional<int> rank;
    std::optional<std::string> sort;   // of sort_keys(view); default: the first
    std::optional<int> limit;          // lines of a thread, or of the table; 0: all
    report_view view = report_view::automatic;
    bool json = false;
    std::string html;                  // the file of the page; empty: none, "-": stdout
};

// With everything decided that the wish left open.
report_wish decide(const profile::run &run, report_wish wish);

// More threads than this are shown together, and their waiting as a summary, if nothing else is asked for.
constexpr std::size_t most_shown_each = 8;

// The names of a view; its default is the first.
std::vector<std::string> sort_keys(report_view view);

// Whether a line stands for all ranks and threads that were asked for together.
bool is_together(const profile::run &run, const report_wish &wish);

// The figure that a key of the tables of regions stands for; null: none, by name alone.
std::int64_t profile::row::*figure_of(const std::string &key);

// One line; both point into the run, or the row into `report_lines::sums`.
struct report_line {
    const profile::thread *thread;  // null: all together
    const profile::row *row;
};

struct report_lines {
    std::vector<profile::row> sums;
    std::vector<report_line> lines;
    std::size_t left_out = 0;       // by the limit
};

// The lines that were asked for: by rank, thread, and then the largest of the key first. Of call paths those that end
// in the region.
report_lines select_lines(const profile::run &run, const report_wish &wish);

// A line of the tree of call paths.
struct tree_line {
    const profile::thread *thread;  // null: all together
    const profile::row *row;        // null: nothing is known of it but the paths that it is the beginning of
    std::size_t depth;
    std::string region;
};

struct call_tree {
    std::vector<profile::row> sums;
    std::vector<tree_line> lines;
    std::size_t left_out = 0;       // paths
};

// The selected paths, each below what leads to it; below one line the largest of the key first. Points into the run and
// into `paths`.
call_tree make_tree(const profile::run &run, const report_wish &wish, const report_lines &paths);

// Why no call path is what was asked for, as a sentence; empty if one is. Rank and region are there.
std::string path_absence_sentence(const profile::run &run, const report_wish &wish);

// How far the ranks are apart in a region's compensated exclusive time, the threads of a rank together. A rank without
// the region counts with 0.
struct imbalance_row {
    std::string region;
    int ranks = 0;                        // that have the region
    std::int64_t min_ns = 0;
    std::int64_t mean_ns = 0;
    std::int64_t max_ns = 0;
    std::int64_t excess_ns = 0;           // max - mean
    int min_rank = 0;                     // the first of them
    int max_rank = 0;
    std::optional<double> imbalance_pct;  // max / mean - 1
};

struct imbalance_rows {
    std::vector<imbalance_row> rows;
    std::size_t left_out = 0;
};

imbalance_rows select_imbalance(const profile::run &run, const report_wish &wish);

// What a rank waited in MPI, all its threads together, of the time that they ran.
struct waiting_row {
    int rank = 0;
    std::int64_t incl_ns = 0;             // of the root
    std::int64_t incl_comp_ns = 0;
    std::int64_t wait_ns = 0;             // in all regions, or in the one that was asked for
    std::int64_t wait_comp_ns = 0;
};

struct waiting_rows {
    std::vector<waiting_row> rows;
    std::size_t left_out = 0;
};

waiting_rows select_waiting(const profile::run &run, const report_wish &wish);

// Figures that are not known are null.
void print_report_json(const profile::run &run, const report_wish &wish, const report_lines &lines,
                       std::FILE *to = stdout, const figure_set &known = all_figures());
void print_imbalance_json(const profile::run &run, const imbalance_rows &rows);
void print_waiting_json(const profile::run &run, const waiting_rows &rows);
void print_report(const profile::run &run, const report_wish &wish, const report_lines &lines);
void print_callpaths(const profile::run &run, const report_wish &wish, const call_tree &tree);
void print_imbalance(const profile::run &run, const report_wish &wish, const imbalance_rows &rows);
void print_waiting(const profile::run &run, const report_wish &wish, const waiting_rows &rows);
// Gives back a status for main.
int report_matrix(const profile::run &run, const report_wish &wish);

// Parts of the text that the views share.
void print_head(const profile::run &run, const std::string &directory);
// What the run left word of beside what the head says, rank by rank where they differ: name, value.
std::vector<std::pair<std::string, std::string>> metadata_of(const profile::run &run);
void print_waiting_summary(const std::vector<waiting_row> &rows, const report_wish &wish);

}  // namespace tare::tool

#endif
