// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace tare::tool {
namespace {

using profile::row;

struct sort_key {
    const char *name;
    std::int64_t row::*value;
};

const sort_key keys[] = {
    {"calls", &row::calls},         {"incl", &row::incl_ns},
    {"incl-comp", &row::incl_comp_ns}, {"excl", &row::excl_ns},
    {"excl-comp", &row::excl_comp_ns}, {"wait", &row::wait_ns},
    {"wait-comp", &row::wait_comp_ns}, {"removed", &row::removed_ns},
    {"residue", &row::residue_ns},
};

// MPI regions are called MPI_Recv(), which shells make awkward to write.
bool is_named(const std::string &region, const std::string &wanted) {
    return region == wanted || region == wanted + "()";
}

std::int64_t value_of(const row &r, const std::string &key) {
    for (const sort_key &k : keys)
        if (key == k.name)
            return r.*k.value;
    return 0;  // region: by name alone
}

std::string range(int first, int last) {
    if (first == last)
        return std::to_string(first);
    return std::to_string(first) + (last == first + 1 ? ", " : " to ") + std::to_string(last);
}

}  // namespace

const std::vector<std::string> &sort_keys() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> result = {"region"};
        for (const sort_key &k : keys)
            result.push_back(k.name);
        return result;
    }();
    return names;
}

std::vector<report_line> select_lines(const profile::run &run, const report_wish &wish) {
    std::vector<report_line> lines;
    for (const profile::thread &t : run.threads)
        for (const row &r : t.rows)
            if ((!wish.rank || t.rank == *wish.rank) && (wish.region.empty() || is_named(r.region, wish.region)))
                lines.push_back({&t, &r});
    std::stable_sort(lines.begin(), lines.end(), [&](const report_line &a, const report_line &b) {
        const auto order = [&](const report_line &l) {
            return std::make_tuple(l.thread->rank, l.thread->number, -value_of(*l.row, wish.sort), l.row->region);
        };
        return order(a) < order(b);
    });
    return lines;
}

std::vector<int> missing_ranks(const profile::run &run) {
    std::set<int> present;
    for (const profile::thread &t : run.threads)
        present.insert(t.rank);
    std::vector<int> missing;
    for (int rank = 0; rank < run.ranks(); ++rank)
        if (present.count(rank) == 0)
            missing.push_back(rank);
    return missing;
}

std::vector<int> recovered_ranks(const profile::run &run, const std::string &fate) {
    std::set<int> ranks;
    for (const profile::thread &t : run.threads)
        if (t.attribute(profile::key::recovered) == fate)
            ranks.insert(t.rank);
    return {ranks.begin(), ranks.end()};
}

std::string number_list(const std::vector<int> &numbers) {
    std::string text;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        std::size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
            ++last;
        text += (i == 0 ? "" : ", ") + range(numbers[i], numbers[last]);
        i = last;
    }
    return text;
}

std::vector<std::string> region_names(const profile::run &run) {
    std::set<std::string> names;
    for (const profile::thread &t : run.threads)
        for (const row &r : t.rows)
            names.insert(r.region);
    return {names.begin(), names.end()};
}

}  // namespace tare::tool
