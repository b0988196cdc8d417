// SPDX-License-Identifier: BSD-3-Clause
// When messages came, as far as the core can know, and the bounds of the delay where it cannot. Times are on one
// clock from origin_ns on, unless a case is about two clocks.
#include "arrival.hpp"
#include "bounded_join.hpp"
#include "core_state.hpp"

#include <initializer_list>

#include "cmocka_cpp.hpp"

namespace {

int active(void **) { return new_active_process(), 0; }

// A tool that reads wait_ns: no wait may be left out.
int accounted(void **) { return new_active_process(), tare_global.account_waits = 1, 0; }

tare_wire_t without_time(std::int64_t delay_ns)
{
    const unsigned flags = TARE_WIRE_ACTIVE | TARE_WIRE_VERSION << TARE_WIRE_VERSION_SHIFT;
    return tare_wire_pack(delay_ns, 0, static_cast<std::uint16_t>(flags));
}

void stamp_without_a_time_is_counted_and_bounded(void **)
{
    delay_is(30);
    enter_at(1000);
    join_at(1001, edge_from(new_peer(), without_time(10), TARE_EDGE_SAME_CLOCK | TARE_EDGE_EARLY));
    assert_int_equal(tare_self.early_unknown, 1);
    assert_ns_equal(tare_self.delay_ns, 10);
    assert_ns_equal(tare_self.delay_lo_ns, 10);
    assert_ns_equal(tare_self.delay_hi_ns, 30);
}

void stamp_without_a_time_that_may_have_been_early_is_bounded_by_the_wait(void **)
{
    enter_at(10);
    join_at(100, edge_from(new_peer(), without_time(30)));
    assert_ns_equal(tare_self.delay_ns, 30);
    assert_ns_equal(tare_self.delay_lo_ns, 30);
    assert_ns_equal(tare_self.delay_hi_ns, 90);
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
    enter_at(-5000);
    join_at(110, edge_from(peer, sent_at(50 + ahead, 0), 0));
    delay_is(30);
    enter_at(1000);
    join_at(1001, edge_from(peer, sent_at(920 + ahead, 0), 0));
    assert_ns_equal(tare_self.delay_ns, 20);
}

void messages_say_which_was_sent_first_and_which_was_waited_for(void **)
{
    const std::uint64_t one = new_peer(), other = new_peer();
    enter_at(10);
    join_at(100, edge_from(one, sent_at(90, 0)));
    assert_ns_equal(tare_self.sent_first.sent_ns, origin_ns + 90);
    assert_ns_equal(tare_self.sent_awaited.sent_ns, origin_ns + 90);
    join_at(101, edge_from(other, sent_at(40, 0), TARE_EDGE_SAME_CLOCK | TARE_EDGE_EARLY));
    assert_ns_equal(tare_self.sent_first.sent_ns, origin_ns + 40);
    assert_true(tare_self.sent_first.peer == other && tare_self.sent_awaited.peer == one);
    join_at(102, edge_from(other, sent_at(95, 0), TARE_EDGE_SAME_CLOCK | TARE_EDGE_EARLY));
    assert_true(tare_self.sent_awaited.sent_ns == origin_ns + 95 && tare_self.sent_awaited.peer == other);
    tare_self.sent_first.sent_ns = tare_self.sent_awaited.sent_ns = TARE_SENT_NONE;
    enter_at(200);
    join_at(201, edge_from(other, sent_at(150, 0), TARE_EDGE_SAME_CLOCK | TARE_EDGE_EARLY));
    assert_ns_equal(tare_self.sent_first.sent_ns, origin_ns + 150);
    assert_ns_equal(tare_self.sent_awaited.sent_ns, TARE_SENT_NONE);
}

// Of another clock, without a time, an answer, the process's own.
void edges_that_are_no_dated_messages_were_not_sent(void **)
{
    tare_edge_t control = edge_from(new_peer(), sent_at(50, 0));
    control.size_class = TARE_CLASS_CONTROL;
    tare_edge_t cell = control;
    cell.size_class = TARE_CLASS_CELL;
    const tare_wire_t own = sent_at(50, 0);
    for (const tare_edge_t &e : {control, cell, edge_from(new_peer(), sent_at(50, 0), 0),
                                 edge_from(new_peer(), without_time(0)), tare_own_edge(&own)}) {
        tare_self.sent_awaited.sent_ns = 7;
        enter_at(10);
        join_at(100, e);
        assert_ns_equal(tare_self.sent_first.sent_ns, TARE_SENT_NONE);
        assert_ns_equal(tare_self.sent_awaited.sent_ns, TARE_SENT_NONE);
    }
}

void nobody_asks_when_messages_were_sent_without_a_tool(void **)
{
    enter_at(10);
    join_at(100, edge_from(new_peer(), sent_at(90, 5)));
    assert_ns_equal(tare_self.sent_first.sent_ns, TARE_SENT_NONE);
}

// It was found by the first poll of its wait, so it may have been there for long: nothing exact is learned from it,
// and the next early one is bounded, not claimed to be exact.
void message_of_another_clock_found_at_once_teaches_nothing_exact(void **)
{
    const std::int64_t ahead = 5'000'000'000, late = 4'000'000'000, truth = 100'000;
    const std::uint64_t peer = new_peer();
    enter_at(late);
    join_at(late + 100, edge_from(peer, sent_at(ahead, 0), 0));
    delay_is(truth);
    enter_at(2 * late);
    join_at(2 * late + 100, edge_from(peer, sent_at(late + ahead, 10'000), 0));
    assert_true(tare_self.delay_lo_ns <= truth && truth <= tare_self.delay_hi_ns);
    assert_int_equal(tare_self.early_unknown, 2);
}

// A network's first poll asks the kernel, so a wait of some microseconds may have found what was there.
void message_of_another_clock_found_by_a_slow_first_poll_is_bounded(void **)
{
    const std::int64_t ahead = 5'000'000'000, truth = 50'000;
    delay_is(truth);
    enter_at(1000);
    join_at(1000 + 20'000, edge_from(new_peer(), sent_at(ahead - 100'000, 20'000), 0));
    assert_true(tare_self.delay_lo_ns <= truth && truth <= tare_self.delay_hi_ns);
    assert_int_equal(tare_self.early_unknown, 1);
}

// lambda is 1000, but this message took 300 and was there when the call was entered.
void message_faster_than_any_before_stays_within_the_bounds(void **)
{
    const std::uint64_t peer = new_peer();
    tare_global.account_waits = 1;
    enter_at(-50);
    join_at(1000, edge_from(peer, sent_at(0, 0)));
    delay_is(500);
    enter_at(10'000);
    join_at(10'001, edge_from(peer, sent_at(9500, 0)));
    const std::int64_t truth = 200;
    assert_true(tare_self.delay_lo_ns <= truth && truth <= tare_self.delay_hi_ns);
}

// Both came while the thread waited, one slower than ever before.
void waitall_with_jitter_does_not_depend_on_order(void **)
{
    std::int64_t delay[2];
    for (int order = 0; order < 2; order++) {
        const std::uint64_t peer = peer_at_100_ns();
        tare_edge_t edges[] = {seen_at(edge_from(peer, sent_at(10'400, 0)), 10'500),
                               seen_at(edge_from(peer, sent_at(10'380, 900)), 10'900)};
        delay_is(0);
        enter_at(10'000);
        for (int i = 0; i < 2; i++)
            tare_core_join(&edges[i ^ order]);
        delay[order] = tare_self.delay_ns;
    }
    assert_ns_equal(delay[0], delay[1]);
    assert_ns_equal(delay[0], 400);
}

// Nobody here has declared anything, so no clock was read when the wait began: what came is the best that is known.
void first_stamp_of_a_run_is_taken_over_and_bounded(void **)
{
    new_process();
    join_at(20'000, edge_from(new_peer(), sent_at(10'000, 700)));
    assert_ns_equal(tare_self.delay_ns, 700);
    assert_ns_equal(tare_self.delay_lo_ns, 0);
    assert_ns_equal(tare_self.delay_hi_ns, 700);
    assert_int_equal(tare_self.early_unknown, 1);
}

// Found waiting: a thread without delay has none whatever came.
void first_stamp_of_a_run_that_was_early_changes_nothing(void **)
{
    new_process();
    join_at(20'000, edge_from(new_peer(), sent_at(10'000, 700), TARE_EDGE_SAME_CLOCK | TARE_EDGE_EARLY));
    assert_ns_equal(tare_self.delay_ns, 0);
    assert_ns_equal(tare_self.delay_hi_ns, 0);
}

// None was waited for: the shortest time seen so far, 80 ns, is the best that is known.
void early_messages_alone_of_another_clock_are_placed_by_the_shortest(void **)
{
    const std::int64_t ahead = 5'000'000'000;
    const std::uint64_t peer = new_peer();
    delay_is(300);
    enter_at(1000);
    join_at(1001, edge_from(peer, sent_at(920 + ahead, 300), TARE_EDGE_EARLY));
    enter_at(5000);
    join_at(5001, edge_from(peer, sent_at(4800 + ahead, 0), TARE_EDGE_EARLY));
    assert_ns_equal(tare_self.delay_ns, 120);
}

// Nobody says that they were early: no message takes longer than the shortest that was seen. Another one was waited
// for less than it takes to tell.
void messages_of_another_clock_that_came_before_are_placed_by_the_shortest(void **)
{
    const std::int64_t ahead = 5'000'000'000;
    const std::uint64_t peer = new_peer();
    enter_at(1000);
    join_at(1010, edge_from(peer, sent_at(500 + ahead, 0), 0));
    delay_is(2000);
    enter_at(10'000);
    join_at(10'010, edge_from(peer, sent_at(9000 + ahead, 0), 0));
    assert_ns_equal(tare_self.delay_ns, 10'000 - 9510);
    assert_int_equal(tare_self.early_unknown, 2);
    assert_true(tare_self.delay_hi_ns >= 2000);
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

void bounds_of_a_waited_message_are_those_it_carries(void **)
{
    enter_at(10);
    join_at(10'000, edge_from(new_peer(), sent_at(20, 1000, widths{128, 256})));
    assert_ns_equal(tare_self.delay_ns, 1000);
    assert_ns_equal(tare_self.delay_lo_ns, 1000 - 128);
    assert_ns_equal(tare_self.delay_hi_ns, 1000 + 256);
}

void bounds_unbounded_on_the_wire_end_at_no_delay_and_at_the_wait(void **)
{
    enter_at(10);
    join_at(10'000, edge_from(new_peer(), sent_at(20, 1000, widths{INT64_MAX, INT64_MAX})));
    assert_ns_equal(tare_self.delay_ns, 1000);
    assert_ns_equal(tare_self.delay_lo_ns, 0);
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
    tare_self.delay_lo_ns = 1000 - 1025;
    tare_self.delay_hi_ns = 1000 + 3;
    const tare_wire_t w = tare_core_stamp();
    assert_widths(w, 1028, 3);
}

void bounds_of_a_stamp_with_equal_delay_are_taken_over(void **)
{
    delay_is(1000);
    enter_at(10);
    join_at(10'000, edge_from(new_peer(), sent_at(20, 1000, widths{128, 256})));
    assert_ns_equal(tare_self.delay_ns, 1000);
    assert_ns_equal(tare_self.delay_lo_ns, 1000 - 128);
    assert_ns_equal(tare_self.delay_hi_ns, 1000 + 256);
}

void bounds_of_the_thread_end_with_a_wait_for_an_equal_delay(void **)
{
    const std::int64_t below[] = {100, 0}, above[] = {0, 300};
    for (int i = 0; i < 2; ++i) {
        delay_is(1000);
        tare_self.delay_lo_ns -= below[i];
        tare_self.delay_hi_ns += above[i];
        enter_at(20'000 * i + 10);
        join_at(20'000 * i + 10'000, edge_from(new_peer(), sent_at(20'000 * i + 20, 1000)));
        assert_ns_equal(tare_self.delay_lo_ns, 1000);
        assert_ns_equal(tare_self.delay_hi_ns, 1000);
    }
}

// An hour ahead on the same clock: no sender can have sent then.
constexpr std::int64_t hour_ns = 3'600'000'000'000;

void stamp_of_the_future_does_not_move_the_compensated_clock(void **)
{
    const std::uint64_t peer = settled_peer();
    enter_at(20'000);
    join_at(20'500, edge_from(peer, sent_at(hour_ns, -7)));
    assert_ns_equal(tare_core_compensated_now_ns(), origin_ns + 20'500 + 7);
    assert_int_equal(tare_self.early_unknown, 1);
}

void stamp_of_the_future_with_the_same_delay_does_not_move_the_next_event(void **)
{
    tare_edge_t edge = edge_from(settled_peer(), sent_at(hour_ns, 0));
    enter_at(20'000);
    edge.flags |= TARE_EDGE_WATCHED;
    join_at(20'500, edge);
    assert_int_equal(tare_self.event_source, TARE_EVENT_NONE);
}

void stamp_of_the_future_teaches_nothing(void **)
{
    const std::uint64_t peer = settled_peer();
    for (const std::uint32_t flags : {TARE_EDGE_SAME_CLOCK, TARE_EDGE_SYNCED}) {
        enter_at(20'000);
        join_at(20'500, edge_from(peer, sent_at(hour_ns, 1000), flags));
    }
    delay_is(30);
    enter_at(30'000);
    join_at(30'001, edge_from(peer, sent_at(29'880, 10)));
    assert_ns_equal(tare_self.delay_ns, 30);
    enter_at(40'000);
    join_at(40'001, edge_from(peer, sent_at(39'890, 10)));
    assert_ns_equal(tare_self.delay_ns, 20);
}

// Whatever a peer sends is a delay, and falsifies no more than the delay.
void stamp_of_any_bits_changes_the_delay_by_no_more_than_it_can_say(void **)
{
    constexpr std::int64_t limit_ns = INT64_C(1) << 49;
    std::uint64_t bits = 88172645463325252;
    const auto next = [&bits] { return bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17; };
    for (int i = 0; i < 20000; ++i) {
        const tare_wire_t wire = {next(), next() | std::uint64_t{TARE_WIRE_ACTIVE} << TARE_WIRE_FIELD_BITS};
        const auto flags = static_cast<std::uint32_t>(next() % 256);
        tare_edge_t edge = edge_from(next() % 8, wire, flags & ~(TARE_EDGE_SHORT | TARE_EDGE_OWN));
        edge.size_class = static_cast<std::uint32_t>(next() % 200);
        enter_at(1000 * i);
        join_at(1000 * i + 500, edge);
        if (tare_self.delay_ns < -limit_ns || tare_self.delay_ns > limit_ns)
            fail_msg("stamp %d, %016llx %016llx: the delay is %lld", i, static_cast<unsigned long long>(wire.w0),
                     static_cast<unsigned long long>(wire.w1), static_cast<long long>(tare_self.delay_ns));
    }
}

// By the widths that the thread keeps, and by what the wire says. Every second stamp has the widths of the one before.
void bounds_of_a_stamp_of_any_bits_are_those_on_the_wire(void **)
{
    std::uint64_t bits = 88172645463325252;
    const auto next = [&bits] { return bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17; };
    for (int i = 0; i < 20000; ++i) {
        tare_wire_t wire = {next(), next()};
        for (int turn = 0; turn < 2; ++turn) {
            const tare::carried c = tare::carried_by(wire);
            assert_ns_equal(c.delay_ns, tare_wire_delay_ns(wire));
            assert_ns_equal(c.lo_ns, tare_wire_delay_lo_ns(wire));
            assert_ns_equal(c.hi_ns, tare_wire_delay_hi_ns(wire));
            wire.w0 ^= next() & TARE_WIRE_FIELD_MASK;
        }
    }
}

void transfer_of_any_class_is_a_time(void **)
{
    for (std::uint32_t size_class = 0; size_class < 300; ++size_class)
        assert_true(tare::transfer_ns(size_class) >= 0 && tare::transfer_ns(size_class) < tare::far_ns);
    assert_ns_equal(tare::transfer_ns(TARE_CLASS_EAGER + 10), 2048);
    assert_ns_equal(tare::transfer_ns(TARE_CLASS_DATA + 20), 2 << 20);
}

// --- when a message is there, and when a flag ---

tare_edge_t arrive_at(std::int64_t ns, std::uint64_t peer, tare_wire_t wire, std::uint32_t size_class = TARE_CLASS_EAGER)
{
    tare_edge_t edge{};
    at(ns);
    tare_core_arrive(&edge, wire, peer, size_class, TARE_EDGE_SAME_CLOCK);
    return edge;
}

void tool_enters_at(std::int64_t ns)
{
    at(ns);
    tare_core_event(origin_ns + ns);
}

// Copied from 5100 to 5700, which is no part of the wait: on the compensated clock the message had come before.
void waited_message_is_there_when_it_comes_and_not_when_it_is_copied(void **)
{
    for (const auto enter : {enter_at, tool_enters_at}) {
        new_active_process();
        enter(1000);
        const tare_edge_t edge = arrive_at(5100, new_peer(), sent_at(5000, 10'000));
        join_at(5700, edge);
        assert_ns_equal(tare_self.delay_ns, 4100);
    }
}

// The widths of the last stamp are kept: those of another one, and none, are no less believed, and sent on.
void bounds_are_those_of_each_sender_in_turn(void **)
{
    constexpr widths told[] = {{128, 256}, {0, 300}, {0, 0}, {1028, 3}, {1, 3}, {1028, 4}, {INT64_MAX, 7}};
    std::uint64_t peers[2];
    for (std::uint64_t &peer : peers)
        peer = settled_peer();
    std::int64_t now = 20'000;
    for (int i = 0; i < 49; ++i, now += 20'000) {
        const widths w = told[i % 7 * (i / 7 + 1) % 7];
        const std::int64_t delay = 2048 + 8 * i;  // itself a width that the wire can say
        tool_enters_at(now);
        fake_clock::reads = 0;
        join_at(now + 15'100, edge_from(peers[i % 2], sent_at(now + 15'000, delay, w)));
        assert_ns_equal(tare_self.delay_ns, delay);
        assert_ns_equal(tare_self.delay_lo_ns, w.below_ns > delay ? 0 : delay - w.below_ns);
        assert_ns_equal(tare_self.delay_hi_ns, delay + w.above_ns);
        assert_int_equal(fake_clock::reads, 0);
        tool_enters_at(now + 16'000);
        assert_widths(tare_core_stamp(), delay - tare_self.delay_lo_ns, w.above_ns);
        tare_self.delay_hi_ns++;
        assert_widths(tare_core_stamp(), delay - tare_self.delay_lo_ns, w.above_ns + 1);
        tare_self.delay_hi_ns--;
        tare_self.delay_lo_ns = delay;
        assert_widths(tare_core_stamp(), 0, w.above_ns);
    }
}

// The sender was ready later on both clocks: its delay it is, whenever the message came.
void message_whose_time_does_not_matter_reads_no_clock_when_it_comes(void **)
{
    tool_enters_at(1000);
    fake_clock::reads = 0;
    assert_ns_equal(arrive_at(5100, new_peer(), sent_at(5000, 3000)).seen_ns, 0);
    assert_ns_equal(arrive_at(5100, new_peer(), sent_at(5000, 0)).seen_ns, 0);
    assert_ns_equal(arrive_at(1001, new_peer(), sent_at(900, 3000)).seen_ns, 0);
    assert_int_equal(fake_clock::reads, 0);
}

// Else the copy would be learned as part of the latency, and be there twice when the next message comes early.
void copy_of_a_large_message_is_no_part_of_its_latency(void **)
{
    const std::uint64_t peer = new_peer();
    const std::uint32_t of_8_kib = TARE_CLASS_EAGER + 13;
    tool_enters_at(1000);
    const tare_edge_t waited = arrive_at(5100, peer, sent_at(5000, 3000), of_8_kib);
    join_at(5700, waited);
    delay_is(500);
    tool_enters_at(10'000);
    const tare_edge_t early = arrive_at(10'001, peer, sent_at(9500, 0), of_8_kib);
    join_at(10'700, early);
    assert_ns_equal(tare_self.delay_ns, 400);
}

// Flags are set by anybody: there is no new peer for a test.
void forget_latencies() { tare::latencies = tare::latency_table(); }

tare_edge_t flag_edge(tare_wire_t wire, std::uint32_t size_class)
{
    tare_edge_t edge = edge_from(TARE_PEER_ANYBODY, wire);
    edge.size_class = size_class;
    return edge;
}

// Waited for once, when its setter was interrupted: the next one, which was early, did not take as long.
void flag_that_was_seldom_waited_for_takes_no_longer_than_flags_do(void **)
{
    forget_latencies();
    const std::uint32_t of_8_bytes = TARE_CLASS_FLAG + 3;
    enter_at(-50);
    join_at(8000, flag_edge(sent_at(0, 0), of_8_bytes));
    delay_is(100'000);
    enter_at(50'000);
    join_at(50'000, flag_edge(sent_at(20'000, 0), of_8_bytes));
    assert_ns_equal(tare_self.delay_ns, 30'000 - (tare::flag_seen_ns + 2));
}

// A call takes 700 until it looks, which its thread would have spent while it waited.
void flag_that_was_set_before_is_seen_when_the_thread_looks(void **)
{
    const std::uint32_t of_16_bytes = TARE_CLASS_FLAG + 4;
    delay_is(100'000);
    tool_enters_at(50'000);
    join_at(50'700, flag_edge(sent_at(20'000, 0), of_16_bytes));
    assert_ns_equal(tare_self.delay_ns, 30'700);
}

// The thread that is late takes 250 from its call to where it looks: so does the one that had set the flag, whose class
// was waited for once, long.
void flag_that_was_seldom_waited_for_takes_as_long_as_the_own_look(void **)
{
    forget_latencies();
    const std::uint32_t of_32_bytes = TARE_CLASS_FLAG + 5;
    enter_at(-50);
    join_at(8000, flag_edge(sent_at(0, 0), of_32_bytes));
    delay_is(100'000);
    tool_enters_at(50'000);
    join_at(50'250, flag_edge(sent_at(20'000, 0), of_32_bytes));
    delay_is(100'000);
    tool_enters_at(60'000);
    join_at(60'400, flag_edge(sent_at(40'000, 0), of_32_bytes));
    assert_ns_equal(tare_self.delay_ns, 20'400 - (250 + tare::flag_travels_ns + 8));
}

// The second flag of a call is looked for behind the first: that is no way from a call to a flag.
void only_the_first_flag_of_a_call_tells_how_long_a_look_takes(void **)
{
    forget_latencies();
    const std::uint32_t of_64_bytes = TARE_CLASS_FLAG + 6;
    delay_is(100'000);
    tool_enters_at(50'000);
    join_at(50'300, flag_edge(sent_at(20'000, 0), of_64_bytes + 1));
    tare_self.delay_ns = tare_self.delay_lo_ns = tare_self.delay_hi_ns = 100'000;
    join_at(50'310, flag_edge(sent_at(20'000, 0), of_64_bytes));
    assert_false(tare::latencies.get(tare::own_look, of_64_bytes).any);
    delay_is(100'000);
    tool_enters_at(60'000);
    join_at(60'300, flag_edge(sent_at(20'000, 0), of_64_bytes));
    assert_ns_equal(tare::latencies.get(tare::own_look, of_64_bytes).ns, 300);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test_setup(stamp_without_a_time_is_counted_and_bounded, active),
        cmocka_unit_test_setup(stamp_without_a_time_that_may_have_been_early_is_bounded_by_the_wait, active),
        cmocka_unit_test_setup(early_message_on_one_clock_is_not_unknown, active),
        cmocka_unit_test_setup(messages_say_which_was_sent_first_and_which_was_waited_for, accounted),
        cmocka_unit_test_setup(edges_that_are_no_dated_messages_were_not_sent, accounted),
        cmocka_unit_test_setup(nobody_asks_when_messages_were_sent_without_a_tool, active),
        cmocka_unit_test_setup(early_message_of_another_clock_is_placed_by_what_was_learned, active),
        cmocka_unit_test_setup(message_of_another_clock_found_at_once_teaches_nothing_exact, accounted),
        cmocka_unit_test_setup(message_of_another_clock_found_by_a_slow_first_poll_is_bounded, accounted),
        cmocka_unit_test_setup(message_faster_than_any_before_stays_within_the_bounds, active),
        cmocka_unit_test_setup(waitall_with_jitter_does_not_depend_on_order, active),
        cmocka_unit_test_setup(first_stamp_of_a_run_is_taken_over_and_bounded, active),
        cmocka_unit_test_setup(first_stamp_of_a_run_that_was_early_changes_nothing, active),
        cmocka_unit_test_setup(early_messages_alone_of_another_clock_are_placed_by_the_shortest, accounted),
        cmocka_unit_test_setup(messages_of_another_clock_that_came_before_are_placed_by_the_shortest, accounted),
        cmocka_unit_test_setup(early_message_of_an_unknown_clock_is_counted_and_bounded, active),
        cmocka_unit_test_setup(join_around_the_wrap_of_the_send_time, active),
        cmocka_unit_test_setup(bounds_of_a_waited_message_are_those_it_carries, active),
        cmocka_unit_test_setup(bounds_unbounded_on_the_wire_end_at_no_delay_and_at_the_wait, active),
        cmocka_unit_test_setup(bounds_of_an_early_message_reach_from_send_to_entry, active),
        cmocka_unit_test_setup(bounds_travel_rounded_outwards, active),
        cmocka_unit_test_setup(bounds_of_a_stamp_with_equal_delay_are_taken_over, active),
        cmocka_unit_test_setup(bounds_of_the_thread_end_with_a_wait_for_an_equal_delay, active),
        cmocka_unit_test_setup(stamp_of_the_future_does_not_move_the_compensated_clock, active),
        cmocka_unit_test_setup(stamp_of_the_future_with_the_same_delay_does_not_move_the_next_event, active),
        cmocka_unit_test_setup(stamp_of_the_future_teaches_nothing, active),
        cmocka_unit_test_setup(stamp_of_any_bits_changes_the_delay_by_no_more_than_it_can_say, active),
        cmocka_unit_test(bounds_of_a_stamp_of_any_bits_are_those_on_the_wire),
        cmocka_unit_test(transfer_of_any_class_is_a_time),
        cmocka_unit_test_setup(waited_message_is_there_when_it_comes_and_not_when_it_is_copied, active),
        cmocka_unit_test_setup(bounds_are_those_of_each_sender_in_turn, active),
        cmocka_unit_test_setup(message_whose_time_does_not_matter_reads_no_clock_when_it_comes, active),
        cmocka_unit_test_setup(copy_of_a_large_message_is_no_part_of_its_latency, active),
        cmocka_unit_test_setup(flag_that_was_seldom_waited_for_takes_no_longer_than_flags_do, accounted),
        cmocka_unit_test_setup(flag_that_was_set_before_is_seen_when_the_thread_looks, active),
        cmocka_unit_test_setup(flag_that_was_seldom_waited_for_takes_as_long_as_the_own_look, accounted),
        cmocka_unit_test_setup(only_the_first_flag_of_a_call_tells_how_long_a_look_takes, active),
    };
    return cmocka_run_group_tests_name("arrival", tests, nullptr, nullptr);
}
