// SPDX-License-Identifier: BSD-3-Clause
#include "trace_options.hpp"

#include "profile.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace tare::tool {
namespace {

std::vector<std::string> split(const std::string &text, char at) {
    std::vector<std::string> parts(1);
    for (const char c : text)
        if (c == at)
            parts.emplace_back();
        else
            parts.back() += c;
    return parts;
}

// "3", "3-5"
std::optional<trace_pick::range> range_of(const std::string &text) {
    const std::vector<std::string> ends = split(text, '-');
    const std::optional<int> first = whole_number(ends.front()), last = whole_number(ends.back());
    if (ends.size() > 2 || !first || !last || *first > *last)
        return {};
    return trace_pick::range(*first, *last);
}

// "3.1"
std::optional<trace_pick::range> thread_of(const std::string &text) {
    const std::vector<std::string> parts = split(text, '.');
    const std::optional<int> rank = whole_number(parts.front()), thread = whole_number(parts.back());
    if (parts.size() != 2 || !rank || !thread)
        return {};
    return trace_pick::range(*rank, *thread);
}

template <typename Read> bool read_list(const std::string &text, Read read, std::vector<trace_pick::range> &to) {
    for (const std::string &word : split(text, ',')) {
        const auto range = read(word);
        if (!range)
            return false;
        to.push_back(*range);
    }
    return true;
}

bool is_of_rank(const trace_pick::range &r, std::uint32_t rank) { return rank >= r.first && rank <= r.second; }

}  // namespace

int set_trace_clock(const std::string &text, trace_clock &clock) {
    for (const trace_clock c : {clock_compensated, clock_measured})
        if (text == trace_clock_names[c])
            return clock = c, -1;
    return usage_error("trace", "--clock=" + text + " is not one of compensated, measured");
}

int set_trace_output(const std::string &text, std::string &output) {
    output = text;
    return text.empty() ? usage_error("trace", "--output needs a name") : -1;
}

int set_pick_ranks(const std::string &text, trace_pick &pick) {
    return read_list(text, range_of, pick.ranks)
               ? -1
               : usage_error("trace", "--rank=" + text + " is no list of ranks like 0,2-3");
}

int set_pick_threads(const std::string &text, trace_pick &pick) {
    return read_list(text, thread_of, pick.threads)
               ? -1
               : usage_error("trace", "--thread=" + text + " is no list of threads, RANK.THREAD, like 0.1,2.0");
}

int set_pick_time(const char *name, const std::string &text, std::uint64_t &ns) {
    struct unit {
        const char *name;
        double ns;
    };
    constexpr unit units[] = {{"", 1}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
    double value = 0;
    constexpr double most = 9e18;
    for (const unit &u : units)
        if (text.substr(digits) == u.name && read_number(text.substr(0, digits), 0, most / u.ns, value))
            return ns = static_cast<std::uint64_t>(std::llround(value * u.ns)), -1;
    return usage_error("trace", std::string(name) + "=" + text + " is no time like 250us, 1.5ms, 2s or, in ns, 12345");
}

int check_pick(const trace_pick &pick) {
    return pick.from_ns <= pick.to_ns ? -1 : usage_error("trace", "--from is behind --to");
}

std::vector<bool> picked_locations(const tare_archive_t &archive, const trace_pick &pick) {
    const auto rank_of = [&](const tare_archive_location_t &l) { return archive.processes[l.process].rank; };
    const tare_archive_location_t *first = archive.locations, *last = first + archive.location_count;
    for (const trace_pick::range &r : pick.ranks)
        for (const std::uint32_t end : {r.first, r.second})
            if (std::none_of(first, last, [&](const auto &l) { return rank_of(l) == end; }))
                throw profile::error("rank " + std::to_string(end) + " is not in the trace");
    for (const trace_pick::range &t : pick.threads)
        if (std::none_of(first, last, [&](const auto &l) { return rank_of(l) == t.first && l.thread == t.second; }))
            throw profile::error("thread " + std::to_string(t.first) + "." + std::to_string(t.second) +
                                 " is not in the trace");
    std::vector<bool> picked;
    for (const tare_archive_location_t *l = first; l != last; ++l)
        picked.push_back((pick.ranks.empty() && pick.threads.empty()) ||
                         std::any_of(pick.ranks.begin(), pick.ranks.end(),
                                     [&](const auto &r) { return is_of_rank(r, rank_of(*l)); }) ||
                         std::any_of(pick.threads.begin(), pick.threads.end(), [&](const auto &t) {
                             return t.first == rank_of(*l) && t.second == l->thread;
                         }));
    return picked;
}

}  // namespace tare::tool
