// SPDX-License-Identifier: BSD-3-Clause
// A process among messages whose stamps are any bits, on a clock that stands still between the steps. What the process
// itself does is possible: it declares no more than has elapsed. Then its compensated clock never runs backwards, and
// its delay stays between what its causes allow, whatever came.
#include <algorithm>
#include <cstring>

#include "../core/fake_clock.hpp"
#include "arrival.hpp"
#include "holds.hpp"
#include "input.hpp"
#include "tare_transport.h"

namespace {

constexpr std::uint32_t arrival_flags[] = {
    0,
    TARE_EDGE_SAME_CLOCK,
    TARE_EDGE_SAME_CLOCK | TARE_EDGE_EARLY,
    TARE_EDGE_SYNCED,
    TARE_EDGE_SYNCED | TARE_EDGE_EARLY,
    TARE_EDGE_EARLY,
    TARE_EDGE_SHORT,
    TARE_EDGE_SHORT | TARE_EDGE_SAME_CLOCK,
    TARE_EDGE_SHORT | TARE_EDGE_SYNCED | TARE_EDGE_EARLY,
};
constexpr tare_short_layout_t layouts[] = {{42, 18, 10}, {24, 8, 12}, {48, 14, 0}, {32, 0, 0}};

std::uint64_t told;
const tare_listener_t listener = {[](const tare_stamp_event_t *) { told++; }, [](const tare_wait_event_t *) { told++; }};

class process {
  public:
    explicit process(fuzz::input &in) : in_(in)
    {
        begin();
        const std::uint8_t how = in_.byte();
        tare_core_configure(TARE_MODE_HEADER, how % 3, 1);
        tare_global.account_waits = how >> 2 & 1;
        tare_short_layout = layouts[how >> 3 & 3];
        tare_clock.network = TARE_EDGE_SYNCED;
        tare_clock.error_ns = how & 32 ? 1000 : 0;
        tare_core_listen(how & 64 ? &listener : nullptr);
        if (how & 128)
            tare_core_overhead_add(0, 0);
    }
    ~process() { tare_core_listen(nullptr); }
    process(const process &) = delete;
    process &operator=(const process &) = delete;

    void step();
    void end();

  private:
    void begin();
    void pass(std::int64_t ns)
    {
        fake_clock::now_ns += ns;
        elapsed_ns_ += ns;
    }
    std::int64_t some_ns() { return in_.number<std::uint32_t>() >> in_.byte() % 32; }

    tare_wire_t any_stamp(std::uint32_t flags);
    tare_edge_t &any_edge() { return edges_[in_.byte() % 4]; }
    tare_wire_t &any_state() { return states_[in_.byte() % 2]; }
    std::uint64_t any_peer() { return tare_peer(1, in_.byte() % 3); }
    std::uint32_t any_class() { return in_.byte() % 130; }

    void work() { pass(some_ns()); }
    void overhead();
    void poll();
    void arrive();
    void stamp();
    void reply();
    void restamp();
    void stall();
    void deposit();
    void schedule();
    void read_clock();
    void check_delay() const;
    static void check_sent(tare_wire_t wire);

    fuzz::input &in_;
    tare_edge_t edges_[4]{};
    tare_wire_t states_[2]{};
    tare_post_t post_{};
    std::int64_t elapsed_ns_ = 0;
    std::int64_t least_ns_ = 0;          // of the delays that have come; the own is 0 at first
    std::int64_t most_ns_ = 0;
    std::int64_t believed_ns_ = 0;       // so far stamps may have been from the future without being noticed
    std::int64_t compensated_ns_ = INT64_MIN;
};

// As new, with nothing learned.
void process::begin()
{
    static const tare::latency_table nothing{};
    std::memcpy(static_cast<void *>(&tare::latencies), &nothing, sizeof nothing);
    tare_self = tare_thread_t{};
    tare_global = tare_global_t{};
    tare_clock = tare_clock_t{};
    fake_clock::now_ns = in_.number<std::int64_t>() >> 2 & (INT64_MAX >> 2);
}

tare_wire_t process::any_stamp(std::uint32_t flags)
{
    tare_wire_t wire{in_.number<std::uint64_t>(), in_.number<std::uint64_t>()};
    if (flags & TARE_EDGE_SHORT) {
        const unsigned bits = 1u + tare_short_layout.delay_bits + tare_short_layout.time_bits;
        wire = tare_short_unpack(wire.w0 & ((UINT64_C(1) << bits) - 1), tare_short_layout);
    }
    // Of another stamp the delay means nothing.
    if (tare_is_active(&wire)) {
        least_ns_ = std::min(least_ns_, tare_wire_delay_ns(wire));
        most_ns_ = std::max(most_ns_, tare_wire_delay_ns(wire));
        believed_ns_ += tare::believed_ns;
    }
    return wire;
}

void process::overhead()
{
    const std::int64_t ns = some_ns();
    pass(ns);
    tare_core_overhead_add(ns, 0);
}

// What an MPI call that does not wait does.
void process::poll()
{
    const std::uint8_t how = in_.byte();
    tare_core_poll();
    pass(some_ns());
    if (how & 1)
        arrive();
    if (how & 2)
        tare_core_join(&any_edge());
    tare_core_poll_end(how & 4);
}

void process::arrive()
{
    const std::uint32_t flags = arrival_flags[in_.byte() % (sizeof arrival_flags / sizeof arrival_flags[0])];
    tare_edge_t &edge = any_edge();
    edge.flags = in_.byte() & TARE_EDGE_ANY_SOURCE;
    const tare_wire_t wire = any_stamp(flags);
    if (tare_is_active(&wire))
        tare_core_arrive(&edge, wire, any_peer(), any_class(), flags);
}

void process::check_sent(tare_wire_t wire)
{
    HOLDS(tare_wire_delay_lo_ns(wire) <= tare_wire_delay_ns(wire));
    HOLDS(tare_wire_delay_ns(wire) <= tare_wire_delay_hi_ns(wire));
}

// A delay that does not fit is counted, and none that does.
void process::stamp()
{
    const std::uint64_t saturated = tare_core_thread()->saturated;
    const tare_wire_t wire = tare_core_stamp();
    check_sent(wire);
    if (!tare_is_active(&wire) || tare_wire_flags(wire) & TARE_WIRE_MUTED)
        return;
    const std::int64_t delay = tare_core_thread()->delay_ns;
    HOLDS(tare_core_thread()->saturated == saturated + (tare_wire_extend(static_cast<std::uint64_t>(delay)) != delay));
    HOLDS(tare_wire_delay_ns(wire) ==
          std::clamp<std::int64_t>(delay, TARE_WIRE_DELAY_MIN_NS, TARE_WIRE_DELAY_MAX_NS));
    tare_core_shorten(wire);
}

void process::reply()
{
    const std::uint8_t how = in_.byte();
    tare_edge_t &edge = any_edge();
    check_sent(how & 1 ? tare_core_react(&edge) : tare_core_reply(&edge, how & 2 ? &post_ : nullptr));
}

tare_edge_t freed_edge(tare_wire_t wire, std::uint64_t peer)
{
    wire.w1 |= static_cast<std::uint64_t>(TARE_WIRE_VERSION_MASK) << TARE_WIRE_FIELD_BITS;
    return {wire, 0, peer, TARE_CLASS_CELL, TARE_EDGE_SET | TARE_EDGE_SAME_CLOCK};
}

// A packet of this process that leaves later, into a cell that somebody freed.
void process::restamp()
{
    const tare_wire_t queued = tare_core_stamp();
    pass(some_ns());
    const tare_edge_t freed = freed_edge(any_stamp(0), any_peer());
    check_sent(tare_core_restamp(queued, in_.byte() & 1 ? &freed : nullptr));
    check_sent(tare_core_freed_stamp());
}

void process::stall()
{
    const tare_edge_t freed = freed_edge(any_stamp(0), any_peer());
    tare_core_stalled(&any_edge(), &freed);
}

void process::deposit()
{
    const std::uint32_t flags = in_.byte() & 1 ? TARE_EDGE_SAME_CLOCK : tare_clock.network;
    const tare_wire_t wire = any_stamp(flags);
    tare_wire_t &state = any_state();
    tare_core_deposit(&state, wire, any_peer(), any_class(), flags);
    check_sent(tare_core_answer(&state));
}

// A nonblocking collective from its begin to its end.
void process::schedule()
{
    tare_schedule_t s{};
    tare_core_schedule_begin(&s);
    for (unsigned steps = in_.byte() % 4; steps > 0; steps--) {
        tare_core_step_begin(&s, &s.state, steps % 2 ? TARE_STEP_LOCAL : TARE_STEP_MESSAGE);
        pass(some_ns());
        check_sent(tare_core_stamp());
        tare_core_step_end(&s, &s.state);
        arrive();
        tare_core_gather(&s.state, &any_edge());
    }
    tare_edge_t own = tare_own_edge(&s.state);
    if (tare_is_active(&s.state))
        tare_core_join(&own);
}

void process::read_clock()
{
    const std::int64_t now = tare_core_compensated_now_ns();
    HOLDS(now >= compensated_ns_);
    compensated_ns_ = now;
}

// No delay is less than all of its causes, and none grows faster than time: by more than what is believed. What was taken
// back, because the compensated clock had been read, is counted: as where a tool's time stamp is older than that.
void process::check_delay() const
{
    const tare_thread_t &th = *tare_core_thread();
    HOLDS(th.delay_ns >= least_ns_ - believed_ns_ - th.residue_ns);
    HOLDS(th.delay_ns <= most_ns_ + elapsed_ns_ + believed_ns_);
    HOLDS(th.delay_lo_ns <= th.delay_ns && th.delay_ns <= th.delay_hi_ns);
}

void process::step()
{
    switch (in_.byte() % 18) {
    case 0: work(); break;
    case 1: overhead(); break;
    case 2: tare_core_event(fake_clock::now_ns); break;
    case 3: tare_core_enter(); break;
    case 4: poll(); break;
    case 5: case 6: arrive(); break;
    case 7: case 8: tare_core_join(&any_edge()); break;
    case 9: stamp(); break;
    case 10: reply(); break;
    case 11: tare_core_post(&post_); break;
    case 12: restamp(); break;
    case 13: stall(); break;
    case 14: deposit(); break;
    case 15: tare_core_join_deposits(&any_state()); break;
    case 16: schedule(); break;
    case 17: in_.byte() & 1 ? tare_core_waited_unseen(1) : read_clock(); break;
    }
    check_delay();
}

void process::end()
{
    stamp();
    read_clock();
    check_delay();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    fuzz::input in(data, size);
    process p(in);
    while (!in.at_end())
        p.step();
    p.end();
    return 0;
}
