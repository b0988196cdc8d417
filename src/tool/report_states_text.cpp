// SPDX-License-Identifier: BSD-3-Clause
// Wait states for people, and what decides in which form they are printed.
#include "report_states.hpp"

#include "command.hpp"
#include "figures.hpp"
#include "regions.hpp"
#include "report_calls.hpp"
#include "table.hpp"
#include "units.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace tare::tool {
namespace {

std::vector<std::string> times_of(std::int64_t wait_ns, std::int64_t wait_comp_ns, const waiting_row &all,
                                  const time_unit &u) {
    const std::int64_t change_ns = minus(wait_comp_ns, wait_ns);
    return {time_text(wait_ns, u),
            time_text(wait_comp_ns, u),
            change_text(change_ns, u),
            change_pct_text(percent_of(change_ns, wait_ns)),
            share_text(percent_of(wait_ns, all.incl_ns)),
            share_text(percent_of(wait_comp_ns, all.incl_comp_ns))};
}

void append(std::vector<std::string> &cells, const std::vector<std::string> &more) {
    cells.insert(cells.end(), more.begin(), more.end());
}

std::vector<std::string> ranks_of(const state_sum &s, const time_unit &u) {
    return {std::to_string(s.calls), std::to_string(s.ranks), time_text(s.max_comp_ns, u),
            std::to_string(s.max_rank)};
}

const std::vector<column> rank_columns = {{"calls", true, 3}, {"ranks", true, 5}, {"max-comp", true, 2},
                                          {"max-rank", true, 1}};

table states_table(const state_rows &rows, const time_unit &u) {
    std::vector<column> columns = {{"wait state", false, 0, true}, {"wait"}, {"wait-comp"}, {"change", true, 4},
                                   {"change %", true, 3}, {"share %", true, 6}, {"share-comp %", true, 6}};
    columns.insert(columns.end(), rank_columns.begin(), rank_columns.end());
    table result(columns);
    std::vector<std::string> all = {"all states"};
    append(all, times_of(rows.all.wait_ns, rows.all.wait_comp_ns, rows.all, u));
    all.resize(columns.size());
    result.add(all);
    for (const state_sum &s : rows.states) {
        std::vector<std::string> cells = {waits::states[s.state].name};
        append(cells, times_of(s.wait_ns, s.wait_comp_ns, rows.all, u));
        append(cells, ranks_of(s, u));
        result.add(cells);
    }
    return result;
}

bool knows_where(const state_rows &rows) {
    return std::any_of(rows.places.begin(), rows.places.end(), [](const state_sum &s) { return !s.where.empty(); });
}

table places_table(const profile::run &run, const state_rows &rows, const time_unit &u) {
    const bool has_where = knows_where(rows);
    const char *const unknown = has_paths(run) ? "(on no call path)" : "(not known)";
    std::vector<column> columns = {{"function", false, 0, true}, {"wait state", false}, {"wait"}, {"wait-comp"}};
    columns.insert(columns.end(), rank_columns.begin(), rank_columns.end());
    if (has_where)
        columns.insert(columns.begin(), {"where", false, 0, true});
    table result(columns);
    for (const state_sum &s : rows.places) {
        std::vector<std::string> cells;
        if (has_where)
            cells.push_back(s.where.empty() ? unknown : printable(s.where));
        append(cells, {printable(s.function), waits::states[s.state].name, time_text(s.wait_ns, u),
                       time_text(s.wait_comp_ns, u)});
        append(cells, ranks_of(s, u));
        result.add(cells);
    }
    return result;
}

bool knows_orders(const state_rows &rows) {
    return std::any_of(rows.states.begin(), rows.states.end(), [](const state_sum &s) {
        return s.state == waits::wrong_order_same || s.state == waits::wrong_order_different;
    });
}

table completions_table(const completion_rows &rows, const time_unit &u) {
    table result({{"call", false, 0, true}, {"function", false, 0, true}, {"completion", false}, {"time"}, {"time-comp"},
                  {"calls", true, 3}, {"ranks", true, 5}, {"max-comp", true, 2}, {"max-rank", true, 1}});
    for (const completion_sum &s : rows.sites)
        result.add({printable(s.site), printable(s.function), s.words->name, time_text(s.time_ns, u),
                    time_text(s.time_comp_ns, u), std::to_string(s.known_calls), std::to_string(s.ranks),
                    time_text(s.max_comp_ns, u), std::to_string(s.max_rank)});
    return result;
}

std::int64_t longest_of(const completion_rows &rows) {
    std::int64_t most_ns = 0;
    for (const completion_sum &s : rows.sites)
        most_ns = std::max({most_ns, s.time_ns, s.time_comp_ns});
    return most_ns;
}

void print_completions(const completion_rows &rows) {
    if (rows.calls == 0)
        return;
    const time_unit u = unit_for(longest_of(rows));
    if (!rows.sites.empty()) {
        std::printf("\nNo waiting, but behind the first process that has left the same operation, in %s:\n\n", u.name);
        const std::vector<std::string> left_out = completions_table(rows, u).print(look_at_stdout());
        if (rows.left_out > 0)
            std::printf("%s: --limit=0 shows all\n", count_text(rows.left_out, "more call").c_str());
        print_left_out_columns(left_out);
    }
    if (rows.known_calls < rows.calls)
        std::printf("Not known of %s of %" PRId64 ": when the first process has left them.\n",
                    count_text(static_cast<std::size_t>(rows.calls - rows.known_calls), "call").c_str(), rows.calls);
    if (rows.hosts > 1 && !rows.sites.empty())
        std::printf("The run has %zu hosts; the first process of the own one counts, so the times are these at least.\n",
                    rows.hosts);
}

void print_legend(const profile::run &run, const state_rows &rows, const time_unit &u) {
    std::printf("\nTimes in %s. wait: blocked, the threads of a rank together, as measured; -comp: without measuring;\n"
                "share: of the time in %s; calls: of the functions that wait so; ranks: that have waited;\n"
                "max-comp: of the rank with the most wait-comp.",
                u.name, profile::root_region);
    if (knows_where(rows))
        std::printf(" where: %s.", has_paths(run) ? "the innermost region around" : "where the call returns to");
    if (knows_orders(rows))
        std::printf("\nThe state of a function there is that of its waits, in whichever order messages came.");
    std::printf("\n\n");
    for (const state_sum &s : rows.states)
        std::printf("%s: %s\n", waits::states[s.state].name, waits::states[s.state].meaning);
}

void print_waits(const profile::run &run, const report_wish &wish, const state_rows &rows) {
    if (rows.states.empty()) {
        const std::string where = wish.region.empty() ? "" : " in " + printable(wish.region);
        std::printf("\nNothing has waited%s.\n", where.c_str());
        return;
    }
    const time_unit u = unit_for(std::max(rows.all.wait_ns, rows.all.wait_comp_ns));
    std::puts("");
    std::vector<std::string> left_out = states_table(rows, u).print(look_at_stdout());
    std::puts("");
    for (const std::string &heading : places_table(run, rows, u).print(look_at_stdout()))
        if (std::find(left_out.begin(), left_out.end(), heading) == left_out.end())
            left_out.push_back(heading);
    if (rows.left_out > 0)
        std::printf("%s: --limit=0 shows all, --region=NAME one function\n",
                    count_text(rows.left_out, "more place").c_str());
    print_legend(run, rows, u);
    print_left_out_columns(left_out);
}

// Call paths tell more of places than the tables of calls.
std::vector<profile::rank_calls> tables_of(const profile::run &run, const report_wish &wish) {
    std::vector<profile::rank_calls> calls = calls_of(run, wish.directory);
    const std::string absent = calls.empty() || has_paths(run) ? "" : absent_calls_sentence(run, calls);
    if (!absent.empty())
        fail("report", exit_good, absent);
    return calls;
}

}  // namespace

int report_states(const profile::run &run, const report_wish &wish) {
    const std::vector<profile::rank_calls> calls = tables_of(run, wish);
    const state_rows rows = select_states(run, calls, wish);
    const completion_rows completions = select_completions(run, calls, wish);
    if (wish.json) {
        std::puts(states_json(run, rows, completions).c_str());
        return exit_good;
    }
    print_head(run, wish.directory);
    print_waits(run, wish, rows);
    print_completions(completions);
    return exit_good;
}

}  // namespace tare::tool
