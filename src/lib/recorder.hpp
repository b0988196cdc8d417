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

#include "tare.h"

#include <atomic>
#include <cstdint>
#include <vector>

namespace tare {

// The counters of one thread that regions divide among themselves; all in ns.
enum counter { c_time, c_delay, c_delay_lo, c_delay_hi, c_wait, c_wait_comp, c_residue, counter_count };

struct sample {
    std::int64_t v[counter_count];
};

// Unrolled, so that the compiler keeps a sample in registers, two counters in each: in memory it would be written one
// by one and read two by two, for which the processor waits.
inline void add(sample &a, const sample &b) noexcept
{
#pragma GCC unroll 8
    for (int i = 0; i < counter_count; i++)
        a.v[i] += b.v[i];
}

inline sample operator-(const sample &a, const sample &b) noexcept
{
    sample d;
#pragma GCC unroll 8
    for (int i = 0; i < counter_count; i++)
        d.v[i] = a.v[i] - b.v[i];
    return d;
}

// What one region has on one thread. Recursion: inclusive is counted at the outermost call only.
struct accumulator {
    sample inclusive;
    sample exclusive;
    std::int64_t calls;
    std::int64_t subrs;
    std::int64_t open;
};

struct frame {
    const tare_region_t *of;
    accumulator *sum;            // nullptr: not recorded (measuring was paused), only the nesting is kept
    sample start;
    sample children;
};

// A copy of a recorder that stands still.
struct recorded {
    std::vector<frame> frames;
    std::vector<accumulator> sums;       // by region number
    std::int64_t ignored_leaves = 0;
};

class recorder {
  public:
    static constexpr std::uint32_t block_size = 1024;    // regions
    static constexpr std::uint32_t block_limit = 1024;

    recorder() noexcept = default;
    ~recorder();
    recorder(const recorder &) = delete;
    recorder &operator=(const recorder &) = delete;

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

    // Opens a region. The caller sets the frame's start as the last thing before the region's own code runs.
    // A region that finds no memory is followed without being recorded.
    frame &push(const tare_region_t *of, std::uint32_t number) noexcept
    {
        accumulator *sum = find(number);
        if (__builtin_expect(sum == nullptr, 0))
            return push_unrecorded(of);
        sum->calls++;
        sum->open++;
        frame &f = next_frame();
        f.of = of;
        f.sum = sum;
        f.children = sample{};
        if (frame *parent = recorded_parent(); parent != nullptr)
            parent->sum->subrs++;
        depth_++;
        return f;
    }

    // While measuring is paused only the nesting is followed, so that later leaves find their enters.
    frame &push_unrecorded(const tare_region_t *of) noexcept;

    bool is_top(const tare_region_t *of) const noexcept { return depth_ > 0 && frames_[depth_ - 1].of == of; }
    bool is_open(const tare_region_t *of) const noexcept;
    bool is_recorded() const noexcept { return frames_[depth_ - 1].sum != nullptr; }
    const frame &top() const noexcept { return frames_[depth_ - 1]; }
    std::uint32_t depth() const noexcept { return depth_; }

    // Closes the innermost region. Inline, so that `end` never is in memory.
    __attribute__((always_inline)) void pop(const sample &end) noexcept
    {
        const frame &f = frames_[--depth_];
        if (__builtin_expect(f.sum == nullptr, 0))
            return;
        const sample spent = end - f.start;
        add(f.sum->exclusive, spent - f.children);
        if (--f.sum->open == 0)
            add(f.sum->inclusive, spent);
        if (frame *parent = recorded_parent(); parent != nullptr)
            add(parent->children, spent);
    }

    // Written counter by counter: by the time that it is read the writes are over.
    sample &start_of_top() noexcept { return frames_[depth_ - 1].start; }

    // The innermost region goes on in a further call.
    void call_again() noexcept
    {
        if (accumulator *sum = frames_[depth_ - 1].sum; sum != nullptr)
            sum->calls++;
    }

    void ignore_leave() noexcept { ignored_leaves_++; }

    // From any thread. The sums are as if every open region were left now; `now()` gives the counters. A thread that
    // never stands still (it was interrupted inside a hook for good) is copied as it is.
    template <typename Now> recorded copy(Now now) const
    {
        recorded result;
        sample end{};
        for (int attempt = 0; attempt < copy_attempts; attempt++) {
            const std::uint32_t before = change_.load(std::memory_order_acquire);
            copy_to(result);
            end = now();
            std::atomic_thread_fence(std::memory_order_acquire);
            if (!(before & 1) && change_.load(std::memory_order_relaxed) == before)
                break;
        }
        close(result, end);
        return result;
    }

  private:
    accumulator *find(std::uint32_t number) noexcept
    {
        const std::uint32_t block = number / block_size;
        if (__builtin_expect(block >= block_limit || (blocks_[block] == nullptr && !grow_blocks(block)), 0))
            return nullptr;
        return &blocks_[block][number % block_size];
    }

    frame &next_frame() noexcept
    {
        if (__builtin_expect(depth_ == capacity_, 0))
            grow_frames();
        return frames_[depth_];
    }
    // The innermost open region that is recorded.
    frame *recorded_parent() noexcept
    {
        std::uint32_t i = depth_;
        while (i > 0 && frames_[i - 1].sum == nullptr)
            i--;
        return i > 0 ? &frames_[i - 1] : nullptr;
    }

    bool grow_blocks(std::uint32_t block) noexcept;
    void grow_frames() noexcept;
    void copy_to(recorded &result) const;
    static void close(recorded &open, const sample &end);

    static constexpr int copy_attempts = 10000;
    static constexpr int retired_limit = 23;     // the stack doubles from 256 to 2^31 frames

    std::atomic<std::uint32_t> change_{0};
    std::uint32_t depth_ = 0;
    std::uint32_t capacity_ = 0;
    frame *frames_ = nullptr;
    frame *retired_[retired_limit] = {};
    int retired_count_ = 0;
    accumulator *blocks_[block_limit] = {};
    std::int64_t ignored_leaves_ = 0;
};

}  // namespace tare

#endif
