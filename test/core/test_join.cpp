// SPDX-License-Identifier: BSD-3-Clause
// Joins in the core: what a message does to the thread that receives it, and what is counted. Times are on one clock
// from origin_ns on, unless a case is about two clocks.
#include "core_state.hpp"

#include <algorithm>
#include <iterator>

#include "cmocka_cpp.hpp"

namespace {

int active(void **) { return new_active_process(), 0; }

// A tool that reads wait_ns: no wait may be left out.
int accounted(void **) { return new_active_process(), tare_global.account_waits = 1, 0; }

void delay_is(std::int64_t ns) { tare_core_test_set_delay(ns); }

// Sent at 0, seen at 100 while a thread waited: from now on the latency of this peer is known.
std::uint64_t peer_at_100_ns()
{
    const std::uint64_t peer = new_peer();
    const std::uint32_t account = tare_global.account_waits;
    tare_global.account_waits = 1;
    enter_at(-50);
    join_at(100, edge_from(peer, sent_at(0, 0)));
    new_active_process();
    tare_global.account_waits = account;
    return peer;
}

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
    enter_at(1000);
    join_at(1060, edge_from(new_peer(), sent_at(990, 50), TARE_EDGE_SAME_CLOCK | TARE_EDGE_EARLY));
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

// --- arrival times ---

void stamp_without_a_time_is_counted_and_bounded(void **)
{
    delay_is(30);
    enter_at(1000);
    const unsigned flags = TARE_WIRE_ACTIVE | TARE_WIRE_VERSION << TARE_WIRE_VERSION_SHIFT;
    const tare_wire_t w = tare_wire_pack(10, 0, 1, static_cast<std::uint16_t>(flags));
    join_at(1001, edge_from(new_peer(), w, TARE_EDGE_SAME_CLOCK | TARE_EDGE_EARLY));
    assert_int_equal(tare_self.early_unknown, 1);
    assert_ns_equal(tare_self.delay_ns, 10);
    assert_ns_equal(tare_self.delay_lo_ns, 10);
    assert_ns_equal(tare_self.delay_hi_ns, 30);
}

void early_message_on_one_clock_is_not_unknown(void **)
{
    delay_is(30);
    enter_at(1000);
    join_at(1001, edge_from(new_peer(), sent_at(995, 10)));
    assert_int_equal(tare_self.early_unknown, 0);
}

// The other clock is 5 s ahead: what was learned from a message that was waited for places the next, early one.
void early_message_of_another_clock_is_placed_by_what_was_learned(void **)
{
    const std::int64_t ahead = 5'000'000'000;
    const std::uint64_t peer = new_peer();
    tare_global.account_waits = 1;
    enter_at(10);
    join_at(110, edge_from(peer, sent_at(50 + ahead, 0), 0));
    delay_is(30);
    enter_at(1000);
    join_at(1001, edge_from(peer, sent_at(920 + ahead, 0), 0));
    assert_ns_equal(tare_self.delay_ns, 20);
}

void early_message_of_an_unknown_clock_is_counted_and_bounded(void **)
{
    delay_is(30);
    enter_at(1000);
    join_at(1001, edge_from(new_peer(), sent_at(-70'000, 10), TARE_EDGE_EARLY));
    assert_int_equal(tare_self.early_unknown, 1);
    assert_ns_equal(tare_self.delay_ns, 10);
    assert_ns_equal(tare_self.delay_hi_ns, 30);
}

void join_around_the_wrap_of_the_send_time(void **)
{
    const std::uint64_t peer = peer_at_100_ns();
    const std::int64_t wrap = (INT64_C(1) << 48) - origin_ns;
    delay_is(30);
    enter_at(wrap + 50);
    join_at(wrap + 51, edge_from(peer, sent_at(wrap - 60, 0)));
    assert_ns_equal(tare_self.delay_ns, 10);
}

// --- bounds ---

unsigned widths(std::int64_t below, std::int64_t above)
{
    return tare_wire_width_code(below) << TARE_WIRE_LO_SHIFT | tare_wire_width_code(above);
}

void bounds_of_a_waited_message_are_those_it_carries(void **)
{
    enter_at(10);
    join_at(10'000, edge_from(new_peer(), sent_at(20, 1000, widths(128, 256))));
    assert_ns_equal(tare_self.delay_ns, 1000);
    assert_ns_equal(tare_self.delay_lo_ns, 1000 - 128);
    assert_ns_equal(tare_self.delay_hi_ns, 1000 + 256);
}

void bounds_unbounded_on_the_wire_end_at_the_wait(void **)
{
    const unsigned all = TARE_WIRE_WIDTH_MASK << TARE_WIRE_LO_SHIFT | TARE_WIRE_WIDTH_MASK;
    enter_at(10);
    join_at(10'000, edge_from(new_peer(), sent_at(20, 1000, all)));
    assert_ns_equal(tare_self.delay_ns, 1000);
    assert_true(tare_self.delay_lo_ns < -(INT64_C(1) << 47));
    assert_ns_equal(tare_self.delay_hi_ns, 10'000 - 10);
}

// The latency of an early message is at least 0: it came between its send and the entry.
void bounds_of_an_early_message_reach_from_send_to_entry(void **)
{
    const std::uint64_t peer = peer_at_100_ns();
    delay_is(500);
    enter_at(1000);
    join_at(1001, edge_from(peer, sent_at(700, 10)));
    assert_ns_equal(tare_self.delay_ns, 210);
    assert_ns_equal(tare_self.delay_lo_ns, 10);
    assert_ns_equal(tare_self.delay_hi_ns, 310);
}

void bounds_travel_rounded_outwards(void **)
{
    tare_core_test_set_delay(1000);
    tare_self.delay_lo_ns = 1000 - 65;
    tare_self.delay_hi_ns = 1000 + 3;
    const unsigned flags = tare_wire_flags(tare_core_stamp());
    assert_ns_equal(tare_wire_width_ns(flags >> TARE_WIRE_LO_SHIFT & TARE_WIRE_WIDTH_MASK), 128);
    assert_ns_equal(tare_wire_width_ns(flags & TARE_WIRE_WIDTH_MASK), 64);
}

void bounds_of_a_stamp_with_equal_delay_are_taken_over(void **)
{
    delay_is(1000);
    enter_at(10);
    join_at(10'000, edge_from(new_peer(), sent_at(20, 1000, widths(128, 256))));
    assert_ns_equal(tare_self.delay_ns, 1000);
    assert_ns_equal(tare_self.delay_lo_ns, 1000 - 128);
    assert_ns_equal(tare_self.delay_hi_ns, 1000 + 256);
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

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test_setup(join_waited_takes_the_sender_delay, active),
        cmocka_unit_test_setup(join_waited_uses_when_it_was_seen, active),
        cmocka_unit_test_setup(join_early_keeps_the_delay_within_its_slack, active),
        cmocka_unit_test_setup(join_of_a_message_on_its_way_at_the_entry_is_a_wait, active),
        cmocka_unit_test_setup(join_known_to_be_early_is_no_wait, active),
        cmocka_unit_test_setup(join_after_the_tools_time_stamp_waits_from_there, active),
        cmocka_unit_test_setup(join_uses_up_the_tools_time_stamp, active),
        cmocka_unit_test_setup(join_of_an_edge_twice_is_once, active),
        cmocka_unit_test_setup(join_of_a_stamp_twice_is_once, active),
        cmocka_unit_test_setup(join_without_a_stamp_does_nothing, active),
        cmocka_unit_test_setup(join_of_equal_delays_reads_no_clock, active),
        cmocka_unit_test_setup(join_of_equal_delays_counts_the_wait_for_a_tool, accounted),
        cmocka_unit_test_setup(join_by_published_rule_gives_early_messages_no_slack, active),
        cmocka_unit_test_setup(join_by_published_rule_waited_is_the_exact_one, active),
        cmocka_unit_test_setup(join_by_local_rule_changes_no_delay_and_keeps_the_wait, active),
        cmocka_unit_test_setup(waitall_any_order_gives_the_same, active),
        cmocka_unit_test_setup(waitall_any_order_waits_the_same, accounted),
        cmocka_unit_test_setup(stamp_without_a_time_is_counted_and_bounded, active),
        cmocka_unit_test_setup(early_message_on_one_clock_is_not_unknown, active),
        cmocka_unit_test_setup(early_message_of_another_clock_is_placed_by_what_was_learned, active),
        cmocka_unit_test_setup(early_message_of_an_unknown_clock_is_counted_and_bounded, active),
        cmocka_unit_test_setup(join_around_the_wrap_of_the_send_time, active),
        cmocka_unit_test_setup(bounds_of_a_waited_message_are_those_it_carries, active),
        cmocka_unit_test_setup(bounds_unbounded_on_the_wire_end_at_the_wait, active),
        cmocka_unit_test_setup(bounds_of_an_early_message_reach_from_send_to_entry, active),
        cmocka_unit_test_setup(bounds_travel_rounded_outwards, active),
        cmocka_unit_test_setup(bounds_of_a_stamp_with_equal_delay_are_taken_over, active),
        cmocka_unit_test_setup(wildcard_match_the_other_way_round_is_an_inversion, active),
        cmocka_unit_test_setup(wildcard_matches_in_order_are_no_inversion, active),
        cmocka_unit_test_setup(wildcard_matches_of_two_communicators_are_no_inversion, active),
        cmocka_unit_test_setup(named_source_is_no_inversion, active),
        cmocka_unit_test_setup(wildcard_match_of_equal_delay_can_be_inverted, active),
    };
    return cmocka_run_group_tests_name("join", tests, nullptr, nullptr);
}
