// SPDX-License-Identifier: BSD-3-Clause
// TARE_TRACE: what each thread enters and leaves, in memory until it is written.
//
// An event is what the profile knows of an enter or leave anyway, so no clock is read for it: 24 bytes are stored. A
// thread's events are in chunks. One that is full goes to a thread of the library, which writes it where nothing else
// wants the core, and comes back. Where all chunks are full the thread waits, which is overhead, and declared.
#ifndef TARE_LIB_TRACE_HPP
#define TARE_LIB_TRACE_HPP

#include "recorder.hpp"
#include "trace_module.h"

#include <atomic>
#include <cstdint>

namespace tare {

struct process;

// What lies in one piece of memory.
struct trace_chunk {
    static constexpr std::size_t bytes = std::size_t{1} << 20;
    static constexpr std::size_t capacity = (bytes - 64) / sizeof(tare_trace_event_t);

    trace_chunk *next;
    std::uint32_t thread;
    std::atomic<std::uint32_t> count;
    tare_trace_event_t events[capacity];
};
static_assert(sizeof(trace_chunk) <= trace_chunk::bytes);

// The events of one thread, which alone adds to them.
class thread_trace {
  public:
    explicit thread_trace(std::uint32_t thread) noexcept : thread_(thread) {}

    void enter(const sample &start, std::uint32_t region) noexcept { add(start, region, TARE_TRACE_ENTER); }
    void leave(const sample &end) noexcept { add(end, 0, TARE_TRACE_LEAVE); }
    // The thread's last: all that is open is left.
    void finish(const sample &end) noexcept;

    // What waiting for memory took since this was asked last.
    std::int64_t take_waited_ns() noexcept
    {
        const std::int64_t ns = waited_ns_;
        waited_ns_ = 0;
        return ns;
    }

  private:
    friend void finish_trace(process &p);

    void add(const sample &s, std::uint32_t region, std::uint32_t kind) noexcept
    {
        if (__builtin_expect(count_ == trace_chunk::capacity, 0) && !turn_over())
            return;
        chunk_->events[count_] = {s.v[c_time], s.v[c_delay], region, kind};
        chunk_->count.store(++count_, std::memory_order_release);
    }
    bool turn_over() noexcept;

    trace_chunk *chunk_ = nullptr;
    std::uint32_t count_ = trace_chunk::capacity;        // of the chunk: there is none yet
    const std::uint32_t thread_;
    bool is_over_ = false;               // there was no memory: what comes now would find no enter
    std::int64_t waited_ns_ = 0;
};

// nullptr: no trace is written.
thread_trace *trace_of_thread(std::uint32_t thread) noexcept;

// Before the first region: whether a trace can be written. Ends the run if it was asked for and cannot.
void prepare_trace(process &p);

// The process ends: all that its threads have recorded is written, and its archive is closed. Failure is said.
void finish_trace(process &p);

// In a forked child: the trace is its parent's.
void leave_trace() noexcept;

}  // namespace tare

#endif
