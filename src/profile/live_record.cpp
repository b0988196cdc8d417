// SPDX-License-Identifier: BSD-3-Clause
#include "live_record.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>

namespace tare {
namespace {

using tare::is_possible;
bool is_possible(const sample &s)
{
    return std::all_of(s.v, s.v + counter_count, [](std::int64_t value) { return is_possible(value); });
}
bool is_possible(const frame &f) { return is_possible(f.start); }
bool is_possible(const accumulator &a)
{
    return is_possible(a.inclusive) && is_possible(a.exclusive) && is_possible(a.calls) && is_possible(a.subrs) &&
           is_possible(a.measured_calls);
}

sample sample_at(const live_file &file, const char *thread, std::uint32_t offset)
{
    const auto s = part<sample>(thread, offset);
    if (!is_possible(s))
        file.damaged("its figures cannot be");
    return s;
}

bool is_later(const sample &a, const sample &b) { return a.v[c_time] > b.v[c_time]; }

// A copy of a thread's record, its frames as they are in the file: their sums are addresses in the process.
void read_sums(const live_file &file, const char *thread, recorded &result)
{
    const live_layout &l = file.header().layout;
    const std::uint64_t most = file.most(sizeof(live_region));       // more regions cannot have a name
    for (std::uint32_t block = 0; block < l.block_limit && block * std::uint64_t{l.block_size} <= most; block++) {
        const auto address = part<live_address>(thread, l.blocks + block * sizeof(live_address));
        const accumulator *sums = address == 0 ? nullptr : file.at<accumulator>(address, l.block_size);
        if (sums == nullptr)
            continue;
        if (!std::all_of(sums, sums + l.block_size, [](const accumulator &a) { return is_possible(a); }))
            file.damaged("its figures cannot be");
        result.sums.resize(static_cast<std::size_t>(block) * l.block_size);
        result.sums.insert(result.sums.end(), sums, sums + l.block_size);
    }
}

// A path is longer by one region than the one that it is entered from, up to the depth: so every way back ends.
void check_paths(const live_file &file, const recorded &record, std::uint32_t depth)
{
    const std::uint64_t most = file.most(sizeof(live_region));
    for (std::size_t i = 0; i < record.paths.size(); i++) {
        const path_sum &p = record.paths[i];
        const bool is_entered = i > 0 && p.from < i && p.region < most &&
                                p.length == std::min(record.paths[p.from].length + 1, std::min(depth, deepest_path));
        if (!is_entered && (i > 0 || p.length > 0))
            file.damaged("a call path leads nowhere");
    }
}

void read_path_sums(const live_file &file, const char *paths, std::uint64_t count, recorded &result)
{
    const live_path_layout &l = file.header().paths;
    count = std::min(count, file.most(sizeof(path_sum)));
    for (std::uint32_t block = 0; block < l.block_limit && result.paths.size() < count; block++) {
        const auto address = part<live_address>(paths, l.blocks + block * sizeof(live_address));
        const path_sum *sums = file.at<path_sum>(address, l.block_size);
        if (sums == nullptr)
            break;       // what came later is not in the file either
        const std::uint64_t size = std::min<std::uint64_t>(l.block_size, count - result.paths.size());
        if (!std::all_of(sums, sums + size, [](const path_sum &p) { return is_possible(p.sum); }))
            file.damaged("its figures cannot be");
        result.paths.insert(result.paths.end(), sums, sums + size);
    }
}

// Behind the frames, whose sums are not looked for yet.
void read_paths(const live_file &file, const char *thread, recorded &result)
{
    const live_path_layout &l = file.header().paths;
    const char *paths = file.at<char>(part<live_address>(thread, file.header().layout.paths), l.size);
    if (paths == nullptr)
        return;
    // The counts are read first: what came later has room for so many, too.
    const std::uint32_t open_count =
        std::min(part<std::uint32_t>(paths, l.open_count), part<std::uint32_t>(paths, l.open_capacity));
    const auto count = part<std::uint32_t>(paths, l.count);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (const auto *open = file.at<open_path>(part<live_address>(paths, l.open), open_count); open != nullptr)
        set_open_paths(result, open, open_count);
    read_path_sums(file, paths, count, result);
    check_paths(file, result, part<std::uint32_t>(paths, l.depth));
    result.lost_calls = part<std::int64_t>(paths, l.lost);
}

// The address of an accumulator in the process becomes one in the copy.
accumulator *sum_of(const live_file &file, const char *thread, recorded &copy, live_address sum)
{
    const live_layout &l = file.header().layout;
    for (std::uint32_t block = 0; block * std::size_t{l.block_size} < copy.sums.size(); block++) {
        const auto start = part<live_address>(thread, l.blocks + block * sizeof(live_address));
        if (start != 0 && sum >= start && sum < start + l.block_size * sizeof(accumulator))
            return &copy.sums[block * std::size_t{l.block_size} + (sum - start) / sizeof(accumulator)];
    }
    return nullptr;
}

// Frames and the latest time that they tell: where the innermost region began, or, in the place of the frame that was
// left last, where that ended.
sample read_frames(const live_file &file, const char *thread, recorded &result)
{
    const live_layout &l = file.header().layout;
    const auto depth = part<std::uint32_t>(thread, l.depth);
    const auto last = std::min<std::uint64_t>(std::uint64_t{depth} + 1, part<std::uint32_t>(thread, l.capacity));
    const frame *frames = file.at<frame>(part<live_address>(thread, l.frames), last);
    sample latest{};
    if (frames != nullptr)
        result.frames.assign(frames, frames + std::min<std::uint64_t>(depth, last));
    read_paths(file, thread, result);
    if (frames == nullptr)
        return latest;
    if (!std::all_of(frames, frames + last, [](const frame &f) { return is_possible(f); }))
        file.damaged("its figures cannot be");
    for (frame &f : result.frames)
        f.sum = sum_of(file, thread, result, address_of(f.sum));
    for (std::uint64_t i = 0; i < last; i++)
        if ((i == depth || result.frames[i].sum != nullptr) && is_later(frames[i].start, latest))
            latest = frames[i].start;
    return latest;
}

// A frame that the process was about to open or to close need not be whole: one that begins before the region around
// it has not begun.
void drop_unopened(recorded &record)
{
    std::int64_t around_ns = 1;
    for (frame &f : record.frames) {
        if (f.sum != nullptr && f.start.v[c_time] < around_ns)
            f.sum = nullptr;
        if (f.sum != nullptr)
            around_ns = f.start.v[c_time];
    }
}

// For the same reason the frames tell how often a region is open.
void count_open(recorded &record)
{
    for (accumulator &sum : record.sums)
        sum.open = 0;
    for (path_sum &path : record.paths)
        path.sum.open = 0;
    for (std::size_t i = 0; i < record.frames.size(); i++) {
        if (record.frames[i].sum == nullptr)
            continue;
        record.frames[i].sum->open++;
        const std::uint32_t path = i < record.open_paths.size() ? record.open_paths[i] : 0;
        if (path < record.paths.size())
            record.paths[path].sum.open++;
    }
}

// What is open is closed at the end: what all of that has spent must not be too much together.
void check_spent(const live_file &file, const recorded &record, const sample &end)
{
    sample sum{};
    for (const frame &f : record.frames) {
        if (f.sum == nullptr)
            continue;
        for (int i = 0; i < counter_count; i++)
            sum.v[i] += std::abs(end.v[i] - f.start.v[i]);
        if (!std::all_of(sum.v, sum.v + counter_count, [](std::int64_t spent) { return spent < 2 * too_much; }))
            file.damaged("its figures cannot be");
    }
}

recorded copy_record(const live_file &file, const char *thread)
{
    const live_layout &l = file.header().layout;
    recorded record;
    read_sums(file, thread, record);
    sample end = read_frames(file, thread, record);
    if (part<live_address>(thread, l.running) == 0)
        end = sample_at(file, thread, l.last);
    const sample held_end = sample_at(file, thread, l.held_end);
    if (part<live_address>(thread, l.held) != 0 && is_later(held_end, end))
        end = held_end;
    drop_unopened(record);
    count_open(record);
    check_spent(file, record, end);
    close_all(record, end);
    return record;
}

}  // namespace

copied copy_still(const live_file &file, const char *thread, bool runs)
{
    const std::uint32_t at = file.header().layout.change;
    for (int attempt = 1;; attempt++) {
        const auto before = part<std::uint32_t>(thread, at);
        std::atomic_thread_fence(std::memory_order_acquire);
        copied result{copy_record(file, thread), (before & 1) != 0};
        std::atomic_thread_fence(std::memory_order_acquire);
        if (!runs || attempt >= copy_attempts(result.record.paths.size()) ||
            (!result.torn && part<std::uint32_t>(thread, at) == before))
            return result;
    }
}

}  // namespace tare
