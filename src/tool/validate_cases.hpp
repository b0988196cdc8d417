// SPDX-License-Identifier: BSD-3-Clause
// What `tare validate` was asked for, the command of each case, and the rounds of runs.
#ifndef TARE_TOOL_VALIDATE_CASES_HPP
#define TARE_TOOL_VALIDATE_CASES_HPP

#include "launch.hpp"
#include "validate.hpp"

namespace tare::tool {

struct validate_wish {
    std::string baseline;
    int rounds = 5;
    std::string mode;               // empty: as tare exec chooses
    std::optional<double> max_error_pct;
    bool json = false;
    int second_order = 0;           // how often each probe is repeated; 0: no such case
    std::string keep;
    bool dry_run = false;
    std::vector<std::string> command;
};

// What differs between the cases stands at the place of the program, not in our environment: so it reaches ranks on
// other nodes whatever the starter passes on.
struct validate_plan {
    launch measured, baseline;
    std::string preload;  // of the baseline
    std::string tool;     // this one
    std::string mode;
    int repeats = 0;      // of --second-order
};

refusal make_plan(const validate_wish &wish, validate_plan &result);

// For --dry-run.
void print_plan(const validate_plan &plan);

// Runs everything. Throws run_error and interrupted.
validation run_cases(const validate_wish &wish, const validate_plan &plan);

}  // namespace tare::tool

#endif
