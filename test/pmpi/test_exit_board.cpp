// SPDX-License-Identifier: BSD-3-Clause
// exit_board: the least of what is put for one operation, by whoever comes late, and where communicators are found.
#include "exit_board.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "cmocka_cpp.hpp"

using namespace tare::pmpi;

namespace {

std::int64_t least_of(least_exit &e, std::uint64_t operation, std::int64_t left_ns)
{
    std::int64_t least_ns = -1;
    assert_true(e.put(operation, left_ns, least_ns));
    return least_ns;
}

void least_so_far_is_told(void **)
{
    least_exit e{};
    assert_int_equal(least_of(e, 0, 100), 100);
    assert_int_equal(least_of(e, 0, 170), 100);
    assert_int_equal(least_of(e, 0, 100), 100);
    assert_int_equal(least_of(e, 0, 90), 90);
    assert_int_equal(least_of(e, 0, 95), 90);
}

void least_is_looked_up_again(void **)
{
    least_exit e{};
    std::int64_t least_ns = -1;
    assert_false(e.find(0, 100, least_ns));
    least_of(e, 8, 170);
    least_of(e, 8, 100);
    assert_true(e.find(8, 170, least_ns) && least_ns == 100);
    assert_true(e.find(8, -5, least_ns) && least_ns == 100);
    assert_false(e.find(0, 170, least_ns));
    assert_false(e.find(16, 170, least_ns));
}

void later_operation_takes_the_place(void **)
{
    least_exit e{};
    assert_int_equal(least_of(e, 8, 100), 100);
    assert_int_equal(least_of(e, 16, 500), 500);
    assert_int_equal(least_of(e, 16, 600), 500);
    assert_int_equal(least_of(e, 24, 400), 400);
}

void operation_that_is_behind_is_told_so(void **)
{
    least_exit e{};
    std::int64_t least_ns = -1;
    least_of(e, 16, 500);
    assert_false(e.put(8, 100, least_ns));
    assert_int_equal(least_of(e, 16, 501), 500);
}

// Compensated clocks begin anywhere.
void times_below_zero_and_around_the_wrap_are_compared(void **)
{
    constexpr std::int64_t wrap_ns = std::int64_t{1} << 48;
    for (const std::int64_t at : {std::int64_t{0}, -wrap_ns, wrap_ns, wrap_ns / 2, 3 * wrap_ns, INT64_C(1) << 60}) {
        least_exit e{};
        assert_true(least_of(e, 3, at + 5) == at + 5);
        assert_true(least_of(e, 3, at + 9) == at + 5);
        assert_true(least_of(e, 3, at - 7) == at - 7);
        assert_true(least_of(e, 3, at + 5) == at - 7);
        assert_true(least_of(e, 3, at - 7 + 39 * INT64_C(3'600'000'000'000)) == at - 7);
    }
}

void numbers_of_operations_wrap(void **)
{
    least_exit e{};
    for (std::uint64_t operation = 0; operation < 300'000; operation += 8) {
        const auto left_ns = static_cast<std::int64_t>(1'000'000 - operation);
        assert_int_equal(least_of(e, operation, left_ns), left_ns);
        assert_int_equal(least_of(e, operation, left_ns + 3), left_ns);
    }
}

// Whoever comes last in time is told the least of all, whatever the order in which they put.
void threads_put_at_once(void **)
{
    constexpr int threads = 4, operations = 20'000;
    auto exits = std::make_unique<exits_of_comm>();
    std::atomic<int> come{0};
    std::vector<std::int64_t> told(operations * threads);
    const auto left_ns = [](int operation, int thread) { return operation * 1000 + (operation * 7 + thread * 13) % 29; };
    const auto put_all = [&](int thread) {
        for (int i = 0; i < operations; i++) {
            const auto number = static_cast<std::uint64_t>(i);
            assert_true(exits->at(number).measured.put(number, left_ns(i, thread), told[static_cast<std::size_t>(i * threads + thread)]));
            for (come++; come < (i + 1) * threads;)
                std::this_thread::yield();
        }
    };
    std::vector<std::thread> all;
    for (int i = 0; i < threads; i++)
        all.emplace_back(put_all, i);
    for (std::thread &t : all)
        t.join();
    for (int i = 0; i < operations; i++) {
        std::int64_t least = INT64_MAX, least_told = INT64_MAX;
        for (int t = 0; t < threads; t++) {
            const std::int64_t one = told[static_cast<std::size_t>(i * threads + t)];
            assert_true(one <= left_ns(i, t));
            least = std::min<std::int64_t>(least, left_ns(i, t));
            least_told = std::min(least_told, one);
        }
        assert_true(least_told == least);
    }
}

void communicator_is_found_again_by_its_identity(void **)
{
    auto board = std::make_unique<exit_board>();
    std::mt19937_64 random(1);
    std::vector<std::uint64_t> identities = {0, UINT64_MAX};
    while (identities.size() < 2000)
        identities.push_back(random());
    std::vector<exits_of_comm *> places;
    for (const std::uint64_t identity : identities)
        places.push_back(board->find(identity));
    for (std::size_t i = 0; i < identities.size(); i++)
        assert_ptr_equal(board->find(identities[i]), places[i]);
    std::sort(places.begin(), places.end());
    assert_true(std::adjacent_find(places.begin(), places.end()) == places.end() && places.front() != nullptr);
}

// What finds no room finds none later: others would have been told that it is first.
void communicator_without_room_stays_so(void **)
{
    auto board = std::make_unique<exit_board>();
    for (std::uint64_t i = 1; i <= exit_board::most_looked_at; i++)
        assert_non_null(board->find(i * exit_board::places));
    for (int i = 0; i < 2; i++)
        assert_null(board->find((exit_board::most_looked_at + 1) * exit_board::places));
    assert_non_null(board->find(exit_board::places / 2));
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(least_so_far_is_told),
        cmocka_unit_test(least_is_looked_up_again),
        cmocka_unit_test(later_operation_takes_the_place),
        cmocka_unit_test(operation_that_is_behind_is_told_so),
        cmocka_unit_test(times_below_zero_and_around_the_wrap_are_compared),
        cmocka_unit_test(numbers_of_operations_wrap),
        cmocka_unit_test(threads_put_at_once),
        cmocka_unit_test(communicator_is_found_again_by_its_identity),
        cmocka_unit_test(communicator_without_room_stays_so),
    };
    return cmocka_run_group_tests_name("exit board", tests, nullptr, nullptr);
}
