// SPDX-License-Identifier: BSD-3-Clause
// The comparison for people.
#include "compare.hpp"

#include "regions.hpp"
#include "table.hpp"
#include "units.hpp"

#include <algorithm>
#include <cstdio>

namespace tare::tool {
namespace {

constexpr const char *absent = "-";

// What a terminal of usual width has no room for stands behind. The key of the order comes first.
std::vector<const quantity *> shown_quantities(const compare_wish &wish) {
    constexpr std::size_t usual = 4;
    if (!wish.shown.empty())
        return wish.shown;
    std::vector<const quantity *> shown;
    if (const quantity *q = find_quantity(wish.sort.value_or("")))
        shown.push_back(q);
    for (std::size_t i = 0; i < usual; ++i)
        if (std::find(shown.begin(), shown.end(), &quantities[i]) == shown.end())
            shown.push_back(&quantities[i]);
    return shown;
}

table make_table(const std::vector<const quantity *> &shown) {
    std::vector<column> columns = {{"region", false, 0, true}};
    int weight = 0;
    for (const quantity *q : shown) {
        const std::string prefix = std::string(q->name) + "-";
        for (const char *name : side_names)
            columns.push_back({prefix + name, true, weight == 0 ? 0 : weight + 2});
        columns.push_back({weight == 0 ? "change" : prefix + "change", true, weight == 0 ? 0 : weight + 1});
        columns.push_back({weight == 0 ? "%" : prefix + "%", true, weight});
        weight += 10;
    }
    return table(columns);
}

std::string value_text(const std::optional<std::int64_t> &value, const quantity &q, const time_unit &u) {
    if (!value)
        return absent;
    return q.is_time ? time_text(*value, u) : std::to_string(*value);
}

std::string difference_text(const std::optional<std::int64_t> &value, const quantity &q, const time_unit &u) {
    if (!value)
        return absent;
    if (q.is_time)
        return change_text(*value, u);
    return (*value > 0 ? "+" : "") + std::to_string(*value);
}

std::string change_cell(const compare_row &r, const quantity &q) {
    if (!r.in[side_a] || !r.in[side_b])
        return std::string("only ") + side_names[r.in[side_a] ? side_a : side_b];
    return change_pct_text(r.change_pct(q));
}

std::vector<std::string> cells_of(const compare_row &r, const std::vector<const quantity *> &shown,
                                  const time_unit &u) {
    std::vector<std::string> cells = {printable(r.region)};
    for (const quantity *q : shown) {
        for (const side s : {side_a, side_b})
            cells.push_back(value_text(r.value_in(s, *q), *q, u));
        cells.push_back(difference_text(r.change(*q), *q, u));
        cells.push_back(change_cell(r, *q));
    }
    return cells;
}

void print_run(side s, const compared_run &run) {
    std::printf("%s: Tare profile in %s: %s, ", side_names[s], printable(run.directory).c_str(),
                count_text(static_cast<std::size_t>(run.ranks), "rank").c_str());
    std::printf("mode %s, rule %s, run %s\n", run.mode.c_str(), run.rule.c_str(), run.run_id.c_str());
}

void print_only_in(const comparison &result) {
    for (const side s : {side_a, side_b})
        if (result.only_in[s] > 0)
            std::printf("%s only in %s\n", count_text(result.only_in[s], "region").c_str(), side_names[s]);
}

void print_rows(const comparison &result, const compare_wish &wish, const time_unit &u) {
    const auto shown = shown_quantities(wish);
    table rows = make_table(shown);
    rows.add(cells_of(result.total, shown, u));
    for (std::size_t i = 0; i < result.shown; ++i)
        rows.add(cells_of(result.rows[i], shown, u));
    const auto left_out = rows.print(look_at_stdout());
    if (result.shown < result.rows.size())
        std::printf("%s: --limit=0 shows all, --region=NAME one\n",
                    count_text(result.rows.size() - result.shown, "more region").c_str());
    print_only_in(result);
    std::printf("\nTimes in %s, sums over %s. excl, incl, wait (blocked in MPI): as measured; -comp: without\n"
                "measuring. change: B less A; %%: of A.\n",
                u.name, wish.rank ? "the rank's threads" : "ranks and threads");
    print_left_out_columns(left_out);
}

}  // namespace

void print_comparison(const comparison &result, const compare_wish &wish) {
    std::int64_t largest_ns = 0;
    for (const auto &total : result.total.in)
        largest_ns = std::max(largest_ns, total->incl_ns);
    for (const side s : {side_a, side_b})
        print_run(s, result.runs[s]);
    std::printf("\n");
    print_rows(result, wish, unit_for(largest_ns));
}

}  // namespace tare::tool
