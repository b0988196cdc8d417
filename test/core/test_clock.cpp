// SPDX-License-Identifier: BSD-3-Clause
// Several clocks in one job: what is known of them decides what is known of early messages. Times are of this process's
// clock from origin_ns on, to which transports convert.
#include "core_state.hpp"

#include <initializer_list>

#include "cmocka_cpp.hpp"

namespace {

constexpr std::int64_t us = 1000, ms = 1'000'000, s = 1'000'000'000;
constexpr std::int64_t error = 20 * us;
constexpr tare_short_layout_t layout = {42, 18, 10};

int one_clock(void **)
{
    new_active_process();
    tare_short_layout = layout;
    tare_global.account_waits = 1;
    return 0;
}

// Compared when the process started.
int compared(void **state)
{
    one_clock(state);
    tare_clock = {0, error, origin_ns, TARE_EDGE_SYNCED, 0};
    return 0;
}

tare_edge_t whole(std::uint64_t peer, std::int64_t sent, std::int64_t delay, std::uint32_t flags)
{
    return edge_from(peer, sent_at(sent, delay), flags);
}

tare_edge_t shortened(std::uint64_t peer, std::int64_t sent, std::int64_t delay, std::uint32_t flags)
{
    const std::uint64_t bits = tare_short_pack(sent_at(sent, delay), layout);
    return edge_from(peer, tare_short_unpack(bits, layout), TARE_EDGE_SHORT | flags);
}

using any_edge = tare_edge_t (*)(std::uint64_t, std::int64_t, std::int64_t, std::uint32_t);
constexpr any_edge forms[] = {whole, shortened};
constexpr std::int64_t quantum = 1 << 10;

// There and back between two clocks, around the wrap of either, and nothing else changes.
void time_goes_to_the_jobs_clock_and_back(void **)
{
    for (std::int64_t ahead : {5 * s + 123, -5 * s, (INT64_C(1) << 48) - 7, INT64_MAX / 2}) {
        const tare_wire_t sent = sent_at(10, -777, widths{128, 256});
        tare_wire_t there = sent;
        tare_clock.to_job_ns = ahead;
        tare_to_job_clock(&there);
        assert_ns_equal(tare_wire_time_near_ns(there, origin_ns + ahead), origin_ns + ahead + 10);
        assert_int_equal(there.w0, sent.w0);
        assert_int_equal(tare_wire_flags(there), tare_wire_flags(sent));
        tare_from_job_clock(&there);
        assert_int_equal(there.w1, sent.w1);
    }
}

void stamp_without_a_time_stays_without(void **)
{
    tare_clock.to_job_ns = 5 * s;
    for (tare_wire_t sent : {tare_wire_pack(0, 0, 0), tare_wire_pack(0, 0, TARE_WIRE_ACTIVE | TARE_WIRE_MUTED)}) {
        tare_wire_t there = sent;
        tare_to_job_clock(&there);
        assert_int_equal(there.w1, sent.w1);
    }
}

void early_message_of_a_compared_clock_is_placed_though_nobody_waited(void **)
{
    for (any_edge form : forms)
        for (std::int64_t age : {40 * us, 3 * ms, 200 * ms}) {
            delay_is(s);
            enter_at(s);
            join_at(s + us, form(new_peer(), s - age, 0, TARE_EDGE_SYNCED | TARE_EDGE_EARLY));
            assert_ns_between(age - quantum, tare_self.delay_ns, age + quantum);
            assert_int_equal(tare_self.early_unknown, 0);
        }
}

// Found by the first poll of its wait: the same.
void message_that_came_before_is_placed_though_nobody_waited(void **)
{
    for (any_edge form : forms) {
        delay_is(s);
        enter_at(s);
        join_at(s + us, form(new_peer(), s - 3 * ms, 0, TARE_EDGE_SYNCED));
        assert_ns_between(3 * ms - quantum, tare_self.delay_ns, 3 * ms + quantum);
    }
}

void message_of_a_compared_clock_that_was_waited_for_gives_its_delay(void **)
{
    for (any_edge form : forms) {
        delay_is(100 * ms);
        enter_at(s);
        join_at(s + 500 * us, form(new_peer(), s + 480 * us, 777, TARE_EDGE_SYNCED));
        assert_ns_equal(tare_self.delay_ns, 777);
    }
}

// Its request came 3 ms before the receive was there, the data took 0.6 ms from then on: nobody waited for the sender.
void long_message_that_takes_its_time_was_not_waited_for(void **)
{
    constexpr std::int64_t bytes = 1 << 20;
    for (any_edge form : forms) {
        tare_edge_t e = form(new_peer(), s - 3 * ms, 0, TARE_EDGE_SYNCED);
        e.size_class = tare_size_class(TARE_CLASS_EAGER, bytes);
        delay_is(s);
        enter_at(s);
        join_at(s + 600 * us, e);
        assert_ns_between(3 * ms - quantum, tare_self.delay_ns, 3 * ms + quantum);
    }
}

// The job's clock has run 5 ms slow since: the message seems to have come before the wait that it ended.
void wait_says_more_than_clocks_that_drifted(void **)
{
    for (any_edge form : forms) {
        delay_is(100 * ms);
        enter_at(60 * s);
        join_at(60 * s + ms, form(new_peer(), 60 * s + 980 * us - 5 * ms, 777, TARE_EDGE_SYNCED));
        assert_ns_equal(tare_self.delay_ns, 777);
    }
}

// 50 ppm, either way, for 300 s; every fourth message is waited for, the others come early. 130 us: two windows of the
// latency table.
void early_messages_of_drifting_clocks_are_placed_by_what_was_learned(void **)
{
    for (any_edge form : forms)
        for (std::int64_t ppm : {50, -50}) {
            const std::uint64_t peer = new_peer();
            for (int i = 1; i < 30'000; i++) {
                const std::int64_t now = i * 10 * ms, seems = now + now / 1'000'000 * ppm;
                delay_is(s);
                if (i % 4 == 0) {
                    enter_at(now - 2 * ms);
                    join_at(now + 10 * us, form(peer, seems, 0, TARE_EDGE_SYNCED));
                    assert_ns_equal(tare_self.delay_ns, 0);
                } else {
                    enter_at(now + 2 * ms);
                    join_at(now + 2 * ms + us, form(peer, seems, 0, TARE_EDGE_SYNCED | TARE_EDGE_EARLY));
                    assert_ns_between(1870 * us, tare_self.delay_ns, 2130 * us);
                }
            }
        }
}

// Errors and drift widen the bounds, to either side of what really was.
void bounds_hold_what_the_clocks_may_be_wrong_by(void **)
{
    for (std::int64_t wrong : {-error, INT64_C(0), error}) {
        delay_is(s);
        enter_at(s);
        join_at(s + us, whole(new_peer(), s - 3 * ms + wrong, 0, TARE_EDGE_SYNCED | TARE_EDGE_EARLY));
        assert_ns_between(tare_self.delay_lo_ns, 3 * ms, tare_self.delay_hi_ns);
        assert_ns_between(0, tare_self.delay_hi_ns, 3 * ms + 2 * error + s / 5000);
    }
}

void bounds_of_a_short_time_end_at_the_own_edge(void **)
{
    delay_is(s);
    enter_at(s);
    join_at(s + us, shortened(new_peer(), s - 3 * ms, 0, TARE_EDGE_SYNCED | TARE_EDGE_EARLY));
    assert_ns_between(tare_self.delay_lo_ns, 3 * ms, tare_self.delay_hi_ns);
    assert_ns_equal(tare_self.delay_hi_ns, s);
}

void short_time_on_one_clock_needs_no_learning(void **)
{
    delay_is(s);
    enter_at(s);
    join_at(s + us, shortened(new_peer(), s - 3 * ms, 0, TARE_EDGE_SAME_CLOCK));
    assert_ns_between(3 * ms - quantum, tare_self.delay_ns, 3 * ms + quantum);
    delay_is(s);
    enter_at(2 * s);
    join_at(2 * s + 30 * us, shortened(new_peer(), 2 * s + 10 * us, 5, TARE_EDGE_SAME_CLOCK));
    assert_ns_equal(tare_self.delay_ns, 5);
}

// 100 us have been learned, this one took 1: it has not come a period ago.
void short_message_faster_than_any_before_is_of_this_period(void **)
{
    const std::uint64_t peer = new_peer();
    enter_at(0);
    join_at(ms, shortened(peer, ms - 100 * us, 0, TARE_EDGE_SAME_CLOCK));
    delay_is(s);
    enter_at(s);
    join_at(s + 40 * ms, shortened(peer, s + 40 * ms - us, 5, TARE_EDGE_SAME_CLOCK));
    assert_ns_equal(tare_self.delay_ns, 5);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test_setup(time_goes_to_the_jobs_clock_and_back, compared),
        cmocka_unit_test_setup(stamp_without_a_time_stays_without, compared),
        cmocka_unit_test_setup(early_message_of_a_compared_clock_is_placed_though_nobody_waited, compared),
        cmocka_unit_test_setup(message_that_came_before_is_placed_though_nobody_waited, compared),
        cmocka_unit_test_setup(message_of_a_compared_clock_that_was_waited_for_gives_its_delay, compared),
        cmocka_unit_test_setup(long_message_that_takes_its_time_was_not_waited_for, compared),
        cmocka_unit_test_setup(wait_says_more_than_clocks_that_drifted, compared),
        cmocka_unit_test_setup(early_messages_of_drifting_clocks_are_placed_by_what_was_learned, compared),
        cmocka_unit_test_setup(bounds_hold_what_the_clocks_may_be_wrong_by, compared),
        cmocka_unit_test_setup(bounds_of_a_short_time_end_at_the_own_edge, compared),
        cmocka_unit_test_setup(short_time_on_one_clock_needs_no_learning, one_clock),
        cmocka_unit_test_setup(short_message_faster_than_any_before_is_of_this_period, one_clock),
    };
    return cmocka_run_group_tests_name("clock", tests, nullptr, nullptr);
}
