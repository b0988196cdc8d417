// SPDX-License-Identifier: BSD-3-Clause
// The arithmetic of measuring: a stack of open regions and what has been summed up for each, on one thread.
//
// Nothing here reads a clock or knows the core: whoever enters or leaves a region hands over a sample, the values of
// all counters at that moment. A region gets the difference of two samples; so measured = compensated + removed holds
// to the nanosecond, because removed is the difference of the delay and nothing else.
//
// Threads: a recorder belongs to its thread. Another thread may copy it (recorder::copy_to) at any time.
#ifndef TARE_LIB_RECORDER_HPP
#define TARE_LIB_RECORDER_HPP

#include "live.hpp"
#include "packed_sample.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tare {

class path_record;

// The sums of a thread by region number, where they are: in a copy of its record, or in the record itself.
class placed_sums {
  public:
    static constexpr std::uint32_t block_size = 1024;    // regions

    void place(std::size_t block, const accumulator *sums)
    {
        if (block >= blocks_.size())
            blocks_.resize(block + 1);
        blocks_[block] = sums;
    }
    // nullptr: it was not called.
    const accumulator *of(std::uint32_t number) const noexcept
    {
        const std::size_t block = number / block_size;
        if (block >= blocks_.size() || blocks_[block] == nullptr)
            return nullptr;
        const accumulator *sum = &blocks_[block][number % block_size];
        return sum->calls != 0 ? sum : nullptr;
    }

  private:
    std::vector<const accumulator *> blocks_;            // nullptr: none of its regions was called
};

placed_sums sums_in(const recorded &copy);

class recorder {
  public:
    static constexpr std::uint32_t block_size = placed_sums::block_size;
    static constexpr std::uint32_t block_limit = 1024;

    // Kept: in memory that outlives a process that is killed (arena.hpp); it is never given back.
    explicit recorder(bool kept = false) noexcept : kept_(kept) {}
    ~recorder();
    recorder(const recorder &) = delete;
    recorder &operator=(const recorder &) = delete;

    // Before the first region: call paths of so many regions are recorded, too. Of fewer than two the flat profile
    // tells.
    void record_paths(int depth) noexcept;
    bool records_paths() const noexcept { return paths_ != nullptr; }

    // Around every change. A second entry (a signal handler inside a hook) is refused.
    bool begin() noexcept
    {
        const std::uint32_t seen = change_.load(std::memory_order_relaxed);
        if (__builtin_expect(seen & 1, 0))
            return false;
        change_.store(seen + 1, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_release);
        return true;
    }
    void end() noexcept
    {
        change_.store(change_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }
    std::uint32_t changes() const noexcept { return change_.load(std::memory_order_relaxed); }

    // Opens a region; `of` is what its leave will name it by. The caller sets the frame's start as the last thing before
    // the region's own code runs. A region that finds no memory is followed without being recorded.
    frame &push(const void *of, std::uint32_t number) noexcept;
    // The same where no call paths are recorded: inline, for the hot path.
    frame &push_flat(const void *of, std::uint32_t number) noexcept
    {
        accumulator *sum = find(number);
        if (__builtin_expect(sum == nullptr, 0))
            return push_unrecorded(of);
        if (__builtin_expect(depth_ == capacity_, 0))
            grow_frames();
        frame *f = frames_ + depth_;
        if (frame *parent = recorded_around(f); parent != nullptr)
            parent->sum->subrs++;
        return *open_frame(f, of, sum);
    }

    // The quick way, inside of what is recorded and without call paths: a region that was opened before needs nothing
    // but this. The caller knows the innermost frame, which is recorded, and gets the one that is it then.
    frame *top_frame() const noexcept { return frames_ + depth_ - 1; }
    bool has_room() const noexcept { return depth_ != capacity_; }
    frame *push_known(frame *top, const void *of, accumulator *sum) noexcept
    {
        top->sum->subrs++;
        return open_frame(top + 1, of, sum);
    }
    static bool is_inside(const frame *top) noexcept { return top[-1].sum != nullptr; }
    __attribute__((always_inline)) frame *pop_known(frame *top, const packed_sample &end) noexcept
    {
        depth_--;
        accumulator &sum = *top->sum;
        const packed_sample spent = end - packed_sample(top->start);
        end.store(top->start);
        spent.add_to(sum.exclusive);
        if (__builtin_expect(--sum.open == 0, 1))
            spent.add_to(sum.inclusive);
        spent.take_off(top[-1].sum->exclusive);
        return top - 1;
    }

    // While measuring is paused only the nesting is followed, so that later leaves find their enters.
    frame &push_unrecorded(const void *of) noexcept;

    bool is_top(const void *of) const noexcept { return depth_ > 0 && top().of == of; }
    bool is_open(const void *of) const noexcept;
    bool is_recorded() const noexcept { return top().sum != nullptr; }
    const frame &top() const noexcept { return *top_frame(); }
    std::uint32_t depth() const noexcept { return depth_; }

    // Closes the innermost region.
    void pop(const sample &end) noexcept;
    // The same where no call paths are recorded. Inline, so that `end` never is in memory.
    __attribute__((always_inline)) void pop_flat(const sample &end) noexcept
    {
        frame &f = frames_[--depth_];
        if (__builtin_expect(f.sum == nullptr, 0))
            return;
        const sample start = f.start;
        // What was left last and when: a killed process can say no more.
        f.start = end;
        const sample spent = end - start;
        end_visit(*f.sum, spent);
        if (frame *parent = recorded_around(&f); parent != nullptr)
            take_off(parent->sum->exclusive, spent);
    }

    // Written counter by counter: by the time that it is read the writes are over.
    sample &start_of_top() noexcept { return top_frame()->start; }

    // The innermost region goes on in a further call.
    void call_again() noexcept;

    void ignore_leave() noexcept { ignored_leaves_++; }

    // From any thread. The sums are as if every open region were left now; `now()` gives the counters. A thread that
    // never stands still (it was interrupted inside a hook for good) is copied as it is.
    template <typename Now> recorded copy(Now now) const
    {
        recorded result;
        sample end{};
        for (int attempts = copy_attempts(path_count()); attempts > 0; attempts--) {
            const std::uint32_t before = change_.load(std::memory_order_acquire);
            copy_to(result);
            end = now();
            std::atomic_thread_fence(std::memory_order_acquire);
            if (!(before & 1) && change_.load(std::memory_order_relaxed) == before)
                break;
        }
        close_all(result, end);
        return result;
    }

    // By its own thread, inside of a change, which ends when the sums have been read: they are read where they are. Only
    // blocks with a region that is open are copied, to be closed at `end`; `rest` has them and all else.
    placed_sums read_in_place(const sample &end, recorded &rest) const;

    // Where its parts are, for who reads it as bytes; `at`: where the recorder is in what is read.
    static void describe(live_layout &layout, std::size_t at) noexcept;

  private:
    accumulator *find(std::uint32_t number) noexcept
    {
        const std::uint32_t block = number / block_size;
        if (__builtin_expect(block >= block_limit || (blocks_[block] == nullptr && !grow_blocks(block)), 0))
            return nullptr;
        return &blocks_[block][number % block_size];
    }

    frame *open_frame(frame *f, const void *of, accumulator *sum) noexcept
    {
        sum->calls++;
        sum->open++;
        f->of = of;
        f->sum = sum;
        depth_++;
        return f;
    }

    // The innermost region around a frame that is recorded. There is a frame that is not before the first.
    frame *recorded_around(frame *of) noexcept
    {
        return __builtin_expect(of[-1].sum != nullptr, 1) ? of - 1 : recorded_further_out(of - 1);
    }
    __attribute__((noinline, cold)) frame *recorded_further_out(frame *unrecorded) noexcept
    {
        for (frame *f = unrecorded; f >= frames_; f--)
            if (f[-1].sum != nullptr)
                return f - 1;
        return nullptr;
    }

    void *take(std::size_t count, std::size_t size) const noexcept;
    bool grow_blocks(std::uint32_t block) noexcept;
    void grow_frames() noexcept;
    void copy_to(recorded &result) const;
    void copy_frames(recorded &result) const;
    template <typename Place> void copy_rest(recorded &result, const Place &place_of) const;
    std::size_t block_of(const accumulator *sum) const noexcept;
    std::size_t path_count() const noexcept;
    std::size_t size_of_blocks() const noexcept;

    static constexpr int retired_limit = 23;     // the stack doubles from 256 to 2^31 frames

    std::atomic<std::uint32_t> change_{0};
    std::uint32_t depth_ = 0;
    std::uint32_t capacity_ = 0;
    frame *frames_ = nullptr;                    // the first; one that is never open lies before it
    frame *retired_[retired_limit] = {};
    int retired_count_ = 0;
    accumulator *blocks_[block_limit] = {};
    std::int64_t ignored_leaves_ = 0;
    path_record *paths_ = nullptr;               // nullptr: none are recorded
    bool kept_ = false;
};

}  // namespace tare

#endif
