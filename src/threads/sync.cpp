// SPDX-License-Identifier: BSD-3-Clause
#include "sync.hpp"

#include <cstdio>
#include <ctime>
#include <sched.h>

namespace tare::threads {

namespace {

constexpr std::size_t most_objects = 1 << 14;
constexpr std::size_t most_steps = 256;  // from an object's own place to the one that it has
object objects[most_objects];
std::atomic<std::uint64_t> without_room;

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
    if (!tare_is_active(&stamp))
        return;
    tare_edge_t edge = tare_own_edge(&stamp);
    lock();
    if (round_ != round)
        state_ = {0, 0};
    round_ = round;
    core().gather(&state_, &edge);
    unlock();
}

void meeting::leave_last(const tare_wire_t &stamp) noexcept
{
    lock();
    state_ = stamp;
    unlock();
}

tare_wire_t meeting::state() noexcept
{
    lock();
    const tare_wire_t state = state_;
    unlock();
    return state;
}

void meeting::clear() noexcept { leave_last({0, 0}); }

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
        o->meeting.leave_last(stamp_now());
}

tare_wire_t left_at(const void *where) noexcept
{
    object *const o = find(where, false);
    return o != nullptr ? o->meeting.state() : tare_wire_t{0, 0};
}

void forget_other_threads() noexcept
{
    for (object &o : objects) {
        o.meeting.release_lock();
        o.barrier.release_lock();
    }
}

}  // namespace tare::threads
