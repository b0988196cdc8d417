// SPDX-License-Identifier: BSD-3-Clause
// What `tare report` shows of a profile, before it is printed in one form or another.
#ifndef TARE_TOOL_REPORT_HPP
#define TARE_TOOL_REPORT_HPP

#include "profile.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tare::tool {

struct report_wish {
    std::string directory = ".";
    std::string region;          // empty: all
    std::optional<int> rank;
    std::string sort = "excl";   // of sort_keys()
};

// One line; both point into the run.
struct report_line {
    const profile::thread *thread;
    const profile::row *row;
};

const std::vector<std::string> &sort_keys();

// The lines that were asked for: by rank, thread, and then the largest of the key first.
std::vector<report_line> select_lines(const profile::run &run, const report_wish &wish);

// Ranks that the run had and that left no file.
std::vector<int> missing_ranks(const profile::run &run);

// Ranks whose figures come from what their process has left behind, with this fate: profile::recovered.
std::vector<int> recovered_ranks(const profile::run &run, const std::string &fate);

// "0", "0, 2", "1 to 5, 7, 8"; the list is in order.
std::string number_list(const std::vector<int> &numbers);

std::vector<std::string> region_names(const profile::run &run);

void print_report(const profile::run &run, const report_wish &wish, const std::vector<report_line> &lines);

}  // namespace tare::tool

#endif
