// SPDX-License-Identifier: BSD-3-Clause
// From the address of a function to its region. Without lock or allocation once the function is known.
#ifndef TARE_PROBE_FUNCTIONS_HPP
#define TARE_PROBE_FUNCTIONS_HPP

#include "tare_measure.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tare::probe {

// An open hash table. Slots are only ever filled; a table that gets full is replaced by a larger one and kept.
struct slot {
    std::atomic<const void *> function;      // set last
    tare_region_t *region;
};

struct table {
    std::size_t mask;
    slot *slots;
};

extern std::atomic<const table *> known;

// The function's slot, or the empty one where it would go. Functions are aligned, so the low bits say nothing.
inline slot &slot_of(const table &t, const void *function) noexcept
{
    const std::uint64_t bits = reinterpret_cast<std::uintptr_t>(function) >> 4;
    for (std::size_t i = bits * UINT64_C(0x9e3779b97f4a7c15) >> 32;; i++) {
        slot &s = t.slots[i & t.mask];
        const void *there = s.function.load(std::memory_order_acquire);
        if (there == function || there == nullptr)
            return s;
    }
}

// nullptr: not known.
inline tare_region_t *known_region_of(const void *function) noexcept
{
    const slot &s = slot_of(*known.load(std::memory_order_acquire), function);
    return __builtin_expect(s.function.load(std::memory_order_relaxed) != nullptr, 1) ? s.region : nullptr;
}

// From now on calls of the function are those of the region.
void make_known(const void *function, tare_region_t *region);

// Makes the region. nullptr: called from inside itself (an instrumented allocator).
tare_region_t *make_region_of(const void *function) noexcept;

inline tare_region_t *region_of(const void *function) noexcept
{
    tare_region_t *region = known_region_of(function);
    return __builtin_expect(region != nullptr, 1) ? region : make_region_of(function);
}

}  // namespace tare::probe

#endif
