// SPDX-License-Identifier: BSD-3-Clause
// From the figures of all runs to medians, spread and errors.
#include "validate.hpp"

#include "figures.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace tare::tool {

const char *const case_names[validate_cases] = {"baseline", "instrumented", "local",       "published",
                                               "exact",    "repeated",     "extrapolated"};

namespace {

// The run is as long as its slowest rank; of other regions the ranks' times are summed up.
void join(figure &a, const figure &b, bool is_total) {
    const auto joined = [&](std::int64_t x, std::int64_t y) { return is_total ? std::max(x, y) : plus(x, y); };
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

// What one execution of all probes adds to the exact figure: between the exact run and the repeated one lie `repeats`.
std::int64_t growth_ns(std::int64_t exact_ns, std::int64_t repeated_ns, int repeats) {
    return std::llround(static_cast<double>(repeated_ns - exact_ns) / repeats);
}

// That of each round.
std::vector<figure> growths(const observations &runs, const std::string &region, int rank, int repeats) {
    std::vector<figure> result = series(runs[case_exact], region, rank);
    const std::vector<figure> repeated = series(runs[case_repeated], region, rank);
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = {growth_ns(result[i].ns, repeated[i].ns, repeats), 0, 0, 0};
    return result;
}

// Of the medians; nothing is known of bounds.
validate_row make_extrapolated(const observations &runs, const validate_row &exact, const validate_row &repeated,
                               int repeats) {
    validate_row row = exact;
    row.which = case_extrapolated;
    const std::int64_t ns = exact.median.ns - growth_ns(exact.median.ns, repeated.median.ns, repeats);
    row.median = {ns, ns, ns, 0};
    std::vector<figure> rounds = series(runs[case_exact], exact.region, exact.rank);
    const std::vector<figure> growth = growths(runs, exact.region, exact.rank, repeats);
    for (std::size_t i = 0; i < rounds.size(); ++i)
        rounds[i].ns -= growth[i].ns;
    row.spread_ns = spread(rounds);
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

void add_rows(const observations &runs, const std::string &region, int rank, int repeats,
              std::vector<validate_row> &rows) {
    std::vector<validate_row> added;
    for (int which = 0; which <= (repeats > 0 ? case_repeated : case_exact); ++which)
        added.push_back(make_row(runs, static_cast<validate_case>(which), region, rank));
    if (repeats > 0)
        added.push_back(make_extrapolated(runs, added[case_exact], added[case_repeated], repeats));
    for (validate_row &row : added)
        judge(row, added[case_baseline].median.ns);
    rows.insert(rows.end(), added.begin(), added.end());
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

std::vector<validate_row> make_rows(const observations &runs, int repeats) {
    std::vector<validate_row> rows;
    const int ranks = runs[case_baseline].front().ranks;
    for (const std::string &region : regions_of(runs[case_baseline])) {
        add_rows(runs, region, whole_run, repeats, rows);
        for (int rank = 0; rank < ranks && ranks > 1; ++rank)
            if (was_entered(runs[case_baseline], region, rank))
                add_rows(runs, region, rank, repeats, rows);
    }
    return rows;
}

second_order find_growth(const observations &runs, int repeats) {
    const auto total = [&](validate_case which) {
        return median(series(runs[which], total_region, whole_run), &figure::ns);
    };
    const std::int64_t exact_ns = total(case_exact);
    return {repeats, exact_ns - total(case_baseline), growth_ns(exact_ns, total(case_repeated), repeats),
            spread(growths(runs, total_region, whole_run, repeats))};
}

}  // namespace tare::tool
