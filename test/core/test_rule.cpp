// SPDX-License-Identifier: BSD-3-Clause
// Rule (R) on cases small enough to be computed by hand. Invariants of random programs are in properties.cpp.
#include "rule.hpp"

#include <algorithm>

#include "cmocka_cpp.hpp"

namespace {

using tare::edge;
using tare::join;
using tare::rule;

constexpr std::int64_t ms = 1'000'000;

std::int64_t delay_after(rule r, edge self, edge message)
{
    join j(self);
    j.apply(r, message);
    return j.delay_ns();
}

// w = 72, D_r = 0: the sender's 30 were all waited for.
void receive_waited_for_takes_the_sender_delay(void **)
{
    join j({10, 0});
    j.apply(rule::exact, {82, 30});
    assert_ns_equal(j.event_ns(), 82);
    assert_ns_equal(j.delay_ns(), 30);
}

// w = 5 is all that the receiver can be late because of the message.
void receive_waited_less_than_sender_delay_is_delayed_by_the_wait(void **)
{
    assert_ns_equal(delay_after(rule::exact, {77, 4}, {82, 30}), 4 + 5);
}

// min(D_r, D_s + slack) on either side of where they meet.
void receive_early_message_is_delayed_at_most_by_delay_and_slack(void **)
{
    assert_ns_equal(delay_after(rule::exact, {80, 30}, {12, 0}), 30);
    assert_ns_equal(delay_after(rule::exact, {80, 30}, {60, 0}), 20);
    assert_ns_equal(delay_after(rule::exact, {80, 30}, {60, 10}), 30);
    assert_ns_equal(delay_after(rule::exact, {80, 30}, {60, 9}), 29);
}

void receive_early_message_does_not_move_the_event(void **)
{
    join j({80, 30});
    j.apply(rule::exact, {12, 0});
    assert_ns_equal(j.event_ns(), 80);
}

void receive_negative_delays_are_like_others(void **)
{
    assert_ns_equal(delay_after(rule::exact, {10, -7}, {50, -20}), -20);
    assert_ns_equal(delay_after(rule::exact, {50, -7}, {10, -60}), -20);
}

void wait_alone_leaves_the_delay(void **)
{
    const join j({123, 45});
    assert_ns_equal(j.event_ns(), 123);
    assert_ns_equal(j.delay_ns(), 45);
}

void published_waited_message_agrees_with_exact(void **)
{
    assert_ns_equal(delay_after(rule::published, {10, 0}, {82, 30}), 30);
    assert_ns_equal(delay_after(rule::published, {77, 4}, {82, 30}), 9);
}

void published_early_message_has_no_slack(void **)
{
    assert_ns_equal(delay_after(rule::published, {80, 30}, {12, 0}), 0);
    assert_ns_equal(delay_after(rule::published, {80, 30}, {12, 40}), 30);
}

// D' = min(D_1, D_2, D_r + w) and the event is the last arrival.
void published_several_messages_take_the_smallest(void **)
{
    join j({10, 0});
    j.apply(rule::published, {40, 20});
    j.apply(rule::published, {30, 25});
    assert_ns_equal(j.event_ns(), 40);
    assert_ns_equal(j.delay_ns(), 20);
}

void local_message_changes_nothing(void **)
{
    assert_ns_equal(delay_after(rule::local, {10, 3}, {82, 30}), 3);
    assert_ns_equal(delay_after(rule::local, {80, 30}, {12, 0}), 30);
}

void local_waited_message_moves_the_event(void **)
{
    join j({10, 3});
    j.apply(rule::local, {82, 30});
    assert_ns_equal(j.event_ns(), 82);
}

void at_event_edge_has_no_slack(void **)
{
    join j({10, 5});
    j.apply({100, 90});
    j.apply_at_event(40);
    assert_ns_equal(j.delay_ns(), 40);
    j.apply_at_event(60);
    assert_ns_equal(j.delay_ns(), 40);
}

void at_least_later_than_all_edges_moves_the_event(void **)
{
    join j({10, 5});
    j.at_least(30);
    assert_ns_equal(j.event_ns(), 30);
    assert_ns_equal(j.delay_ns(), 25);
    j.at_least(20);
    assert_ns_equal(j.event_ns(), 30);
}

// E = 100; min(5 + 90, 70 + 0, 0 + 40, 20 + 60).
void waitall_slack_counts_from_the_completion(void **)
{
    join j({10, 5});
    j.apply({100, 70});
    j.apply({60, 0});
    j.apply({40, 20});
    assert_ns_equal(j.event_ns(), 100);
    assert_ns_equal(j.delay_ns(), 40);
}

void waitall_any_order_gives_the_same(void **)
{
    edge edges[] = {{10, 3}, {60, 0}, {100, 70}, {100, 69}, {40, -20}};
    int order[] = {0, 1, 2, 3, 4};
    do {
        join j({50, 12});
        for (int i : order)
            j.apply(edges[i]);
        assert_ns_equal(j.delay_ns(), 40);
    } while (std::next_permutation(order, order + 5));
}

void edge_applied_twice_is_applied_once(void **)
{
    const rule rules[] = {rule::exact, rule::published, rule::local};
    for (rule r : rules) {
        join once({50, 12});
        once.apply(r, {100, 40});
        join twice = once;
        twice.apply(r, {100, 40});
        assert_ns_equal(twice.delay_ns(), once.delay_ns());
        assert_ns_equal(twice.event_ns(), once.event_ns());
    }
}

// D_M = min(D_post + E - t_post, D_s + E - t_RTS, D_p + E - t_p).
std::int64_t match(edge post, edge rts, edge poll)
{
    join j(poll);
    j.apply(post);
    j.apply(rts);
    return j.delay_ns();
}

void rendezvous_match_is_delayed_by_its_latest_edge(void **)
{
    assert_ns_equal(match({100, 7}, {50, 40}, {60, 45}), 7);
    assert_ns_equal(match({50, 7}, {100, 9}, {60, 45}), 9);
    assert_ns_equal(match({50, 7}, {60, 9}, {100, 11}), 11);
    assert_ns_equal(match({50, 0}, {60, 0}, {100, 90}), 40);
}

// Irecv at 0; RTS at 1 during 20 ms of work of which 10 are overhead; Wait. Without measurement, Wait would have
// begun at 10. Without the poll's own edge the event would be the RTS, or, at the time of the Wait, the slack alone.
void rendezvous_rts_during_instrumented_work_is_delayed_by_the_poll(void **)
{
    const edge post{0, 0}, rts{1 * ms, 0}, poll{20 * ms, 10 * ms};
    assert_ns_equal(match(post, rts, poll), 10 * ms);
    join no_poll(post);
    no_poll.apply(rts);
    assert_ns_equal(no_poll.delay_ns(), 0);
    no_poll.at_least(poll.ready_ns);
    assert_ns_equal(no_poll.delay_ns(), 19 * ms);
}

// Isend at 0, CTS at 1 during 20 ms of work of which 10 are overhead, Wait at 20: DATA leaves then, 10 late. The
// receiver blocks since 0. Without the delay on DATA only the RTS and the match are known, which had none.
void rendezvous_data_after_instrumented_work_delays_the_receiver(void **)
{
    join data({20 * ms, 10 * ms});
    data.apply({1 * ms, 0});
    assert_ns_equal(data.delay_ns(), 10 * ms);
    assert_ns_equal(delay_after(rule::exact, {0, 0}, {data.event_ns(), data.delay_ns()}), 10 * ms);
    assert_ns_equal(delay_after(rule::exact, {0, 0}, {data.event_ns(), 0}), 0);
}

// D_S' = min(D_w + max(0, t_CTS - t_w), D_M + max(0, t_w - t_CTS)).
void rendezvous_sender_is_delayed_by_the_receiver_that_it_waited_for(void **)
{
    assert_ns_equal(delay_after(rule::exact, {10, 0}, {100, 55}), 55);
    assert_ns_equal(delay_after(rule::exact, {100, 55}, {90, 5}), 15);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(receive_waited_for_takes_the_sender_delay),
        cmocka_unit_test(receive_waited_less_than_sender_delay_is_delayed_by_the_wait),
        cmocka_unit_test(receive_early_message_is_delayed_at_most_by_delay_and_slack),
        cmocka_unit_test(receive_early_message_does_not_move_the_event),
        cmocka_unit_test(receive_negative_delays_are_like_others),
        cmocka_unit_test(wait_alone_leaves_the_delay),
        cmocka_unit_test(published_waited_message_agrees_with_exact),
        cmocka_unit_test(published_early_message_has_no_slack),
        cmocka_unit_test(published_several_messages_take_the_smallest),
        cmocka_unit_test(local_message_changes_nothing),
        cmocka_unit_test(local_waited_message_moves_the_event),
        cmocka_unit_test(at_event_edge_has_no_slack),
        cmocka_unit_test(at_least_later_than_all_edges_moves_the_event),
        cmocka_unit_test(waitall_slack_counts_from_the_completion),
        cmocka_unit_test(waitall_any_order_gives_the_same),
        cmocka_unit_test(edge_applied_twice_is_applied_once),
        cmocka_unit_test(rendezvous_match_is_delayed_by_its_latest_edge),
        cmocka_unit_test(rendezvous_rts_during_instrumented_work_is_delayed_by_the_poll),
        cmocka_unit_test(rendezvous_data_after_instrumented_work_delays_the_receiver),
        cmocka_unit_test(rendezvous_sender_is_delayed_by_the_receiver_that_it_waited_for),
    };
    return cmocka_run_group_tests_name("rule", tests, nullptr, nullptr);
}
