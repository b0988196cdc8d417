// SPDX-License-Identifier: BSD-3-Clause
// What is known of pieces of memory: intervals of addresses, each with a value; a later one takes the place of what was there.
#ifndef TARE_COMMS_INTERVAL_MAP_HPP
#define TARE_COMMS_INTERVAL_MAP_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace tare::comms {

struct interval {
    std::uint64_t begin = 0, end = 0;    // end: behind the last byte
    std::uint64_t bytes() const { return end - begin; }
};

template <typename Value> class interval_map {
  public:
    void assign(const interval &i, Value value)
    {
        if (i.begin >= i.end)
            return;
        erase(i);
        all_.emplace(i.begin, part{i.end, std::move(value)});
    }

    void erase(const interval &i)
    {
        if (i.begin >= i.end)
            return;
        split(i.begin);
        split(i.end);
        all_.erase(all_.lower_bound(i.begin), all_.lower_bound(i.end));
    }

    // to(interval, value) of what is known in there, in order.
    template <typename Function> void each_in(const interval &i, const Function &to) const
    {
        auto at = all_.upper_bound(i.begin);
        if (at != all_.begin())
            --at;
        for (; at != all_.end() && at->first < i.end; ++at) {
            const interval both = {std::max(at->first, i.begin), std::min(at->second.end, i.end)};
            if (both.begin < both.end)
                to(both, at->second.value);
        }
    }

    // The interval with this address, as it stands in the map; nullptr: nothing is known of it.
    const Value *find(std::uint64_t address, interval *where = nullptr) const
    {
        auto at = all_.upper_bound(address);
        if (at == all_.begin() || address >= (--at)->second.end)
            return nullptr;
        if (where != nullptr)
            *where = {at->first, at->second.end};
        return &at->second.value;
    }

    std::size_t size() const { return all_.size(); }

  private:
    struct part {
        std::uint64_t end;
        Value value;
    };

    void split(std::uint64_t address)
    {
        const auto next = all_.upper_bound(address);
        if (next == all_.begin())
            return;
        const auto at = std::prev(next);
        if (at->first == address || at->second.end <= address)
            return;
        all_.emplace_hint(next, address, part{at->second.end, at->second.value});
        at->second.end = address;
    }

    std::map<std::uint64_t, part> all_;
};

}  // namespace tare::comms

#endif
