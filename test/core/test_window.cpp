// SPDX-License-Identifier: BSD-3-Clause
// What comes for a window while nobody waits for it, who waits for it later, and what leaves in reaction.
#include "core_state.hpp"

#include <initializer_list>

#include "cmocka_cpp.hpp"

namespace {

tare_wire_t state;
std::uint64_t peer;

int active(void **)
{
    peer = peer_at_100_ns();
    state = {0, 0};
    return 0;
}

// The thread enters another call, with this delay.
void call_at(std::int64_t ns, std::int64_t delay_ns)
{
    delay_is(delay_ns);
    enter_at(ns);
}

// A poll finds a message that was sent 100 ns before it came.
void comes_at(std::int64_t ns, std::int64_t delay_ns, std::int64_t polled_at_ns)
{
    at(polled_at_ns);
    tare_core_deposit(&state, sent_at(ns - 100, delay_ns), peer, TARE_CLASS_EAGER, TARE_EDGE_SAME_CLOCK);
}

void waited_until(std::int64_t ns)
{
    at(ns);
    tare_core_join_deposits(&state);
}

std::int64_t delay_of(const tare_wire_t &w) { return tare_wire_delay_ns(w); }
std::int64_t time_of(const tare_wire_t &w) { return tare_wire_time_near_ns(w, origin_ns) - origin_ns; }

#define assert_stamp(wire, time, delay)           \
    do {                                          \
        assert_ns_equal(delay_of(wire), delay);   \
        assert_ns_equal(time_of(wire), time);     \
    } while (0)

void deposit_leaves_the_thread_as_it_was(void **)
{
    call_at(1000, 9);
    const tare_thread_t before = tare_self;
    comes_at(1500, 2, 1500);
    assert_memory_equal(&tare_self, &before, sizeof before);
    assert_stamp(state, 1500, 2);
}

void wait_for_one_is_rule_R(void **)
{
    call_at(1000, 900);
    comes_at(1500, 300, 1500);
    waited_until(1510);
    assert_ns_equal(tare_self.delay_ns, 300);  // max(1000 - 900, 1500 - 300) of 1500
    assert_false(tare_is_active(&state));
    waited_until(1520);
    assert_ns_equal(tare_self.delay_ns, 300);
}

// It came in another call, which polled late.
void what_came_before_the_wait_was_there_when_it_came(void **)
{
    call_at(1000, 0);
    comes_at(900, 700, 1040);
    assert_stamp(state, 900, 700);
    call_at(2000, 1900);
    waited_until(2001);
    assert_ns_equal(tare_self.delay_ns, 1800);  // max(2000 - 1900, 900 - 700) of 2000
}

// A thread that polls for another one is none of its edges.
void polling_thread_is_no_edge_of_who_waits(void **)
{
    call_at(1000, 0);
    comes_at(1500, 1200, 1500);
    call_at(1001, 1000);
    waited_until(1510);
    assert_ns_equal(tare_self.delay_ns, 1200);  // max(1001 - 1000, 1500 - 1200) of 1500; the other was at 1000 - 0
}

void wait_for_several_needs_all_of_them(void **)
{
    call_at(1000, 1000);
    comes_at(1500, 700, 1500);
    comes_at(1600, 1550, 1600);
    waited_until(1610);
    assert_ns_equal(tare_self.delay_ns, 800);  // max(0, 1500 - 700, 1600 - 1550) of 1600
    call_at(2000, 2000);
    comes_at(2500, 2550, 2500);
    comes_at(2600, 1700, 2600);
    waited_until(2610);
    assert_ns_equal(tare_self.delay_ns, 1700);  // max(0, -50, 900) of 2600
}

void sender_that_declared_nothing_has_no_delay(void **)
{
    call_at(1000, 900);
    at(1500);
    tare_core_deposit(&state, {0, 0}, peer, TARE_CLASS_EAGER, TARE_EDGE_SAME_CLOCK);
    waited_until(1510);
    assert_ns_equal(tare_self.delay_ns, 0);
}

// It writes no more of its stamp than that: what stands beside is what stood there before.
void stamp_that_was_not_written_has_no_delay(void **)
{
    call_at(1000, 900);
    at(1500);
    tare_core_deposit(&state, {UINT64_C(0x0123456789abcdef), 0}, peer, TARE_CLASS_EAGER, TARE_EDGE_SAME_CLOCK);
    waited_until(1510);
    assert_ns_equal(tare_self.delay_ns, 0);
}

void bounds_are_those_of_what_came(void **)
{
    call_at(1000, 900);
    at(1500);
    tare_core_deposit(&state, sent_at(1400, 300, widths{20, 40}), peer, TARE_CLASS_EAGER, TARE_EDGE_SAME_CLOCK);
    waited_until(1510);
    assert_ns_equal(tare_self.delay_ns, 300);
    assert_ns_equal(tare_self.delay_lo_ns, 280);
    assert_ns_equal(tare_self.delay_hi_ns, 340);
}

// --- what leaves in reaction ---

void answer_needs_a_thread_that_polls(void **)
{
    call_at(1000, 0);
    call_at(2000, 700);
    comes_at(1100, 1, 2010);
    assert_stamp((at(2020), tare_core_answer(&state)), 2020, 700);  // max(2000 - 700, 1100 - 1) of 2000
    assert_ns_equal(tare_self.delay_ns, 700);
}

void answer_does_not_need_overhead_before_a_long_poll(void **)
{
    call_at(1000, 900);
    comes_at(3000, 5, 3000);
    assert_stamp((at(3010), tare_core_answer(&state)), 3010, 5);
}

void answer_to_the_tool_is_muted(void **)
{
    call_at(1000, 900);
    at(1500);
    tare_core_deposit(&state, {0, sent_at(0, 0).w1 | std::uint64_t{TARE_WIRE_MUTED} << 48}, peer, TARE_CLASS_EAGER,
                      TARE_EDGE_SAME_CLOCK);
    assert_false(tare_is_active(&state));
    assert_true(tare_wire_flags(tare_core_answer(&state)) & TARE_WIRE_MUTED);
}

void other_rules_know_no_way_back(void **)
{
    for (int rule : {TARE_RULE_PUBLISHED, TARE_RULE_LOCAL}) {
        tare_core_configure(TARE_MODE_HEADER, rule, 1);
        call_at(1000, 900);
        comes_at(1500, 300, 1500);
        assert_true(tare_wire_flags(tare_core_answer(&state)) & TARE_WIRE_MUTED);
    }
}

void published_rule_takes_the_smaller_delay(void **)
{
    tare_core_configure(TARE_MODE_HEADER, TARE_RULE_PUBLISHED, 1);
    call_at(1000, 400);
    comes_at(1500, 300, 1500);
    waited_until(1510);
    assert_ns_equal(tare_self.delay_ns, 300);
    call_at(2000, 200);
    comes_at(2500, 300, 2500);
    waited_until(2510);
    assert_ns_equal(tare_self.delay_ns, 300);  // min(300, 200 + 500)
}

void local_rule_keeps_the_delay(void **)
{
    tare_core_configure(TARE_MODE_HEADER, TARE_RULE_LOCAL, 1);
    call_at(1000, 400);
    comes_at(1500, 300, 1500);
    waited_until(1510);
    assert_ns_equal(tare_self.delay_ns, 400);
}

// --- what nobody tells of ---

void wait_for_a_network_is_counted_and_bounded(void **)
{
    call_at(1000, 400);
    at(6000);
    tare_core_waited_unseen(1);
    assert_ns_equal(tare_self.delay_ns, 400);
    assert_ns_equal(tare_self.delay_lo_ns, 0);
    assert_ns_equal(tare_self.delay_hi_ns, 5400);
    assert_true(tare_self.unseen_waits == 1);
    assert_ns_equal(tare_self.unseen_ns, 5000);
    assert_ns_equal(tare_self.wait_compensated_ns, 5000);
    assert_true(tare_self.event_source == TARE_EVENT_NONE);
}

void wait_for_a_device_is_the_programs_own(void **)
{
    call_at(1000, 400);
    at(6000);
    tare_core_waited_unseen(0);
    assert_ns_equal(tare_self.delay_lo_ns, 400);
    assert_ns_equal(tare_self.delay_hi_ns, 400);
    assert_true(tare_self.unseen_waits == 1);
}

void first_poll_is_no_wait(void **)
{
    call_at(1000, 400);
    at(2000);
    tare_core_waited_unseen(1);
    assert_true(tare_self.unseen_waits == 0);
    assert_ns_equal(tare_self.delay_hi_ns, 400);
}

void wait_of_the_tool_is_not_counted(void **)
{
    call_at(1000, 400);
    tare_self.muted = 1;
    at(6000);
    tare_core_waited_unseen(1);
    assert_true(tare_self.unseen_waits == 0);
}

// --- who declares first ---

void process_that_nobody_woke_answers_nothing(void **)
{
    new_process();
    assert_true(tare_core_answer(&state).w1 == 0);
    waited_until(10);
    assert_ns_equal(tare_self.delay_ns, 0);
}

// An idle process is asked for something, in a wait for something else.
void first_stamp_wakes_and_is_not_waited_for(void **)
{
    new_process();
    comes_at(1500, 300, 1500);
    assert_true(tare_global.active);
    assert_ns_equal(tare_self.delay_ns, 0);
    assert_stamp((at(1510), tare_core_answer(&state)), 1510, 0);
}

// Nobody knows when its wait began: it may have been for all of the delay.
void first_stamp_that_is_waited_for_is_taken_whole(void **)
{
    new_process();
    comes_at(1500, 300, 1500);
    waited_until(1510);
    assert_ns_equal(tare_self.delay_ns, 300);
    assert_ns_equal(tare_self.delay_lo_ns, 0);
    assert_true(tare_self.early_unknown == 1);
}

void later_call_knows_when_it_began(void **)
{
    new_process();
    comes_at(1500, 300, 1500);
    enter_at(2000);
    waited_until(2010);
    assert_ns_equal(tare_self.delay_ns, 0);  // max(2000 - 0, 1500 - 300) of 2000
}

}  // namespace

int main()
{
#define TEST(name) cmocka_unit_test_setup(name, active)
    const CMUnitTest tests[] = {
        TEST(deposit_leaves_the_thread_as_it_was),
        TEST(wait_for_one_is_rule_R),
        TEST(what_came_before_the_wait_was_there_when_it_came),
        TEST(polling_thread_is_no_edge_of_who_waits),
        TEST(wait_for_several_needs_all_of_them),
        TEST(sender_that_declared_nothing_has_no_delay),
        TEST(stamp_that_was_not_written_has_no_delay),
        TEST(bounds_are_those_of_what_came),
        TEST(answer_needs_a_thread_that_polls),
        TEST(answer_does_not_need_overhead_before_a_long_poll),
        TEST(answer_to_the_tool_is_muted),
        TEST(other_rules_know_no_way_back),
        TEST(published_rule_takes_the_smaller_delay),
        TEST(local_rule_keeps_the_delay),
        TEST(wait_for_a_network_is_counted_and_bounded),
        TEST(wait_for_a_device_is_the_programs_own),
        TEST(first_poll_is_no_wait),
        TEST(wait_of_the_tool_is_not_counted),
        TEST(process_that_nobody_woke_answers_nothing),
        TEST(first_stamp_wakes_and_is_not_waited_for),
        TEST(first_stamp_that_is_waited_for_is_taken_whole),
        TEST(later_call_knows_when_it_began),
    };
    return cmocka_run_group_tests_name("window", tests, nullptr, nullptr);
}
