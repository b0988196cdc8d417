// SPDX-License-Identifier: BSD-3-Clause
// The lines of the tables of regions: of each thread, or of all together.
#include "report.hpp"

#include "regions.hpp"

#include <algorithm>

namespace tare::tool {
namespace {

using profile::row;

struct sort_key {
    const char *name;
    std::int64_t row::*value;
};

constexpr const char *by_name = "region";

const sort_key keys[] = {
    {"excl", &row::excl_ns},       {"excl-comp", &row::excl_comp_ns},
    {"incl", &row::incl_ns},       {"incl-comp", &row::incl_comp_ns},
    {"calls", &row::calls},        {"wait", &row::wait_ns},
    {"wait-comp", &row::wait_comp_ns}, {"removed", &row::removed_ns},
    {"residue", &row::residue_ns},
};

// The largest values first, then the alphabet.
class order {
  public:
    explicit order(std::int64_t row::*value) : value_(value) {}

    bool operator()(const report_line &a, const report_line &b) const {
        if (value_ && a.row->*value_ != b.row->*value_)
            return a.row->*value_ > b.row->*value_;
        return a.row->region < b.row->region;
    }

  private:
    std::int64_t row::*value_;
};

bool is_wished(const row &r, const report_wish &wish) {
    if (wish.region.empty())
        return true;
    return is_named(wish.view == report_view::callpath ? profile::last_of_path(r.region) : r.region, wish.region);
}

// Appends the rows of a thread, or of all: no more than the limit.
void append(const profile::thread *thread, const std::vector<row> &rows, const report_wish &wish,
            report_lines &into) {
    std::vector<report_line> lines;
    for (const row &r : rows)
        if (is_wished(r, wish))
            lines.push_back({thread, &r});
    const auto shown = lines.begin() + static_cast<std::ptrdiff_t>(shown_of(lines.size(), *wish.limit));
    std::partial_sort(lines.begin(), shown, lines.end(), order(figure_of(*wish.sort)));
    into.lines.insert(into.lines.end(), lines.begin(), shown);
    into.left_out += static_cast<std::size_t>(lines.end() - shown);
}

}  // namespace

std::vector<std::string> sort_keys(report_view view) {
    if (view == report_view::imbalance)
        return {"excess", "min", "mean", "max", "imbalance", by_name};
    if (view == report_view::waiting)
        return {"rank", "wait", "wait-comp", "change"};
    if (view == report_view::states)
        return {"wait-comp", "wait", "change", "calls", "state"};
    if (view == report_view::peers)
        return {"wait-comp", "wait", "calls", "rank"};
    std::vector<std::string> names;
    for (const sort_key &k : keys)
        names.push_back(k.name);
    names.push_back(by_name);
    if (view == report_view::callpath)
        std::rotate(names.begin(), std::find(names.begin(), names.end(), "incl"), names.end());
    return names;
}

std::int64_t row::*figure_of(const std::string &key) {
    for (const sort_key &k : keys)
        if (key == k.name)
            return k.value;
    return nullptr;
}

bool is_together(const profile::run &run, const report_wish &wish) {
    if (wish.view == report_view::callpath)
        return !wish.json && !wish.rank && run.threads.size() > most_shown_each;
    return wish.view == report_view::sum;
}

report_wish decide(const profile::run &run, report_wish wish) {
    const bool is_part = wish.rank || !wish.region.empty();
    if (wish.view == report_view::automatic)
        wish.view = wish.json || is_part || run.threads.size() <= most_shown_each ? report_view::each
                                                                                  : report_view::sum;
    if (!wish.sort)
        wish.sort = sort_keys(wish.view).front();
    if (!wish.limit)
        wish.limit = wish.json || wish.view == report_view::waiting ? 0 : default_limit;
    return wish;
}

report_lines select_lines(const profile::run &run, const report_wish &wish) {
    const bool are_paths = wish.view == report_view::callpath;
    report_lines result;
    if (is_together(run, wish)) {
        result.sums = are_paths ? summed_paths(run) : summed_rows(run, wish.rank);
        append(nullptr, result.sums, wish, result);
        return result;
    }
    for (const profile::thread &t : run.threads)
        if (t.rank == wish.rank.value_or(t.rank))
            append(&t, are_paths ? t.paths : t.rows, wish, result);
    return result;
}

}  // namespace tare::tool
