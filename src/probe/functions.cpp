// SPDX-License-Identifier: BSD-3-Clause
#include "functions.hpp"

#include "signals_wait.hpp"
#include "symbols.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <mutex>
#include <new>

namespace tare::probe {
namespace {

// An open hash table. Slots are only ever filled; a table that gets full is replaced by a larger one and kept.
struct slot {
    std::atomic<const void *> function;      // set last
    tare_region_t *region;
};

struct table {
    std::size_t mask;
    slot *slots;
};

// The function's slot, or the empty one where it would go. Functions are aligned, so the low bits say nothing.
slot &slot_of(const table &t, const void *function) noexcept
{
    const std::uint64_t bits = reinterpret_cast<std::uintptr_t>(function) >> 4;
    for (std::size_t i = bits * UINT64_C(0x9e3779b97f4a7c15) >> 32;; i++) {
        slot &s = t.slots[i & t.mask];
        const void *there = s.function.load(std::memory_order_acquire);
        if (there == function || there == nullptr)
            return s;
    }
}

constexpr std::size_t first_slots = 2048;
slot first_table_slots[first_slots];
const table first_table = {first_slots - 1, first_table_slots};
std::atomic<const table *> known{&first_table};

std::mutex making;
own_memory memory;                       // under this lock
std::size_t count = 0;
__thread bool is_making __attribute__((tls_model("initial-exec"))) = false;

int64_t clock_ns() noexcept
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

// nullptr: not known.
tare_region_t *known_region_of(const void *function) noexcept
{
    const slot &s = slot_of(*known.load(std::memory_order_acquire), function);
    return s.function.load(std::memory_order_relaxed) != nullptr ? s.region : nullptr;
}

void fill(const table &t, const void *function, tare_region_t *region)
{
    slot &s = slot_of(t, function);
    s.region = region;
    s.function.store(function, std::memory_order_release);
}

void make_room()
{
    const table &old = *known.load(std::memory_order_relaxed);
    if (2 * (count + 1) <= old.mask)
        return;
    const std::size_t slots = 2 * (old.mask + 1);
    auto *all = static_cast<slot *>(memory.take(slots * sizeof(slot)));     // zeros: they are free
    auto *larger = new (memory.take(sizeof(table))) table{slots - 1, all};
    for (std::size_t i = 0; i <= old.mask; i++)
        if (const void *function = old.slots[i].function.load(std::memory_order_relaxed); function != nullptr)
            fill(*larger, function, old.slots[i].region);
    known.store(larger, std::memory_order_release);
}

void add(const void *function, tare_region_t *region)
{
    make_room();
    fill(*known.load(std::memory_order_relaxed), function, region);
    count++;
}

tare_region_t *make_locked(const void *function)
{
    const quiet_lock lock(making);
    if (tare_region_t *region = known_region_of(function); region != nullptr)
        return region;
    const kept_place *where = keep_place_of(function, memory);
    tare_region_t *region = tare_measure_region_late(where, write_name, TARE_GROUP_FUNCTION);
    tare_measure_place(region, where->module, where->offset, where->symbol);
    add(function, region);
    return region;
}

tare_region_t *make_region_of(const void *function) noexcept
{
    if (is_making)
        return nullptr;
    const int saved_errno = errno;
    const int64_t start_ns = clock_ns();
    const signals_wait no_handlers;
    is_making = true;
    tare_region_t *region = make_locked(function);
    is_making = false;
    // TARE_OVERHEAD=measured has read the clock before this; otherwise only this tells what it took.
    if (!tare_measure_state()->measured)
        tare_measure_overhead(clock_ns() - start_ns);
    errno = saved_errno;
    return region;
}

}  // namespace

void make_known(const void *function, tare_region_t *region)
{
    const quiet_lock lock(making);
    add(function, region);
}

tare_region_t *region_of(const void *function) noexcept
{
    tare_region_t *region = known_region_of(function);
    return region != nullptr ? region : make_region_of(function);
}

}  // namespace tare::probe
