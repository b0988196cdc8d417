// SPDX-License-Identifier: BSD-3-Clause
// The regions of two runs beside each other, and what is to be said of them.
#include "compare.hpp"

#include "regions.hpp"
#include "table.hpp"
#include "units.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unordered_map>

namespace tare::tool {
namespace {

using profile::row;

// The root's inclusive times are those of the run, and the exclusive ones sum up to them.
row total_of(const std::vector<row> &rows) {
    row total;
    for (const row &r : rows) {
        total.calls += r.calls;
        total.excl_ns += r.excl_ns;
        total.excl_comp_ns += r.excl_comp_ns;
        if (r.region != profile::root_region)
            continue;
        total.incl_ns = r.incl_ns;
        total.incl_comp_ns = r.incl_comp_ns;
        total.wait_ns = r.wait_ns;
        total.wait_comp_ns = r.wait_comp_ns;
    }
    return total;
}

// Those of A in their order, then those that only B has.
std::vector<compare_row> paired(std::vector<row> &&a, std::vector<row> &&b) {
    std::vector<compare_row> rows;
    std::unordered_map<std::string, std::size_t> places;
    for (row &r : a) {
        places.emplace(r.region, rows.size());
        rows.push_back({r.region, {std::move(r), std::nullopt}});
    }
    for (row &r : b) {
        const auto place = places.find(r.region);
        if (place == places.end())
            rows.push_back({r.region, {std::nullopt, std::move(r)}});
        else
            rows[place->second].in[side_b] = std::move(r);
    }
    return rows;
}

// What a run lacks took no time in it.
std::int64_t size_of_change(const compare_row &r, const quantity &q) {
    return std::abs(r.value_in(side_b, q).value_or(0) - r.value_in(side_a, q).value_or(0));
}

std::int64_t size_of(const compare_row &r, const quantity &q) {
    return std::max(r.value_in(side_a, q).value_or(0), r.value_in(side_b, q).value_or(0));
}

// The largest change first, of those the largest, then the alphabet.
void sort_rows(std::vector<compare_row> &rows, const quantity *q) {
    std::sort(rows.begin(), rows.end(), [q](const compare_row &x, const compare_row &y) {
        if (q && size_of_change(x, *q) != size_of_change(y, *q))
            return size_of_change(x, *q) > size_of_change(y, *q);
        if (q && size_of(x, *q) != size_of(y, *q))
            return size_of(x, *q) > size_of(y, *q);
        return x.region < y.region;
    });
}

void drop_others(std::vector<compare_row> &rows, const std::string &region) {
    if (region.empty())
        return;
    const auto is_other = [&](const compare_row &r) { return !is_named(r.region, region); };
    rows.erase(std::remove_if(rows.begin(), rows.end(), is_other), rows.end());
}

std::string both(const std::string &a, const std::string &b) {
    return a == b ? a : a + ", " + b;
}

void add_difference(std::string &text, const char *what, const std::string &a, const std::string &b) {
    if (a != b)
        text += (text.empty() ? "" : ", ") + std::string(what) + " (" + a + " and " + b + ")";
}

// Per cent of A; a region that only B has, has changed without limit, one that only A has, by all that it was.
double judged_change_pct(const compare_row &r) {
    const std::int64_t a = r.value_in(side_a, compensated_exclusive).value_or(0);
    const std::int64_t b = r.value_in(side_b, compensated_exclusive).value_or(0);
    return percent_of(b - a, a).value_or(INFINITY);
}

bool is_judged(const comparison &result, const compare_row &r, double min_share_pct) {
    return std::max(result.share_pct(side_a, r).value_or(0), result.share_pct(side_b, r).value_or(0)) >=
           min_share_pct;
}

std::string change_sentence(const compare_row &r) {
    const std::string name = printable(r.region);
    if (!r.in[side_a])
        return name + " is new";
    if (!r.in[side_b])
        return name + " is gone";
    const double pct = judged_change_pct(r);
    return name + (std::isfinite(pct) ? " by " + change_pct_text(pct) + " %" : " from nothing");
}

}  // namespace

const quantity *find_quantity(const std::string &name) {
    for (const quantity &q : quantities)
        if (name == q.name)
            return &q;
    return nullptr;
}

std::optional<std::int64_t> compare_row::value_in(side s, const quantity &q) const {
    return in[s] ? std::optional<std::int64_t>((*in[s]).*q.value) : std::nullopt;
}

std::optional<std::int64_t> compare_row::change(const quantity &q) const {
    if (!in[side_a] || !in[side_b])
        return std::nullopt;
    return *value_in(side_b, q) - *value_in(side_a, q);
}

std::optional<double> compare_row::change_pct(const quantity &q) const {
    const auto difference = change(q);
    return difference ? percent_of(*difference, *value_in(side_a, q)) : std::nullopt;
}

std::string comparison::mode() const { return both(runs[side_a].mode, runs[side_b].mode); }

std::string comparison::rule() const { return both(runs[side_a].rule, runs[side_b].rule); }

std::optional<double> comparison::share_pct(side s, const compare_row &row) const {
    const auto part = row.value_in(s, compensated_exclusive);
    return part ? percent_of(*part, *total.value_in(s, compensated_exclusive)) : std::nullopt;
}

// Only the sums stay in memory: the other run is read after this one.
compared_run read_run(const std::string &directory, std::optional<int> rank) {
    namespace key = profile::key;
    const profile::run run = profile::read_directory(directory);
    compared_run result;
    result.directory = directory;
    result.run_id = values_of(run, key::run_id);
    result.mode = values_of(run, key::mode);
    result.rule = values_of(run, key::rule);
    result.warnings = warnings_of(run);
    result.ranks = run.ranks();
    result.has_rank = !rank || has_rank(run, *rank);
    result.rows = summed_rows(run, rank);
    return result;
}

comparison compare_runs(compared_run a, compared_run b, const compare_wish &wish) {
    comparison result;
    result.total = {"total", {total_of(a.rows), total_of(b.rows)}, true};
    result.rows = paired(std::move(a.rows), std::move(b.rows));
    result.runs[side_a] = std::move(a);
    result.runs[side_b] = std::move(b);
    drop_others(result.rows, wish.region);
    sort_rows(result.rows, find_quantity(wish.sort.value_or(compensated_exclusive.name)));
    for (const compare_row &r : result.rows)
        for (const side s : {side_a, side_b})
            result.only_in[s] += !r.in[s == side_a ? side_b : side_a];
    result.shown = shown_of(result.rows.size(), wish.limit.value_or(wish.json ? 0 : default_limit));
    return result;
}

std::string difference_sentence(const comparison &result) {
    const compared_run &a = result.runs[side_a];
    const compared_run &b = result.runs[side_b];
    std::string text;
    add_difference(text, "ranks", std::to_string(a.ranks), std::to_string(b.ranks));
    add_difference(text, "mode", a.mode, b.mode);
    add_difference(text, "rule", a.rule, b.rule);
    return text.empty() ? "" : "the runs differ in " + text + ", so their times are not of the same thing";
}

std::string exceeded_sentence(const comparison &result, const compare_wish &wish) {
    constexpr std::size_t most_named = 3;
    std::string names;
    std::size_t count = 0;
    for (const compare_row &r : result.rows) {
        if (!is_judged(result, r, wish.min_share_pct) || std::fabs(judged_change_pct(r)) <= *wish.max_change_pct)
            continue;
        if (++count <= most_named)
            names += (count == 1 ? "" : ", ") + change_sentence(r);
    }
    if (count == 0)
        return "";
    if (count > most_named)
        names += ", and " + count_text(count - most_named, "more region");
    char limit[64];
    std::snprintf(limit, sizeof limit, "--max-change=%g %%", *wish.max_change_pct);
    return std::string("more than ") + limit + " of compensated exclusive time: " + names;
}

}  // namespace tare::tool
