// SPDX-License-Identifier: BSD-3-Clause
// The report for people.
#include "report.hpp"

#include "table.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>

namespace tare::tool {
namespace {

namespace key = profile::key;

struct unit {
    const char *name;
    std::int64_t ns;
};

constexpr unit microsecond = {"us", 1000};
constexpr unit millisecond = {"ms", 1000000};
constexpr unit second = {"s", 1000000000};

// One unit for the whole table, so that figures can be compared by eye.
unit unit_for(const std::vector<report_line> &lines) {
    std::int64_t largest = 0;
    for (const report_line &l : lines)
        largest = std::max(largest, l.row->incl_ns);
    if (largest < 10 * millisecond.ns)
        return microsecond;
    return largest < 10000 * second.ns ? millisecond : second;
}

std::string time_text(std::int64_t ns, const unit &u) {
    char text[48];
    std::snprintf(text, sizeof text, "%.3f", static_cast<double>(ns) / static_cast<double>(u.ns));
    return text;
}

std::string thread_name(const profile::thread &t, bool threaded) {
    return std::to_string(t.rank) + (threaded ? "." + std::to_string(t.number) : "");
}

bool has_threads(const profile::run &run) {
    return std::any_of(run.threads.begin(), run.threads.end(), [](const profile::thread &t) { return t.number > 0; });
}

// The value of an attribute on every rank if they agree, else the first ones.
std::string values_of(const profile::run &run, const std::string &name) {
    constexpr std::size_t shown = 4;
    std::vector<std::string> values;
    for (const profile::thread &t : run.threads)
        values.push_back(t.attribute(name));
    const auto other = std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>());
    if (other == values.end())
        return printable(values.front());
    std::string text;
    for (std::size_t i = 0; i < values.size() && i < shown; ++i)
        text += (i == 0 ? "" : ", ") + values[i];
    return printable(text) + (values.size() > shown ? ", ..." : "");
}

void print_head(const profile::run &run, const std::string &directory) {
    const int ranks = run.ranks();
    std::printf("Tare profile in %s: %d rank%s, ", printable(directory).c_str(), ranks, ranks == 1 ? "" : "s");
    std::printf("mode %s, rule %s\n", values_of(run, key::mode).c_str(), values_of(run, key::rule).c_str());
    std::printf("run %s\n", values_of(run, key::run_id).c_str());
}

bool is_in_head(const std::string &name) {
    return name == key::mode || name == key::rule || name == key::run_id || name == key::ranks ||
           name == key::recovered;  // said on stderr
}

// What else the run left word of: above all the constants that calibration found, rank by rank where they differ.
void print_metadata(const profile::run &run) {
    for (const auto &attribute : run.threads.front().metadata)
        if (!is_in_head(attribute.first))
            std::printf("%s: %s\n", printable(attribute.first).c_str(), values_of(run, attribute.first).c_str());
}

struct time_column {
    const char *heading;
    std::int64_t profile::row::*value;
    int weight;  // see column
};

using profile::row;

const time_column time_columns[] = {
    {"incl", &row::incl_ns, 3},
    {"incl-comp", &row::incl_comp_ns, 0},
    {"excl", &row::excl_ns, 7},
    {"excl-comp", &row::excl_comp_ns, 6},
    {"wait", &row::wait_ns, 2},
    {"wait-comp", &row::wait_comp_ns, 1},
    {"removed", &row::removed_ns, 8},
    {"comp-lo", &row::lo_ns, 9},
    {"comp-hi", &row::hi_ns, 9},
    {"residue", &row::residue_ns, 9},
};

table make_table(const std::vector<report_line> &lines, const unit &u, bool threaded) {
    const char *who = threaded ? "rank.thread" : "rank";
    std::vector<column> columns = {{who}, {"region", false, 0, true}, {"calls", true, 5}};
    for (const time_column &c : time_columns)
        columns.push_back({c.heading, true, c.weight});
    table result(columns);
    for (const auto &[thread, row] : lines) {
        std::vector<std::string> cells = {thread_name(*thread, threaded), printable(row->region),
                                          std::to_string(row->calls)};
        for (const time_column &c : time_columns)
            cells.push_back(time_text(row->*c.value, u));
        result.add(cells);
    }
    return result;
}

void print_legend(const unit &u, const std::vector<std::string> &left_out) {
    std::printf("\nTimes in %s. incl, excl, wait (blocked in MPI): as measured; -comp: without measuring.\n"
                "removed: incl less incl-comp; comp-lo, comp-hi: bounds of incl-comp; residue: not to be placed.\n",
                u.name);
    if (left_out.empty())
        return;
    std::printf("No room for:");
    for (const std::string &heading : left_out)
        std::printf(" %s", heading.c_str());
    std::printf(" (use a wider terminal, a pipe, or --json)\n");
}

void print_next(const report_wish &wish, const std::vector<report_line> &lines) {
    const std::string place = wish.directory == "." ? "" : " " + printable(wish.directory);
    const auto longest = std::max_element(lines.begin(), lines.end(), [](const report_line &a, const report_line &b) {
        return a.row->wait_ns < b.row->wait_ns;
    });
    if (wish.region.empty() && wish.sort != "wait" && longest != lines.end() && longest->row->wait_ns > 0)
        std::printf("\nNext: tare report --sort=wait%s\n", place.c_str());
    else if (!wish.region.empty() || wish.rank)
        std::printf("\nNext: tare report%s\n", place.c_str());
    else
        std::printf("\nNext: tare report --json%s\n", place.c_str());
}

}  // namespace

void print_report(const profile::run &run, const report_wish &wish, const std::vector<report_line> &lines) {
    print_head(run, wish.directory);
    print_metadata(run);
    std::printf("\n");
    const unit u = unit_for(lines);
    const auto left_out = make_table(lines, u, has_threads(run)).print(look_at_stdout());
    print_legend(u, left_out);
    print_next(wish, lines);
}

}  // namespace tare::tool
