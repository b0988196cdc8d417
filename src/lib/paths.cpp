// SPDX-License-Identifier: BSD-3-Clause
#include "paths.hpp"

#include "arena.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

namespace tare {
namespace {

constexpr std::uint32_t first_slots = 1024;
// Half of the slots are for steps to paths of fewer than `depth` regions, which are found in no other way.
constexpr std::uint32_t most_steps = 2 * path_record::path_limit;
constexpr std::uint64_t odd = UINT64_C(0x9E3779B97F4A7C15);

std::uint64_t mixed(std::uint64_t hash, std::uint32_t region) noexcept
{
    hash = (hash ^ region) * odd;
    return hash ^ hash >> 32;
}

}  // namespace

path_record::~path_record()
{
    while (chunks_ != nullptr) {
        chunk *older = chunks_->older;
        std::free(chunks_);
        chunks_ = older;
    }
}

void path_record::push(std::uint32_t region) noexcept
{
    if (__builtin_expect(open_count_ == open_capacity_, 0))
        grow_open();
    open_[open_count_].region = region;
    std::uint32_t path = 0;
    if (__builtin_expect(open_count_ == 0, 0)) {
        path = begin() ? find(0, region) : 0;
    } else if (const std::uint32_t around = open_[open_count_ - 1].path; around != 0) {
        at(around).sum.subrs++;
        path = find(around, region);
    }
    open_[open_count_].path = path;
    __atomic_store_n(&open_count_, open_count_ + 1, __ATOMIC_RELEASE);
    if (__builtin_expect(path == 0, 0)) {
        lost_++;
        return;
    }
    accumulator &sum = at(path).sum;
    sum.calls++;
    sum.open++;
}

void path_record::pop(const sample &spent) noexcept
{
    const std::uint32_t path = open_[--open_count_].path;
    if (path != 0)
        end_visit(at(path).sum, spent);
    if (const std::uint32_t around = open_count_ > 0 ? open_[open_count_ - 1].path : 0; around != 0)
        take_off(at(around).sum.exclusive, spent);
}

void path_record::call_again() noexcept
{
    if (const std::uint32_t path = open_[open_count_ - 1].path; path != 0)
        at(path).sum.calls++;
    else
        lost_++;
}

// Number 0 is the path of no regions, from which the root is entered.
bool path_record::begin() noexcept
{
    if (count_ == 0)
        add(0, 0, 0);
    return count_ > 0;
}

inline std::uint32_t path_record::find(std::uint32_t from, std::uint32_t region) noexcept
{
    if (__builtin_expect(steps_ != nullptr, 1))
        if (const std::uint32_t path = slot_of(from, region).path; __builtin_expect(path != 0, 1))
            return path;
    return make(from, region);
}

// The slot of this step, or the free one where it would go.
inline path_record::step &path_record::slot_of(std::uint32_t from, std::uint32_t region) noexcept
{
    const std::uint64_t key = std::uint64_t{from} << 32 | region;
    for (std::uint64_t i = key * odd >> 32;; i++) {
        step &s = steps_[i & (step_slots_ - 1)];
        if (s.path == 0 || (s.from == from && s.region == region))
            return s;
    }
}

// 0: there is no room.
std::uint32_t path_record::make(std::uint32_t from, std::uint32_t region) noexcept
{
    const std::uint32_t length = std::min(at(from).length + 1, depth_);
    const std::uint32_t path = length == depth_ ? find_by_regions(from, region) : add(from, region, length);
    if (path != 0)
        remember(from, region, path);
    return path;
}

std::uint32_t path_record::add(std::uint32_t from, std::uint32_t region, std::uint32_t length) noexcept
{
    const std::uint32_t path = count_;
    if (path == path_limit)
        return 0;
    path_sum *&block = blocks_[path / block_size];
    if (block == nullptr && (block = static_cast<path_sum *>(take(block_size * sizeof(path_sum)))) == nullptr)
        return 0;
    path_sum &p = at(path);
    p.region = region;
    p.from = from;
    p.length = length;
    __atomic_store_n(&count_, path + 1, __ATOMIC_RELEASE);
    return path;
}

// The path of the `depth` regions that are open now, `region` among them; made if there is none.
std::uint32_t path_record::find_by_regions(std::uint32_t from, std::uint32_t region) noexcept
{
    if (!make_room_for_chain())
        return 0;
    std::uint64_t hash = 0;
    for (std::uint32_t i = 0; i < depth_; i++)
        hash = mixed(hash, open_[open_count_ - i].region);
    for (;; hash++) {
        std::uint32_t &slot = chains_[hash & (chain_slots_ - 1)];
        if (slot != 0 && !is_open_chain(slot))
            continue;
        if (slot == 0 && (slot = add(from, region, depth_)) != 0)
            chain_count_++;
        return slot;
    }
}

bool path_record::is_open_chain(std::uint32_t path) noexcept
{
    for (std::uint32_t i = 0; i < depth_; i++) {
        const path_sum &p = at(path);
        if (p.region != open_[open_count_ - i].region)
            return false;
        path = p.from;
    }
    return true;
}

std::uint64_t path_record::hash_of_chain(std::uint32_t path) noexcept
{
    std::uint64_t hash = 0;
    for (std::uint32_t i = 0; i < depth_; i++) {
        const path_sum &p = at(path);
        hash = mixed(hash, p.region);
        path = p.from;
    }
    return hash;
}

// A step that finds no room is looked for by its regions each time.
void path_record::remember(std::uint32_t from, std::uint32_t region, std::uint32_t path) noexcept
{
    if (!make_room_for_step() || (at(path).length == depth_ && step_count_ >= most_steps / 2))
        return;
    slot_of(from, region) = {from, region, path};
    step_count_++;
}

bool path_record::make_room_for_step() noexcept
{
    if (2 * (step_count_ + 1) <= step_slots_)
        return true;
    const std::uint32_t slots = step_slots_ == 0 ? first_slots : 2 * step_slots_;
    void *memory = slots > 2 * most_steps ? nullptr : take(slots * sizeof(step));
    if (memory == nullptr)
        return false;
    const step *old = steps_;
    const std::uint32_t old_slots = step_slots_;
    steps_ = static_cast<step *>(memory);
    step_slots_ = slots;
    for (std::uint32_t i = 0; i < old_slots; i++)
        if (old[i].path != 0)
            slot_of(old[i].from, old[i].region) = old[i];
    return true;
}

bool path_record::make_room_for_chain() noexcept
{
    if (2 * (chain_count_ + 1) <= chain_slots_)
        return true;
    const std::uint32_t slots = chain_slots_ == 0 ? first_slots : 2 * chain_slots_;
    auto *larger = static_cast<std::uint32_t *>(take(slots * sizeof(std::uint32_t)));
    if (larger == nullptr)
        return false;
    for (std::uint32_t i = 0; i < chain_slots_; i++) {
        std::uint64_t hash = chains_[i] == 0 ? 0 : hash_of_chain(chains_[i]);
        while (chains_[i] != 0 && larger[hash & (slots - 1)] != 0)
            hash++;
        if (chains_[i] != 0)
            larger[hash & (slots - 1)] = chains_[i];
    }
    chains_ = larger;
    chain_slots_ = slots;
    return true;
}

// As the recorder's frames: another thread may be copying the old ones.
void path_record::grow_open() noexcept
{
    const std::uint32_t capacity = open_capacity_ == 0 ? 256 : 2 * open_capacity_;
    auto *larger = static_cast<open_path *>(take(capacity * sizeof(open_path)));
    if (larger == nullptr)
        std::abort();
    if (open_count_ > 0)
        std::memcpy(larger, open_, open_count_ * sizeof(open_path));
    open_ = larger;
    open_capacity_ = capacity;
    std::atomic_thread_fence(std::memory_order_release);
}

// Zeroed.
void *path_record::take(std::size_t bytes) noexcept
{
    if (kept_)
        return arena_take(bytes);
    auto *c = static_cast<chunk *>(std::calloc(1, sizeof(chunk) + bytes));
    if (c == nullptr)
        return nullptr;
    c->older = chunks_;
    chunks_ = c;
    return c + 1;
}

void path_record::copy_to(recorded &result) const
{
    // The counts are read first: what came later has room for so many, too.
    const std::uint32_t open_count = __atomic_load_n(&open_count_, __ATOMIC_ACQUIRE);
    set_open_paths(result, __atomic_load_n(&open_, __ATOMIC_RELAXED), open_count);
    const std::uint32_t count = __atomic_load_n(&count_, __ATOMIC_ACQUIRE);
    result.paths.clear();
    for (std::uint32_t first = 0; first < count; first += block_size) {
        const path_sum *block = blocks_[first / block_size];
        result.paths.insert(result.paths.end(), block, block + std::min(block_size, count - first));
    }
    result.lost_calls = lost_;
}

void path_record::describe(live_path_layout &layout) noexcept
{
    layout.size = sizeof(path_record);
    layout.depth = offsetof(path_record, depth_);
    layout.open_count = offsetof(path_record, open_count_);
    layout.open_capacity = offsetof(path_record, open_capacity_);
    layout.open = offsetof(path_record, open_);
    layout.count = offsetof(path_record, count_);
    layout.blocks = offsetof(path_record, blocks_);
    layout.block_size = block_size;
    layout.block_limit = block_limit;
    layout.lost = offsetof(path_record, lost_);
}

}  // namespace tare
