// SPDX-License-Identifier: BSD-3-Clause
#include "recorder.hpp"

#include "arena.hpp"
#include "own_memory.hpp"
#include "paths.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>

namespace tare {

recorder::~recorder()
{
    if (kept_)
        return;
    for (accumulator *block : blocks_)
        std::free(block);
    for (int i = 0; i < retired_count_; i++)
        std::free(retired_[i] - 1);
    if (frames_ != nullptr)
        std::free(frames_ - 1);
    if (paths_ != nullptr)
        paths_->~path_record();
    std::free(paths_);
}

void recorder::record_paths(int depth) noexcept
{
    void *memory = depth < 2 ? nullptr : take(1, sizeof(path_record));
    paths_ = memory == nullptr ? nullptr : new (memory) path_record(static_cast<std::uint32_t>(depth), kept_);
}

frame &recorder::push(const void *of, std::uint32_t number) noexcept
{
    frame &f = push_flat(of, number);
    if (paths_ != nullptr && f.sum != nullptr)
        paths_->push(number);
    return f;
}

void recorder::pop(const sample &end) noexcept
{
    if (const frame &f = top(); paths_ != nullptr && f.sum != nullptr)
        paths_->pop(end - f.start);
    pop_flat(end);
}

void recorder::call_again() noexcept
{
    accumulator *sum = top().sum;
    if (sum == nullptr)
        return;
    sum->calls++;
    if (paths_ != nullptr)
        paths_->call_again();
}

frame &recorder::push_unrecorded(const void *of) noexcept
{
    if (depth_ == capacity_)
        grow_frames();
    frame &f = frames_[depth_++];
    f.of = of;
    f.sum = nullptr;
    return f;
}

bool recorder::is_open(const void *of) const noexcept
{
    for (std::uint32_t i = depth_; i > 0; i--)
        if (frames_[i - 1].of == of)
            return true;
    return false;
}

void *recorder::take(std::size_t count, std::size_t size) const noexcept
{
    return kept_ ? arena_take(count * size) : std::calloc(count, size);
}

bool recorder::grow_blocks(std::uint32_t block) noexcept
{
    blocks_[block] = static_cast<accumulator *>(take(block_size, sizeof(accumulator)));
    return blocks_[block] != nullptr;
}

// The old frames are not freed: another thread may be copying them. All of them together are no larger than the new.
// A process that has no memory for a few open regions cannot go on anyway.
void recorder::grow_frames() noexcept
{
    const std::uint32_t capacity = capacity_ == 0 ? 256 : 2 * capacity_;
    frame *larger = static_cast<frame *>(take(capacity + 1, sizeof(frame)));
    if (larger == nullptr || retired_count_ == retired_limit)
        std::abort();
    larger++;
    if (frames_ != nullptr) {
        retired_[retired_count_++] = frames_;
        std::memcpy(larger, frames_, depth_ * sizeof(frame));
    }
    frames_ = larger;
    capacity_ = capacity;
    // Whoever sees a greater depth sees the frames that have room for it.
    std::atomic_thread_fence(std::memory_order_release);
}

std::size_t recorder::path_count() const noexcept { return paths_ == nullptr ? 0 : paths_->count(); }

namespace {

void make_room(std::vector<accumulator> &sums, std::size_t size)
{
    if (size <= sums.capacity())
        return;
    sums.reserve(size);
    fault_in(sums.data(), size * sizeof(accumulator));
}

}  // namespace

// In regions: to where the last block ends.
std::size_t recorder::size_of_blocks() const noexcept
{
    std::size_t size = block_limit;
    while (size > 0 && blocks_[size - 1] == nullptr)
        size--;
    return size * block_size;
}

// block_limit: in none.
std::size_t recorder::block_of(const accumulator *sum) const noexcept
{
    const auto holds = [sum](const accumulator *block) {
        return block != nullptr && sum >= block && sum < block + block_size;
    };
    return static_cast<std::size_t>(std::find_if(blocks_, blocks_ + block_limit, holds) - blocks_);
}

void recorder::copy_frames(recorded &result) const
{
    // The depth is read first: frames that came later have room for it, too.
    const std::uint32_t depth = __atomic_load_n(&depth_, __ATOMIC_ACQUIRE);
    const frame *frames = __atomic_load_n(&frames_, __ATOMIC_RELAXED);
    result.frames.assign(frames, frames + depth);
}

// Behind the frames and the sums. The frames point into the record; in the copy they point into the copied sums,
// where those of a block begin at place_of(block).
template <typename Place> void recorder::copy_rest(recorded &result, const Place &place_of) const
{
    for (frame &f : result.frames)
        if (const std::size_t block = f.sum == nullptr ? block_limit : block_of(f.sum); block < block_limit)
            f.sum = &result.sums[place_of(block) + static_cast<std::size_t>(f.sum - blocks_[block])];
    result.ignored_leaves = ignored_leaves_;
    if (paths_ != nullptr)
        paths_->copy_to(result);
}

void recorder::copy_to(recorded &result) const
{
    copy_frames(result);
    result.sums.clear();
    make_room(result.sums, size_of_blocks());
    for (std::uint32_t block = 0; block < block_limit; block++) {
        if (blocks_[block] == nullptr)
            continue;
        result.sums.resize(block * block_size);
        result.sums.insert(result.sums.end(), blocks_[block], blocks_[block] + block_size);
    }
    copy_rest(result, [](std::size_t block) { return block * block_size; });
}

placed_sums recorder::read_in_place(const sample &end, recorded &rest) const
{
    copy_frames(rest);
    std::map<std::size_t, std::size_t> copies;       // by block, where in the copied sums
    for (const frame &f : rest.frames)
        if (f.sum != nullptr)
            copies[block_of(f.sum)] = 0;
    rest.sums.reserve(copies.size() * block_size);
    for (auto &[block, at] : copies) {
        at = rest.sums.size();
        rest.sums.insert(rest.sums.end(), blocks_[block], blocks_[block] + block_size);
    }
    copy_rest(rest, [&copies](std::size_t block) { return copies[block]; });
    close_all(rest, end);
    placed_sums result;
    for (std::size_t block = 0; block < size_of_blocks() / block_size; block++)
        result.place(block, copies.count(block) != 0 ? &rest.sums[copies[block]] : blocks_[block]);
    return result;
}

placed_sums sums_in(const recorded &copy)
{
    placed_sums result;
    for (std::size_t at = 0; at < copy.sums.size(); at += placed_sums::block_size)
        result.place(at / placed_sums::block_size, &copy.sums[at]);
    return result;
}

void recorder::describe(live_layout &layout, std::size_t at) noexcept
{
    const auto place = [at](std::size_t offset) { return static_cast<std::uint32_t>(at + offset); };
    layout.change = place(offsetof(recorder, change_));
    layout.depth = place(offsetof(recorder, depth_));
    layout.capacity = place(offsetof(recorder, capacity_));
    layout.frames = place(offsetof(recorder, frames_));
    layout.blocks = place(offsetof(recorder, blocks_));
    layout.block_size = block_size;
    layout.block_limit = block_limit;
    layout.paths = place(offsetof(recorder, paths_));
}

}  // namespace tare
