// SPDX-License-Identifier: BSD-3-Clause
// Schedules: their own delay, kept apart from that of the thread that polls.
#include "core_state.hpp"

#include <initializer_list>

#include "cmocka_cpp.hpp"

namespace {

tare_schedule_t s;

int active(void **)
{
    new_active_process();
    s = tare_schedule_t{};
    return 0;
}

// Begins at this time with this delay, in a call that ends there.
void begin_at(std::int64_t ns, std::int64_t delay_ns)
{
    tare_core_test_set_delay(delay_ns);
    at(ns);
    tare_core_schedule_begin(&s);
}

// The thread enters another call, with this delay.
void call_at(std::int64_t ns, std::int64_t delay_ns)
{
    tare_core_test_set_delay(delay_ns);
    enter_at(ns);
}

tare_wire_t send_at(std::int64_t ns, tare_wire_t &state)
{
    at(ns);
    tare_core_step_begin(&s, &state, TARE_STEP_MESSAGE);
    const tare_wire_t sent = tare_core_stamp();
    tare_core_step_end(&s, &state);
    return sent;
}

void gather(tare_wire_t &state, tare_edge_t e) { tare_core_gather(&state, &e); }

tare_edge_t own(const tare_wire_t &state)
{
    return edge_from(TARE_PEER_ANYBODY, state, TARE_EDGE_OWN);
}

std::int64_t delay_of(const tare_wire_t &w) { return tare_wire_delay_ns(w); }
std::int64_t time_of(const tare_wire_t &w) { return tare_wire_time_near_ns(w, origin_ns) - origin_ns; }

#define assert_stamp(wire, time, delay)           \
    do {                                          \
        assert_ns_equal(delay_of(wire), delay);   \
        assert_ns_equal(time_of(wire), time);     \
    } while (0)

void schedule_begins_with_the_delay_of_its_thread(void **)
{
    begin_at(10, 7);
    assert_stamp(s.state, 10, 7);
    assert_stamp(s.begin, 10, 7);
}

void first_step_in_the_same_call_is_as_late_as_the_call(void **)
{
    begin_at(10, 7);
    assert_stamp(send_at(12, s.state), 12, 7);
}

// Begun at 0; work until 20 of which 10 are overhead: no step could be made before the next call.
void step_after_instrumented_work_has_the_delay_of_the_poll(void **)
{
    begin_at(0, 0);
    call_at(20, 10);
    assert_stamp(send_at(25, s.state), 25, 10);
}

// Begun at 0, 30 late; polled by a call that began at 1, 9 late; what it waits for comes at 6, 20 late.
// max(0 - 30, 1 - 9, 6 - 20) = -8, so 14 late.
void step_is_delayed_by_what_it_needs_and_by_the_poll(void **)
{
    begin_at(0, 30);
    call_at(1, 9);
    gather(s.state, seen_at(edge_from(new_peer(), sent_at(5, 20)), 6));
    assert_ns_equal(delay_of(send_at(8, s.state)), 14);
}

// The same thread waits for another message meanwhile, which tells the schedule nothing.
void step_does_not_need_what_the_thread_waits_for(void **)
{
    begin_at(0, 0);
    call_at(1, 0);
    join_at(6, edge_from(new_peer(), sent_at(5, 4)));
    tare_wire_t other = s.begin;
    call_at(1, 0);
    assert_ns_equal(delay_of(send_at(8, other)), 0);
}

void message_step_leaves_the_thread_as_it_was(void **)
{
    begin_at(0, 30);
    call_at(1, 9);
    tare_self.watching = 1;
    const tare_thread_t before = tare_self;
    send_at(8, s.state);
    assert_memory_equal(&tare_self, &before, sizeof before);
}

void receive_posted_by_a_step_is_the_schedules(void **)
{
    begin_at(0, 30);
    call_at(20, 9);
    at(25);
    tare_core_step_begin(&s, &s.state, TARE_STEP_MESSAGE);
    tare_post_t post;
    tare_core_post(&post);
    tare_core_step_end(&s, &s.state);
    assert_ns_equal(post.post_ns, origin_ns + 25);
    assert_ns_equal(post.delay_ns, 9);
}

void overhead_of_a_local_step_is_the_schedules_too(void **)
{
    begin_at(0, 3);
    enter_at(0);
    at(10);
    tare_core_step_begin(&s, &s.state, TARE_STEP_LOCAL);
    assert_ns_equal(tare_self.delay_ns, 3);
    tare_core_overhead_add(5, 0);
    at(40);
    tare_core_step_end(&s, &s.state);
    assert_stamp(s.state, 40, 8);
    assert_ns_equal(tare_self.delay_ns, 8);
}

void gathering_is_idempotent_and_has_no_order(void **)
{
    const tare_edge_t edges[] = {seen_at(edge_from(new_peer(), sent_at(40, 4)), 50),
                                 seen_at(edge_from(new_peer(), sent_at(60, 90)), 70)};
    tare_wire_t states[3];
    for (int i : {0, 1, 2}) {
        begin_at(0, 30);
        call_at(1, 30);
        states[i] = s.state;
        gather(states[i], edges[i == 1]);
        gather(states[i], edges[i != 1]);
        if (i == 2)
            gather(states[i], edges[0]);
    }
    for (int i : {0, 1, 2})
        assert_stamp(states[i], 70, 24);  // max(-30, 50 - 4, 70 - 90)
}

void gathering_twice_takes_the_flag(void **)
{
    begin_at(0, 30);
    tare_edge_t e = seen_at(edge_from(new_peer(), sent_at(40, 4)), 50);
    tare_core_gather(&s.state, &e);
    assert_false(e.flags & TARE_EDGE_SET);
    const std::uint64_t joins = tare_self.joins;
    tare_core_gather(&s.state, &e);
    assert_true(tare_self.joins == joins);
}

void gathering_leaves_the_thread_its_delay(void **)
{
    begin_at(0, 30);
    call_at(1, 9);
    gather(s.state, seen_at(edge_from(new_peer(), sent_at(5, 2)), 6));
    assert_ns_equal(tare_self.delay_ns, 9);
    assert_ns_equal(tare_self.event_ns, origin_ns + 1);
}

// Three steps one after the other, by calls with delays of their own.
void chain_of_steps_composes(void **)
{
    begin_at(0, 0);
    call_at(0, 0);
    gather(s.state, seen_at(edge_from(new_peer(), sent_at(10, 6)), 12));  // 6 late at 12
    send_at(13, s.state);
    call_at(30, 20);                                                      // polled at 30, 20 late: 24 after it
    assert_ns_equal(delay_of(send_at(31, s.state)), 20);                  // max(13 - 6, 30 - 20) = 10 of 30
    gather(s.state, seen_at(edge_from(new_peer(), sent_at(49, 35)), 50));  // max(31 - 20, 50 - 35) = 15
    assert_stamp(s.state, 50, 35);
}

void vertex_begins_where_the_schedule_did(void **)
{
    begin_at(10, 7);
    call_at(10, 7);
    tare_wire_t vertex = {0, 0};
    s.state = sent_at(90, 0);  // another one is further
    assert_stamp(send_at(95, vertex), 95, 7);
}

void vertex_takes_what_it_depends_on_and_nothing_of_its_siblings(void **)
{
    begin_at(0, 9);
    call_at(0, 9);
    tare_wire_t early = sent_at(20, 0), late = sent_at(50, 40), next = {0, 0};
    gather(next, own(late));
    assert_stamp(next, 50, 40);
    gather(next, own(late));
    assert_stamp(next, 50, 40);
    gather(next, own(early));
    assert_stamp(next, 50, 30);  // max(50 - 40, 20 - 0)
}

void idle_vertex_tells_nothing(void **)
{
    begin_at(0, 9);
    gather(s.state, own({0, 0}));
    assert_stamp(s.state, 0, 9);
}

void schedule_that_began_before_anybody_declared_anything_begins_at_its_next_poll(void **)
{
    new_process();
    tare_core_schedule_begin(&s);
    assert_false(tare_is_active(&s.state));
    new_active_process();
    call_at(20, 10);
    assert_stamp(send_at(25, s.state), 25, 10);
}

void bounds_follow_the_rule(void **)
{
    begin_at(0, 1007);
    call_at(0, 1007);
    s.state = sent_at(0, 1007, widths{128, 1024});
    gather(s.state, seen_at(edge_from(new_peer(), sent_at(80, 1007, widths{512, 64})), 90));
    assert_widths(s.state, 512, 64 + 0);
}

// --- the tool's own ---

void muted_schedule_stays_muted_whoever_polls(void **)
{
    tare_self.muted = 1;
    begin_at(0, 30);
    tare_self.muted = 0;
    call_at(10, 5);
    const tare_thread_t before = tare_self;
    assert_true(tare_wire_flags(send_at(20, s.state)) & TARE_WIRE_MUTED);
    assert_memory_equal(&tare_self, &before, sizeof before);
    gather(s.state, seen_at(edge_from(new_peer(), sent_at(40, 4)), 50));
    tare_edge_t done = own(s.state);
    tare_core_join(&done);
    assert_ns_equal(tare_self.delay_ns, 5);
}

void schedule_of_the_program_is_not_muted_by_a_poll_of_the_tool(void **)
{
    begin_at(0, 30);
    call_at(1, 9);
    tare_self.muted = 1;
    assert_stamp(send_at(20, s.state), 20, 9);
    assert_true(tare_self.muted == 1);
}

// --- the wait for it ---

void wait_for_a_schedule_that_has_ended_is_none(void **)
{
    call_at(80, 20);
    join_at(81, own(sent_at(50, 5)));
    assert_ns_equal(tare_self.delay_ns, 20);
    assert_ns_equal(tare_self.wait_ns, 0);
}

// Ended at 50, 5 late; waited for since 30, 20 late: max(30 - 20, 50 - 5) of 50.
void wait_for_a_schedule_is_rule_R(void **)
{
    call_at(30, 20);
    join_at(51, own(sent_at(50, 5)));
    assert_ns_equal(tare_self.delay_ns, 5);
    assert_ns_equal(tare_self.wait_ns, 20);
    assert_ns_equal(tare_self.wait_compensated_ns, 35);
}

// Ended before the wait, but would not have without measurement.
void schedule_with_slack_absorbs_its_delay(void **)
{
    call_at(80, 60);
    join_at(81, own(sent_at(50, 5)));
    assert_ns_equal(tare_self.delay_ns, 35);  // max(80 - 60, 50 - 5) of 80
}

void other_rules_apply_to_messages_alone(void **)
{
    tare_core_configure(TARE_MODE_HEADER, TARE_RULE_PUBLISHED, 1);
    call_at(80, 60);
    join_at(81, own(sent_at(50, 5)));
    assert_ns_equal(tare_self.delay_ns, 35);
    tare_core_configure(TARE_MODE_HEADER, TARE_RULE_LOCAL, 1);
    call_at(30, 20);
    join_at(51, own(sent_at(50, 5)));
    assert_ns_equal(tare_self.delay_ns, 20);
}

}  // namespace

int main()
{
#define TEST(name) cmocka_unit_test_setup(name, active)
    const CMUnitTest tests[] = {
        TEST(schedule_begins_with_the_delay_of_its_thread),
        TEST(first_step_in_the_same_call_is_as_late_as_the_call),
        TEST(step_after_instrumented_work_has_the_delay_of_the_poll),
        TEST(step_is_delayed_by_what_it_needs_and_by_the_poll),
        TEST(step_does_not_need_what_the_thread_waits_for),
        TEST(message_step_leaves_the_thread_as_it_was),
        TEST(receive_posted_by_a_step_is_the_schedules),
        TEST(overhead_of_a_local_step_is_the_schedules_too),
        TEST(gathering_is_idempotent_and_has_no_order),
        TEST(gathering_twice_takes_the_flag),
        TEST(gathering_leaves_the_thread_its_delay),
        TEST(chain_of_steps_composes),
        TEST(vertex_begins_where_the_schedule_did),
        TEST(vertex_takes_what_it_depends_on_and_nothing_of_its_siblings),
        TEST(idle_vertex_tells_nothing),
        TEST(schedule_that_began_before_anybody_declared_anything_begins_at_its_next_poll),
        TEST(bounds_follow_the_rule),
        TEST(muted_schedule_stays_muted_whoever_polls),
        TEST(schedule_of_the_program_is_not_muted_by_a_poll_of_the_tool),
        TEST(wait_for_a_schedule_that_has_ended_is_none),
        TEST(wait_for_a_schedule_is_rule_R),
        TEST(schedule_with_slack_absorbs_its_delay),
        TEST(other_rules_apply_to_messages_alone),
    };
    return cmocka_run_group_tests_name("schedule", tests, nullptr, nullptr);
}
