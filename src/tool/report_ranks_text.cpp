// SPDX-License-Identifier: BSD-3-Clause
// The ranks beside each other, for people: imbalance, and waiting before and after compensation.
#include "report.hpp"

#include "regions.hpp"
#include "table.hpp"
#include "units.hpp"

#include <algorithm>
#include <cstdio>

namespace tare::tool {
namespace {

// ---- imbalance ----

std::vector<std::string> cells_of(const imbalance_row &r, const time_unit &u) {
    return {printable(r.region),
            std::to_string(r.ranks),
            time_text(r.min_ns, u),
            std::to_string(r.min_rank),
            time_text(r.mean_ns, u),
            time_text(r.max_ns, u),
            std::to_string(r.max_rank),
            time_text(r.excess_ns, u),
            share_text(r.imbalance_pct)};
}

table imbalance_table(const imbalance_rows &rows, const time_unit &u) {
    table result({{"region", false, 0, true},
                  {"ranks", true, 3},
                  {"min"},
                  {"min-rank", true, 2},
                  {"mean"},
                  {"max"},
                  {"max-rank", true, 1},
                  {"max-mean", true, 1},
                  {"imbalance %"}});
    for (const imbalance_row &r : rows.rows)
        result.add(cells_of(r, u));
    return result;
}

// ---- waiting ----

std::vector<std::string> cells_of(const std::string &who, const waiting_row &r, const time_unit &u) {
    const std::int64_t change_ns = r.wait_comp_ns - r.wait_ns;
    return {who,
            time_text(r.wait_ns, u),
            time_text(r.wait_comp_ns, u),
            change_text(change_ns, u),
            change_pct_text(percent_of(change_ns, r.wait_ns)),
            share_text(percent_of(r.wait_ns, r.incl_ns)),
            share_text(percent_of(r.wait_comp_ns, r.incl_comp_ns))};
}

waiting_row sum_of(const std::vector<waiting_row> &rows) {
    waiting_row sum;
    for (const waiting_row &r : rows) {
        sum.incl_ns += r.incl_ns;
        sum.incl_comp_ns += r.incl_comp_ns;
        sum.wait_ns += r.wait_ns;
        sum.wait_comp_ns += r.wait_comp_ns;
    }
    return sum;
}

waiting_row mean_of(const std::vector<waiting_row> &rows) {
    const waiting_row sum = sum_of(rows);
    const auto count = static_cast<std::int64_t>(rows.size());
    return {0, sum.incl_ns / count, sum.incl_comp_ns / count, sum.wait_ns / count, sum.wait_comp_ns / count};
}

// The least or most as measured and as compensated, which may be on different ranks.
void add_extreme(table &to, const char *name, const waiting_row &measured, const waiting_row &compensated,
                 const time_unit &u) {
    const std::string ranks = measured.rank == compensated.rank
                                  ? "rank " + std::to_string(measured.rank)
                                  : "ranks " + std::to_string(measured.rank) + ", " + std::to_string(compensated.rank);
    const waiting_row both = {0, measured.incl_ns, compensated.incl_comp_ns, measured.wait_ns,
                              compensated.wait_comp_ns};
    to.add(cells_of(std::string(name) + " (" + ranks + ")", both, u));
}

void add_summary(table &to, const std::vector<waiting_row> &rows, const time_unit &u) {
    const auto wait = [](const waiting_row &a, const waiting_row &b) { return a.wait_ns < b.wait_ns; };
    const auto comp = [](const waiting_row &a, const waiting_row &b) { return a.wait_comp_ns < b.wait_comp_ns; };
    to.add(cells_of("all ranks", sum_of(rows), u));
    to.add(cells_of("mean", mean_of(rows), u));
    add_extreme(to, "min", *std::min_element(rows.begin(), rows.end(), wait),
                *std::min_element(rows.begin(), rows.end(), comp), u);
    add_extreme(to, "max", *std::max_element(rows.begin(), rows.end(), wait),
                *std::max_element(rows.begin(), rows.end(), comp), u);
}

void print_table(const std::vector<waiting_row> &shown, const std::vector<waiting_row> &summed,
                 const report_wish &wish) {
    const time_unit u = unit_for(sum_of(summed).wait_ns);
    table result({{"waiting in MPI", false},
                  {"wait"},
                  {"wait-comp"},
                  {"change", true, 2},
                  {"change %"},
                  {"share %", true, 3},
                  {"share-comp %", true, 3}});
    if (summed.size() > 1)
        add_summary(result, summed, u);
    for (const waiting_row &r : shown)
        result.add(cells_of("rank " + std::to_string(r.rank), r, u));
    const auto left_out = result.print(look_at_stdout());
    const std::string where = wish.region.empty() ? "MPI" : printable(wish.region);
    std::printf("\nTimes in %s. wait: blocked in %s, the threads of a rank together, as measured; -comp: without\n"
                "measuring; share: of the time in %s.\n",
                u.name, where.c_str(), profile::root_region);
    print_left_out_columns(left_out);
}

}  // namespace

void print_imbalance(const profile::run &run, const report_wish &wish, const imbalance_rows &rows) {
    std::int64_t largest_ns = 0;
    for (const imbalance_row &r : rows.rows)
        largest_ns = std::max(largest_ns, r.max_ns);
    const time_unit u = unit_for(largest_ns);
    print_head(run, wish.directory);
    std::printf("\n");
    const auto left_out = imbalance_table(rows, u).print(look_at_stdout());
    if (rows.left_out > 0)
        std::printf("%s: --limit=0 shows all, --region=NAME one\n", count_text(rows.left_out, "more region").c_str());
    std::printf("\nTimes in %s: excl-comp of a rank, its threads together; 0 on a rank without the region.\n"
                "ranks: how many have it; imbalance: max / mean - 1.\n",
                u.name);
    print_left_out_columns(left_out);
}

void print_waiting_summary(const std::vector<waiting_row> &rows, const report_wish &wish) {
    const bool is_short = rows.size() <= most_shown_each;
    std::printf("\n");
    print_table(is_short ? rows : std::vector<waiting_row>(), rows, wish);
    if (!is_short)
        std::printf("Each of the %zu ranks: --waiting\n", rows.size());
}

void print_waiting(const profile::run &run, const report_wish &wish, const waiting_rows &rows) {
    report_wish all = wish;
    all.limit = 0;
    print_head(run, wish.directory);
    std::printf("\n");
    print_table(rows.rows, rows.left_out > 0 ? select_waiting(run, all).rows : rows.rows, wish);
    if (rows.left_out > 0)
        std::printf("%s: --limit=0 shows all\n", count_text(rows.left_out, "more rank").c_str());
}

}  // namespace tare::tool
