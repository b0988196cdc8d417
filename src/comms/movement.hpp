// SPDX-License-Identifier: BSD-3-Clause
// Whose data a collective operation moves to whom, and how each side's memory is divided among the ranks.
#ifndef TARE_COMMS_MOVEMENT_HPP
#define TARE_COMMS_MOVEMENT_HPP

#include "trace_event.h"
#include "transfer.hpp"

#include <vector>

namespace tare::comms {

enum class flow {
    none,
    from_root,
    to_root,
    to_all,
    combined                             // what arrives is made of all of them
};

struct movement {
    flow to = flow::none;
    bool sent_is_divided = false;        // equally, by the rank that it goes to
    bool received_is_divided = false;    // equally, by the rank that it comes from
};

// Counts of the v forms are not in a trace: their memory is taken as one.
constexpr movement movement_of(std::uint32_t operation)
{
    switch (operation) {
    case TARE_TRACE_BCAST: return {flow::from_root};
    case TARE_TRACE_SCATTER: return {flow::from_root, true, false};
    case TARE_TRACE_SCATTERV: return {flow::from_root};
    case TARE_TRACE_GATHER: return {flow::to_root, false, true};
    case TARE_TRACE_GATHERV:
    case TARE_TRACE_REDUCE: return {flow::to_root};
    case TARE_TRACE_ALLGATHER: return {flow::to_all, false, true};
    case TARE_TRACE_ALLGATHERV: return {flow::to_all};
    case TARE_TRACE_ALLTOALL: return {flow::to_all, true, true};
    case TARE_TRACE_ALLTOALLV:
    case TARE_TRACE_ALLTOALLW: return {flow::to_all};
    case TARE_TRACE_ALLREDUCE:
    case TARE_TRACE_REDUCE_SCATTER:
    case TARE_TRACE_REDUCE_SCATTER_BLOCK:
    case TARE_TRACE_SCAN:
    case TARE_TRACE_EXSCAN: return {flow::combined};
    default: return {};
    }
}

// What arrives is no copy of what is sent.
constexpr bool is_reduction(std::uint32_t operation)
{
    return operation == TARE_TRACE_REDUCE || operation == transfer::accumulate || movement_of(operation).to == flow::combined;
}

// --- pieces of memory, in the order in which they are sent ---

inline std::uint64_t bytes_of(const std::vector<interval> &pieces)
{
    std::uint64_t sum = 0;
    for (const interval &p : pieces)
        sum += p.bytes();
    return sum;
}

// From the lowest byte to behind the highest one; 0 to 0: there are none.
inline interval hull_of(const std::vector<interval> &pieces)
{
    if (pieces.empty())
        return {};
    interval hull = pieces[0];
    for (const interval &p : pieces)
        hull = {std::min(hull.begin, p.begin), std::max(hull.end, p.end)};
    return hull;
}

// The bytes from `from` to `to` of them.
inline std::vector<interval> cut(const std::vector<interval> &pieces, std::uint64_t from, std::uint64_t to)
{
    std::vector<interval> result;
    std::uint64_t at = 0;
    for (const interval &p : pieces) {
        const std::uint64_t begin = std::max(at, from), end = std::min(at + p.bytes(), to);
        if (begin < end)
            result.push_back({p.begin + (begin - at), p.begin + (end - at)});
        at += p.bytes();
    }
    return result;
}

// The share of rank `i` of `n`; all of them if there are no equal ones.
inline std::vector<interval> share_of(const std::vector<interval> &pieces, std::uint32_t i, std::uint32_t n)
{
    const std::uint64_t bytes = bytes_of(pieces);
    if (n == 0 || bytes % n != 0)
        return pieces;
    return cut(pieces, bytes / n * i, bytes / n * (i + 1));
}

}  // namespace tare::comms

#endif
