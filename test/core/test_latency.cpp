// SPDX-License-Identifier: BSD-3-Clause
// The learned latency: a sliding minimum per peer and size class, in slots that others may take over.
#include "latency.hpp"

#include <thread>

#include "cmocka_cpp.hpp"

namespace {

constexpr std::uint64_t peer = UINT64_C(7) << 32 | 3;
constexpr std::int64_t window = tare::latency_table::window_ns;

tare::latency_table table;

int empty_table(void **)
{
    table = tare::latency_table{};
    return 0;
}

void learn(std::int64_t ns, std::int64_t now_ns, bool exact = false) { table.learn(peer, 0, ns, now_ns, exact); }
std::int64_t known_ns() { return table.get(peer, 0).ns; }

void latency_of_unknown_peer_is_not_known(void **)
{
    assert_false(table.get(peer, 0).any);
    assert_false(table.get(peer, 0).exact);
}

void latency_is_the_minimum_seen(void **)
{
    learn(500, 1);
    assert_true(table.get(peer, 0).any);
    assert_ns_equal(known_ns(), 500);
    learn(700, 2);
    assert_ns_equal(known_ns(), 500);
    learn(300, 3);
    assert_ns_equal(known_ns(), 300);
}

void latency_between_different_clocks_may_be_negative(void **)
{
    learn(400, 1);
    learn(-1'000'000, 2);
    assert_ns_equal(known_ns(), -1'000'000);
}

void latency_is_exact_once_one_message_was_waited_for(void **)
{
    learn(500, 1);
    assert_false(table.get(peer, 0).exact);
    learn(600, 2, true);
    assert_true(table.get(peer, 0).exact);
    learn(700, 3);
    assert_true(table.get(peer, 0).exact);
}

// Of this window or of the one before, whatever was merely seen.
void minimum_of_many_is_that_of_sixteen_messages_of_one_window(void **)
{
    for (int i = 0; i < 16; ++i) {
        learn(500, i);
        assert_false(table.is_minimum_of_many(peer, 0));
        learn(500, i, true);
    }
    assert_true(table.is_minimum_of_many(peer, 0));
    learn(900, window + 1, true);
    assert_true(table.is_minimum_of_many(peer, 0));
    learn(900, 2 * window + 2, true);
    assert_true(table.get(peer, 0).exact);
    assert_false(table.is_minimum_of_many(peer, 0));
}

void latency_of_each_class_and_peer_is_its_own(void **)
{
    table.learn(peer, 1, 100, 1, true);
    table.learn(peer, 2, 200, 1, false);
    table.learn(peer + 1, 1, 300, 1, false);
    assert_ns_equal(table.get(peer, 1).ns, 100);
    assert_ns_equal(table.get(peer, 2).ns, 200);
    assert_ns_equal(table.get(peer + 1, 1).ns, 300);
    assert_false(table.get(peer + 1, 1).exact);
}

// Clocks drift: after two windows the old minimum has gone, after one it has not.
void minimum_is_kept_for_one_window_and_forgotten_after_two(void **)
{
    learn(300, 0);
    learn(900, window);
    assert_ns_equal(known_ns(), 300);
    learn(800, window + 1);
    assert_ns_equal(known_ns(), 300);
    learn(850, 2 * window + 2);
    assert_ns_equal(known_ns(), 800);
}

// What is left then was seen, not waited for.
void latency_is_no_longer_exact_when_what_was_waited_for_is_forgotten(void **)
{
    learn(300, 0, true);
    learn(900, window + 1);
    assert_true(table.get(peer, 0).exact);
    learn(800, 2 * window + 2);
    assert_false(table.get(peer, 0).exact);
    assert_ns_equal(known_ns(), 800);
    learn(700, 2 * window + 3, true);
    assert_true(table.get(peer, 0).exact);
    learn(900, 5 * window);
    assert_false(table.get(peer, 0).exact);
    assert_ns_equal(known_ns(), 900);
}

void minimum_after_a_long_silence_is_forgotten_at_once(void **)
{
    learn(300, 0);
    learn(800, 2 * window + 1);
    assert_ns_equal(known_ns(), 800);
}

// The index of a slot is the table's own business: search for another peer that takes it.
std::uint64_t peer_of_the_same_slot()
{
    for (std::uint64_t other = peer + 1; other < peer + 1'000'000; ++other) {
        empty_table(nullptr);
        learn(300, 1, true);
        table.learn(other, 0, 900, 1, false);
        if (!table.get(peer, 0).any)
            return other;
    }
    return 0;
}

void slot_taken_over_by_another_peer_starts_learning_again(void **)
{
    const std::uint64_t other = peer_of_the_same_slot();
    assert_true(other != 0);
    assert_ns_equal(table.get(other, 0).ns, 900);
    assert_false(table.get(other, 0).exact);
    learn(500, 2);
    assert_ns_equal(known_ns(), 500);
    assert_false(table.get(peer, 0).exact);
    assert_false(table.get(other, 0).any);
}

// The same for another class of the same peer.
void slot_taken_over_by_another_class_starts_learning_again(void **)
{
    std::uint32_t other = 0;
    do {
        empty_table(nullptr);
        learn(300, 1, true);
        table.learn(peer, ++other, 900, 1, false);
    } while (table.get(peer, 0).any && other < 1'000'000);
    assert_ns_equal(table.get(peer, other).ns, 900);
    assert_false(table.get(peer, other).exact);
    assert_false(table.get(peer, 0).any);
}

// 16 ranks with ten classes each: what is lost to collisions is little.
void table_of_160_entries_keeps_most(void **)
{
    int kept = 0;
    for (std::uint64_t p = 0; p < 16; ++p)
        for (std::uint32_t c = 0; c < 10; ++c)
            table.learn(peer + p, c, 100 + static_cast<std::int64_t>(c), 1, false);
    for (std::uint64_t p = 0; p < 16; ++p)
        for (std::uint32_t c = 0; c < 10; ++c)
            kept += table.get(peer + p, c).any && table.get(peer + p, c).ns == 100 + c;
    assert_true(kept >= 144);
}

// Four threads learn of a peer each and read all: what is known was seen, and in the end it is the least.
constexpr std::uint64_t readers = 4;

void learn_and_read(std::uint64_t mine, bool *was_seen)
{
    for (std::int64_t i = 1000; i > 0; --i) {
        table.learn(peer + mine, 0, i, window, i % 2 == 0);
        for (std::uint64_t other = 0; other < readers; ++other) {
            const tare::latency l = table.get(peer + other, 0);
            *was_seen = *was_seen && (!l.any || (l.ns > 0 && l.ns <= 1000));
        }
    }
}

void table_used_by_several_threads_holds_what_was_seen(void **)
{
    static std::thread threads[readers];
    static bool was_seen[readers];
    for (std::uint64_t t = 0; t < readers; ++t) {
        was_seen[t] = true;
        threads[t] = std::thread(learn_and_read, t, &was_seen[t]);
    }
    for (std::thread &t : threads)
        t.join();
    for (std::uint64_t t = 0; t < readers; ++t) {
        assert_true(was_seen[t]);
        assert_ns_equal(table.get(peer + t, 0).ns, 1);
        assert_true(table.get(peer + t, 0).exact);
    }
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test_setup(latency_of_unknown_peer_is_not_known, empty_table),
        cmocka_unit_test_setup(latency_is_the_minimum_seen, empty_table),
        cmocka_unit_test_setup(latency_between_different_clocks_may_be_negative, empty_table),
        cmocka_unit_test_setup(latency_is_exact_once_one_message_was_waited_for, empty_table),
        cmocka_unit_test_setup(minimum_of_many_is_that_of_sixteen_messages_of_one_window, empty_table),
        cmocka_unit_test_setup(latency_of_each_class_and_peer_is_its_own, empty_table),
        cmocka_unit_test_setup(minimum_is_kept_for_one_window_and_forgotten_after_two, empty_table),
        cmocka_unit_test_setup(latency_is_no_longer_exact_when_what_was_waited_for_is_forgotten, empty_table),
        cmocka_unit_test_setup(minimum_after_a_long_silence_is_forgotten_at_once, empty_table),
        cmocka_unit_test_setup(slot_taken_over_by_another_peer_starts_learning_again, empty_table),
        cmocka_unit_test_setup(slot_taken_over_by_another_class_starts_learning_again, empty_table),
        cmocka_unit_test_setup(table_of_160_entries_keeps_most, empty_table),
        cmocka_unit_test_setup(table_used_by_several_threads_holds_what_was_seen, empty_table),
    };
    return cmocka_run_group_tests_name("latency", tests, nullptr, nullptr);
}
