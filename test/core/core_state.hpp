// SPDX-License-Identifier: BSD-3-Clause
// The core's state in tests: put back to that of a new process, several processes in one, and edges as they arrive.
// Times are nanoseconds of the fake clock; `origin_ns` is where it starts, because 0 means "not known" in places.
#ifndef TARE_TEST_CORE_STATE_HPP
#define TARE_TEST_CORE_STATE_HPP

#include <cstdint>

#include "fake_clock.hpp"
#include "tare_transport.h"

constexpr std::int64_t origin_ns = 1'000'000'000'000;

// Everything as at the start of a process, but the latency table, which nothing clears: a test takes a new peer.
inline void new_process()
{
    tare_self = tare_thread_t{};
    tare_global = tare_global_t{};
    tare_clock = tare_clock_t{};
    fake_clock::now_ns = origin_ns;
    fake_clock::reads = 0;
}

// The same, with somebody having declared something (nothing at all), so that stamps and joins do their work.
inline void new_active_process()
{
    new_process();
    tare_core_overhead_add(0, 0);
}

inline std::uint64_t new_peer()
{
    static std::uint32_t contexts;
    return tare_peer(++contexts, 0);
}

inline void at(std::int64_t ns) { fake_clock::now_ns = origin_ns + ns; }

// The call starts now.
inline void enter_at(std::int64_t ns)
{
    at(ns);
    tare_core_enter();
}

// A stamp of another process on this clock: sent then, with this delay.
struct widths {
    std::int64_t below_ns, above_ns;
};
inline tare_wire_t sent_at(std::int64_t ns, std::int64_t delay_ns, widths w = {0, 0})
{
    constexpr unsigned flags = TARE_WIRE_TIME_VALID | TARE_WIRE_ACTIVE | TARE_WIRE_VERSION << TARE_WIRE_VERSION_SHIFT;
    tare_wire_t wire = tare_wire_pack(delay_ns, origin_ns + ns, flags);
    tare_wire_set_widths(&wire, w.below_ns, w.above_ns);
    return wire;
}

#define assert_widths(wire, below_ns, above_ns)                   \
    do {                                                          \
        assert_ns_equal(tare_wire_width_lo_ns(wire), below_ns);   \
        assert_ns_equal(tare_wire_width_hi_ns(wire), above_ns);   \
    } while (0)

inline tare_edge_t edge_from(std::uint64_t peer, tare_wire_t wire, std::uint32_t flags = TARE_EDGE_SAME_CLOCK)
{
    return tare_edge_t{wire, 0, peer, TARE_CLASS_EAGER, TARE_EDGE_SET | flags};
}

// The edge was first seen then, by a poll inside the wait.
inline tare_edge_t seen_at(tare_edge_t e, std::int64_t ns)
{
    e.seen_ns = origin_ns + ns;
    return e;
}

// Joins an edge that the thread waited for until now.
inline void join_at(std::int64_t ns, tare_edge_t e)
{
    at(ns);
    tare_core_join(&e);
}

inline void delay_is(std::int64_t ns) { tare_core_test_set_delay(ns); }

// Sent at 0, seen at 100 while a thread waited: from now on the latency of this peer is known.
inline std::uint64_t peer_at_100_ns()
{
    const std::uint64_t peer = new_peer();
    const std::uint32_t account = tare_global.account_waits;
    tare_global.account_waits = 1;
    enter_at(-50);
    join_at(100, edge_from(peer, sent_at(0, 0)));
    new_active_process();
    tare_global.account_waits = account;
    return peer;
}

// The same, so often that the latency is known to be 100 and no message needs to be looked at to learn it.
inline std::uint64_t settled_peer()
{
    const std::uint64_t peer = peer_at_100_ns();
    const std::uint32_t account = tare_global.account_waits;
    tare_global.account_waits = 1;
    for (int i = 0; i < 20; i++) {
        enter_at(-50);
        join_at(100, edge_from(peer, sent_at(0, 0)));
        new_active_process();
        tare_global.account_waits = 1;
    }
    tare_global.account_waits = account;
    return peer;
}

// Several processes take turns in this one: what is not of the thread is common, as their clock is.
template <unsigned count> class processes {
  public:
    void become(unsigned p)
    {
        blocks_[current_] = tare_self;
        current_ = p;
        tare_self = blocks_[p];
    }

  private:
    tare_thread_t blocks_[count]{};
    unsigned current_ = 0;
};

#endif
