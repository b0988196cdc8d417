// SPDX-License-Identifier: BSD-3-Clause
// From the figures of all runs to medians, spread and errors.
#include "validate.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace tare::tool {

const char *const case_names[validate_cases] = {"baseline", "instrumented", "local", "published", "exact"};

namespace {

// The run is as long as its slowest rank; of other regions the ranks' times are summed up.
void join(figure &a, const figure &b, bool is_total) {
    const auto joined = [&](std::int64_t x, std::int64_t y) { return is_total ? std::max(x, y) : x + y; };
    a = {joined(a.ns, b.ns), joined(a.lo_ns, b.lo_ns), joined(a.hi_ns, b.hi_ns), a.residue_ns + b.residue_ns};
}

figure whole(const std::vector<figure> &ranks, bool is_total) {
    figure result = ranks.front();
    for (std::size_t i = 1; i < ranks.size(); ++i)
        join(result, ranks[i], is_total);
    return result;
}

// One figure of a run. A region that this run did not enter took no time.
figure figure_of(const observation &run, const std::string &region, int rank) {
    const auto found = run.regions.find(region);
    if (found == run.regions.end() || found->second.empty())
        return {};
    return rank == whole_run ? whole(found->second, region == total_region) : found->second[rank];
}

std::vector<figure> series(const std::vector<observation> &runs, const std::string &region, int rank) {
    std::vector<figure> result;
    for (const observation &run : runs)
        result.push_back(figure_of(run, region, rank));
    return result;
}

std::int64_t median(const std::vector<figure> &figures, std::int64_t figure::*member) {
    std::vector<std::int64_t> values;
    for (const figure &f : figures)
        values.push_back(f.*member);
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

std::int64_t spread(const std::vector<figure> &figures) {
    const auto [least, most] = std::minmax_element(figures.begin(), figures.end(),
                                                   [](const figure &a, const figure &b) { return a.ns < b.ns; });
    return most->ns - least->ns;
}

validate_row make_row(const observations &runs, validate_case which, const std::string &region, int rank) {
    validate_row row;
    row.which = which;
    row.region = region;
    row.rank = rank;
    const std::vector<figure> figures = series(runs[which], region, rank);
    row.median = {median(figures, &figure::ns), median(figures, &figure::lo_ns), median(figures, &figure::hi_ns),
                  median(figures, &figure::residue_ns)};
    row.spread_ns = spread(figures);
    return row;
}

// To a ten-thousandth of a per cent: more digits say nothing.
double percent_off(std::int64_t value, std::int64_t truth) {
    const double error = 100.0 * static_cast<double>(value - truth) / static_cast<double>(truth);
    return std::round(error * 1e4) / 1e4;
}

void judge(validate_row &row, std::int64_t truth_ns) {
    if (row.which == case_baseline)
        return;
    if (truth_ns != 0)
        row.error_pct = percent_off(row.median.ns, truth_ns);
    if (row.which == case_exact)
        row.inside_bounds = row.median.lo_ns <= truth_ns && truth_ns <= row.median.hi_ns;
}

void add_rows(const observations &runs, const std::string &region, int rank, std::vector<validate_row> &rows) {
    const std::size_t first = rows.size();
    for (int which = 0; which < validate_cases; ++which) {
        rows.push_back(make_row(runs, static_cast<validate_case>(which), region, rank));
        judge(rows.back(), rows[first].median.ns);
    }
}

bool was_entered(const std::vector<observation> &runs, const std::string &region, int rank) {
    return std::any_of(runs.begin(), runs.end(),
                       [&](const observation &run) { return figure_of(run, region, rank).ns != 0; });
}

// The total first. Only what a baseline has timed has a truth.
std::vector<std::string> regions_of(const std::vector<observation> &baselines) {
    std::set<std::string> names;
    for (const observation &run : baselines)
        for (const auto &[name, figures] : run.regions)
            names.insert(name);
    names.erase(total_region);
    std::vector<std::string> result = {total_region};
    result.insert(result.end(), names.begin(), names.end());
    return result;
}

}  // namespace

std::string validate_row::name() const {
    return rank == whole_run ? region : region + ", rank " + std::to_string(rank);
}

const validate_row &validation::total_of(validate_case which) const {
    return *std::find_if(rows.begin(), rows.end(), [&](const validate_row &row) {
        return row.which == which && row.rank == whole_run && row.region == total_region;
    });
}

std::vector<validate_row> make_rows(const observations &runs) {
    std::vector<validate_row> rows;
    const int ranks = runs[case_baseline].front().ranks;
    for (const std::string &region : regions_of(runs[case_baseline])) {
        add_rows(runs, region, whole_run, rows);
        for (int rank = 0; rank < ranks && ranks > 1; ++rank)
            if (was_entered(runs[case_baseline], region, rank))
                add_rows(runs, region, rank, rows);
    }
    return rows;
}

}  // namespace tare::tool
