// SPDX-License-Identifier: BSD-3-Clause
// What `tare compare` shows of two profiles: each region over all ranks and threads, in both.
#ifndef TARE_TOOL_COMPARE_HPP
#define TARE_TOOL_COMPARE_HPP

#include "profile.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tare::tool {

enum side { side_a, side_b, side_count };
inline constexpr const char *side_names[side_count] = {"A", "B"};

struct quantity {
    const char *name;       // on the command line and in headings
    const char *json_name;  // without its unit
    std::int64_t profile::row::*value;
    bool is_time;
};

inline constexpr quantity quantities[] = {
    {"excl-comp", "excl_comp", &profile::row::excl_comp_ns, true},
    {"incl-comp", "incl_comp", &profile::row::incl_comp_ns, true},
    {"wait-comp", "wait_comp", &profile::row::wait_comp_ns, true},
    {"calls", "calls", &profile::row::calls, false},
    {"excl", "excl", &profile::row::excl_ns, true},
    {"incl", "incl", &profile::row::incl_ns, true},
    {"wait", "wait", &profile::row::wait_ns, true},
};

// The one that judges a change, and that a region's share is of.
inline constexpr const quantity &compensated_exclusive = quantities[0];

// Null if there is none of this name.
const quantity *find_quantity(const std::string &name);

struct compare_wish {
    std::string directories[side_count];
    std::string region;                   // empty: all
    std::optional<int> rank;
    std::vector<const quantity *> shown;  // empty: the usual ones
    std::optional<std::string> sort;      // of sort_keys(); default: compensated exclusive time
    std::optional<int> limit;             // rows; 0: all
    std::optional<double> max_change_pct;
    double min_share_pct = 1.0;           // smaller regions are not judged
    bool json = false;
};

// What is known of one of the runs beside its regions.
struct compared_run {
    std::string directory;
    std::string run_id;
    std::string mode;
    std::string rule;
    std::vector<std::string> warnings;    // see warnings_of
    int ranks = 0;
    bool has_rank = true;                 // the one that was asked for
    std::vector<profile::row> rows;
};

// A region, or the total; a run that lacks it has no value.
struct compare_row {
    std::string region;
    std::optional<profile::row> in[side_count];
    bool is_total = false;

    std::optional<std::int64_t> value_in(side s, const quantity &q) const;
    std::optional<std::int64_t> change(const quantity &q) const;
    std::optional<double> change_pct(const quantity &q) const;  // of A; none if A has nothing and B has
};

struct comparison {
    compared_run runs[side_count];
    compare_row total;
    std::vector<compare_row> rows;        // sorted
    std::size_t shown = 0;                // so many of them
    std::size_t only_in[side_count] = {};

    std::string mode() const;             // both, if they differ
    std::string rule() const;
    std::optional<double> share_pct(side s, const compare_row &row) const;
};

compared_run read_run(const std::string &directory, std::optional<int> rank);

comparison compare_runs(compared_run a, compared_run b, const compare_wish &wish);

// How the runs were not taken alike, as a sentence; empty if they were.
std::string difference_sentence(const comparison &result);

// The regions that changed by more than the wish allows, as a sentence; empty if there are none.
std::string exceeded_sentence(const comparison &result, const compare_wish &wish);

void print_comparison(const comparison &result, const compare_wish &wish);
void print_comparison_json(const comparison &result);

}  // namespace tare::tool

#endif
