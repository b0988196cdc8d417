// SPDX-License-Identifier: BSD-3-Clause
// The validation for people.
#include "validate.hpp"

#include "table.hpp"
#include "units.hpp"

#include <cstdio>

namespace tare::tool {
namespace {

// More ranks than this have their lines in the JSON only.
constexpr int most_ranks_shown = 4;

std::string ms_text(std::int64_t ns) { return time_text(ns, millisecond); }

std::string percent_text(const std::optional<double> &value) {
    char text[48] = "";
    if (value)
        std::snprintf(text, sizeof text, "%+.2f", *value);
    return text;
}

// Only what is compensated has bounds and residue.
std::string if_compensated(const validate_row &row, std::int64_t ns) {
    const bool is_plain = row.which == case_baseline || row.which == case_instrumented ||
                          row.which == case_extrapolated;
    return is_plain ? "" : ms_text(ns);
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

// "+0.123 ms (+0.45 %)"
std::string share_text(std::int64_t ns, std::int64_t truth_ns) {
    char text[100];
    std::snprintf(text, sizeof text, "%+.3f ms", static_cast<double>(ns) / 1e6);
    if (truth_ns == 0)
        return text;
    const double percent = 100.0 * static_cast<double>(ns) / static_cast<double>(truth_ns);
    return std::string(text) + " (" + percent_text(percent) + " %)";
}

void print_certainty(const validation &result) {
    if (result.rounds == 1)
        std::printf("One round does not tell growth from chance: take more (--rounds).\n");
    else if (!result.growth->tells_growth())
        std::printf("That is no more than the rounds differ by: these runs do not tell whether it grows at all.\n");
    std::printf("Two points lie on a line whatever the truth is: another K tells whether it stays the same.\n");
}

void print_growth(const validation &result) {
    const second_order &g = *result.growth;
    const std::int64_t truth_ns = result.total_of(case_baseline).median.ns;
    std::printf("\nSecond order: repeated has %d probe%s more for each one of exact; extrapolated has none:\n"
                "exact - (repeated - exact) / %d.\n",
                g.repeats, g.repeats == 1 ? "" : "s", g.repeats);
    std::printf("Error of the exact total: %s\n", share_text(g.error_ns, truth_ns).c_str());
    std::printf("    grows with the number of probe executions: %s, spread of the rounds %s ms\n",
                share_text(g.growth_ns, truth_ns).c_str(), ms_text(g.growth_spread_ns).c_str());
    std::printf("    stays: %s\n", share_text(g.error_ns - g.growth_ns, truth_ns).c_str());
    print_certainty(result);
    std::printf("What stays is not the probes' own time: caches and branch predictors that the first probe disturbs,\n"
                "%s, MPI wrappers, chance.\n",
                result.baseline.empty() ? "empty hooks, which the baseline runs and the exact rule takes off"
                                        : "what the compiler does not do in functions with hooks");
}

}  // namespace

void print_validation(const validation &result) {
    print_head(result);
    const auto left_out = print_rows(result);
    print_legend(result, left_out);
    const std::string dilation = percent_text(result.total_of(case_instrumented).error_pct);
    std::printf("\nDilation (instrumented / baseline - 1): %s %%\n", dilation.c_str());
    if (result.growth)
        print_growth(result);
}

}  // namespace tare::tool
