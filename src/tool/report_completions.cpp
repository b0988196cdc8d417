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

const waits::completion_words *words_of(const std::string &function) {
    for (const waits::completion_words &words : waits::completions)
        if (words.behind == waits::state_of(function))
            return &words;
    return nullptr;
}

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

bool is_wished(const profile::call_site &s, const report_wish &wish) {
    return wish.region.empty() || is_named(s.function, wish.region) || is_named(s.site, wish.region);
}

bool is_longer(const completion_sum &a, const completion_sum &b, bool by_measured) {
    return by_measured ? a.time_ns > b.time_ns : a.time_comp_ns > b.time_comp_ns;
}

}  // namespace

completion_rows select_completions(const profile::run &run, const std::vector<profile::rank_calls> &calls,
                                   const report_wish &wish) {
    std::map<std::pair<std::string, std::string>, completion_sum> sums;
    for (const profile::rank_calls &c : calls)
        for (const profile::call_site &s : c.sites) {
            const waits::completion_words *words = words_of(s.function);
            if (words == nullptr || c.rank != wish.rank.value_or(c.rank) || !is_wished(s, wish))
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
    std::stable_sort(result.sites.begin(), result.sites.end(), [&](const completion_sum &a, const completion_sum &b) {
        return is_longer(a, b, wish.sort.value_or("") == "wait");
    });
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
