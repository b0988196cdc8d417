// SPDX-License-Identifier: BSD-3-Clause
// What a call of the core costs, how large its tables are, and how much of what it learns of very many peers it still
// knows when it is needed next. Nothing here is a test.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "arrival.hpp"

namespace {

constexpr unsigned wire_flags =
    TARE_WIRE_TIME_VALID | TARE_WIRE_ACTIVE | TARE_WIRE_VERSION << TARE_WIRE_VERSION_SHIFT;
constexpr std::int64_t delay_ns = 1'000'000'000;
constexpr std::uint32_t size_class = TARE_CLASS_EAGER + 3;

// Whose clock, how the stamp came, how sharp: what decides the way through the core.
struct subject {
    const char *name;
    std::int64_t more_delay_ns;  // than the receiver's
    std::int64_t sent_after_ns;  // the entry
    std::int64_t seen_after_ns;
    std::uint32_t flags;
    std::int64_t width_ns;
    bool has_waits;              // a tool reads them
};

struct state {
    std::int64_t now_ns;
    tare_edge_t edge;
    tare_wire_t wire;
    std::uint64_t bits;
};

void prepare(state &s, const subject &what)
{
    tare_core_test_set_delay(delay_ns);
    tare_core_event(s.now_ns += 1000);
    const std::int64_t delay = delay_ns + what.more_delay_ns;
    s.wire = tare_wire_pack(delay, s.now_ns + what.sent_after_ns, wire_flags);
    if (what.width_ns != 0)
        tare_wire_set_widths(&s.wire, what.width_ns, what.width_ns);
    s.edge = {s.wire, what.seen_after_ns == 0 ? 0 : s.now_ns + what.seen_after_ns, tare_peer(1, 1), size_class,
              TARE_EDGE_SET | what.flags};
}

void nothing(state &) {}
void join(state &s) { tare_core_join(&s.edge); }
void stamp(state &s) { s.wire = tare_core_stamp(); }
void arrive(state &s) { tare_core_arrive(&s.edge, s.wire, tare_peer(1, 1), size_class, TARE_EDGE_SAME_CLOCK); }
void shorten(state &s) { s.bits = tare_core_shorten(s.wire); }
void lengthen(state &s) { s.wire = tare_short_unpack(s.bits, tare_short_layout); }

constexpr std::uint32_t near = TARE_EDGE_SAME_CLOCK, early = TARE_EDGE_EARLY;

struct test_case {
    subject what;
    void (*run)(state &);
};

const test_case cases[] = {
    {{"stamp", 0, 0, 0, near, 0, false}, stamp},
    {{"stamp, made short", 0, 0, 0, near, 0, false}, shorten},
    {{"short stamp, read", 0, 0, 0, near, 0, false}, lengthen},
    {{"message has come", 0, 0, 0, near, 0, false}, arrive},
    {{"join, equal delays", 0, 300, 0, near, 0, false}, join},
    {{"join, sender later: no time needed", 200, 300, 0, near, 0, false}, join},
    {{"join, waited", 200, 300, 500, near, 0, true}, join},
    {{"join, waited, with bounds", 200, 300, 500, near, 500, true}, join},
    {{"join, early", -200, -1200, 0, near | early, 0, true}, join},
    {{"join, early, with bounds", -200, -1200, 0, near | early, 500, true}, join},
    {{"join, early, clocks compared", -200, -1200, 0, TARE_EDGE_SYNCED | early, 0, true}, join},
    {{"join, early, clocks unknown", -200, -1200, 0, early, 0, true}, join},
};

void start(const subject &what, state &s)
{
    tare_core_configure(TARE_MODE_HEADER, TARE_RULE_EXACT, 1);
    tare_short_layout = {42, 14, 11};
    tare_core_test_set_delay(delay_ns);
    s = {};
    s.now_ns = tare_core_now_ns();
    // The latency of the one peer is settled: 200 ns.
    tare_global.account_waits = 1;
    for (int i = 0; i < 20; ++i) {
        prepare(s, {"", 0, 300, 500, near, 0, true});
        join(s);
    }
    tare_global.account_waits = what.has_waits;
}

void run_many(const test_case &c, void (*run)(state &), std::int64_t count)
{
    static state s;
    start(c.what, s);
    for (std::int64_t i = 0; i < count; ++i) {
        prepare(s, c.what);
        run(s);
        __asm__ volatile("" : : "r"(&s) : "memory");
    }
}

double seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double ns_each(const test_case &c, void (*run)(state &), std::int64_t count)
{
    double least = 1e9;
    for (int turn = 0; turn < 15; ++turn) {
        const double begin = seconds();
        run_many(c, run, count);
        least = std::min(least, (seconds() - begin) / static_cast<double>(count) * 1e9);
    }
    return least;
}

int print_times()
{
    for (const test_case &c : cases)
        std::printf("%s\t%.1f\n", c.what.name, ns_each(c, c.run, 20000) - ns_each(c, nothing, 20000));
    return 0;
}

// Of callgrind: with `run` and without, so that what is prepared can be taken off.
int run_one(std::size_t number, bool is_prepared_only, std::int64_t count)
{
    if (number >= sizeof cases / sizeof *cases)
        return 1;
    run_many(cases[number], is_prepared_only ? nothing : cases[number].run, count);
    std::printf("%s\n", cases[number].what.name);
    return 0;
}

int print_sizes()
{
    std::printf("block of a thread\t%zu\n", sizeof(tare_thread_t));
    std::printf("table of latencies\t%zu\n", sizeof(tare::latency_table));
    std::printf("what a request keeps\t%zu\n", sizeof(tare_request_t));
    std::printf("a schedule\t%zu\n", sizeof(tare_schedule_t));
    std::printf("of the process\t%zu\n",
                sizeof(tare_global_t) + sizeof(tare_clock_t) + sizeof(tare_short_layout_t));
    std::printf("stamp\t%zu\n", sizeof(tare_wire_t));
    return 0;
}

// A message of each peer in turn, really waited for.
void hear_of(state &s, std::uint32_t rank)
{
    prepare(s, {"", 200, 300, 500, near, 0, true});
    s.edge.peer = tare_peer(7, rank);
    join(s);
}

double part_known(state &s, std::uint32_t peers, std::uint32_t messages)
{
    std::uint32_t known = 0;
    for (std::uint32_t i = 0; i < messages; ++i) {
        known += tare::latencies.get(tare_peer(7, i % peers), size_class).exact;
        hear_of(s, i % peers);
    }
    return known / static_cast<double>(messages);
}

double ns_of_join(state &s, std::uint32_t peers, std::uint32_t messages)
{
    double least = 1e9;
    for (int turn = 0; turn < 5; ++turn) {
        const double begin = seconds();
        for (std::uint32_t i = 0; i < messages; ++i)
            hear_of(s, i % peers);
        least = std::min(least, (seconds() - begin) / messages * 1e9);
    }
    return least;
}

int print_peers()
{
    static state s;
    for (std::uint32_t peers = 1; peers <= 1u << 20; peers *= 4) {
        start({"", 0, 0, 0, near, 0, true}, s);
        std::memset(static_cast<void *>(&tare::latencies), 0, sizeof tare::latencies);
        part_known(s, peers, peers);
        const std::uint32_t messages = std::max(peers, 1u << 16) / peers * peers;
        const double known = part_known(s, peers, messages);
        std::printf("%u\t%.1f\t%.1f\n", peers, 100 * known, ns_of_join(s, peers, messages));
    }
    return 0;
}

}  // namespace

int main(int argc, char **argv)
{
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "times")
        return print_times();
    if (what == "sizes")
        return print_sizes();
    if (what == "peers")
        return print_peers();
    if (what == "run" && argc == 5)
        return run_one(std::strtoul(argv[2], nullptr, 10), std::string(argv[3]) == "prepared", std::atoll(argv[4]));
    std::fputs("scale_cost: what to do must be times, sizes, peers, or run NUMBER prepared|joined COUNT\n", stderr);
    return 2;
}
