// SPDX-License-Identifier: BSD-3-Clause
// Packets that are sent inside progress, and both counterexamples of the model, by the core's own stamps. Receiver
// and sender are two processes on one clock that take turns in this one.
#include "core_state.hpp"

#include <initializer_list>

#include "cmocka_cpp.hpp"

namespace {

constexpr std::int64_t us = 1'000;
constexpr std::int64_t ms = 1'000'000;
enum : unsigned { sender, receiver };

processes<2> both;

void become_at(unsigned p, std::int64_t ns)
{
    both.become(p);
    at(ns);
}

int active(void **)
{
    for (unsigned p : {sender, receiver}) {
        both.become(p);
        new_active_process();
    }
    return 0;
}

// Work that took until now, so much of it overhead.
void worked_until(std::int64_t ns, std::int64_t overhead_ns)
{
    at(ns);
    tare_core_overhead_add(overhead_ns, 0);
}

tare_post_t posted_at(std::int64_t ns)
{
    tare_post_t post;
    at(ns);
    tare_core_post(&post);
    return post;
}

void post_keeps_time_and_delay(void **)
{
    tare_core_overhead_add(12, 0);
    const tare_post_t post = posted_at(40);
    assert_ns_equal(post.post_ns, origin_ns + 40);
    assert_ns_equal(post.delay_ns, 12);
}

void reply_leaves_the_thread_as_it_was(void **)
{
    tare_core_overhead_add(12, 0);
    enter_at(40);
    const tare_thread_t before = tare_self;
    const tare_edge_t rts = edge_from(new_peer(), sent_at(20, 90));
    const tare_post_t post = {origin_ns + 10, 0};
    tare_core_reply(&rts, &post);
    assert_memory_equal(&tare_self, &before, sizeof before);
    assert_true(rts.flags & TARE_EDGE_SET);
}

// E = 60 = when the RTS came; min(5 + 10, 40 + 0, 0 + 30) of poll, RTS, post.
void reply_is_delayed_by_all_three_edges_of_the_match(void **)
{
    tare_core_overhead_add(5, 0);
    enter_at(50);
    at(70);
    const tare_edge_t rts = seen_at(edge_from(new_peer(), sent_at(55, 40)), 60);
    tare_post_t post = {origin_ns + 30, 0};
    assert_ns_equal(tare_wire_delay_ns(tare_core_reply(&rts, &post)), 15);
    post.post_ns = origin_ns + 52;
    assert_ns_equal(tare_wire_delay_ns(tare_core_reply(&rts, &post)), 8);
}

void reply_without_a_known_post_takes_two_edges(void **)
{
    tare_core_overhead_add(5, 0);
    enter_at(50);
    at(70);
    const tare_edge_t rts = seen_at(edge_from(new_peer(), sent_at(55, 40)), 60);
    const tare_post_t unknown = {0, -2 * origin_ns};  // the core leaves the delay as it was
    assert_ns_equal(tare_wire_delay_ns(tare_core_reply(&rts, &unknown)), 15);
    assert_ns_equal(tare_wire_delay_ns(tare_core_reply(&rts, nullptr)), 15);
}

void reply_is_sent_now(void **)
{
    enter_at(50);
    at(70);
    const tare_edge_t rts = seen_at(edge_from(new_peer(), sent_at(55, 40)), 60);
    assert_ns_equal(tare_wire_time_near_ns(tare_core_reply(&rts, nullptr), origin_ns), origin_ns + 70);
}

// Outside of any call, and in a failed test, the polling thread is ready now.
void reply_outside_of_a_call_polls_now(void **)
{
    tare_core_overhead_add(5, 0);
    at(70);
    const tare_edge_t rts = edge_from(new_peer(), sent_at(55, 40));
    assert_ns_equal(tare_wire_delay_ns(tare_core_reply(&rts, nullptr)), 5);
}

void reply_by_other_rules_knows_no_way_back(void **)
{
    const tare_edge_t rts = edge_from(new_peer(), sent_at(55, 40));
    const tare_post_t post = {origin_ns + 10, 0};
    for (int rule : {TARE_RULE_PUBLISHED, TARE_RULE_LOCAL}) {
        tare_core_configure(TARE_MODE_HEADER, rule, 1);
        assert_true(tare_wire_flags(tare_core_reply(&rts, &post)) & TARE_WIRE_MUTED);
    }
}

// Irecv at 0; RTS during 20 ms of work of which 10 are overhead; Wait. Truth: matched at 10, so 10 late.
void counterexample_rts_during_instrumented_work(void **)
{
    const std::uint64_t peer = new_peer();
    become_at(receiver, 0);
    const tare_post_t post = posted_at(0);
    become_at(sender, 1 * ms);
    const tare_edge_t rts = edge_from(peer, tare_core_stamp());
    enter_at(1 * ms);
    become_at(receiver, 1 * ms);
    worked_until(20 * ms, 10 * ms);
    enter_at(20 * ms);
    const tare_wire_t cts = tare_core_reply(&rts, &post);
    assert_ns_equal(tare_wire_delay_ns(cts), 10 * ms);
    become_at(sender, 20 * ms);
    join_at(20 * ms + 2 * us, edge_from(new_peer(), cts));
    assert_ns_equal(tare_self.delay_ns, 10 * ms);
}

// Isend of 1 MB at 0, CTS during 20 ms of work of which 10 are overhead, Wait, while the receiver blocks.
// Truth: 10 at the receiver.
void counterexample_data_after_instrumented_work(void **)
{
    const std::uint64_t peer = new_peer();
    become_at(sender, 0);
    const tare_edge_t rts = edge_from(peer, tare_core_stamp());
    become_at(receiver, 0);
    const tare_post_t post = posted_at(0);
    enter_at(0);
    at(1 * us);
    const tare_edge_t cts = edge_from(new_peer(), tare_core_reply(&rts, &post));
    assert_ns_equal(tare_wire_delay_ns(cts.wire), 0);
    become_at(sender, 1 * us);
    worked_until(20 * ms, 10 * ms);
    enter_at(20 * ms);
    const tare_wire_t data = tare_core_reply(&cts, nullptr);
    join_at(20 * ms, cts);
    assert_ns_equal(tare_wire_delay_ns(data), 10 * ms);
    assert_ns_equal(tare_self.delay_ns, 10 * ms);
    become_at(receiver, 1 * us);
    join_at(20 * ms + 300 * us, edge_from(peer, data));
    assert_ns_equal(tare_self.delay_ns, 10 * ms);
}

// --- packets that had to wait before they left ---

void restamp_of_a_stamp_without_time_leaves_it(void **)
{
    const tare_wire_t queued = tare_wire_pack(0, 0, TARE_WIRE_MUTED);
    const tare_wire_t left = tare_core_restamp(queued, nullptr);
    assert_true(left.w0 == queued.w0 && left.w1 == queued.w1);
}

void restamp_is_sent_now(void **)
{
    enter_at(10);
    const tare_wire_t queued = tare_core_stamp();
    at(90);
    assert_ns_equal(tare_wire_time_near_ns(tare_core_restamp(queued, nullptr), origin_ns), origin_ns + 90);
}

// Queued at 10, work until 100 of which 60 are overhead: it leaves at the next poll, so 60 late.
void restamp_after_instrumented_work_carries_the_delay_of_the_poll(void **)
{
    enter_at(10);
    const tare_wire_t queued = tare_core_stamp();
    worked_until(100, 60);
    enter_at(100);
    assert_ns_equal(tare_wire_delay_ns(tare_core_restamp(queued, nullptr)), 60);
}

// A call that waits for a free slot: nothing was measured, so nothing is late.
void restamp_in_a_stalled_call_makes_no_delay(void **)
{
    enter_at(10);
    const tare_wire_t queued = tare_core_stamp();
    at(500);
    assert_ns_equal(tare_wire_delay_ns(tare_core_restamp(queued, nullptr)), 0);
}

void restamp_in_a_later_stalled_call_makes_no_delay(void **)
{
    tare_core_overhead_add(7, 0);
    enter_at(10);
    const tare_wire_t queued = tare_core_stamp();
    enter_at(100);
    at(500);
    assert_ns_equal(tare_wire_delay_ns(tare_core_restamp(queued, nullptr)), 7);
}

void restamp_bounds_follow_the_rule(void **)
{
    tare_core_test_set_delay(1007);
    tare_self.delay_lo_ns = 1007 - 128;
    tare_self.delay_hi_ns = 1007 + 1024;
    at(90);
    tare_wire_t w = tare_core_restamp(sent_at(10, 1007, widths{512, 64}), nullptr);
    assert_widths(w, 512 - 80, 64 + 80);  // 80 of slack
    w = tare_core_restamp(sent_at(10, 1007, widths{64, 4096}), nullptr);
    assert_widths(w, 128, 1024);  // the thread's own
}

// What answers the tool's own message is the tool's own, whoever polls.
void reply_to_a_muted_message_is_muted(void **)
{
    tare_core_overhead_add(12, 0);
    enter_at(40);
    tare_edge_t rts{};
    tare_core_arrive(&rts, tare_wire_muted(), new_peer(), TARE_CLASS_CONTROL, TARE_EDGE_SAME_CLOCK);
    assert_true(rts.flags == TARE_EDGE_MUTED);
    assert_true(tare_wire_flags(tare_core_reply(&rts, nullptr)) & TARE_WIRE_MUTED);
    assert_true(tare_wire_flags(tare_core_react(&rts)) & TARE_WIRE_MUTED);
    tare_core_join(&rts);
    assert_ns_equal(tare_self.delay_ns, 12);
    tare_core_arrive(&rts, sent_at(30, 40), new_peer(), TARE_CLASS_CONTROL, TARE_EDGE_SAME_CLOCK);
    assert_false(tare_wire_flags(tare_core_reply(&rts, nullptr)) & TARE_WIRE_MUTED);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test_setup(reply_to_a_muted_message_is_muted, active),
        cmocka_unit_test_setup(post_keeps_time_and_delay, active),
        cmocka_unit_test_setup(reply_leaves_the_thread_as_it_was, active),
        cmocka_unit_test_setup(reply_is_delayed_by_all_three_edges_of_the_match, active),
        cmocka_unit_test_setup(reply_without_a_known_post_takes_two_edges, active),
        cmocka_unit_test_setup(reply_is_sent_now, active),
        cmocka_unit_test_setup(reply_outside_of_a_call_polls_now, active),
        cmocka_unit_test_setup(reply_by_other_rules_knows_no_way_back, active),
        cmocka_unit_test_setup(counterexample_rts_during_instrumented_work, active),
        cmocka_unit_test_setup(counterexample_data_after_instrumented_work, active),
        cmocka_unit_test_setup(restamp_of_a_stamp_without_time_leaves_it, active),
        cmocka_unit_test_setup(restamp_is_sent_now, active),
        cmocka_unit_test_setup(restamp_after_instrumented_work_carries_the_delay_of_the_poll, active),
        cmocka_unit_test_setup(restamp_in_a_stalled_call_makes_no_delay, active),
        cmocka_unit_test_setup(restamp_in_a_later_stalled_call_makes_no_delay, active),
        cmocka_unit_test_setup(restamp_bounds_follow_the_rule, active),
    };
    return cmocka_run_group_tests_name("reply", tests, nullptr, nullptr);
}
