// SPDX-License-Identifier: BSD-3-Clause
// Edges between the threads of one process: what a release leaves, and what an acquisition waits for, by rule (R).
//
// Units: nanoseconds on CLOCK_MONOTONIC. Threads: every function works on the calling thread's block; a `state` belongs to
// whoever the primitive itself lets in, unless its function says otherwise. Errors: none; what finds no room is counted.
#ifndef TARE_THREADS_SYNC_HPP
#define TARE_THREADS_SYNC_HPP

#include <atomic>
#include <cstdint>

#include "tare_measure.h"

namespace tare::threads {

// Somebody has declared overhead, and this thread is not the tool's own.
bool is_counting() noexcept;

// The calling thread is here now: the begin of a wait, or what a release says.
tare_wire_t stamp_now() noexcept;

// It has waited for this since its last stamp_now(). Empty states are no edges.
void join(const tare_wire_t &state) noexcept;

// What both together are to who waits for them.
tare_wire_t sum(const tare_wire_t &a, const tare_wire_t &b) noexcept;

// It begins because of this.
void inherit(const tare_wire_t &creator) noexcept;

// What a release has left, and where it is in a trace: the number of what threads meet at, its round there (0: nothing was
// left), and how many have come in that round.
struct left {
    tare_wire_t state;
    std::uint32_t number;
    std::uint64_t round;
    std::uint32_t come;
};

// It was free from its beginning on.
constexpr left left_by_nobody = {{0, 0}, 0, 0, 1};

// TARE_TRACE_RECORDS=threads, of the calling thread: it releases; it has waited for this; it begins because of that.
void trace_release(std::uint32_t number, std::uint64_t round) noexcept;
void trace_acquire(const left &what) noexcept;
void trace_begin(std::uint32_t number, std::uint64_t round) noexcept;

// Of what has no place among the objects.
std::uint32_t next_number() noexcept;

// The sum of what several threads have left. Any thread at any time.
class meeting {
  public:
    void leave(const tare_wire_t &stamp, std::uint64_t round) noexcept;  // the first of a round forgets those before
    std::uint64_t leave_last(const tare_wire_t &stamp) noexcept;         // a round of its own: its number
    left what(std::uint32_t number) noexcept;
    void clear() noexcept;
    void release_lock() noexcept { unlock(); }  // whoever had it is no more

  private:
    void lock() noexcept;
    void unlock() noexcept { busy_.clear(std::memory_order_release); }

    std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
    tare_wire_t state_ = {0, 0};
    std::uint64_t round_ = 0;
    std::uint32_t come_ = 0;
};

// Meetings that come one after the other, of the same threads: nobody comes to the next but one before all have left this.
class barrier {
  public:
    void arrive(std::uint64_t round, const tare_wire_t &stamp) noexcept { meetings_[round % 2].leave(stamp, round); }
    left what(std::uint32_t number, std::uint64_t round) noexcept { return meetings_[round % 2].what(number); }

    void clear() noexcept
    {
        for (meeting &m : meetings_)
            m.clear();
    }
    void release_lock() noexcept
    {
        for (meeting &m : meetings_)
            m.release_lock();
    }

  private:
    meeting meetings_[2];
};

// What belongs to an object of the program, by its address. nullptr: there is no room (counted), or, without `make`, nothing
// was left there.
struct object {
    std::atomic<const void *> where{nullptr};
    threads::meeting meeting;
    threads::barrier barrier;
    std::atomic<std::uint64_t> arrivals{0};  // of a barrier, and who they are
    std::uint64_t count = 0;
    std::uint64_t rounds_before = 0;         // of barriers that were here
};
object *find(const void *where, bool make) noexcept;
std::uint32_t number_of_barrier(const object &o) noexcept;
void forget(const void *where) noexcept;

// The calling thread gives it away now: who acquires it next waits for this. What the last one has left; empty: nothing.
void releasing(const void *where) noexcept;
left left_at(const void *where) noexcept;

// In a child of fork: the other threads, which may have been at an object, are not there.
void forget_other_threads() noexcept;

}  // namespace tare::threads

#endif
