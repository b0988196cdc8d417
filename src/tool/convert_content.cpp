// SPDX-License-Identifier: BSD-3-Clause
// What is converted: from a directory, or put together from rows.
#include "convert.hpp"

#include "mpi_calls.hpp"
#include "table.hpp"

#include <algorithm>
#include <climits>
#include <unordered_set>

namespace tare::tool {
namespace key = profile::key;
namespace {

void add_bytes(const profile::rank_calls &calls, std::vector<message_bytes> &to) {
    std::map<std::string, message_bytes> sums;
    for (const profile::call_site &s : calls.sites) {
        message_bytes &sum = sums[s.function];
        sum.sent_bytes += s.sent_bytes;
        sum.received_bytes += s.received_bytes;
    }
    for (auto &[function, sum] : sums)
        if (sum.sent_bytes != 0 || sum.received_bytes != 0)
            to.push_back({calls.rank, function, sum.sent_bytes, sum.received_bytes});
}

void add_orders(const profile::rank_calls &calls, std::vector<order_waits> &to) {
    for (const profile::waiting &w : calls.waits)
        if (w.order != profile::message_order::kept)
            to.push_back({calls.rank, w.function, w.order, w.wait_ns, w.wait_comp_ns});
}

void add_completions(const profile::rank_calls &calls, std::vector<completion_time> &to) {
    std::map<std::string, completion_time> sums;
    for (const profile::call_site &s : calls.sites) {
        if (s.completed == 0)
            continue;
        completion_time &sum = sums[s.function];
        sum.time_ns += s.completion_ns;
        sum.time_comp_ns += s.completion_comp_ns;
    }
    for (auto &[function, sum] : sums)
        to.push_back({calls.rank, function, sum.time_ns, sum.time_comp_ns});
}

bool has_attribute(const profile::thread &t, const std::string &name) {
    return std::any_of(t.metadata.begin(), t.metadata.end(), [&](const auto &a) { return a.first == name; });
}

void check_once(const profile::thread &t, const std::vector<profile::row> &rows, const std::string &where) {
    std::unordered_set<std::string_view> seen;
    for (const profile::row &r : rows)
        if (!seen.insert(r.region).second)
            throw profile::error(where + ": rank " + std::to_string(t.rank) + ", thread " + std::to_string(t.number) +
                                 " has '" + printable(r.region) + "' twice");
}

}  // namespace

content read_tare_directory(const std::string &directory, wanted_calls wanted) {
    content c;
    c.run = profile::read_directory(directory);
    if (wanted == wanted_calls::none)
        return c;
    std::vector<profile::rank_calls> calls = profile::read_calls(directory);
    if (!calls.empty() && calls.front().run_id != c.run.attribute(key::run_id))
        throw profile::error("the tables of MPI calls in " + directory +
                             " belong to another run than its profile: remove tare-calls.* there");
    if (wanted == wanted_calls::tables) {
        c.calls = std::move(calls);
        return c;
    }
    for (const profile::rank_calls &r : calls) {
        add_bytes(r, c.bytes);
        add_orders(r, c.orders);
        add_completions(r, c.completions);
    }
    return c;
}

int run_builder::rank(std::int64_t rank) const {
    if (rank < 0 || rank >= INT_MAX)
        throw profile::error(where_ + ": there is no rank " + std::to_string(rank));
    return static_cast<int>(rank);
}

profile::thread &run_builder::thread(std::int64_t of, std::int64_t number) {
    const int rank = this->rank(of);
    if (number < 0 || number > INT_MAX)
        throw profile::error(where_ + ": there is no thread " + std::to_string(number));
    profile::thread &t = threads_[{rank, static_cast<int>(number)}];
    t.rank = rank;
    t.number = static_cast<int>(number);
    return t;
}

profile::run run_builder::finish(const profile::attributes &attributes) {
    if (threads_.empty())
        throw profile::error(where_ + " holds no rank");
    const int ranks = std::prev(threads_.end())->first.first + 1;
    profile::run run;
    for (auto &[place, t] : threads_) {
        for (const auto &a : attributes)
            if (!has_attribute(t, a.first))
                t.metadata.push_back(a);
        if (!has_attribute(t, key::ranks))
            t.metadata.emplace_back(key::ranks, std::to_string(ranks));
        check_once(t, t.rows, where_);
        check_once(t, t.paths, where_);
        std::stable_partition(t.rows.begin(), t.rows.end(),
                              [](const profile::row &r) { return r.region == profile::root_region; });
        run.threads.push_back(std::move(t));
    }
    threads_.clear();
    return run;
}

}  // namespace tare::tool
