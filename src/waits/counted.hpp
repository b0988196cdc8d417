// SPDX-License-Identifier: BSD-3-Clause
// What is known of time beside how long it was, where a trace has counters: of an interval, of a path, or how much more of
// it one path has than another.
#ifndef TARE_WAITS_COUNTED_HPP
#define TARE_WAITS_COUNTED_HPP

#include "archive.h"
#include "bounded_sum.hpp"
#include "trace_event.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>

namespace tare::waits {

struct counted {
    std::int64_t off_core_ns = 0;        // without a core: the system had it, or the thread slept
    std::int64_t stalled_ns = 0;         // on a core that waited, mostly for memory
    std::int64_t faults = 0;
    std::int64_t instructions = 0;
    std::int64_t misses = 0;
    std::int64_t remote = 0;
    std::int64_t touched_pages = 0;      // of those that regions use
    std::int64_t migrated_pages = 0;
    std::int64_t remote_pages = 0;

    counted &add(const counted &other) { return with(other, plus); }
    counted &take_away(const counted &other) { return with(other, minus); }
    bool is_zero() const
    {
        return std::all_of(std::begin(all), std::end(all), [this](std::int64_t counted::*one) { return this->*one == 0; });
    }

  private:
    counted &with(const counted &other, std::int64_t (*sum)(std::int64_t, std::int64_t) noexcept)
    {
        for (std::int64_t counted::*one : all)
            this->*one = sum(this->*one, other.*one);
        return *this;
    }

    static std::int64_t counted::*const all[9];
};

inline std::int64_t counted::*const counted::all[] = {
    &counted::off_core_ns, &counted::stalled_ns,    &counted::faults,         &counted::instructions, &counted::misses,
    &counted::remote,      &counted::touched_pages, &counted::migrated_pages, &counted::remote_pages};

// A thread's counters at one of its events.
struct reading {
    std::int64_t measured_ns = 0;        // with all that was removed: a core counts that, too
    std::uint32_t known = 0;             // a bit for each
    std::uint64_t value[TARE_COUNTERS] = {};

    bool knows(int counter) const { return (known >> counter & 1) != 0; }
};

// From one to the next: what both know.
inline counted between(const reading &from, const reading &to)
{
    const auto more = [&](int counter) {
        return from.knows(counter) && to.knows(counter) ? static_cast<std::int64_t>(to.value[counter] - from.value[counter])
                                                        : 0;
    };
    counted c;
    const std::int64_t core_ns = more(TARE_COUNTER_CORE_NS), cycles = more(TARE_COUNTER_CYCLES);
    if (from.knows(TARE_COUNTER_CORE_NS) && to.knows(TARE_COUNTER_CORE_NS))
        c.off_core_ns = minus(minus(to.measured_ns, from.measured_ns), core_ns);
    if (cycles > 0)
        c.stalled_ns = std::llround(static_cast<double>(core_ns) * static_cast<double>(more(TARE_COUNTER_STALLED)) /
                                    static_cast<double>(cycles));
    c.faults = more(TARE_COUNTER_FAULTS);
    c.instructions = more(TARE_COUNTER_INSTRUCTIONS);
    c.misses = more(TARE_COUNTER_MISSES);
    c.remote = more(TARE_COUNTER_REMOTE);
    c.touched_pages = more(TARE_COUNTER_TOUCHED);
    c.migrated_pages = more(TARE_COUNTER_MIGRATED);
    c.remote_pages = more(TARE_COUNTER_FAR);
    return c;
}

}  // namespace tare::waits

#endif
