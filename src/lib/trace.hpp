// SPDX-License-Identifier: BSD-3-Clause
// TARE_TRACE: what each thread enters and leaves and what it does in MPI, in memory until it is written.
//
// An event is what the profile knows of an enter or leave anyway, so no clock is read for it: 24 bytes are stored.
// One of MPI's has the time of the enter or of the leave of the call that it is in, and a few parts more. A thread's
// events are in chunks of the live file, none of them in two. When there are many that are full a thread of the
// library begins to write them, where nothing else wants the core; they come back. Where it cannot follow threads
// wait for it, which is overhead, and declared. What is left is written when the process ends. That thread also makes
// the pages of a chunk ahead, which otherwise takes the time of who needs it.
#ifndef TARE_LIB_TRACE_HPP
#define TARE_LIB_TRACE_HPP

#include "counters.hpp"
#include "recorder.hpp"
#include "trace_module.h"
#include "used_pages.hpp"

#include <cstddef>
#include <cstdint>

namespace tare {

struct process;

// What lies in one piece of memory, of the live file: a process that is killed leaves it.
struct trace_chunk {
    static constexpr std::size_t bytes = std::size_t{1} << 20;
    static constexpr std::size_t capacity = (bytes - live_trace_chunk::events_begin) / sizeof(tare_trace_event_t);

    live_trace_chunk live;
    trace_chunk *next;                   // in the list that it is in
    alignas(live_trace_chunk::events_begin) tare_trace_event_t events[capacity];
};
static_assert(sizeof(trace_chunk) <= trace_chunk::bytes &&
              offsetof(trace_chunk, events) == live_trace_chunk::events_begin);

// The events of one thread, which alone adds to them.
class thread_trace {
  public:
    // counters, pages: of the thread; nullptr: none are recorded.
    thread_trace(std::uint32_t thread, thread_counters *counters, thread_pages *pages) noexcept
        : thread_(thread), counters_(counters), pages_(pages), reads_(counters != nullptr || pages != nullptr)
    {
    }

    void enter(const sample &start, std::uint32_t region) noexcept
    {
        if (__builtin_expect(reads_, 0))
            read_at_enter(region);
        add(start, region, TARE_TRACE_ENTER);
    }
    void leave(const sample &end) noexcept
    {
        if (__builtin_expect(reads_, 0))
            read_at_leave();
        add(end, 0, TARE_TRACE_LEAVE);
    }
    // It was left some time ago: what has been counted since is not its.
    void leave_before(const sample &end) noexcept
    {
        if (__builtin_expect(pages_ != nullptr, 0))
            pages_->leave_unseen();
        add(end, 0, TARE_TRACE_LEAVE);
    }

    // Between these two events of MPI may come: what they are in began and ends so. goes_on: it has polled before,
    // and nothing was complete.
    void begin_call(const sample &start, const sample &end, bool goes_on) noexcept
    {
        call_ = {moment(start), moment(end), goes_on, true};
    }
    void end_call() noexcept { call_.is_there = false; }
    void add_to_call(const tare_trace_record_t &record, bool at_end) noexcept;
    // In no call.
    void add_at(const tare_trace_record_t &record, const sample &now) noexcept;
    // Of the region that it is in, which has been entered and is left next.
    void add(const tare_trace_record_t &record) noexcept;
    // The thread's last: all that is open is left.
    void finish(const sample &end) noexcept;

    // What waiting for memory, and reading counters and pages, took since it was taken last.
    bool has_waited() const noexcept { return waited_ns_ != 0; }
    std::int64_t take_waited_ns() noexcept
    {
        const std::int64_t ns = waited_ns_;
        waited_ns_ = 0;
        return ns;
    }

  private:
    friend void finish_trace(process &p);

    // What an event has of a sample.
    struct moment {
        moment() noexcept = default;
        explicit moment(const sample &s) noexcept : time_ns(s.v[c_time]), delay_ns(s.v[c_delay]) {}
        std::int64_t time_ns = 0, delay_ns = 0;
    };

    void add(const sample &s, std::uint32_t of, std::uint32_t kind) noexcept
    {
        if (__builtin_expect(count_ == trace_chunk::capacity, 0) && !turn_over())
            return;
        chunk_->events[count_] = {s.v[c_time], s.v[c_delay], of, kind};
        __atomic_store_n(&chunk_->live.count, ++count_, __ATOMIC_RELEASE);
    }
    void add(const tare_trace_record_t &record, const moment &at) noexcept;
    __attribute__((noinline, cold)) void add_to_next_chunk(const tare_trace_record_t &record, const moment &at) noexcept;
    void read_at_enter(std::uint32_t region) noexcept;
    void read_at_leave() noexcept;
    void add_readings() noexcept;
    template <typename Reading> void add_reading(const Reading &reading, std::uint32_t kind) noexcept;
    tare_trace_event_t *take(std::uint32_t events) noexcept;
    bool turn_over() noexcept;

    struct call {
        moment start, end;
        bool goes_on = false;
        bool is_there = false;
    };

    trace_chunk *chunk_ = nullptr;
    std::uint32_t count_ = trace_chunk::capacity;        // of the chunk: there is none yet
    std::uint64_t chunks_ = 0;           // that it has begun
    const std::uint32_t thread_;
    thread_counters *const counters_;
    thread_pages *const pages_;
    const bool reads_;                   // one of them
    bool is_over_ = false;               // there was no memory: what comes now would find no enter
    std::int64_t waited_ns_ = 0;
    call call_;
};

// nullptr: no trace is written.
thread_trace *trace_of_thread(std::uint32_t thread) noexcept;

bool is_traced() noexcept;

// Before the first region: whether a trace can be written. Ends the run if it was asked for and cannot.
void prepare_trace(process &p);

// With the first region: there is a thread that writes.
void start_trace();

// What TARE_TRACE_RECORDS asks for and nobody will tell: said once for all ranks, so as long as all of them are there.
void say_what_is_not_told(const process &p);

// The process ends: all that its threads have recorded is written, and its archive is closed. Failure is said.
void finish_trace(process &p);

// In a forked child: the trace is its parent's.
void leave_trace() noexcept;

}  // namespace tare

#endif
