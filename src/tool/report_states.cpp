// SPDX-License-Identifier: BSD-3-Clause
// The waiting of each region that waits, by state and place.
#include "report_states.hpp"

#include "convert_tree.hpp"
#include "figures.hpp"
#include "regions.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace tare::tool {
namespace {

struct amounts {
    std::int64_t calls = 0;
    std::int64_t wait_ns = 0;
    std::int64_t wait_comp_ns = 0;
};

bool has_waited(const amounts &a) { return a.wait_ns != 0 || a.wait_comp_ns != 0; }

void add(amounts &to, const amounts &a) {
    to.calls = plus(to.calls, a.calls);
    to.wait_ns = plus(to.wait_ns, a.wait_ns);
    to.wait_comp_ns = plus(to.wait_comp_ns, a.wait_comp_ns);
}

void subtract(amounts &from, const amounts &a) {
    from.calls = minus(from.calls, a.calls);
    from.wait_ns = minus(from.wait_ns, a.wait_ns);
    from.wait_comp_ns = minus(from.wait_comp_ns, a.wait_comp_ns);
}

using by_rank = std::map<int, amounts>;

struct place {
    waits::state state;
    std::string function;
    std::string where;

    bool operator<(const place &other) const {
        return std::tie(state, function, where) < std::tie(other.state, other.function, other.where);
    }
};

class waits_of_run {
  public:
    waits_of_run(const profile::run &run, const std::vector<profile::rank_calls> &calls, const report_wish &wish) {
        const bool by_path = has_paths(run);
        for (const profile::thread &t : run.threads)
            if (t.rank == wish.rank.value_or(t.rank))
                by_path ? add_nodes(t.rank, call_forest(t), "") : add_rows(t);
        for (const profile::rank_calls &c : calls)
            if (!by_path && c.rank == wish.rank.value_or(c.rank))
                divide(c);
    }

    const std::map<place, by_rank> &places() const { return places_; }

  private:
    void add_region(int rank, const std::string &region, const std::string &where, const profile::figures &own) {
        const amounts a = {own.calls, own.wait_excl_ns, own.wait_comp_excl_ns};
        if (has_waited(a) || waits::call_of(region).why != waits::state_count)
            add(places_[{waits::state_of(region), region, where}][rank], a);
    }

    void add_rows(const profile::thread &t) {
        for (const profile::row &r : t.rows)
            add_region(t.rank, r.region, "", r);
    }

    void add_nodes(int rank, const call_nodes &nodes, const std::string &around) {
        for (const auto &[name, node] : nodes) {
            add_region(rank, name, around, node.own);
            add_nodes(rank, node.children, name);
        }
    }

    // What the rank's sites do not tell stays where it is.
    void divide(const profile::rank_calls &calls) {
        for (const profile::call_site &s : calls.sites) {
            const waits::state state = waits::state_of(s.function);
            const auto found = places_.find({state, s.function, ""});
            if (found == places_.end() || found->second.count(calls.rank) == 0)
                continue;
            const amounts a = {s.calls, s.wait_ns, s.wait_comp_ns};
            subtract(found->second[calls.rank], a);
            add(places_[{state, s.function, s.site}][calls.rank], a);
        }
    }

    std::map<place, by_rank> places_;
};

// What has waited for messages in the wrong order is that instead.
void tell_orders(const std::vector<profile::rank_calls> &calls, const report_wish &wish,
                 std::map<waits::state, by_rank> &states) {
    for (const profile::rank_calls &c : calls) {
        if (c.rank != wish.rank.value_or(c.rank))
            continue;
        for (const profile::waiting &w : c.waits) {
            const waits::state by_function = waits::state_of(w.function);
            const waits::state why = waits::state_in_order(by_function, w.order);
            const bool is_known = why != by_function && states[by_function].count(c.rank) != 0;
            if (!is_known || !is_wished(w.function, "", wish))
                continue;
            const amounts a = {w.calls, w.wait_ns, w.wait_comp_ns};
            subtract(states[by_function][c.rank], a);
            add(states[why][c.rank], a);
        }
    }
}

state_sum sum_of(const place &p, const by_rank &ranks) {
    state_sum sum = {p.state, p.function, p.where};
    amounts all;
    for (const auto &[rank, a] : ranks) {
        add(all, a);
        if (!has_waited(a))
            continue;
        if (sum.ranks++ == 0 || a.wait_comp_ns > sum.max_comp_ns) {
            sum.max_rank = rank;
            sum.max_comp_ns = a.wait_comp_ns;
        }
    }
    sum.calls = all.calls;
    sum.wait_ns = all.wait_ns;
    sum.wait_comp_ns = all.wait_comp_ns;
    return sum;
}

double value_of(const state_sum &s, const std::string &key) {
    if (key == "wait")
        return static_cast<double>(s.wait_ns);
    if (key == "wait-comp")
        return static_cast<double>(s.wait_comp_ns);
    if (key == "change")
        return std::fabs(static_cast<double>(s.wait_comp_ns) - static_cast<double>(s.wait_ns));
    return key == "calls" ? static_cast<double>(s.calls) : 0.0;
}

void sort(std::vector<state_sum> &sums, const std::string &key) {
    std::stable_sort(sums.begin(), sums.end(),
                     [&](const state_sum &a, const state_sum &b) { return value_of(a, key) > value_of(b, key); });
}

// What the ranks ran, and of it the waiting that is shown.
waiting_row total_of(const profile::run &run, const report_wish &wish, const std::vector<state_sum> &states) {
    waiting_row all;
    for (const profile::thread &t : run.threads)
        for (const profile::row &r : t.rows)
            if (t.rank == wish.rank.value_or(t.rank) && r.region == profile::root_region) {
                all.incl_ns = plus(all.incl_ns, r.incl_ns);
                all.incl_comp_ns = plus(all.incl_comp_ns, r.incl_comp_ns);
            }
    for (const state_sum &s : states) {
        all.wait_ns = plus(all.wait_ns, s.wait_ns);
        all.wait_comp_ns = plus(all.wait_comp_ns, s.wait_comp_ns);
    }
    return all;
}

}  // namespace

bool has_paths(const profile::run &run) {
    return std::any_of(run.threads.begin(), run.threads.end(),
                       [](const profile::thread &t) { return !t.paths.empty(); });
}

bool is_wished(const std::string &function, const std::string &where, const report_wish &wish) {
    return wish.region.empty() || is_named(function, wish.region) || is_named(where, wish.region);
}

state_rows select_states(const profile::run &run, const std::vector<profile::rank_calls> &calls,
                         const report_wish &wish) {
    const waits_of_run found(run, calls, wish);
    std::map<waits::state, by_rank> states;
    state_rows result;
    for (const auto &[place, ranks] : found.places()) {
        if (!is_wished(place.function, place.where, wish))
            continue;
        for (const auto &[rank, a] : ranks)
            add(states[place.state][rank], a);
        if (state_sum sum = sum_of(place, ranks); sum.ranks > 0)
            result.places.push_back(std::move(sum));
    }
    tell_orders(calls, wish, states);
    for (const auto &[state, ranks] : states)
        if (state_sum sum = sum_of({state, "", ""}, ranks); sum.ranks > 0)
            result.states.push_back(std::move(sum));
    result.all = total_of(run, wish, result.states);
    sort(result.states, *wish.sort);
    sort(result.places, *wish.sort);
    const std::size_t shown = shown_of(result.places.size(), *wish.limit);
    result.left_out = result.places.size() - shown;
    result.places.resize(shown);
    return result;
}

}  // namespace tare::tool
