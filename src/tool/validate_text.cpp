// SPDX-License-Identifier: BSD-3-Clause
// The validation for people.
#include "validate.hpp"

#include "table.hpp"

#include <cstdio>

namespace tare::tool {
namespace {

// More ranks than this have their lines in the JSON only.
constexpr int most_ranks_shown = 4;

std::string ms_text(std::int64_t ns) {
    char text[48];
    std::snprintf(text, sizeof text, "%.3f", static_cast<double>(ns) / 1e6);
    return text;
}

std::string percent_text(const std::optional<double> &value) {
    char text[48] = "";
    if (value)
        std::snprintf(text, sizeof text, "%+.2f", *value);
    return text;
}

// Only what is compensated has bounds and residue.
std::string if_compensated(const validate_row &row, std::int64_t ns) {
    return row.which == case_baseline || row.which == case_instrumented ? "" : ms_text(ns);
}

std::vector<std::string> cells_of(const validate_row &row) {
    const std::string inside = !row.inside_bounds ? "" : *row.inside_bounds ? "yes" : "no";
    return {printable(row.name()),
            case_names[row.which],
            ms_text(row.median.ns),
            ms_text(row.spread_ns),
            percent_text(row.error_pct),
            if_compensated(row, row.median.lo_ns),
            if_compensated(row, row.median.hi_ns),
            inside,
            if_compensated(row, row.median.residue_ns)};
}

std::vector<std::string> print_rows(const validation &result) {
    table rows({{"region", false, 0, true},
                {"case", false},
                {"median"},
                {"spread", true, 1},
                {"error %"},
                {"lo", true, 3},
                {"hi", true, 3},
                {"inside", false, 2},
                {"residue", true, 4}});
    for (const validate_row &row : result.rows)
        if (row.rank == whole_run || result.ranks <= most_ranks_shown)
            rows.add(cells_of(row));
    return rows.print(look_at_stdout());
}

void print_head(const validation &result) {
    std::printf("Validation of %s\n", printable(result.command).c_str());
    std::printf("%d round%s, %d rank%s, mode %s\n", result.rounds, result.rounds == 1 ? "" : "s", result.ranks,
                result.ranks == 1 ? "" : "s", result.mode.c_str());
    if (result.baseline.empty())
        std::printf("Baseline: the same command without Tare. If it was compiled with hooks, they are empty\n"
                    "there, not absent: --baseline names a program without them.\n");
    else
        std::printf("Baseline: %s\n", printable(result.baseline).c_str());
    std::printf("\n");
}

void print_legend(const validation &result, const std::vector<std::string> &left_out) {
    std::printf("\nTimes in ms: medians of the rounds; spread: the longest less the shortest. total: from the return\n"
                "of MPI_Init to the call of MPI_Finalize, of the slowest rank; other regions: the sum of all ranks.\n"
                "error: against the baseline; lo, hi: bounds; inside: whether they hold the baseline's median.\n");
    if (result.ranks > most_ranks_shown)
        std::printf("Each rank by itself: --json\n");
    print_left_out_columns(left_out);
}

}  // namespace

void print_validation(const validation &result) {
    print_head(result);
    const auto left_out = print_rows(result);
    print_legend(result, left_out);
    const std::string dilation = percent_text(result.total_of(case_instrumented).error_pct);
    std::printf("\nDilation (instrumented / baseline - 1): %s %%\n", dilation.c_str());
}

}  // namespace tare::tool
