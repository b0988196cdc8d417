// SPDX-License-Identifier: BSD-3-Clause
// The report for people: the regions, and what all views begin and end with.
#include "report.hpp"

#include "regions.hpp"
#include "table.hpp"
#include "units.hpp"

#include <algorithm>
#include <cstdio>

namespace tare::tool {
namespace {

namespace key = profile::key;

// Here and below: report_line or tree_line.
template <typename Line> time_unit unit_of(const std::vector<Line> &lines) {
    std::int64_t largest_ns = 0;
    for (const Line &l : lines)
        largest_ns = std::max(largest_ns, l.row ? l.row->incl_ns : 0);
    return unit_for(largest_ns);
}

std::string thread_name(const profile::thread &t, bool threaded) {
    return std::to_string(t.rank) + (threaded ? "." + std::to_string(t.number) : "");
}

bool has_threads(const profile::run &run) {
    return std::any_of(run.threads.begin(), run.threads.end(), [](const profile::thread &t) { return t.number > 0; });
}

bool is_in_head(const std::string &name) {
    return name == key::mode || name == key::rule || name == key::run_id || name == key::ranks ||
           name == key::recovered;  // said on stderr
}

const std::string spread_end = " spread ns", ns_end = " ns";

bool ends_with(const std::string &text, const std::string &end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

void print_metadata(const profile::run &run) {
    for (const auto &[name, value] : metadata_of(run))
        std::printf("%s: %s\n", name.c_str(), value.c_str());
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

std::string name_of(const report_line &line) {
    return printable(line.row->region) + (line.row->counted_calls > 0 ? std::string(profile::throttled_suffix) : "");
}

// Of very deep paths the depth is written out, or nothing would fit beside them.
std::string name_of(const tree_line &line) {
    constexpr std::size_t deepest = 20;
    const std::string depth = line.depth > deepest ? "[" + std::to_string(line.depth) + "] " : "";
    return std::string(2 * std::min(line.depth, deepest), ' ') + depth + printable(line.region);
}

template <typename Line> std::vector<std::string> cells_of(const Line &line, const time_unit &u, bool threaded) {
    std::vector<std::string> cells;
    if (line.thread)
        cells.push_back(thread_name(*line.thread, threaded));
    cells.push_back(name_of(line));
    cells.push_back(line.row ? std::to_string(line.row->calls) : "");
    for (const time_column &c : time_columns)
        cells.push_back(line.row ? time_text(line.row->*c.value, u) : "");
    return cells;
}

template <typename Line>
table make_table(const profile::run &run, const report_wish &wish, const std::vector<Line> &lines, const time_unit &u) {
    const bool threaded = has_threads(run);
    const char *what = wish.view == report_view::callpath ? "call path" : "region";
    std::vector<column> columns = {{what, false, 0, true}, {"calls", true, 5}};
    if (!is_together(run, wish))
        columns.insert(columns.begin(), {threaded ? "rank.thread" : "rank"});
    for (const time_column &c : time_columns)
        columns.push_back({c.heading, true, c.weight});
    table result(columns);
    for (const Line &line : lines)
        result.add(cells_of(line, u, threaded));
    return result;
}

// What a line stands for, where it is not a thread.
void print_sum_note(const profile::run &run, const report_wish &wish) {
    const std::string who = wish.rank ? "The threads of rank " + std::to_string(*wish.rank)
                                      : "All " + std::to_string(run.threads.size()) + " ranks and threads";
    const char *each = wish.view == report_view::sum ? "each by itself: --each, " : "";
    std::printf("%s together; %sone rank: --rank=N\n\n", who.c_str(), each);
}

void print_left_out_lines(const report_wish &wish, const char *what, std::size_t left_out) {
    if (left_out == 0)
        return;
    const char *which = *wish.sort == "region" ? "further in the alphabet" : "smaller ones";
    std::printf("%s, %s: --limit=0 shows all, --region=NAME one\n", count_text(left_out, what).c_str(), which);
}

// Of the threads that are shown, those that the program has named.
template <typename Line> void print_thread_names(const std::vector<Line> &lines) {
    const profile::thread *latest = nullptr;
    const char *before = "\nThreads: ";
    for (const Line &l : lines) {
        if (!l.thread || l.thread == latest || l.thread->attribute(key::thread_name).empty())
            continue;
        latest = l.thread;
        std::printf("%s%s %s", before, thread_name(*latest, true).c_str(),
                    printable(latest->attribute(key::thread_name)).c_str());
        before = ", ";
    }
    std::printf("%s", latest ? "\n" : "");
}

void print_legend(const time_unit &u, const std::vector<std::string> &left_out) {
    std::printf("\nTimes in %s. incl, excl, wait (blocked in MPI): as measured; -comp: without measuring.\n"
                "removed: incl less incl-comp; comp-lo, comp-hi: bounds of incl-comp; residue: not to be placed.\n",
                u.name);
    print_left_out_columns(left_out);
}

// Of all that is shown, not of the run.
template <typename Line> void print_throttled(const std::vector<Line> &lines) {
    std::int64_t calls = 0;
    for (const Line &l : lines)
        calls += l.row ? l.row->counted_calls : 0;
    if (calls > 0)
        std::printf("[THROTTLED]: no more measured after some calls, by TARE_THROTTLE; calls counts all, and times are\n"
                    "those of the measured ones. Only counted: %lld; their time is their callers'.\n",
                    static_cast<long long>(calls));
}

template <typename Line> void print_next(const report_wish &wish, const std::vector<Line> &lines) {
    const std::string folder = wish.directory == "." ? "" : " " + printable(wish.directory);
    const std::string place = (wish.view == report_view::callpath ? " --callpath" : "") + folder;
    const bool waits = std::any_of(lines.begin(), lines.end(),
                                   [](const Line &l) { return l.row && l.row->wait_ns > 0; });
    if (wish.region.empty() && *wish.sort != "wait" && waits)
        std::printf("\nNext: tare report --sort=wait%s\n", place.c_str());
    else if (wish.region.empty() && !wish.rank && waits)
        std::printf("\nNext: tare report --states%s\n", folder.c_str());
    else if (!wish.region.empty() || wish.rank)
        std::printf("\nNext: tare report%s\n", place.c_str());
    else
        std::printf("\nNext: tare report --json%s\n", place.c_str());
}

// Of the whole run, if it has waited at all.
void print_waiting_of(const profile::run &run, const report_wish &wish) {
    report_wish all;
    all.view = report_view::waiting;
    all.directory = wish.directory;
    const waiting_rows waiting = select_waiting(run, decide(run, all));
    if (std::any_of(waiting.rows.begin(), waiting.rows.end(), [](const waiting_row &r) { return r.wait_ns > 0; }))
        print_waiting_summary(waiting.rows, all);
}

// Head, table and legend. `what` is a line that was left out; `remark` begins the legend.
template <typename Line>
void print_lines(const profile::run &run, const report_wish &wish, const std::vector<Line> &lines,
                 const char *what, std::size_t left_out, const char *remark) {
    print_head(run, wish.directory);
    print_metadata(run);
    std::printf("\n");
    if (is_together(run, wish))
        print_sum_note(run, wish);
    const time_unit u = unit_of(lines);
    const auto no_room = make_table(run, wish, lines, u).print(look_at_stdout());
    print_left_out_lines(wish, what, left_out);
    std::printf("%s", remark);
    print_thread_names(lines);
    print_legend(u, no_room);
    print_throttled(lines);
}

}  // namespace

void print_head(const profile::run &run, const std::string &directory) {
    std::printf("Tare profile in %s: %s, ", printable(directory).c_str(),
                count_text(static_cast<std::size_t>(run.ranks()), "rank").c_str());
    std::printf("mode %s, rule %s\n", values_of(run, key::mode).c_str(), values_of(run, key::rule).c_str());
    std::printf("run %s\n", values_of(run, key::run_id).c_str());
}

// Above all the constants that calibration found. How far a constant's batches lay apart stands behind it.
std::vector<std::pair<std::string, std::string>> metadata_of(const profile::run &run) {
    std::vector<std::pair<std::string, std::string>> result;
    for (const auto &attribute : run.threads.front().metadata) {
        const std::string &name = attribute.first;
        if (is_in_head(name) || ends_with(name, spread_end))
            continue;
        std::string value = values_of(run, name);
        const std::string spread = name.substr(0, name.size() - std::min(name.size(), ns_end.size())) + spread_end;
        if (ends_with(name, ns_end) && !run.threads.front().attribute(spread).empty())
            value += " (spread " + values_of(run, spread) + ")";
        result.emplace_back(printable(name), value);
    }
    return result;
}

void print_report(const profile::run &run, const report_wish &wish, const report_lines &lines) {
    print_lines(run, wish, lines.lines, "more line", lines.left_out, "");
    if (wish.region.empty() && !wish.rank)
        print_waiting_of(run, wish);
    print_next(wish, lines.lines);
}

void print_callpaths(const profile::run &run, const report_wish &wish, const call_tree &tree) {
    print_lines(run, wish, tree.lines, "more path", tree.left_out,
                "\nA line is the path down to it; one without figures only leads to others.");
    print_next(wish, tree.lines);
}

}  // namespace tare::tool
