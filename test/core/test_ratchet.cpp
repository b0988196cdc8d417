// SPDX-License-Identifier: BSD-3-Clause
// The ratchet of the model: delays that grow by less than a quantum a round must not stay behind on the wire. Real
// stamps between two threads in one program; the times are those of a ping-pong with 1 us between the messages.
#include "core_state.hpp"

#include "cmocka_cpp.hpp"

namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t hop_ns = 1'000;
constexpr unsigned ranks = 2;

processes<ranks> both;
std::uint64_t peers[ranks];

int both_delayed(std::int64_t ns)
{
    for (unsigned p = 0; p < ranks; ++p) {
        both.become(p);
        new_active_process();
        tare_core_test_set_delay(ns);
        peers[p] = new_peer();
    }
    return 0;
}

int without_delay(void **) { return both_delayed(0); }
int delayed_by_10_s(void **) { return both_delayed(10 * second); }

// Since the sender last was here, so much of the time has been overhead; the receiver waits since before.
void hop(unsigned from, std::int64_t overhead_ns, std::uint32_t fraction)
{
    both.become(1 - from);
    tare_core_enter();
    both.become(from);
    fake_clock::now_ns += hop_ns + overhead_ns;
    tare_core_overhead_add(overhead_ns, fraction);
    const tare_wire_t wire = tare_core_stamp();
    both.become(1 - from);
    fake_clock::now_ns += hop_ns;
    tare_edge_t e = edge_from(peers[from], wire);
    tare_core_join(&e);
}

std::int64_t delay_of(unsigned p)
{
    both.become(p);
    return tare_self.delay_ns;
}

// Both sides declare half of it.
void ping_pong_of_10000_rounds_of_300_us_reaches_13_s(void **)
{
    for (int i = 0; i < 10'000; ++i) {
        hop(0, 150'000, 0);
        hop(1, 150'000, 0);
    }
    assert_ns_equal(delay_of(0), 13 * second);
    assert_ns_equal(delay_of(1), 13 * second);
}

void ping_pong_overhead_of_one_side_reaches_the_other(void **)
{
    for (int i = 0; i < 10'000; ++i) {
        hop(0, 300'000, 0);
        hop(1, 0, 0);
    }
    assert_ns_equal(delay_of(0), 13 * second);
    assert_ns_equal(delay_of(1), 13 * second);
}

// 10^6 rounds of 0.4 ns, declared by one side. The clock shows the whole nanoseconds of it.
void ping_pong_below_one_quantum_does_not_stick(void **)
{
    constexpr std::uint32_t fraction = 1717986918;  // 0.4 ns
    for (int i = 0; i < 1'000'000; ++i) {
        hop(0, 0, fraction);
        hop(1, 0, 0);
        fake_clock::now_ns += i % 5 == 2 || i % 5 == 4;
    }
    assert_in_range(delay_of(0), 400'000 - ranks, 400'000 + ranks);
    assert_in_range(delay_of(1), 400'000 - ranks, 400'000 + ranks);
}

void ping_pong_below_one_quantum_on_both_sides_does_not_stick(void **)
{
    constexpr std::uint32_t fraction = 858993459;  // 0.2 ns
    for (int i = 0; i < 1'000'000; ++i) {
        hop(0, 0, fraction);
        hop(1, 0, fraction);
        fake_clock::now_ns += i % 5 == 2 || i % 5 == 4;
    }
    assert_in_range(delay_of(0), 400'000 - ranks, 400'000 + ranks);
    assert_in_range(delay_of(1), 400'000 - ranks, 400'000 + ranks);
}

// A message that comes while its receiver does something else, part of it overhead.
void hop_into_work(unsigned from, std::int64_t overhead_ns)
{
    both.become(from);
    tare_core_enter();
    const tare_wire_t wire = tare_core_stamp();
    both.become(1 - from);
    fake_clock::now_ns += 20 * hop_ns;
    tare_core_overhead_add(overhead_ns, 0);
    tare_core_enter();
    tare_edge_t e = edge_from(peers[from], wire);
    tare_core_join(&e);
}

// Each of the thousand widens the bounds by what its receiver had declared, and by what the wire rounds off.
void ping_pong_bounds_widen_by_what_disturbs_it(void **)
{
    constexpr std::int64_t disturbances = 1'000, overhead_ns = 200;
    for (int i = 0; i < disturbances; ++i) {
        for (int calm = 0; calm < 20; ++calm)
            hop(calm & 1, 30, 0);
        hop_into_work(i & 1, overhead_ns);
        hop(1 - (i & 1), 0, 0);
    }
    for (unsigned p = 0; p < ranks; ++p) {
        both.become(p);
        const std::int64_t width = tare_self.delay_hi_ns - tare_self.delay_lo_ns;
        assert_in_range(width, overhead_ns, 4 * disturbances * overhead_ns);
    }
}

// However often widths are rounded up, nobody would have been later without measurement.
void ping_pong_for_long_does_not_say_that_nothing_is_known(void **)
{
    for (int i = 0; i < 50'000; ++i) {
        hop(i & 1, 30, 0);
        hop_into_work(i & 1, 200);
    }
    for (unsigned p = 0; p < ranks; ++p) {
        both.become(p);
        assert_true(tare_self.delay_lo_ns >= 0 && tare_self.delay_lo_ns <= tare_self.delay_ns);
    }
}

// Who comes first and how long the others take changes from one barrier to the next.
void barrier_of_two(std::uint32_t random)
{
    tare_wire_t sent[ranks];
    for (unsigned turn = 0; turn < ranks; ++turn) {
        const unsigned p = (turn ^ random >> 31) & 1;
        both.become(p);
        fake_clock::now_ns += random >> (8 * turn) & 1023;
        tare_core_enter();
        sent[p] = tare_core_stamp();
    }
    for (unsigned p = 0; p < ranks; ++p) {
        both.become(p);
        fake_clock::now_ns += random >> 20 & 63;
        tare_edge_t e = edge_from(peers[1 - p], sent[1 - p]);
        tare_core_join(&e);
    }
}

void a_million_barriers()
{
    std::uint32_t random = 1;
    for (int i = 0; i < 1'000'000; ++i) {
        random = random * 1664525u + 1013904223u;
        barrier_of_two(random);
    }
}

void barriers_without_delay_leave_none(void **)
{
    tare_global.account_waits = 1;  // every join is computed, even of equal delays
    a_million_barriers();
    for (unsigned p = 0; p < ranks; ++p) {
        assert_ns_equal(delay_of(p), 0);
        assert_ns_equal(tare_self.residue_ns, 0);
        assert_ns_equal(tare_self.wait_compensated_ns, tare_self.wait_ns);
        assert_true(tare_self.wait_ns > 0);
        assert_int_equal(tare_self.joins, 1'000'000);
    }
}

void barriers_of_equal_delays_keep_them(void **)
{
    tare_global.account_waits = 1;
    a_million_barriers();
    for (unsigned p = 0; p < ranks; ++p)
        assert_ns_equal(delay_of(p), 10 * second);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test_setup(ping_pong_of_10000_rounds_of_300_us_reaches_13_s, delayed_by_10_s),
        cmocka_unit_test_setup(ping_pong_overhead_of_one_side_reaches_the_other, delayed_by_10_s),
        cmocka_unit_test_setup(ping_pong_below_one_quantum_does_not_stick, without_delay),
        cmocka_unit_test_setup(ping_pong_below_one_quantum_on_both_sides_does_not_stick, without_delay),
        cmocka_unit_test_setup(ping_pong_bounds_widen_by_what_disturbs_it, without_delay),
        cmocka_unit_test_setup(ping_pong_for_long_does_not_say_that_nothing_is_known, without_delay),
        cmocka_unit_test_setup(barriers_without_delay_leave_none, without_delay),
        cmocka_unit_test_setup(barriers_of_equal_delays_keep_them, delayed_by_10_s),
    };
    return cmocka_run_group_tests_name("ratchet", tests, nullptr, nullptr);
}
