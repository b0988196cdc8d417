// SPDX-License-Identifier: BSD-3-Clause
// What the ranks differ in: the time in each region, and the waiting.
#include "report.hpp"

#include "regions.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

namespace tare::tool {
namespace {

using profile::row;
using profile::run;

// The ranks that left a profile, in order, by their places.
std::vector<int> present_ranks(const run &run) {
    std::vector<int> ranks;
    for (const profile::thread &t : run.threads)
        if (ranks.empty() || ranks.back() != t.rank)
            ranks.push_back(t.rank);
    return ranks;
}

struct times_of_region {
    std::string_view region;
    std::vector<std::int64_t> ns;  // by the rank's place
    std::size_t ranks = 0;         // that have the region
    std::size_t last = SIZE_MAX;   // the place of the last of them
};

void add(times_of_region &times, const row &r, std::size_t place, std::size_t places) {
    times.ns.resize(places);
    times.ns[place] += r.excl_comp_ns;
    times.ranks += times.last != place;
    times.last = place;
}

std::vector<times_of_region> times_of(const run &run, const std::vector<int> &ranks, const std::string &region) {
    std::vector<times_of_region> result;
    std::unordered_map<std::string_view, std::size_t> places;
    std::size_t rank = 0;
    for (const profile::thread &t : run.threads) {
        rank += ranks[rank] != t.rank;
        for (const row &r : t.rows) {
            if (!region.empty() && !is_named(r.region, region))
                continue;
            const auto [place, is_new] = places.emplace(r.region, result.size());
            if (is_new)
                result.push_back({r.region, {}});
            add(result[place->second], r, rank, ranks.size());
        }
    }
    return result;
}

imbalance_row to_row(const times_of_region &times, const std::vector<int> &ranks) {
    const auto least = std::min_element(times.ns.begin(), times.ns.end());
    const auto most = std::max_element(times.ns.begin(), times.ns.end());
    double mean = 0;
    for (const std::int64_t ns : times.ns)
        mean += static_cast<double>(ns) / static_cast<double>(times.ns.size());
    imbalance_row r;
    r.region = times.region;
    r.ranks = static_cast<int>(times.ranks);
    r.min_ns = *least;
    r.mean_ns = std::llround(mean);
    r.max_ns = *most;
    r.excess_ns = r.max_ns - r.mean_ns;
    r.min_rank = ranks[static_cast<std::size_t>(least - times.ns.begin())];
    r.max_rank = ranks[static_cast<std::size_t>(most - times.ns.begin())];
    if (mean > 0)
        r.imbalance_pct = 100.0 * (static_cast<double>(r.max_ns) / mean - 1.0);
    return r;
}

double value_of(const imbalance_row &r, const std::string &key) {
    if (key == "min")
        return static_cast<double>(r.min_ns);
    if (key == "mean")
        return static_cast<double>(r.mean_ns);
    if (key == "max")
        return static_cast<double>(r.max_ns);
    if (key == "imbalance")
        return r.imbalance_pct.value_or(-1.0);
    return key == "excess" ? static_cast<double>(r.excess_ns) : 0.0;
}

double value_of(const waiting_row &r, const std::string &key) {
    if (key == "wait")
        return static_cast<double>(r.wait_ns);
    if (key == "wait-comp")
        return static_cast<double>(r.wait_comp_ns);
    return key == "change" ? std::fabs(static_cast<double>(r.wait_comp_ns - r.wait_ns)) : 0.0;
}

const std::string &name_of(const imbalance_row &r) { return r.region; }
int name_of(const waiting_row &r) { return r.rank; }

// The largest first, and no more than the limit. Gives back how many are left out.
template <typename Row> std::size_t arrange(std::vector<Row> &rows, const report_wish &wish) {
    std::sort(rows.begin(), rows.end(), [&](const Row &a, const Row &b) {
        const double first = value_of(a, *wish.sort);
        const double second = value_of(b, *wish.sort);
        return first != second ? first > second : name_of(a) < name_of(b);
    });
    const std::size_t shown = shown_of(rows.size(), *wish.limit);
    const std::size_t left_out = rows.size() - shown;
    rows.resize(shown);
    return left_out;
}

void add(waiting_row &sum, const row &r, const std::string &region) {
    if (r.region == profile::root_region) {
        sum.incl_ns += r.incl_ns;
        sum.incl_comp_ns += r.incl_comp_ns;
    }
    if (is_named(r.region, region.empty() ? profile::root_region : region)) {
        sum.wait_ns += r.wait_ns;
        sum.wait_comp_ns += r.wait_comp_ns;
    }
}

}  // namespace

imbalance_rows select_imbalance(const run &run, const report_wish &wish) {
    const std::vector<int> ranks = present_ranks(run);
    imbalance_rows result;
    for (const times_of_region &times : times_of(run, ranks, wish.region))
        result.rows.push_back(to_row(times, ranks));
    result.left_out = arrange(result.rows, wish);
    return result;
}

waiting_rows select_waiting(const run &run, const report_wish &wish) {
    waiting_rows result;
    for (const profile::thread &t : run.threads) {
        if (t.rank != wish.rank.value_or(t.rank))
            continue;
        if (result.rows.empty() || result.rows.back().rank != t.rank)
            result.rows.push_back({t.rank});
        for (const row &r : t.rows)
            add(result.rows.back(), r, wish.region);
    }
    result.left_out = arrange(result.rows, wish);
    return result;
}

}  // namespace tare::tool
