// SPDX-License-Identifier: BSD-3-Clause
#include "patterns.hpp"

#include <set>

namespace tare::comms {
namespace {

constexpr std::uint64_t largest_element = 16;    // bytes of the largest basic type
constexpr std::size_t most_neighbours = 8;       // of a process, in three dimensions with faces alone it has six

// Parts of one process's memory, of each of its partners, in the order of their lowest bytes.
struct part {
    const address_range *where;
    const pair_sum *sum;
};
using parts = std::vector<part>;

bool are_same(const parts &all)
{
    return std::all_of(all.begin(), all.end(), [&](const part &p) {
        return p.where->lowest == all[0].where->lowest && p.where->highest == all[0].where->highest;
    });
}

bool are_apart(const parts &all)
{
    for (std::size_t i = 1; i < all.size(); i++)
        if (all[i].where->lowest < all[i - 1].where->highest)
            return false;
    return true;
}

divided in_pieces(std::uint64_t piece, std::uint64_t step)
{
    const division how = piece > largest_element ? division::block_cyclic : division::cyclic;
    return {step > piece ? how : division::unknown, piece, step};
}

bool takes_turns(const divided &d) { return d.how == division::cyclic || d.how == division::block_cyclic; }

// In pieces: by the addresses of one transfer after the other, or by the type of each.
divided pieces_of(const part &p, const layout &type)
{
    const std::uint64_t bytes = p.sum->bytes / p.sum->transfers;
    if (p.where->step != 0 && p.where->is_regular) {
        const std::uint64_t step = p.where->step < 0 ? -static_cast<std::uint64_t>(p.where->step)
                                                     : static_cast<std::uint64_t>(p.where->step);
        return in_pieces(bytes, step);
    }
    if (type.pieces.size() > 1) {
        const std::uint64_t piece = type.pieces[0].bytes(), step = type.pieces[1].begin - type.pieces[0].begin;
        for (std::size_t i = 1; i < type.pieces.size(); i++)
            if (type.pieces[i].bytes() != piece || type.pieces[i].begin - type.pieces[i - 1].begin != step)
                return {};
        return in_pieces(piece, step);
    }
    return {};
}

// Their pieces take turns: each begins at another place of the first step.
divided in_turn(const parts &all, const layout &type)
{
    const divided first = pieces_of(all[0], type);
    std::set<std::uint64_t> places;
    for (const part &p : all) {
        const divided d = pieces_of(p, type);
        const std::uint64_t place = p.where->lowest - all[0].where->lowest;
        if (!takes_turns(d) || d.piece_bytes != first.piece_bytes || d.step_bytes != first.step_bytes ||
            place + d.piece_bytes > d.step_bytes || !places.insert(place).second)
            return {};
    }
    return first;
}

divided division_of(parts all, const layout &type)
{
    all.erase(std::remove_if(all.begin(), all.end(), [](const part &p) { return p.where->is_empty; }), all.end());
    if (all.empty())
        return {};
    if (all.size() == 1)
        return {division::one};
    std::sort(all.begin(), all.end(), [](const part &a, const part &b) { return a.where->lowest < b.where->lowest; });
    if (are_same(all))
        return {division::same};
    if (are_apart(all))
        return {division::blocks};
    return in_turn(all, type);
}

// Of all processes of one side: what holds for each of them, but for those with one partner.
divided common(const std::map<std::uint32_t, parts> &by_process, const layout &type)
{
    divided result;
    bool has_one = false;
    for (const auto &[process, all] : by_process) {
        const divided d = division_of(all, type);
        if (d.how == division::one) {
            has_one = true;
            continue;
        }
        if (result.how != division::unknown && (d.how != result.how || d.piece_bytes != result.piece_bytes))
            return {};
        if (d.how == division::unknown)
            return {};
        result = d;
    }
    return result.how == division::unknown && has_one ? divided{division::one} : result;
}

struct sides {
    std::map<std::uint32_t, parts> senders, receivers;
    std::set<int> distances;
    std::set<std::uint32_t> processes;
};

sides sides_of(const transfer_class &c, const std::vector<std::uint32_t> &ranks)
{
    sides s;
    for (const auto &[who, sum] : c.pairs) {
        s.senders[who.first].push_back({&sum.sent, &sum});
        s.receivers[who.second].push_back({&sum.received, &sum});
        s.distances.insert(static_cast<int>(ranks[who.second]) - static_cast<int>(ranks[who.first]));
        s.processes.insert({who.first, who.second});
    }
    return s;
}

std::size_t most_partners(const std::map<std::uint32_t, parts> &side)
{
    std::size_t most = 0;
    for (const auto &[process, all] : side)
        most = std::max(most, all.size());
    return most;
}

// A distance and the same one the other way round.
bool is_ring(const sides &s)
{
    if (s.distances.size() != 2 || s.processes.size() < 3)
        return false;
    const int n = static_cast<int>(s.processes.size());
    return *s.distances.rbegin() - *s.distances.begin() == n;
}

shape shape_of(const sides &s, std::size_t pairs)
{
    const std::size_t n = s.processes.size();
    if (pairs == 1)
        return shape::one_pair;
    if (n > 2 && pairs == n * (n - 1))
        return shape::all_pairs;
    if (s.senders.size() == 1)
        return shape::from_one;
    if (s.receivers.size() == 1)
        return shape::to_one;
    if (is_ring(s))
        return shape::ring;
    const bool are_few = s.distances.size() <= most_neighbours && most_partners(s.senders) <= s.distances.size();
    return are_few && s.distances.size() < n ? shape::neighbours : shape::other;
}

bool is_divided(const divided &d) { return d.how == division::blocks || takes_turns(d); }

}  // namespace

pattern pattern_of(const transfer_class &c, const std::vector<std::uint32_t> &ranks, const layout &from, const layout &to)
{
    const sides s = sides_of(c, ranks);
    pattern p;
    p.who = shape_of(s, c.pairs.size());
    if (p.who == shape::neighbours || p.who == shape::ring || p.who == shape::one_pair)
        p.distances.assign(s.distances.begin(), s.distances.end());
    p.sent = common(s.senders, from);
    p.received = common(s.receivers, to);
    const auto own = c.previous.find(unknown);
    const bool are_own = own != c.previous.end() && own->second * 2 > c.transfers;
    p.is_halo = (p.who == shape::neighbours || p.who == shape::ring) && are_own && c.from.data == c.to.data &&
                c.from.data != unknown;
    // One element each time: of a matrix it would be a column of its own for each process.
    p.is_transpose = p.who == shape::all_pairs && is_divided(p.sent) && is_divided(p.received) && p.sent.how != division::cyclic;
    return p;
}

std::vector<finding> findings_in(const transfer_class &c, const pattern &p)
{
    constexpr std::uint64_t small_bytes = 65536;
    std::vector<finding> all;
    std::uint64_t follow = 0;
    for (const auto &[who, sum] : c.pairs)
        follow += sum.follow;
    const auto unchanged = [&all](problem what, const unchanged_sum &sum) {
        all.push_back({what, sum.transfers, sum.bytes, sum.proved == sum.transfers});
    };
    if (c.relayed.transfers * 2 > c.transfers)
        unchanged(problem::relayed, c.relayed);
    if (c.returned.transfers * 2 > c.transfers)
        unchanged(problem::returned, c.returned);
    if (c.repeated.transfers > 0)
        unchanged(problem::repeated, c.repeated);
    if (follow * 2 >= c.transfers && follow > 0 && c.bytes / c.transfers <= small_bytes)
        all.push_back({problem::small, follow, c.bytes / c.transfers * follow, false});
    // Who sends holds a part of the data, in a row, and who receives needs elements in turn.
    const bool are_many = p.who == shape::all_pairs || p.who == shape::other || p.who == shape::neighbours;
    if (are_many && !p.is_transpose && takes_turns(p.sent))
        all.push_back({problem::misfit, c.transfers, c.bytes, false});
    return all;
}

}  // namespace tare::comms
