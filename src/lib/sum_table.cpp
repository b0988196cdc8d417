// SPDX-License-Identifier: BSD-3-Clause
#include "sum_table.hpp"

#include "own_memory.hpp"

#include <atomic>

namespace tare {

const char sum_table::free_ = 0;

void sum_table::add(const void *of, accumulator *sum) noexcept
{
    if (of == nullptr || !make_room() || knows(of))
        return;
    fill(of, sum);
    count_++;
}

void sum_table::drop() noexcept
{
    std::size_t count = slot_count();
    for (slot *slots = slots_; slots != nullptr; count /= 2) {
        const void *const smaller = slots[-1].of;
        munmap(slots - 1, bytes_of(count));
        slots = static_cast<slot *>(const_cast<void *>(smaller));
    }
    *this = {};
}

// Where it is, or the free slot where it would go.
sum_table::slot &sum_table::slot_for(const void *of) const noexcept
{
    for (std::size_t at = place_of(of);; at += sizeof(slot))
        if (slot &s = slot_at(at); s.of == of || s.of == &free_)
            return s;
}

bool sum_table::find_further(const void *of, accumulator *&sum) const noexcept
{
    const slot &s = slot_for(of);
    sum = s.sum;
    return s.of == of;
}

void sum_table::fill(const void *of, accumulator *sum) noexcept
{
    slot &s = slot_for(of);
    s.sum = sum;
    std::atomic_signal_fence(std::memory_order_release);
    s.of = of;
}

// At most half of the slots are in use.
bool sum_table::make_room() noexcept
{
    constexpr std::size_t first_slots = 256;
    const std::size_t slots = slot_count();
    if (2 * (count_ + 1) <= slots)
        return true;
    const std::size_t more = slots == 0 ? first_slots : 2 * slots;
    auto *memory = static_cast<slot *>(map_memory(bytes_of(more)));
    if (memory == nullptr)
        return false;
    memory->of = slots_;
    sum_table larger = {};
    larger.slots_ = memory + 1;
    larger.mask_ = (more - 1) * sizeof(slot);
    for (std::size_t i = 0; i < more; i++)
        larger.slots_[i].of = &free_;
    for (std::size_t i = 0; i < slots; i++)
        if (slots_[i].of != &free_)
            larger.fill(slots_[i].of, slots_[i].sum);
    // In between, some are not found: they go the other way.
    slots_ = larger.slots_;
    std::atomic_signal_fence(std::memory_order_release);
    mask_ = larger.mask_;
    return true;
}

}  // namespace tare
