// SPDX-License-Identifier: BSD-3-Clause
// The short form of a stamp: its layout, what it keeps and loses, and arrivals from a send time that comes back.
#include "core_state.hpp"

#include <initializer_list>

#include "cmocka_cpp.hpp"

namespace {

constexpr tare_short_layout_t small_jobs = {42, 18, 10}, large_jobs = {40, 8, 13}, without_time = {42, 0, 0};
constexpr tare_short_layout_t layouts[] = {small_jobs, {42, 14, 11}, {42, 10, 12}, large_jobs, without_time};

int active(void **) { return new_active_process(), tare_short_layout = small_jobs, 0; }

void layout_is_fixed(void **)
{
    const tare_wire_t w = sent_at(0, 5);
    const std::uint64_t time = static_cast<std::uint64_t>(origin_ns) >> 10 & 0x3ffff;
    assert_int_equal(tare_short_pack(w, small_jobs), ((UINT64_C(1) << 41) + 5) << 19 | time);
    assert_int_equal(tare_short_pack(w, without_time), ((UINT64_C(1) << 41) + 5) << 1);
}

void what_nobody_has_declared_is_zero(void **)
{
    for (tare_short_layout_t l : layouts) {
        assert_int_equal(tare_short_pack(tare_wire_pack(0, 0, 0), l), 0);
        const tare_wire_t back = tare_short_unpack(0, l);
        assert_false(tare_is_active(&back));
    }
}

void muted_stays_muted(void **)
{
    const tare_wire_t muted = tare_wire_pack(0, 0, TARE_WIRE_ACTIVE | TARE_WIRE_MUTED);
    for (tare_short_layout_t l : layouts) {
        const tare_wire_t back = tare_short_unpack(tare_short_pack(muted, l), l);
        assert_int_equal(tare_wire_flags(back), tare_wire_flags(muted));
    }
}

// In every layout to the nanosecond, and never zero, which would mean that nothing was declared.
void delay_that_fits_comes_back_as_it_was(void **)
{
    for (tare_short_layout_t l : layouts)
        for (std::int64_t d : {INT64_C(0), INT64_C(1), INT64_C(-1), INT64_C(123'456'789), INT64_C(-98'765'432),
                               tare_short_delay_max_ns(l), tare_short_delay_min_ns(l)}) {
            const std::uint64_t bits = tare_short_pack(sent_at(7, d), l);
            const tare_wire_t back = tare_short_unpack(bits, l);
            assert_ns_equal(tare_wire_delay_ns(back), d);
            assert_true(tare_wire_is_sharp(back));
            assert_true(bits >> (1 + l.time_bits) > TARE_SHORT_MUTED);
            assert_int_equal(bits >> (1 + l.time_bits) >> l.delay_bits, 0);
        }
}

void delay_that_does_not_fit_is_the_nearest_without_bounds(void **)
{
    for (tare_short_layout_t l : layouts) {
        const tare_wire_t back = tare_short_unpack(tare_short_pack(sent_at(7, tare_short_delay_max_ns(l) + 1), l), l);
        assert_ns_equal(tare_wire_delay_ns(back), tare_short_delay_max_ns(l));
        assert_ns_equal(tare_wire_width_hi_ns(back), INT64_MAX);
        assert_true(tare_wire_width_lo_ns(back) >= tare_short_delay_max_ns(l));
    }
}

void delay_that_does_not_fit_is_counted(void **)
{
    tare_core_shorten(sent_at(0, tare_short_delay_max_ns(small_jobs)));
    assert_int_equal(tare_self.saturated, 0);
    tare_core_shorten(sent_at(0, tare_short_delay_max_ns(small_jobs) + 1));
    tare_core_shorten(sent_at(0, tare_short_delay_min_ns(small_jobs) - 1));
    assert_int_equal(tare_self.saturated, 2);
}

// What the widths were is lost: the delay is not negative, and as long as the receiver's own edge allows.
void bounds_are_said_and_not_told(void **)
{
    const tare_wire_t back = tare_short_unpack(tare_short_pack(sent_at(7, 1000, {1, 0}), small_jobs), small_jobs);
    assert_ns_equal(tare_wire_delay_ns(back), 1000);
    assert_true(tare_wire_width_lo_ns(back) >= 1000);
    assert_ns_equal(tare_wire_width_hi_ns(back), INT64_MAX);
}

// --- send times ---

tare_edge_t short_edge(std::uint64_t peer, std::int64_t sent, std::int64_t delay, std::uint32_t flags = 0)
{
    const std::uint64_t bits = tare_short_pack(sent_at(sent, delay), tare_short_layout);
    return edge_from(peer, tare_short_unpack(bits, tare_short_layout), TARE_EDGE_SHORT | flags);
}

constexpr std::int64_t us = 1000, ms = 1'000'000;

// Many messages that were waited for, of a clock that is `ahead`: the latency is 10 us, and 0 to 4 us more.
std::uint64_t peer_at_10_us(std::int64_t ahead)
{
    const std::uint64_t peer = new_peer();
    for (int i = 0; i < 4000; i++) {
        const std::int64_t sent = i * ms + i * 37;
        delay_is(0);
        enter_at(sent - 100 * us);
        tare_global.account_waits = 1;
        join_at(sent + 10 * us + i % 5 * us, short_edge(peer, sent + ahead, 1));
    }
    return peer;
}

constexpr std::int64_t learned_ns = 5000 * ms;  // after peer_at_10_us

// Whatever the other clock says, an early message of up to a period ago is placed within a quantum.
void early_message_is_placed_within_a_quantum(void **)
{
    for (std::int64_t ahead : {INT64_C(0), 77 * ms + 123, -333 * ms, INT64_C(86'400'000'000'000)}) {
        const std::uint64_t peer = peer_at_10_us(ahead);
        for (std::int64_t age : {20 * us, 500 * us, 40 * ms, 220 * ms}) {
            const std::int64_t entry = learned_ns;
            delay_is(2000 * ms);
            enter_at(entry);
            join_at(entry + us, short_edge(peer, entry - age - 10 * us + ahead, 0, TARE_EDGE_EARLY));
            assert_ns_between(age - 2 * us, tare_self.delay_ns, age + 2 * us);
        }
    }
}

void message_that_was_waited_for_needs_no_time(void **)
{
    const std::uint64_t peer = peer_at_10_us(13 * ms);
    delay_is(100 * ms);
    enter_at(learned_ns);
    join_at(learned_ns + 2 * ms, short_edge(peer, learned_ns + 2 * ms - 10 * us + 13 * ms, 777));
    assert_ns_equal(tare_self.delay_ns, 777);
}

// Longer than the period, which a time that comes back cannot tell from a short wait.
void long_wait_is_no_early_message(void **)
{
    const std::uint64_t peer = peer_at_10_us(13 * ms);
    const std::int64_t wait = 3000 * ms;
    delay_is(100 * ms);
    enter_at(learned_ns);
    join_at(learned_ns + wait, short_edge(peer, learned_ns + wait - 10 * us + 13 * ms, 777));
    assert_ns_equal(tare_self.delay_ns, 777);
}

// The first poll found it: it may have come before, any number of periods ago, so nothing is learned from it.
void message_found_at_once_does_not_change_what_is_known(void **)
{
    const std::uint64_t peer = peer_at_10_us(0);
    const std::int64_t period = static_cast<std::int64_t>(tare_short_period_ns(small_jobs));
    for (int i = 0; i < 10; i++) {
        enter_at(learned_ns);
        join_at(learned_ns + 3 * us, short_edge(peer, learned_ns - period + 30 * ms, 0));
    }
    delay_is(2000 * ms);
    enter_at(learned_ns);
    join_at(learned_ns + us, short_edge(peer, learned_ns - 500 * us, 0, TARE_EDGE_EARLY));
    assert_ns_between(488 * us, tare_self.delay_ns, 492 * us);
}

void early_message_of_an_unknown_clock_is_bounded(void **)
{
    delay_is(30 * ms);
    enter_at(0);
    join_at(us, short_edge(new_peer(), -10 * ms, 20 * ms, TARE_EDGE_EARLY));
    assert_int_equal(tare_self.early_unknown, 1);
    assert_ns_between(tare_self.delay_lo_ns, 30 * ms, tare_self.delay_hi_ns);
}

// 10^6 messages, each after less than a nanosecond of overhead: nothing is lost on the way.
void small_overheads_are_not_lost_round_after_round(void **)
{
    constexpr int rounds = 1'000'000;
    const std::uint64_t peer = new_peer();
    const std::int64_t start = 3'000 * ms;
    delay_is(start);
    for (int i = 0; i < rounds; i++) {
        tare_core_overhead_add(0, UINT32_C(1) << 30);
        enter_at(i * us);
        const tare_wire_t sent = tare_core_stamp();
        const std::uint64_t bits = tare_core_shorten(sent);
        join_at(i * us + 100, edge_from(peer, tare_short_unpack(bits, tare_short_layout), TARE_EDGE_SHORT));
    }
    assert_ns_between(start + rounds / 4 - 1, tare_self.delay_ns, start + rounds / 4 + 1);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(layout_is_fixed),
        cmocka_unit_test(what_nobody_has_declared_is_zero),
        cmocka_unit_test(muted_stays_muted),
        cmocka_unit_test(delay_that_fits_comes_back_as_it_was),
        cmocka_unit_test(delay_that_does_not_fit_is_the_nearest_without_bounds),
        cmocka_unit_test_setup(delay_that_does_not_fit_is_counted, active),
        cmocka_unit_test(bounds_are_said_and_not_told),
        cmocka_unit_test_setup(early_message_is_placed_within_a_quantum, active),
        cmocka_unit_test_setup(message_that_was_waited_for_needs_no_time, active),
        cmocka_unit_test_setup(long_wait_is_no_early_message, active),
        cmocka_unit_test_setup(message_found_at_once_does_not_change_what_is_known, active),
        cmocka_unit_test_setup(early_message_of_an_unknown_clock_is_bounded, active),
        cmocka_unit_test_setup(small_overheads_are_not_lost_round_after_round, active),
    };
    return cmocka_run_group_tests_name("short", tests, nullptr, nullptr);
}
