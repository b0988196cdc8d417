// SPDX-License-Identifier: BSD-3-Clause
// Polls that do not wait (the spin rule), waits for several, joins that need no clock, and senders that are stalled.
#include "core_state.hpp"

#include <initializer_list>

#include "cmocka_cpp.hpp"

namespace {

int active(void **) { return new_active_process(), 0; }

// A poll from `begin` to `end` that finds nothing.
void failed_poll(std::int64_t begin, std::int64_t end)
{
    at(begin);
    tare_core_poll();
    at(end);
    tare_core_poll_end(1);
}

// The message comes now.
void arrive(tare_edge_t &e)
{
    const tare_edge_t come = e;
    e.flags = 0;
    tare_core_arrive(&e, come.wire, come.peer, come.size_class, come.flags & TARE_EDGE_SAME_CLOCK);
}

// A poll that finds this message.
void successful_poll(std::int64_t begin, std::int64_t end, tare_edge_t e)
{
    at(begin);
    tare_core_poll();
    at(end);
    arrive(e);
    tare_core_join(&e);
    tare_core_poll_end(0);
}

// A message that is really waited for until `ns`, joined without anybody asking when.
void waited_join(std::int64_t entry, std::int64_t ns, tare_edge_t e)
{
    at(entry);
    tare_core_event(origin_ns + entry);
    join_at(ns, e);
}

// --- spins ---

void polls_in_a_row_are_one_wait(void **)
{
    const std::uint64_t peer = peer_at_100_ns();
    delay_is(0);
    for (int i = 0; i < 10; i++)
        failed_poll(1000 * i, 1000 * i + 500);
    // sent at 9900 with a delay of 4000: without measurement it would have been there at 6000
    successful_poll(10'000, 10'200, edge_from(peer, sent_at(9900, 4000)));
    assert_ns_equal(tare_self.delay_ns, 4000);
}

void overhead_inside_a_spin_is_absorbed_by_it(void **)
{
    const std::uint64_t peer = peer_at_100_ns();
    delay_is(50);
    for (int i = 0; i < 10; i++) {
        failed_poll(1000 * i, 1000 * i + 300);
        tare_core_overhead_add(600, 0);  // the tool's hooks around the call
    }
    successful_poll(10'000, 10'200, edge_from(peer, sent_at(10'050, 20)));
    assert_ns_equal(tare_self.delay_ns, 20);
}

void overhead_that_hides_a_message_from_a_spin_is_delay(void **)
{
    const std::uint64_t peer = peer_at_100_ns();
    delay_is(0);
    failed_poll(0, 100);
    failed_poll(2000, 2100);
    tare_core_overhead_add(7000, 0);
    // It came at 5100, when the tool was busy: without it the spin from 2000 on would have seen it.
    successful_poll(9100, 9150, edge_from(peer, sent_at(5000, 0)));
    assert_ns_equal(tare_self.delay_ns, 4050);
}

void message_before_the_overhead_of_a_spin_is_no_later_than_its_poll(void **)
{
    const std::uint64_t peer = peer_at_100_ns();
    delay_is(0);
    failed_poll(0, 2000);
    tare_core_overhead_add(300, 0);
    // As if there at 1100, but the poll until 2000 has not seen it: at most the overhead was lost.
    successful_poll(2400, 2500, edge_from(peer, sent_at(1000, 0)));
    assert_ns_equal(tare_self.delay_ns, 300);
}

void work_between_polls_ends_the_spin(void **)
{
    const std::uint64_t peer = peer_at_100_ns();
    delay_is(0);
    failed_poll(0, 100);
    tare_core_overhead_add(7000, 0);
    // 1000 of work: the thread is ready at 8100 with 7000, the message was there at 5100 with 0.
    successful_poll(8100, 8150, edge_from(peer, sent_at(5000, 0)));
    assert_ns_equal(tare_self.delay_ns, 3000);
}

// The delay after a spin of so long, a gap in it, and a message that comes 4000 later than without measurement. Where
// the gap ends the spin, the last poll is a wait of its own, of 100.
std::int64_t delay_after_gap(std::int64_t spin_ns, std::int64_t gap_ns)
{
    const std::uint64_t peer = peer_at_100_ns();
    delay_is(0);
    failed_poll(0, spin_ns);
    const std::int64_t end = spin_ns + gap_ns;
    successful_poll(end, end + 100, edge_from(peer, sent_at(end - 50, 4000)));
    return tare_self.delay_ns;
}

void interrupt_between_polls_leaves_the_spin(void **)
{
    assert_ns_equal(delay_after_gap(200'000, 24'000), 4000);
}

void gap_too_long_for_the_spin_ends_it(void **) { assert_ns_equal(delay_after_gap(200'000, 26'000), 100); }

void gap_too_long_for_an_interrupt_ends_the_spin(void **) { assert_ns_equal(delay_after_gap(1'000'000, 51'000), 100); }

void region_between_polls_ends_the_spin(void **)
{
    const std::uint64_t peer = peer_at_100_ns();
    delay_is(0);
    failed_poll(0, 100);
    tare_self.regions++;
    tare_core_overhead_add(100, 0);
    successful_poll(300, 1000, edge_from(peer, sent_at(900, 900)));
    assert_ns_equal(tare_self.delay_ns, 800);  // 100 + the wait from 300 to 1000
}

void another_message_ends_the_spin(void **)
{
    const std::uint64_t peer = peer_at_100_ns();
    delay_is(0);
    failed_poll(0, 100);
    enter_at(200);
    join_at(400, edge_from(peer, sent_at(300, 300)));
    assert_ns_equal(tare_self.delay_ns, 200);
    assert_int_equal(tare_self.spinning, 0);
}

void compensated_clock_waits_in_a_spin(void **)
{
    const std::uint64_t peer = peer_at_100_ns();
    delay_is(0);
    for (int i = 0; i < 10; i++) {
        tare_core_event(origin_ns + 1000 * i);
        failed_poll(1000 * i, 1000 * i + 500);
    }
    tare_core_event(origin_ns + 10'000);
    successful_poll(10'000, 10'200, edge_from(peer, sent_at(9900, 9900)));
    assert_ns_equal(tare_self.delay_ns, 9900);
    assert_ns_equal(tare_self.residue_ns, 0);
}

void spin_conserves_the_wait(void **)
{
    const std::uint64_t peer = peer_at_100_ns();
    tare_global.account_waits = 1;
    delay_is(30);
    failed_poll(0, 500);
    failed_poll(700, 1200);
    successful_poll(1500, 2000, edge_from(peer, sent_at(1900, 1000)));
    assert_ns_equal(tare_self.wait_ns, 2000);
    assert_ns_equal(tare_self.delay_ns + tare_self.wait_compensated_ns, 30 + 2000);
}

// The data of a rendezvous leave in the poll that finds the CTS.
void reply_in_a_spin_is_ready_since_it_began(void **)
{
    const std::uint64_t peer = peer_at_100_ns();
    delay_is(30);
    failed_poll(0, 500);
    failed_poll(700, 1200);
    at(1500);
    tare_core_poll();
    const tare_edge_t cts = seen_at(edge_from(peer, sent_at(1400, 900)), 1500);
    assert_ns_equal(tare_wire_delay_ns(tare_core_reply(&cts, nullptr)), 900);
    tare_core_poll_end(1);
}

void first_poll_that_succeeds_is_an_entry_of_its_own(void **)
{
    const std::uint64_t peer = peer_at_100_ns();
    delay_is(10);
    successful_poll(1000, 1050, edge_from(peer, sent_at(0, 500)));
    assert_ns_equal(tare_self.delay_ns, 10);
}

// --- watching ---

void watched_edge_notes_its_time_where_delays_differ(void **)
{
    delay_is(5);
    tare_edge_t e = edge_from(new_peer(), sent_at(0, 6));
    at(70);
    tare_self.watching = 1;
    arrive(e);
    assert_ns_equal(e.seen_ns, origin_ns + 70);
    assert_int_equal(e.flags & TARE_EDGE_WATCHED, TARE_EDGE_WATCHED);
}

void watched_edge_of_equal_delay_reads_no_clock(void **)
{
    delay_is(5);
    tare_edge_t e = edge_from(new_peer(), sent_at(0, 5));
    tare_self.watching = 1;
    fake_clock::reads = 0;
    arrive(e);
    const unsigned reads = fake_clock::reads;
    assert_int_equal(reads, 0);
    assert_int_equal(e.flags & TARE_EDGE_WATCHED, TARE_EDGE_WATCHED);
}

void watched_edge_of_accounted_wait_notes_its_time(void **)
{
    tare_global.account_waits = 1;
    delay_is(5);
    tare_edge_t e = edge_from(new_peer(), sent_at(0, 5));
    at(70);
    tare_self.watching = 1;
    arrive(e);
    assert_ns_equal(e.seen_ns, origin_ns + 70);
}

// Two in one wait: the first changes the delay, so the time of the second matters after all. It was not noted; it is
// taken from the send time and the latency.
void edge_without_time_is_placed_by_its_latency(void **)
{
    const std::uint64_t peer = peer_at_100_ns();
    delay_is(500);
    tare_core_event(origin_ns);
    tare_edge_t second = edge_from(peer, sent_at(1000, 500));
    at(1100);
    tare_self.watching = 1;
    arrive(second);
    tare_edge_t first = seen_at(edge_from(peer, sent_at(3000, 200)), 3100);
    at(4000);
    tare_core_join(&first);
    assert_ns_equal(tare_self.delay_ns, 200);
    tare_core_join(&second);
    assert_ns_equal(tare_self.delay_ns, 200);
}

// --- joins without a clock ---

void waited_edge_of_a_settled_peer_reads_no_clock(void **)
{
    const std::uint64_t peer = settled_peer();
    delay_is(400);
    at(50'000);
    tare_core_event(origin_ns + 50'000);
    tare_edge_t e = edge_from(peer, sent_at(50'500, 900));
    fake_clock::reads = 0;
    tare_core_join(&e);
    const unsigned reads = fake_clock::reads;
    assert_int_equal(reads, 0);
    assert_ns_equal(tare_self.delay_ns, 900);
    assert_ns_equal(tare_self.delay_lo_ns, 900);
    assert_ns_equal(tare_self.delay_hi_ns, 900);
}

void the_next_send_of_the_same_call_reads_the_clock(void **)
{
    const std::uint64_t peer = settled_peer();
    delay_is(400);
    waited_join(50'000, 50'600, edge_from(peer, sent_at(50'500, 300)));
    assert_ns_equal(tare_self.delay_ns, 300);
    assert_ns_equal(tare_wire_time_near_ns(tare_core_stamp(), origin_ns), origin_ns + 50'600);
}

// --- a call of several steps ---

tare_edge_t edge_of_step(std::uint64_t peer, tare_wire_t wire)
{
    return edge_from(peer, wire, TARE_EDGE_SAME_CLOCK | TARE_EDGE_GOES_ON);
}

// Under a tool's time stamp at 50'000 with a delay of 400; 100 behind its send the edge comes, but nobody looks when.
void join_first_step(std::uint64_t peer, tare_wire_t wire)
{
    delay_is(400);
    tare_core_event(origin_ns + 50'000);
    fake_clock::reads = 0;
    join_at(50'640, edge_of_step(peer, wire));
}

void step_is_stamped_without_a_clock(void **)
{
    join_first_step(settled_peer(), sent_at(50'500, 900));
    const tare_wire_t stamp = tare_core_stamp_going_on();
    const unsigned reads = fake_clock::reads;
    assert_int_equal(reads, 0);
    assert_ns_equal(tare_wire_delay_ns(stamp), 900);
    assert_ns_equal(tare_wire_time_near_ns(stamp, origin_ns), origin_ns + 50'600);
}

void step_of_equal_delay_is_stamped_with_the_later_time(void **)
{
    const std::uint64_t peer = settled_peer();
    join_first_step(peer, sent_at(50'500, 400));
    assert_ns_equal(tare_wire_time_near_ns(tare_core_stamp_going_on(), origin_ns), origin_ns + 50'600);
    join_first_step(peer, sent_at(49'000, 400));
    assert_ns_equal(tare_wire_time_near_ns(tare_core_stamp_going_on(), origin_ns), origin_ns + 50'000);
    const unsigned reads = fake_clock::reads;
    assert_int_equal(reads, 0);
}

void step_of_a_latency_that_few_have_shown_is_stamped_with_when_its_edge_was_sent(void **)
{
    join_first_step(peer_at_100_ns(), sent_at(50'600, 400));
    assert_ns_equal(tare_wire_time_near_ns(tare_core_stamp_going_on(), origin_ns), origin_ns + 50'600);
    const unsigned reads = fake_clock::reads;
    assert_int_equal(reads, 0);
}

void step_that_needed_its_time_is_stamped_with_it(void **)
{
    // sent so little later that the own readiness decides: (R) asks when it came, 50'640
    join_first_step(settled_peer(), sent_at(50'300, 1000));
    const unsigned joined = fake_clock::reads;
    assert_int_equal(joined, 1);
    assert_ns_equal(tare_wire_time_near_ns(tare_core_stamp_going_on(), origin_ns), origin_ns + 50'640);
    const unsigned reads = fake_clock::reads;
    assert_int_equal(reads, 1);
}

// What came before the next step's wait began was early, though the call had begun before.
void next_step_waits_since_the_one_before(void **)
{
    const std::uint64_t peer = settled_peer();
    join_first_step(peer, sent_at(50'500, 900));
    tare_core_go_on();
    const unsigned reads = fake_clock::reads;
    assert_int_equal(reads, 0);
    join_at(50'700, edge_of_step(peer, sent_at(50'400, 200)));
    // E = 50'600, max (t - D) = max (50'600 - 900, 50'500 - 200)
    assert_ns_equal(tare_self.delay_ns, 300);
}

void step_without_an_event_reads_the_clock(void **)
{
    const std::uint64_t peer = settled_peer();
    at(60'000);
    tare_self.event_source = TARE_EVENT_NONE;
    tare_core_go_on();
    assert_ns_equal(tare_self.call_ns, origin_ns + 60'000);
    join_at(60'300, edge_from(peer, sent_at(60'200, tare_self.delay_ns)));
    assert_int_equal(tare_self.event_source, TARE_EVENT_NONE);
    at(60'400);
    assert_ns_equal(tare_wire_time_near_ns(tare_core_stamp_going_on(), origin_ns), origin_ns + 60'400);
}

void step_of_a_muted_call_is_muted(void **)
{
    join_first_step(settled_peer(), sent_at(50'500, 900));
    tare_self.muted = 1;
    assert_int_equal(tare_wire_flags(tare_core_stamp_going_on()) & TARE_WIRE_MUTED, TARE_WIRE_MUTED);
}

void waited_edge_that_may_lose_needs_its_time(void **)
{
    const std::uint64_t peer = settled_peer();
    delay_is(400);
    // 300 after entry, but 600 more delay: the thread's own readiness decides, and how long it waited
    waited_join(50'000, 50'450, edge_from(peer, sent_at(50'300, 1000)));
    assert_ns_equal(tare_self.delay_ns, 850);
}

void join_without_a_clock_is_that_with_one(void **)
{
    const std::uint64_t peer = settled_peer();
    for (std::int64_t delay = -2000; delay <= 2000; delay += 100) {
        std::int64_t result[2];
        for (unsigned account : {0u, 1u}) {
            tare_global.account_waits = account;
            delay_is(700);
            waited_join(100'000, 100'600, edge_from(peer, sent_at(100'500, delay)));
            result[account] = tare_self.delay_ns;
        }
        assert_ns_equal(result[0], result[1]);
    }
}

// --- stalled senders ---

void first_active_stamp_wakes_and_is_joined_at_once(void **)
{
    new_process();
    tare_edge_t e = edge_from(new_peer(), sent_at(10, 700));
    arrive(e);
    assert_int_equal(e.flags & TARE_EDGE_SET, 0);
    assert_int_equal(tare_global.active, 1);
    assert_ns_equal(tare_self.delay_ns, 700);
    assert_ns_equal(tare_self.delay_lo_ns, 0);
    assert_int_equal(tare_self.joins, 1);
    assert_int_equal(tare_self.early_unknown, 1);
}

// The wait in progress has not begun under the core, so the message that ends it is joined when it comes, too.
void arrivals_in_the_wait_that_was_woken_are_joined_at_once(void **)
{
    new_process();
    tare_edge_t first = edge_from(new_peer(), sent_at(10, 700)), second = edge_from(new_peer(), sent_at(20, 900));
    arrive(first);
    arrive(second);
    assert_int_equal(second.flags & TARE_EDGE_SET, 0);
    assert_ns_equal(tare_self.delay_ns, 900);
    tare_core_enter();
    arrive(first = edge_from(new_peer(), sent_at(30, 5)));
    assert_int_equal(first.flags & TARE_EDGE_SET, TARE_EDGE_SET);
}

void muted_stamp_wakes_nobody(void **)
{
    tare_self.muted = 1;
    const tare_wire_t muted = tare_core_stamp();
    new_process();
    tare_edge_t e = edge_from(new_peer(), muted);
    arrive(e);
    assert_int_equal(e.flags & TARE_EDGE_SET, 0);
    assert_int_equal(tare_global.active, 0);
}

void hooks_are_live_with_a_carrier_and_something_to_carry(void **)
{
    new_process();
    tare_core_configure(TARE_MODE_HEADER, TARE_RULE_EXACT, 1);
    assert_int_equal(tare_global.live, 0);
    tare_core_overhead_add(0, 0);
    assert_int_equal(tare_global.live, 1);
    new_active_process();
    assert_int_equal(tare_global.live, 0);
    tare_core_configure(TARE_MODE_HEADER, TARE_RULE_EXACT, 1);
    assert_int_equal(tare_global.live, 1);
}

void stamp_of_a_freed_cell_leaves_the_call_as_it_was(void **)
{
    delay_is(12);
    enter_at(40);
    at(900);
    const tare_wire_t w = tare_core_freed_stamp();
    assert_ns_equal(tare_wire_delay_ns(w), 12);
    assert_ns_equal(tare_wire_time_near_ns(w, origin_ns), origin_ns + 40);
    assert_ns_equal(tare_self.event_ns, origin_ns + 40);
}

tare_edge_t freed_at(std::int64_t ns, std::int64_t delay_ns)
{
    const std::int64_t delay = tare_self.delay_ns;
    delay_is(delay_ns);
    enter_at(ns);
    tare_edge_t e = edge_from(TARE_PEER_ANYBODY, tare_core_freed_stamp());
    e.size_class = TARE_CLASS_CELL;
    delay_is(delay);
    return e;
}

void stalled_sender_takes_the_delay_of_who_freed_the_cell(void **)
{
    const tare_edge_t freed = freed_at(10'000, 9000);
    delay_is(0);
    tare_core_event(origin_ns);
    tare_edge_t mine = {};
    at(10'100);
    tare_core_stalled(&mine, &freed);
    tare_core_join(&mine);
    assert_ns_equal(tare_self.delay_ns, 9000);
}

void queued_header_leaves_with_the_delay_of_who_freed_the_cell(void **)
{
    const tare_edge_t freed = freed_at(10'000, 9000);
    delay_is(0);
    tare_core_event(origin_ns);
    const tare_wire_t queued = tare_core_stamp();
    at(10'100);
    const tare_wire_t left = tare_core_restamp(queued, &freed);
    assert_ns_equal(tare_wire_delay_ns(left), 9000);
    assert_ns_equal(tare_wire_time_near_ns(left, origin_ns), origin_ns + 10'100);
}

void cell_freed_by_an_inactive_process_is_no_edge(void **)
{
    delay_is(3);
    tare_edge_t mine = {}, freed = freed_at(0, 0);
    freed.wire = tare_wire_t{0, 0};
    tare_core_stalled(&mine, &freed);
    assert_int_equal(mine.flags & TARE_EDGE_SET, 0);
}

void stamp_of_a_message_in_a_cell_is_no_edge(void **)
{
    delay_is(3);
    tare_edge_t mine = {}, freed = freed_at(0, 9000);
    freed.wire = sent_at(0, 9000);
    tare_core_stalled(&mine, &freed);
    assert_int_equal(mine.flags & TARE_EDGE_SET, 0);
}

void stalled_under_another_rule_is_no_edge(void **)
{
    tare_global.rule = TARE_RULE_PUBLISHED;
    tare_edge_t mine = {};
    const tare_edge_t freed = freed_at(0, 9000);
    tare_core_stalled(&mine, &freed);
    assert_int_equal(mine.flags & TARE_EDGE_SET, 0);
}

void answer_after_the_poll_that_freed_the_cell_stays(void **)
{
    tare_edge_t mine = edge_from(new_peer(), sent_at(500, 7));
    const tare_edge_t before = freed_at(400, 9), after = freed_at(600, 9);
    tare_core_stalled(&mine, &before);
    assert_ns_equal(tare_wire_delay_ns(mine.wire), 7);
    tare_core_stalled(&mine, &after);
    assert_ns_equal(tare_wire_delay_ns(mine.wire), 9);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test_setup(polls_in_a_row_are_one_wait, active),
        cmocka_unit_test_setup(overhead_inside_a_spin_is_absorbed_by_it, active),
        cmocka_unit_test_setup(overhead_that_hides_a_message_from_a_spin_is_delay, active),
        cmocka_unit_test_setup(message_before_the_overhead_of_a_spin_is_no_later_than_its_poll, active),
        cmocka_unit_test_setup(work_between_polls_ends_the_spin, active),
        cmocka_unit_test_setup(interrupt_between_polls_leaves_the_spin, active),
        cmocka_unit_test_setup(gap_too_long_for_the_spin_ends_it, active),
        cmocka_unit_test_setup(gap_too_long_for_an_interrupt_ends_the_spin, active),
        cmocka_unit_test_setup(region_between_polls_ends_the_spin, active),
        cmocka_unit_test_setup(another_message_ends_the_spin, active),
        cmocka_unit_test_setup(compensated_clock_waits_in_a_spin, active),
        cmocka_unit_test_setup(spin_conserves_the_wait, active),
        cmocka_unit_test_setup(reply_in_a_spin_is_ready_since_it_began, active),
        cmocka_unit_test_setup(first_poll_that_succeeds_is_an_entry_of_its_own, active),
        cmocka_unit_test_setup(watched_edge_notes_its_time_where_delays_differ, active),
        cmocka_unit_test_setup(watched_edge_of_equal_delay_reads_no_clock, active),
        cmocka_unit_test_setup(watched_edge_of_accounted_wait_notes_its_time, active),
        cmocka_unit_test_setup(edge_without_time_is_placed_by_its_latency, active),
        cmocka_unit_test_setup(waited_edge_of_a_settled_peer_reads_no_clock, active),
        cmocka_unit_test_setup(the_next_send_of_the_same_call_reads_the_clock, active),
        cmocka_unit_test_setup(step_is_stamped_without_a_clock, active),
        cmocka_unit_test_setup(step_of_equal_delay_is_stamped_with_the_later_time, active),
        cmocka_unit_test_setup(step_of_a_latency_that_few_have_shown_is_stamped_with_when_its_edge_was_sent,
                                active),
        cmocka_unit_test_setup(step_that_needed_its_time_is_stamped_with_it, active),
        cmocka_unit_test_setup(next_step_waits_since_the_one_before, active),
        cmocka_unit_test_setup(step_without_an_event_reads_the_clock, active),
        cmocka_unit_test_setup(step_of_a_muted_call_is_muted, active),
        cmocka_unit_test_setup(waited_edge_that_may_lose_needs_its_time, active),
        cmocka_unit_test_setup(join_without_a_clock_is_that_with_one, active),
        cmocka_unit_test_setup(first_active_stamp_wakes_and_is_joined_at_once, active),
        cmocka_unit_test_setup(arrivals_in_the_wait_that_was_woken_are_joined_at_once, active),
        cmocka_unit_test_setup(muted_stamp_wakes_nobody, active),
        cmocka_unit_test_setup(hooks_are_live_with_a_carrier_and_something_to_carry, active),
        cmocka_unit_test_setup(stamp_of_a_freed_cell_leaves_the_call_as_it_was, active),
        cmocka_unit_test_setup(stalled_sender_takes_the_delay_of_who_freed_the_cell, active),
        cmocka_unit_test_setup(queued_header_leaves_with_the_delay_of_who_freed_the_cell, active),
        cmocka_unit_test_setup(cell_freed_by_an_inactive_process_is_no_edge, active),
        cmocka_unit_test_setup(stamp_of_a_message_in_a_cell_is_no_edge, active),
        cmocka_unit_test_setup(stalled_under_another_rule_is_no_edge, active),
        cmocka_unit_test_setup(answer_after_the_poll_that_freed_the_cell_stays, active),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
