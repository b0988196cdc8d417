// SPDX-License-Identifier: BSD-3-Clause
// What operations in which all wait for all take behind the first process that has left them.
#include "report_states.hpp"

#include "figures.hpp"
#include "regions.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tare::tool {
namespace {

void add(completion_sum &sum, int rank, const profile::call_site &s) {
    sum.calls = plus(sum.calls, s.calls);
    sum.known_calls = plus(sum.known_calls, s.completed);
    sum.time_ns = plus(sum.time_ns, s.completion_ns);
    sum.time_comp_ns = plus(sum.time_comp_ns, s.completion_comp_ns);
    if (s.completed == 0)
        return;
    if (sum.ranks++ == 0 || s.completion_comp_ns > sum.max_comp_ns) {
        sum.max_rank = rank;
        sum.max_comp_ns = s.completion_comp_ns;
    }
}

}  // namespace

completion_rows select_completions(const profile::run &run, const std::vector<profile::rank_calls> &calls,
                                   const report_wish &wish) {
    std::map<std::pair<std::string, std::string>, completion_sum> sums;
    for (const profile::rank_calls &c : calls)
        for (const profile::call_site &s : c.sites) {
            const waits::completion_words *words = waits::completion_behind(waits::state_of(s.function));
            if (words == nullptr || c.rank != wish.rank.value_or(c.rank) || !is_wished(s.function, s.site, wish))
                continue;
            completion_sum &sum = sums[{s.function, s.site}];
            sum.words = words;
            sum.function = s.function;
            sum.site = s.site;
            add(sum, c.rank, s);
        }
    completion_rows result;
    for (auto &[name, sum] : sums) {
        result.calls = plus(result.calls, sum.calls);
        result.known_calls = plus(result.known_calls, sum.known_calls);
        if (sum.known_calls > 0)
            result.sites.push_back(std::move(sum));
    }
    const auto key = wish.sort.value_or("") == "wait" ? &completion_sum::time_ns : &completion_sum::time_comp_ns;
    std::stable_sort(result.sites.begin(), result.sites.end(),
                     [key](const completion_sum &a, const completion_sum &b) { return a.*key > b.*key; });
    const std::size_t shown = shown_of(result.sites.size(), *wish.limit);
    result.left_out = result.sites.size() - shown;
    result.sites.resize(shown);
    std::set<std::string> hosts;
    for (const profile::thread &t : run.threads)
        hosts.insert(t.attribute(profile::key::host));
    result.hosts = hosts.size();
    return result;
}

}  // namespace tare::tool
