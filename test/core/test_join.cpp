// SPDX-License-Identifier: BSD-3-Clause
// Joins in the core: what a message does to the thread that receives it, and what is counted. When messages came is
// in test_arrival.cpp.
#include "core_state.hpp"

#include <algorithm>
#include <iterator>

#include "cmocka_cpp.hpp"

namespace {

int active(void **) { return new_active_process(), 0; }

// A tool that reads wait_ns: no wait may be left out.
int accounted(void **) { return new_active_process(), tare_global.account_waits = 1, 0; }

// --- one message ---

void join_waited_takes_the_sender_delay(void **)
{
    enter_at(10);
    join_at(82, edge_from(new_peer(), sent_at(20, 30)));
    assert_ns_equal(tare_self.delay_ns, 30);
    assert_ns_equal(tare_self.event_ns, origin_ns + 82);
    assert_ns_equal(tare_self.wait_ns, 72);
    assert_ns_equal(tare_self.wait_compensated_ns, 42);
    assert_int_equal(tare_self.joins, 1);
    assert_int_equal(tare_self.adjusted, 1);
}

void join_waited_uses_when_it_was_seen(void **)
{
    enter_at(10);
    join_at(200, seen_at(edge_from(new_peer(), sent_at(20, 90)), 82));
    assert_ns_equal(tare_self.delay_ns, 72);
    assert_ns_equal(tare_self.event_ns, origin_ns + 82);
}

void join_early_keeps_the_delay_within_its_slack(void **)
{
    const std::uint64_t peer = peer_at_100_ns();
    delay_is(30);
    enter_at(1000);
    join_at(1001, edge_from(peer, sent_at(880, 0)));
    assert_ns_equal(tare_self.delay_ns, 20);
    assert_ns_equal(tare_self.event_ns, origin_ns + 1000);
    assert_ns_equal(tare_self.wait_ns, 0);
    assert_ns_equal(tare_self.wait_compensated_ns, 10);
}

void join_of_a_message_on_its_way_at_the_entry_is_a_wait(void **)
{
    const std::uint64_t peer = peer_at_100_ns();
    delay_is(30);
    enter_at(1000);
    join_at(1060, edge_from(peer, sent_at(960, 5)));
    assert_ns_equal(tare_self.delay_ns, 5);
    assert_ns_equal(tare_self.wait_ns, 60);
}

void join_known_to_be_early_is_no_wait(void **)
{
    const std::uint64_t peer = peer_at_100_ns();
    enter_at(1000);
    join_at(1060, edge_from(peer, sent_at(990, 50), TARE_EDGE_SAME_CLOCK | TARE_EDGE_EARLY));
    assert_ns_equal(tare_self.event_ns, origin_ns + 1000);
    assert_ns_equal(tare_self.wait_ns, 0);
    assert_ns_equal(tare_self.delay_ns, 0);
}

void join_after_the_tools_time_stamp_waits_from_there(void **)
{
    tare_core_event(origin_ns + 10);
    enter_at(40);
    join_at(82, edge_from(new_peer(), sent_at(20, 90)));
    assert_ns_equal(tare_self.delay_ns, 72);
}

void join_uses_up_the_tools_time_stamp(void **)
{
    tare_core_event(origin_ns + 10);
    join_at(82, edge_from(new_peer(), sent_at(20, 90)));
    enter_at(90);
    assert_ns_equal(tare_self.event_ns, origin_ns + 90);
}

void join_of_an_edge_twice_is_once(void **)
{
    enter_at(10);
    tare_edge_t e = edge_from(new_peer(), sent_at(20, 30));
    at(82);
    tare_core_join(&e);
    const tare_thread_t once = tare_self;
    at(95);
    tare_core_join(&e);
    assert_memory_equal(&tare_self, &once, sizeof once);
}

// Probe, then Recv: the same stamp comes again, in another edge.
void join_of_a_stamp_twice_is_once(void **)
{
    delay_is(7);
    enter_at(10);
    const tare_edge_t e = seen_at(edge_from(new_peer(), sent_at(20, 30)), 82);
    join_at(82, e);
    assert_ns_equal(tare_self.delay_ns, 30);
    join_at(83, e);
    assert_ns_equal(tare_self.delay_ns, 30);
}

// 8 ns after the event only 8 of the declared 50 can have been spent.
void join_moves_the_compensated_clock(void **)
{
    enter_at(10);
    join_at(82, edge_from(new_peer(), sent_at(20, 30)));
    at(90);
    tare_core_overhead_add(50, 0);
    assert_ns_equal(tare_core_compensated_now_ns(), origin_ns + 82 - 30);
    assert_ns_equal(tare_self.residue_ns, 42);
}

void join_without_a_stamp_does_nothing(void **)
{
    enter_at(10);
    const tare_thread_t before = tare_self;
    tare_edge_t e = edge_from(new_peer(), sent_at(20, 30));
    e.flags = 0;
    join_at(82, e);
    assert_memory_equal(&tare_self, &before, sizeof before);
}

// Neither side can change the other: no clock is read, nothing changes, one join is counted.
void join_of_equal_delays_reads_no_clock(void **)
{
    delay_is(30);
    enter_at(10);
    fake_clock::reads = 0;
    join_at(82, edge_from(new_peer(), sent_at(20, 30)));
    assert_int_equal(fake_clock::reads, 0);
    assert_ns_equal(tare_self.delay_ns, 30);
    assert_int_equal(tare_self.joins, 1);
    assert_int_equal(tare_self.adjusted, 0);
}

void join_of_equal_delays_counts_the_wait_for_a_tool(void **)
{
    delay_is(30);
    enter_at(10);
    join_at(82, edge_from(new_peer(), sent_at(20, 30)));
    assert_ns_equal(tare_self.wait_ns, 72);
    assert_ns_equal(tare_self.wait_compensated_ns, 72);
}

// --- rules ---

void join_by_published_rule_gives_early_messages_no_slack(void **)
{
    tare_core_configure(TARE_MODE_HEADER, TARE_RULE_PUBLISHED, 1);
    delay_is(30);
    enter_at(1000);
    join_at(1001, edge_from(new_peer(), sent_at(100, 4)));
    assert_ns_equal(tare_self.delay_ns, 4);
}

void join_by_published_rule_waited_is_the_exact_one(void **)
{
    tare_core_configure(TARE_MODE_HEADER, TARE_RULE_PUBLISHED, 1);
    enter_at(10);
    join_at(82, edge_from(new_peer(), sent_at(20, 30)));
    assert_ns_equal(tare_self.delay_ns, 30);
    assert_ns_equal(tare_self.wait_compensated_ns, 42);
}

void join_by_local_rule_changes_no_delay_and_keeps_the_wait(void **)
{
    tare_core_configure(TARE_MODE_HEADER, TARE_RULE_LOCAL, 1);
    delay_is(5);
    enter_at(10);
    join_at(82, edge_from(new_peer(), sent_at(20, 30)));
    assert_ns_equal(tare_self.delay_ns, 5);
    assert_ns_equal(tare_self.delay_lo_ns, 5);
    assert_ns_equal(tare_self.delay_hi_ns, 5);
    assert_ns_equal(tare_self.wait_ns, 72);
    assert_ns_equal(tare_self.wait_compensated_ns, 72);
}

// --- several messages in one wait ---

struct message {
    std::int64_t sent, delay, seen;
};

// Entry at 10 with D = 5, latency 100. E = 100, U = max(5, 90 - 60, 60 - 5, 40 - 20, 100 - 70): D' = 45.
// The second carries the thread's own delay.
constexpr message several[] = {{-10, 60, 90}, {-40, 5, 60}, {-60, 20, 40}, {0, 70, 100}};

void join_several(const int (&order)[4], std::uint64_t peer)
{
    delay_is(5);
    enter_at(10);
    for (int i : order)
        join_at(200, seen_at(edge_from(peer, sent_at(several[i].sent, several[i].delay)), several[i].seen));
}

void waitall_any_order_gives_the_same(void **)
{
    const std::uint64_t peer = peer_at_100_ns();
    int order[] = {0, 1, 2, 3};
    do {
        join_several(order, peer);
        if (tare_self.delay_ns != 45)
            print_error("order %d %d %d %d\n", order[0], order[1], order[2], order[3]);
        assert_ns_equal(tare_self.delay_ns, 45);
        assert_ns_equal(tare_self.event_ns, origin_ns + 100);
    } while (std::next_permutation(std::begin(order), std::end(order)));
}

void waitall_any_order_waits_the_same(void **)
{
    const std::uint64_t peer = peer_at_100_ns();
    int order[] = {0, 1, 2, 3};
    do {
        tare_self.wait_ns = tare_self.wait_compensated_ns = 0;
        join_several(order, peer);
        assert_ns_equal(tare_self.wait_ns, 90);
        assert_ns_equal(tare_self.wait_compensated_ns, 50);
    } while (std::next_permutation(std::begin(order), std::end(order)));
}

// A message whose delay is the thread's own is not looked at when it comes; who comes later meets it where it came.
// Entry at 10, it comes at 60; E = 100, U = max(5, 60 - 5, 100 - 70): D' = 45.
void waitall_goes_on_from_a_message_with_the_same_delay(void **)
{
    const std::uint64_t peer = settled_peer();
    delay_is(5);
    enter_at(10);
    tare_edge_t same = edge_from(peer, sent_at(-40, 5));
    same.flags |= TARE_EDGE_WATCHED;
    join_at(200, same);
    assert_ns_equal(tare_self.delay_ns, 5);
    join_at(200, seen_at(edge_from(peer, sent_at(0, 70)), 100));
    assert_ns_equal(tare_self.delay_ns, 45);
    assert_ns_equal(tare_self.event_ns, origin_ns + 100);
}

// The only message seen so far took 100, this one 20 at most: it would come in the future. It came after it was sent, and
// the next one was there at 300: E = 1000, U = max(1000 - 5000, 300 - 100): D' = 800.
void waitall_goes_on_no_later_than_a_message_that_few_have_preceded_may_come(void **)
{
    const std::uint64_t peer = peer_at_100_ns();
    delay_is(5000);
    enter_at(1000);
    fake_clock::reads = 0;
    join_at(1010, edge_from(peer, sent_at(990, 5000), TARE_EDGE_SAME_CLOCK | TARE_EDGE_WATCHED));
    assert_ns_equal(tare_self.event_ns, origin_ns + 1000);
    join_at(1010, edge_from(peer, sent_at(200, 100)));
    assert_ns_equal(tare_self.delay_ns, 800);
    const unsigned reads = fake_clock::reads;
    assert_int_equal(reads, 0);
}

// --- inversions ---

void any_source(std::uint64_t peer, std::int64_t sent, std::int64_t delay, std::int64_t seen)
{
    join_at(seen, edge_from(peer, sent_at(sent, delay), TARE_EDGE_SAME_CLOCK | TARE_EDGE_ANY_SOURCE));
}

// Matched first: at 100, uninstrumented 90. Matched second: at 130, uninstrumented 60, so it would have been first.
void wildcard_match_the_other_way_round_is_an_inversion(void **)
{
    const std::uint64_t peer = new_peer();
    enter_at(10);
    any_source(peer, 90, 10, 100);
    assert_int_equal(tare_self.inversions, 0);
    enter_at(110);
    any_source(peer + 1, 120, 70, 130);
    assert_int_equal(tare_self.inversions, 1);
    assert_ns_equal(tare_self.inversion_ns, 30);
}

void wildcard_matches_in_order_are_no_inversion(void **)
{
    const std::uint64_t peer = new_peer();
    enter_at(10);
    any_source(peer, 90, 10, 100);
    enter_at(110);
    any_source(peer + 1, 120, 40, 130);
    enter_at(140);
    any_source(peer, 150, 60, 160);
    assert_int_equal(tare_self.inversions, 0);
}

void wildcard_matches_of_two_communicators_are_no_inversion(void **)
{
    enter_at(10);
    any_source(new_peer(), 90, 10, 100);
    enter_at(110);
    any_source(new_peer(), 120, 70, 130);
    assert_int_equal(tare_self.inversions, 0);
}

void named_source_is_no_inversion(void **)
{
    const std::uint64_t peer = new_peer();
    enter_at(10);
    any_source(peer, 90, 10, 100);
    enter_at(110);
    join_at(130, edge_from(peer + 1, sent_at(120, 70)));
    assert_int_equal(tare_self.inversions, 0);
}

// The first message carried the receiver's own delay: nothing to adjust, but it was matched.
void wildcard_match_of_equal_delay_can_be_inverted(void **)
{
    const std::uint64_t peer = new_peer();
    delay_is(10);
    enter_at(50);
    any_source(peer, 90, 10, 100);
    enter_at(110);
    any_source(peer + 1, 120, 70, 130);
    assert_int_equal(tare_self.inversions, 1);
    assert_ns_equal(tare_self.inversion_ns, 30);
}

// --- joins that read no clock ---

// The delay of the thread with its bounds, one of which may be wide.
struct bounds {
    std::int64_t delay_ns, below_ns, above_ns;
};

// A message that is waited for from 0 to 900, under a tool's time stamp.
tare_thread_t after_wait(const bounds &own, std::uint64_t peer, tare_wire_t wire, bool is_accounted)
{
    new_active_process();
    tare_global.account_waits = is_accounted;
    delay_is(own.delay_ns);
    tare_self.delay_lo_ns -= own.below_ns;
    tare_self.delay_hi_ns += own.above_ns;
    tare_core_event(origin_ns);
    fake_clock::reads = 0;
    join_at(900, edge_from(peer, wire));
    return tare_self;
}

void join_without_a_clock_read_is_the_join_with_one(void **)
{
    const std::uint64_t peer = settled_peer();
    const bounds owns[] = {{50, 0, 0}, {50, 64, 0}, {50, 0, 4096}, {700, 30, 5}, {50, 10'000, 10'000}};
    const widths carried[] = {{0, 0}, {0, 64}, {128, 0}, {64, 4096}, {0, INT64_MAX}};
    unsigned unread = 0;
    for (const bounds &own : owns) {
        for (const std::int64_t sent : {-40, 0, 1, 300, 800}) {
            for (const std::int64_t delay : {0, 50, 60, 1400}) {
                for (const widths w : carried) {
                    const tare_wire_t wire = sent_at(sent, delay, w);
                    const tare_thread_t accounted_for = after_wait(own, peer, wire, true);
                    const tare_thread_t th = after_wait(own, peer, wire, false);
                    unread += fake_clock::reads == 0;
                    assert_ns_equal(th.delay_ns, accounted_for.delay_ns);
                    // Sent before the wait, it may have been there all the time: equal delays do not care.
                    assert_true(th.delay_lo_ns >= accounted_for.delay_lo_ns);
                    assert_true(th.delay_hi_ns <= accounted_for.delay_hi_ns);
                    if (sent > 0) {
                        assert_ns_equal(th.delay_lo_ns, accounted_for.delay_lo_ns);
                        assert_ns_equal(th.delay_hi_ns, accounted_for.delay_hi_ns);
                    }
                    assert_int_equal(th.adjusted, accounted_for.adjusted);
                    assert_int_equal(th.joins, 1);
                }
            }
        }
    }
    assert_true(unread > 100);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(join_without_a_clock_read_is_the_join_with_one),
        cmocka_unit_test_setup(join_waited_takes_the_sender_delay, active),
        cmocka_unit_test_setup(join_waited_uses_when_it_was_seen, active),
        cmocka_unit_test_setup(join_early_keeps_the_delay_within_its_slack, active),
        cmocka_unit_test_setup(join_of_a_message_on_its_way_at_the_entry_is_a_wait, active),
        cmocka_unit_test_setup(join_known_to_be_early_is_no_wait, active),
        cmocka_unit_test_setup(join_after_the_tools_time_stamp_waits_from_there, active),
        cmocka_unit_test_setup(join_uses_up_the_tools_time_stamp, active),
        cmocka_unit_test_setup(join_of_an_edge_twice_is_once, active),
        cmocka_unit_test_setup(join_of_a_stamp_twice_is_once, active),
        cmocka_unit_test_setup(join_moves_the_compensated_clock, active),
        cmocka_unit_test_setup(join_without_a_stamp_does_nothing, active),
        cmocka_unit_test_setup(join_of_equal_delays_reads_no_clock, active),
        cmocka_unit_test_setup(join_of_equal_delays_counts_the_wait_for_a_tool, accounted),
        cmocka_unit_test_setup(join_by_published_rule_gives_early_messages_no_slack, active),
        cmocka_unit_test_setup(join_by_published_rule_waited_is_the_exact_one, active),
        cmocka_unit_test_setup(join_by_local_rule_changes_no_delay_and_keeps_the_wait, active),
        cmocka_unit_test_setup(waitall_any_order_gives_the_same, active),
        cmocka_unit_test_setup(waitall_goes_on_from_a_message_with_the_same_delay, active),
        cmocka_unit_test_setup(waitall_goes_on_no_later_than_a_message_that_few_have_preceded_may_come, active),
        cmocka_unit_test_setup(waitall_any_order_waits_the_same, accounted),
        cmocka_unit_test_setup(wildcard_match_the_other_way_round_is_an_inversion, active),
        cmocka_unit_test_setup(wildcard_matches_in_order_are_no_inversion, active),
        cmocka_unit_test_setup(wildcard_matches_of_two_communicators_are_no_inversion, active),
        cmocka_unit_test_setup(named_source_is_no_inversion, active),
        cmocka_unit_test_setup(wildcard_match_of_equal_delay_can_be_inverted, active),
    };
    return cmocka_run_group_tests_name("join", tests, nullptr, nullptr);
}
