// SPDX-License-Identifier: BSD-3-Clause
#include "sync.hpp"

#include "trace_event.h"

#include <cstdio>
#include <ctime>
#include <sched.h>

namespace tare::threads {

namespace {

constexpr std::size_t most_objects = 1 << 14;
constexpr std::size_t most_steps = 256;  // from an object's own place to the one that it has
object objects[most_objects];
std::atomic<std::uint64_t> without_room;

// Each object has two numbers, as a lock or a thread and as a barrier.
std::uint32_t number_of(const object &o) noexcept { return static_cast<std::uint32_t>(&o - objects); }
std::atomic<std::uint32_t> next{2 * most_objects};

const bool is_traced = tare_measure_traces_threads() != 0;

void trace(tare_trace_kind kind, std::uint32_t number, std::uint64_t round, std::uint32_t come) noexcept
{
    if (!is_traced)
        return;
    tare_trace_record_t r{};
    r.event.of = number;
    r.event.kind = kind | TARE_TRACE_PARTS(1);
    r.message.bytes = round;
    r.message.tag = static_cast<std::int32_t>(come);
    tare_measure_trace_now(&r);
}

// At the end of the process.
__attribute__((destructor)) void tell_of_no_room()
{
    if (const std::uint64_t count = without_room; count > 0)
        std::fprintf(stderr,
                     "tare: %llu waits between threads were not followed: there is room for %zu threads, mutexes, "
                     "condition variables and barriers\n",
                     static_cast<unsigned long long>(count), most_objects);
}

const tare_transport_v1_table_t &core() noexcept { return *tare_measure_core(); }

std::size_t place_of(const void *where) noexcept
{
    std::uint64_t bits = reinterpret_cast<std::uintptr_t>(where) * UINT64_C(0x9e3779b97f4a7c15);
    return bits >> 50;
}

}  // namespace

bool is_counting() noexcept
{
    const tare_transport_v1_table_t &c = core();
    return __atomic_load_n(&c.global->active, __ATOMIC_RELAXED) != 0 && c.thread()->muted == 0;
}

tare_wire_t stamp_now() noexcept
{
    core().thread()->event_source = TARE_EVENT_NONE;
    return core().stamp();
}

// A lock that was free is no end of a spin of MPI_Test, which has none behind it if it is locked around each.
void join(const tare_wire_t &state) noexcept
{
    if (!tare_is_active(&state))
        return;
    tare_edge_t edge = tare_own_edge(&state);
    tare_thread_t &th = *core().thread();
    const std::uint32_t spinning = th.spinning;
    const std::int64_t delay_ns = th.delay_ns;
    core().join(&edge);
    if (th.delay_ns == delay_ns)
        th.spinning = spinning;
}

tare_wire_t sum(const tare_wire_t &a, const tare_wire_t &b) noexcept
{
    tare_wire_t state = a;
    if (!tare_is_active(&b))
        return state;
    tare_edge_t edge = tare_own_edge(&b);
    core().gather(&state, &edge);
    return state;
}

void inherit(const tare_wire_t &creator) noexcept { core().inherit(&creator); }

void trace_release(std::uint32_t number, std::uint64_t round) noexcept { trace(TARE_TRACE_THREAD_RELEASE, number, round, 0); }

void trace_acquire(const left &what) noexcept
{
    if (what.round != 0 || what.come != 0)
        trace(TARE_TRACE_THREAD_ACQUIRE, what.number, what.round, what.come);
}

void trace_begin(std::uint32_t number, std::uint64_t round) noexcept { trace(TARE_TRACE_THREAD_BEGIN, number, round, 0); }

std::uint32_t next_number() noexcept { return next++; }

std::uint32_t number_of_barrier(const object &o) noexcept { return most_objects + number_of(o); }

void meeting::lock() noexcept
{
    // Who has it may be of a lower priority, and want this core.
    for (int tries = 0; busy_.test_and_set(std::memory_order_acquire); tries++)
        if (tries < 100) {
            sched_yield();
        } else {
            const timespec moment{0, 10'000};
            nanosleep(&moment, nullptr);
        }
}

void meeting::leave(const tare_wire_t &stamp, std::uint64_t round) noexcept
{
    tare_edge_t edge = tare_own_edge(&stamp);
    lock();
    if (round_ != round) {
        state_ = {0, 0};
        come_ = 0;
    }
    round_ = round;
    come_++;
    if (tare_is_active(&stamp))
        core().gather(&state_, &edge);
    unlock();
}

std::uint64_t meeting::leave_last(const tare_wire_t &stamp) noexcept
{
    lock();
    state_ = stamp;
    come_ = 1;
    const std::uint64_t round = ++round_;
    unlock();
    return round;
}

left meeting::what(std::uint32_t number) noexcept
{
    lock();
    const left result = {state_, number, round_, come_};
    unlock();
    return result;
}

// Rounds go on: no two of them have one number.
void meeting::clear() noexcept
{
    lock();
    state_ = {0, 0};
    come_ = 0;
    unlock();
}

object *find(const void *where, bool make) noexcept
{
    for (std::size_t i = 0, at = place_of(where); i < most_steps; i++, at = (at + 1) % most_objects) {
        const void *there = objects[at].where.load(std::memory_order_acquire);
        if (there == where)
            return &objects[at];
        if (there != nullptr)
            continue;
        if (!make)
            return nullptr;
        if (objects[at].where.compare_exchange_strong(there, where) || there == where)
            return &objects[at];
    }
    without_room++;
    return nullptr;
}

// The place stays: who comes behind it must be found.
void forget(const void *where) noexcept
{
    if (object *o = find(where, false); o != nullptr)
        o->meeting.clear();
}

void releasing(const void *where) noexcept
{
    if (object *o = find(where, true); o != nullptr)
        trace_release(number_of(*o), o->meeting.leave_last(stamp_now()));
}

left left_at(const void *where) noexcept
{
    object *const o = find(where, false);
    return o != nullptr ? o->meeting.what(number_of(*o)) : left{};
}

void forget_other_threads() noexcept
{
    for (object &o : objects) {
        o.meeting.release_lock();
        o.barrier.release_lock();
    }
}

}  // namespace tare::threads

// libtare looks for this: without it nobody tells what threads wait for.
extern "C" const int tare_threads_are_told = 1;
