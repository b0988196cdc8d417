// SPDX-License-Identifier: BSD-3-Clause
// Numbered messages: each thread counts its own, and is told by its log what it has received.
#include "core_state.hpp"

#include <initializer_list>
#include <thread>

#include "cmocka_cpp.hpp"

namespace {

constexpr std::uint32_t room = 2;
tare_received_t entries[room];
tare_received_log_t received;

int listening(void **)
{
    new_process();
    received = {entries, room, 0, 0};
    tare_core_log_received(&received);
    return 0;
}

template <typename F> void in_new_thread(F f) { std::thread(f).join(); }

tare_sender_t sender(std::uint64_t thread, std::uint64_t sequence, tare_wire_t wire)
{
    return {wire, thread << TARE_ORIGIN_SEQUENCE_BITS | sequence};
}

void numbers_of_a_thread_are_consecutive_from_one(void **)
{
    in_new_thread([] {
        assert_true(tare_core_sent() == 0);
        for (std::uint64_t i = 1; i <= 3; i++) {
            const std::uint64_t origin = tare_core_next_origin();
            assert_true(tare_origin_sequence(origin) == i);
            assert_true(tare_core_sent() == origin);
        }
    });
}

void threads_are_numbered_in_the_order_in_which_they_send(void **)
{
    std::uint32_t first = 0, second = 0;
    in_new_thread([&] { first = tare_origin_thread(tare_core_next_origin()); });
    in_new_thread([&] { second = tare_origin_thread(tare_core_next_origin()); });
    assert_true(second == first + 1);
}

void tools_number_of_a_thread_is_taken(void **)
{
    in_new_thread([] {
        tare_core_number_thread(7);
        assert_true(tare_core_next_origin() == (UINT64_C(7) << TARE_ORIGIN_SEQUENCE_BITS | 1));
        tare_core_number_thread(0);
        assert_true(tare_core_next_origin() == 2);
    });
}

void number_that_does_not_fit_is_unknown(void **)
{
    in_new_thread([] {
        for (const std::uint32_t number : {65535u, 65536u, UINT32_MAX}) {
            tare_core_number_thread(number);
            assert_true(tare_origin_thread(tare_core_next_origin()) == TARE_ORIGIN_THREAD_UNKNOWN);
        }
        tare_core_number_thread(65534);
        assert_true(tare_origin_thread(tare_core_next_origin()) == 65534);
    });
}

void log_has_what_the_message_brought(void **)
{
    const tare_sender_t s = sender(3, (UINT64_C(1) << 47) + 1, sent_at(500, -20));
    at(900);
    tare_core_received(&s, 0x6c000001, 1);
    assert_true(received.count == 1 && received.lost == 0);
    assert_true(entries[0].request == 0x6c000001);
    assert_true(entries[0].thread == 3);
    assert_true(entries[0].sequence == (UINT64_C(1) << 47) + 1);
    assert_ns_equal(entries[0].delay_ns, -20);
    assert_ns_equal(entries[0].sent_ns, origin_ns + 500);
}

void time_of_another_clock_is_not_told(void **)
{
    const tare_sender_t s = sender(1, 1, sent_at(500, 20));
    tare_core_received(&s, 0, 0);
    assert_ns_equal(entries[0].delay_ns, 20);
    assert_ns_equal(entries[0].sent_ns, 0);
}

void stamp_without_time_has_none_in_the_log(void **)
{
    const tare_sender_t s = sender(1, 1, tare_wire_muted());
    tare_core_received(&s, 0, 1);
    assert_ns_equal(entries[0].sent_ns, 0);
}

void what_does_not_fit_into_the_log_is_counted(void **)
{
    for (std::uint64_t i = 1; i <= 5; i++) {
        const tare_sender_t s = sender(1, i, sent_at(500, 0));
        tare_core_received(&s, 0, 1);
    }
    assert_true(received.count == room && received.lost == 3);
    assert_true(entries[0].sequence == 1 && entries[1].sequence == 2);
}

void thread_without_a_log_keeps_nothing(void **)
{
    const tare_sender_t s = sender(1, 1, sent_at(500, 0));
    in_new_thread([&] { tare_core_received(&s, 0, 1); });
    tare_core_log_received(nullptr);
    tare_core_received(&s, 0, 1);
    assert_true(received.count == 0 && received.lost == 0);
}

void numbering_reads_no_clock_and_changes_no_delay(void **)
{
    new_active_process();
    delay_is(300);
    const std::uint64_t reads = fake_clock::reads;
    tare_core_next_origin();
    assert_true(fake_clock::reads == reads);
    const tare_sender_t s = sender(1, 1, sent_at(500, 900));
    tare_core_received(&s, 0, 1);
    assert_ns_equal(tare_self.delay_ns, 300);
}

void process_that_numbers_its_messages_is_active(void **)
{
    tare_core_configure(TARE_MODE_HEADER, TARE_RULE_EXACT, 1);
    assert_true(!tare_global.live && !tare_global.numbered);
    tare_core_number_messages(0);
    assert_true(!tare_global.live && !tare_global.numbered);
    tare_core_number_messages(1);
    assert_true(tare_global.live && tare_global.numbered == 1);
}

void table_offers_it_behind_what_was_there(void **)
{
    assert_true(tare_core_table.size >= offsetof(tare_transport_v1_table_t, log_received) + sizeof(void *));
    assert_true(tare_core_table.number_thread == tare_core_number_thread);
    assert_true(tare_core_table.sent == tare_core_sent);
    assert_true(tare_core_table.log_received == tare_core_log_received);
    assert_true(offsetof(tare_transport_v1_table_t, number_thread) ==
                offsetof(tare_transport_v1_table_t, inherit) + sizeof(void *));
}

}  // namespace

int main()
{
#define TEST(name) cmocka_unit_test_setup(name, listening)
    const CMUnitTest tests[] = {
        TEST(numbers_of_a_thread_are_consecutive_from_one),
        TEST(threads_are_numbered_in_the_order_in_which_they_send),
        TEST(tools_number_of_a_thread_is_taken),
        TEST(number_that_does_not_fit_is_unknown),
        TEST(log_has_what_the_message_brought),
        TEST(time_of_another_clock_is_not_told),
        TEST(stamp_without_time_has_none_in_the_log),
        TEST(what_does_not_fit_into_the_log_is_counted),
        TEST(thread_without_a_log_keeps_nothing),
        TEST(numbering_reads_no_clock_and_changes_no_delay),
        TEST(process_that_numbers_its_messages_is_active),
        TEST(table_offers_it_behind_what_was_there),
    };
    return cmocka_run_group_tests_name("origin", tests, nullptr, nullptr);
}
