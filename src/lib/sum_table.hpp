// SPDX-License-Identifier: BSD-3-Clause
// From what a probe knows a region by to what its thread sums up for it, in a few instructions.
//
// An open hash table. Slots are only ever filled, and those of a table that got full are kept: a signal handler may come
// between any two instructions of its own thread. Nobody else looks here. All zeros is an empty table, so that a thread
// may have one without a constructor.
#ifndef TARE_LIB_SUM_TABLE_HPP
#define TARE_LIB_SUM_TABLE_HPP

#include "record.hpp"

#include <cstddef>
#include <cstdint>

namespace tare {

class sum_table {
  public:
    // Nothing is found before.
    bool is_ready() const noexcept { return slots_ != nullptr; }

    // Once it is ready. False: not known. `of` may be nullptr, but is never added.
    bool find(const void *of, accumulator *&sum) const noexcept
    {
        const slot &s = slot_at(place_of(of));
        if (__builtin_expect(s.of != of, 0))
            return find_further(of, sum);
        sum = s.sum;
        return true;
    }

    bool knows(const void *of) const noexcept
    {
        accumulator *sum;
        return is_ready() && find(of, sum);
    }

    // What finds no memory stays unknown.
    void add(const void *of, accumulator *sum) noexcept;
    // Nothing is looked for any more.
    void drop() noexcept;

  private:
    struct slot {
        const void *of;          // &free_: the slot is free. Before the first slot: the slots that these have replaced
        accumulator *sum;
    };

    // In bytes behind the first slot, if taken with the mask. Functions and regions are aligned: their low bits say
    // nothing.
    static std::size_t place_of(const void *of) noexcept
    {
        const std::uint64_t bits = reinterpret_cast<std::uintptr_t>(of) >> 4;
        return bits * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    }
    slot &slot_at(std::size_t place) const noexcept
    {
        return *reinterpret_cast<slot *>(reinterpret_cast<char *>(slots_) + (place & mask_));
    }
    slot &slot_for(const void *of) const noexcept;
    __attribute__((noinline)) bool find_further(const void *of, accumulator *&sum) const noexcept;
    void fill(const void *of, accumulator *sum) noexcept;
    bool make_room() noexcept;
    std::size_t slot_count() const noexcept { return is_ready() ? mask_ / sizeof(slot) + 1 : 0; }
    // With the one before the first.
    static std::size_t bytes_of(std::size_t slots) noexcept { return (slots + 1) * sizeof(slot); }

    static const char free_;     // nobody's region

    slot *slots_;                // a power of two
    std::size_t mask_;           // their size in bytes, less that of one
    std::size_t count_;
};

}  // namespace tare

#endif
