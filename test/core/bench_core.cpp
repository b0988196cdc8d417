// SPDX-License-Identifier: BSD-3-Clause
// What the core costs a call. `make bench-core` prints it; nothing here is a test.
#include <benchmark/benchmark.h>

#include "tare_transport.h"

namespace {

constexpr unsigned wire_flags =
    TARE_WIRE_TIME_VALID | TARE_WIRE_ACTIVE | TARE_WIRE_VERSION << TARE_WIRE_VERSION_SHIFT;

// A thread with a delay of 1 s and a latency of 200 ns known for messages to itself.
void start(int account_waits)
{
    tare_core_configure(TARE_MODE_HEADER, TARE_RULE_EXACT, 1);
    tare_core_test_set_delay(1'000'000'000);
    tare_global.account_waits = static_cast<std::uint32_t>(account_waits);
}

tare_edge_t edge(std::int64_t delay_ns, std::int64_t sent_ns, std::int64_t seen_ns, std::uint32_t flags)
{
    return {tare_wire_pack(delay_ns, sent_ns, wire_flags), seen_ns, tare_peer(1, 1), TARE_CLASS_EAGER,
            TARE_EDGE_SET | TARE_EDGE_SAME_CLOCK | flags};
}

void carrier_off(benchmark::State &state)
{
    start(0);
    tare_global.live = 0;
    for (auto _ : state) {
        tare_wire_t w;
        w.w1 = 0;
        if (tare_is_live())
            w = tare_core_stamp();
        benchmark::DoNotOptimize(w.w1);
    }
}

void stamp_at_tool_event(benchmark::State &state)
{
    start(0);
    tare_core_event(tare_core_now_ns());
    for (auto _ : state)
        benchmark::DoNotOptimize(tare_core_stamp());
}

void stamp_with_clock_read(benchmark::State &state)
{
    start(0);
    for (auto _ : state)
        benchmark::DoNotOptimize(tare_core_stamp());
}

void join_balanced(benchmark::State &state)
{
    start(0);
    const std::int64_t now = tare_core_now_ns();
    for (auto _ : state) {
        tare_edge_t e = edge(1'000'000'000, now, 0, 0);
        tare_core_join(&e);
    }
}

// The entry is the tool's; the message came 1 us before.
void join_early(benchmark::State &state)
{
    start(1);
    const std::int64_t now = tare_core_now_ns();
    for (auto _ : state) {
        tare_core_event(now);
        tare_edge_t e = edge(999'000'000, now - 1'200, 0, TARE_EDGE_EARLY);
        tare_core_join(&e);
        benchmark::ClobberMemory();
    }
}

// Each wait begins 1 us after the last; a poll saw the message 500 ns later.
void join_waited_and_seen(benchmark::State &state)
{
    start(1);
    std::int64_t now = tare_core_now_ns();
    for (auto _ : state) {
        tare_core_event(now += 1'000);
        tare_edge_t e = edge(1'000'000'000, now + 300, now + 500, 0);
        tare_core_join(&e);
        benchmark::ClobberMemory();
    }
}

// Without a tool: the transport reads the clock at the start and at the end.
void enter_and_join_waited(benchmark::State &state)
{
    start(1);
    for (auto _ : state) {
        tare_core_enter();
        tare_edge_t e = edge(1'000'000'000, tare_self.event_ns + 1, 0, 0);
        tare_core_join(&e);
        benchmark::ClobberMemory();
    }
}

void overhead_add(benchmark::State &state)
{
    start(0);
    for (auto _ : state) {
        tare_core_overhead_add(12, 1717986918);
        benchmark::ClobberMemory();
    }
}

void clock_read(benchmark::State &state)
{
    for (auto _ : state)
        benchmark::DoNotOptimize(tare_core_now_ns());
}

BENCHMARK(carrier_off);
BENCHMARK(stamp_at_tool_event);
BENCHMARK(stamp_with_clock_read);
BENCHMARK(join_balanced);
BENCHMARK(join_early);
BENCHMARK(join_waited_and_seen);
BENCHMARK(enter_and_join_waited);
BENCHMARK(overhead_add);
BENCHMARK(clock_read);

}  // namespace

BENCHMARK_MAIN();
