// SPDX-License-Identifier: BSD-3-Clause
#include "classes.hpp"

#include <algorithm>

namespace tare::comms {

void address_range::add(const interval &memory)
{
    if (is_empty) {
        *this = {memory.begin, memory.end, memory.begin, memory.begin, 0, true, false};
        return;
    }
    // Where it comes back to its first place, it begins again.
    if (memory.begin != first) {
        const auto from_latest = static_cast<std::int64_t>(memory.begin - latest);
        is_regular = is_regular && (step == 0 || step == from_latest);
        step = from_latest;
    }
    latest = memory.begin;
    lowest = std::min(lowest, memory.begin);
    highest = std::max(highest, memory.end);
}

std::uint32_t class_table::number_of(std::uint32_t kind, std::uint32_t previous)
{
    for (std::uint32_t c = previous; c != unknown; c = links_[c].previous)
        if (links_[c].kind == kind && kind_in(links_[c].previous) == kind_in(previous))
            return c;
    return static_cast<std::uint32_t>(classes_.size());
}

std::uint32_t class_table::class_of(const transfer &t)
{
    const auto kind = kinds_.emplace(kind_key(t.operation, t.sender->at, t.receiver->at),
                                     static_cast<std::uint32_t>(kinds_.size())).first->second;
    const std::uint32_t previous = t.previous ? t.previous->in_class : unknown;
    const auto [found, is_new] = numbers_.emplace(std::make_pair(kind, previous), unknown);
    if (!is_new)
        return found->second;
    const std::uint32_t number = found->second = number_of(kind, previous);
    if (number == classes_.size()) {
        links_.push_back({kind, previous});
        transfer_class c;
        c.operation = t.operation;
        c.from = t.sender->at;
        c.to = t.receiver->at;
        classes_.push_back(std::move(c));
    }
    return number;
}

}  // namespace tare::comms
