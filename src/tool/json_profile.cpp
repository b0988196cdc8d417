// SPDX-License-Identifier: BSD-3-Clause
// The tables that are made from profiles, machine-readable.
#include "compare.hpp"
#include "json_rows.hpp"
#include "report.hpp"

#include <algorithm>

namespace tare::tool {
namespace {

using profile::row;
using profile::run;

json_rows rows_of(const char *command, const run &run, std::FILE *to = stdout) {
    return {command, run.attribute(profile::key::mode), run.attribute(profile::key::rule), to};
}

// Both null where all ranks and threads are together.
void put_thread(json_rows &out, const profile::thread *thread) {
    const auto value = [&](int number) { return thread ? std::optional<std::int64_t>(number) : std::nullopt; };
    out.number("rank", value(thread ? thread->rank : 0));
    out.number("thread", value(thread ? thread->number : 0));
}

// Of a call path the region is the innermost one.
void put_line(json_rows &out, const report_line &line, bool is_path, const figure_set &known, bool may_be_throttled) {
    const row &r = *line.row;
    out.begin();
    put_thread(out, line.thread);
    out.text("region", is_path ? profile::last_of_path(r.region) : r.region);
    for (std::size_t i = 0; i < reported_figures; ++i)
        out.number(figure_columns[i].name, known[i] ? std::optional<std::int64_t>(r.*figure_columns[i].value)
                                                    : std::nullopt);
    if (may_be_throttled)
        out.number("counted_calls", r.counted_calls);
    if (is_path)
        out.text("path", r.region);
    out.end();
}

void put_row(json_rows &out, const imbalance_row &r) {
    out.begin();
    out.text("region", r.region);
    out.number("ranks", r.ranks);
    out.number("min_ns", r.min_ns);
    out.number("min_rank", r.min_rank);
    out.number("mean_ns", r.mean_ns);
    out.number("max_ns", r.max_ns);
    out.number("max_rank", r.max_rank);
    out.number("excess_ns", r.excess_ns);
    out.real("imbalance_pct", r.imbalance_pct);
    out.end();
}

void put_row(json_rows &out, const waiting_row &r) {
    out.begin();
    out.number("rank", r.rank);
    out.number("incl_ns", r.incl_ns);
    out.number("incl_comp_ns", r.incl_comp_ns);
    out.number("wait_ns", r.wait_ns);
    out.number("wait_comp_ns", r.wait_comp_ns);
    out.end();
}

// QUANTITY_a, QUANTITY_b, QUANTITY_change, QUANTITY_change_pct, with _ns behind times.
void put_quantity(json_rows &out, const quantity &q, const compare_row &r) {
    const std::string name = q.json_name;
    const std::string unit = q.is_time ? "_ns" : "";
    out.number((name + "_a" + unit).c_str(), r.value_in(side_a, q));
    out.number((name + "_b" + unit).c_str(), r.value_in(side_b, q));
    out.number((name + "_change" + unit).c_str(), r.change(q));
    out.real((name + "_change_pct").c_str(), r.change_pct(q));
}

void put_row(json_rows &out, const comparison &result, const compare_row &r) {
    out.begin();
    if (r.is_total)
        out.null("region");
    else
        out.text("region", r.region);
    out.real("share_a_pct", result.share_pct(side_a, r));
    out.real("share_b_pct", result.share_pct(side_b, r));
    for (const quantity &q : quantities)
        put_quantity(out, q, r);
    out.end();
}

bool has_counted_calls(const report_lines &lines) {
    return std::any_of(lines.lines.begin(), lines.lines.end(),
                       [](const report_line &line) { return line.row->counted_calls != 0; });
}

}  // namespace

void print_report_json(const run &run, const report_wish &wish, const report_lines &lines, std::FILE *to,
                       const figure_set &known) {
    json_rows out = rows_of("report", run, to);
    const bool is_path = wish.view == report_view::callpath;
    const bool may_be_throttled = !is_path && known[figure_index(&profile::figures::counted_calls)] &&
                                  (!run.attribute(profile::key::throttle).empty() || has_counted_calls(lines));
    for (const report_line &line : lines.lines)
        put_line(out, line, is_path, known, may_be_throttled);
    out.finish();
}

void print_imbalance_json(const run &run, const imbalance_rows &rows) {
    json_rows out = rows_of("report", run);
    for (const imbalance_row &r : rows.rows)
        put_row(out, r);
    out.finish();
}

void print_waiting_json(const run &run, const waiting_rows &rows) {
    json_rows out = rows_of("report", run);
    for (const waiting_row &r : rows.rows)
        put_row(out, r);
    out.finish();
}

void print_comparison_json(const comparison &result) {
    json_rows out("compare", result.mode(), result.rule());
    put_row(out, result, result.total);
    for (const compare_row &r : result.rows)
        put_row(out, result, r);
    out.finish();
}

}  // namespace tare::tool
