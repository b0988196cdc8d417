// SPDX-License-Identifier: BSD-3-Clause
#include "memory.hpp"

namespace tare::comms {

void memory::name(const interval &i, std::uint32_t text)
{
    interval where;
    const std::uint32_t *known = names_.find(i.begin, &where);
    if (known != nullptr && *known == text && where.begin == i.begin && where.end == i.end)
        return;
    names_.assign(i, text);
    brought_.erase(i);
}

void memory::forget_name(std::uint64_t address)
{
    interval where;
    if (names_.find(address, &where) == nullptr || where.begin != address)
        return;
    names_.erase(where);
    brought_.erase(where);
}

std::uint32_t memory::name_at(std::uint64_t address) const
{
    const std::uint32_t *text = names_.find(address);
    return text == nullptr ? unknown : *text;
}

void memory::name_local(const interval &i, std::uint32_t text)
{
    const std::uint32_t *known = locals_.find(i.begin);
    if (known == nullptr || *known != text)
        brought_.erase(i);
    locals_.assign(i, text);
}

void memory::add_users(const interval &i, std::set<std::uint32_t> &to) const
{
    for (const auto &[begin, end, text] : uses_) {
        if (begin >= i.end)
            break;
        if (end > i.begin)
            to.insert(text);
    }
}

void memory::bring(const std::vector<interval> &pieces, const transfer_pointer &t)
{
    for (const interval &p : pieces)
        brought_.assign(p, t);
}

void memory::copy_piece(std::uint64_t to, const interval &from)
{
    std::vector<std::pair<interval, transfer_pointer>> found;
    brought_.each_in(from, [&](const interval &i, const transfer_pointer &t) {
        found.emplace_back(interval{to + (i.begin - from.begin), to + (i.end - from.begin)}, t);
    });
    brought_.erase({to, to + from.bytes()});
    for (auto &[where, t] : found)
        brought_.assign(where, std::move(t));
}

// Byte for byte, in the order of both, as far as both go.
void memory::copy(const std::vector<interval> &to, const std::vector<interval> &from)
{
    std::size_t t = 0, f = 0;
    std::uint64_t in_to = 0, in_from = 0;
    while (t < to.size() && f < from.size()) {
        const std::uint64_t bytes = std::min(to[t].bytes() - in_to, from[f].bytes() - in_from);
        const std::uint64_t begin = from[f].begin + in_from;
        copy_piece(to[t].begin + in_to, {begin, begin + bytes});
        in_to += bytes;
        in_from += bytes;
        if (in_to == to[t].bytes()) {
            t++;
            in_to = 0;
        }
        if (in_from == from[f].bytes()) {
            f++;
            in_from = 0;
        }
    }
}

brought_map memory::brought_in(const std::vector<interval> &pieces) const
{
    brought_map result;
    for (const interval &p : pieces)
        brought_.each_in(p, [&result](const interval &i, const transfer_pointer &t) { result.assign(i, t); });
    return result;
}

origin origin_of(const std::vector<interval> &pieces, const brought_map &brought)
{
    std::vector<origin> all;
    for (const interval &p : pieces)
        brought.each_in(p, [&](const interval &i, const transfer_pointer &t) {
            const auto same = std::find_if(all.begin(), all.end(), [&](const origin &o) { return o.previous == t; });
            if (same != all.end())
                same->previous_bytes += i.bytes();
            else
                all.push_back({t, i.bytes()});
        });
    const auto most = std::max_element(all.begin(), all.end(), [](const origin &a, const origin &b) {
        return a.previous_bytes < b.previous_bytes;
    });
    return most == all.end() ? origin{} : *most;
}

}  // namespace tare::comms
