// SPDX-License-Identifier: BSD-3-Clause
// Who listens is told of every stamp and of every wait that changed the delay; all else stays as it was.
#include "core_state.hpp"

#include <vector>

#include "cmocka_cpp.hpp"

namespace {

std::vector<tare_stamp_event_t> stamps;
std::vector<tare_wait_event_t> waits;
const tare_listener_t all = {[](const tare_stamp_event_t *e) { stamps.push_back(*e); },
                             [](const tare_wait_event_t *e) { waits.push_back(*e); }};
std::uint64_t peer;

int active(void **)
{
    tare_core_listen(nullptr);
    peer = peer_at_100_ns();
    stamps.clear();
    waits.clear();
    return 0;
}

void arrive(tare_edge_t &e, std::int64_t sent_ns, std::int64_t delay_ns)
{
    tare_core_arrive(&e, sent_at(sent_ns, delay_ns), peer, TARE_CLASS_EAGER, TARE_EDGE_SAME_CLOCK);
}

// Waits since 1000 for what is sent at 1500.
void wait_for_a_message(std::int64_t delay_here, std::int64_t delay_there)
{
    tare_edge_t e{};
    delay_is(delay_here);
    enter_at(1000);
    at(1600);
    arrive(e, 1500, delay_there);
    tare_core_join(&e);
}

void message_is_a_stamp_and_a_wait(void **)
{
    tare_core_listen(&all);
    wait_for_a_message(900, 300);
    assert_true(stamps.size() == 1 && waits.size() == 1);
    assert_ns_equal(stamps[0].delay_ns, 300);
    assert_ns_equal(stamps[0].sent_ns, origin_ns + 1500);
    assert_true(stamps[0].peer == peer);
    assert_ns_equal(waits[0].entered_ns, origin_ns + 1000);
    assert_ns_equal(waits[0].ended_ns, origin_ns + 1600);
    assert_ns_equal(waits[0].delay_before_ns, 900);
    assert_ns_equal(waits[0].delay_ns, 300);
    assert_ns_equal(waits[0].edge.delay_ns, 300);
    assert_ns_equal(waits[0].edge.sent_ns, origin_ns + 1500);
    assert_true(waits[0].edge.peer == peer);
}

void wait_that_changes_nothing_is_not_told(void **)
{
    tare_core_listen(&all);
    wait_for_a_message(300, 300);
    assert_true(stamps.size() == 1 && waits.empty());
}

void who_does_not_listen_any_more_is_not_told(void **)
{
    tare_core_listen(&all);
    tare_core_listen(nullptr);
    wait_for_a_message(900, 300);
    assert_true(stamps.empty() && waits.empty());
}

void listening_changes_no_delay(void **)
{
    for (const std::int64_t here : {0, 300, 900})
        for (const std::int64_t there : {0, 300, 900}) {
            tare_core_listen(nullptr);
            wait_for_a_message(here, there);
            const std::int64_t alone = tare_self.delay_ns;
            tare_core_listen(&all);
            wait_for_a_message(here, there);
            assert_ns_equal(tare_self.delay_ns, alone);
        }
}

void tool_that_reads_waits_goes_on_reading(void **)
{
    tare_global.account_waits = 1;
    tare_core_listen(&all);
    tare_core_listen(nullptr);
    assert_true(tare_global.account_waits == 1);
}

void first_stamp_of_the_process_is_told(void **)
{
    new_process();
    tare_core_listen(&all);
    tare_edge_t e{};
    at(1600);
    arrive(e, 1500, 300);
    assert_true(stamps.size() == 1 && waits.size() == 1);
    assert_ns_equal(waits[0].delay_ns, 300);
    assert_true(tare_global.active == (1 | TARE_LISTENED));
}

void packet_of_a_window_is_a_stamp(void **)
{
    tare_core_listen(&all);
    tare_wire_t state = {0, 0};
    delay_is(900);
    enter_at(1000);
    at(1600);
    tare_core_deposit(&state, sent_at(1500, 300), peer, TARE_CLASS_EAGER, TARE_EDGE_SAME_CLOCK);
    tare_core_join_deposits(&state);
    assert_true(stamps.size() == 1 && waits.size() == 1);
    assert_ns_equal(waits[0].delay_ns, 300);
    assert_ns_equal(waits[0].edge.delay_ns, 300);
    assert_true(waits[0].edge.peer == TARE_PEER_ANYBODY);
}

void tools_own_messages_are_told_to_nobody(void **)
{
    tare_core_listen(&all);
    tare_edge_t e{};
    tare_core_arrive(&e, tare_wire_muted(), peer, TARE_CLASS_EAGER, TARE_EDGE_SAME_CLOCK);
    assert_true(stamps.empty());
}

}  // namespace

int main()
{
#define TEST(name) cmocka_unit_test_setup(name, active)
    const CMUnitTest tests[] = {
        TEST(message_is_a_stamp_and_a_wait),
        TEST(wait_that_changes_nothing_is_not_told),
        TEST(who_does_not_listen_any_more_is_not_told),
        TEST(listening_changes_no_delay),
        TEST(tool_that_reads_waits_goes_on_reading),
        TEST(first_stamp_of_the_process_is_told),
        TEST(packet_of_a_window_is_a_stamp),
        TEST(tools_own_messages_are_told_to_nobody),
    };
    return cmocka_run_group_tests_name("listener", tests, nullptr, nullptr);
}
