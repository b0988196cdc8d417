// SPDX-License-Identifier: BSD-3-Clause
// What a thread finds its regions' sums by.
#include "sum_table.hpp"

#include <vector>

#include "cmocka_cpp.hpp"

using namespace tare;

namespace {

constexpr std::size_t most = 5000;
accumulator sums[most];

// Keys of all kinds: functions are 16 bytes apart, regions further, and code that was made small lies anywhere.
const void *key(std::size_t i, std::size_t apart) { return reinterpret_cast<const char *>(0x401000) + i * apart; }

accumulator *found(const sum_table &t, const void *of)
{
    accumulator *sum;
    assert_true(t.find(of, sum));
    return sum;
}

void assert_all_are_found(const sum_table &t, std::size_t apart, std::size_t count)
{
    for (std::size_t i = 0; i < count; i++)
        assert_ptr_equal(found(t, key(i, apart)), &sums[i]);
    assert_false(t.knows(key(count, apart)));
}

}  // namespace

static void empty_table_is_not_ready(void **)
{
    sum_table t = {};
    assert_false(t.is_ready());
    assert_false(t.knows(key(0, 16)));
    t.drop();
}

static void every_key_is_found_while_the_table_grows(void **)
{
    for (const std::size_t apart : {std::size_t{1}, std::size_t{16}, std::size_t{56}, std::size_t{4096}}) {
        sum_table t = {};
        for (std::size_t i = 0; i < most; i++) {
            t.add(key(i, apart), &sums[i]);
            if (i < 300 || i % 500 == 0)
                assert_all_are_found(t, apart, i + 1);
        }
        assert_all_are_found(t, apart, most);
        t.drop();
    }
}

static void key_that_is_there_keeps_its_sum(void **)
{
    sum_table t = {};
    t.add(key(1, 16), &sums[1]);
    t.add(key(1, 16), &sums[2]);
    assert_ptr_equal(found(t, key(1, 16)), &sums[1]);
    t.drop();
}

static void nothing_is_not_found(void **)
{
    sum_table t = {};
    t.add(key(0, 16), &sums[0]);
    t.add(nullptr, &sums[1]);
    assert_false(t.knows(nullptr));
    t.drop();
}

static void dropped_table_begins_anew(void **)
{
    sum_table t = {};
    for (std::size_t i = 0; i < most; i++)
        t.add(key(i, 16), &sums[i]);
    t.drop();
    assert_false(t.is_ready());
    t.add(key(7, 16), &sums[7]);
    assert_ptr_equal(found(t, key(7, 16)), &sums[7]);
    assert_false(t.knows(key(8, 16)));
    t.drop();
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(empty_table_is_not_ready),
        cmocka_unit_test(every_key_is_found_while_the_table_grows),
        cmocka_unit_test(key_that_is_there_keeps_its_sum),
        cmocka_unit_test(nothing_is_not_found),
        cmocka_unit_test(dropped_table_begins_anew),
    };
    return cmocka_run_group_tests_name("sum_table", tests, nullptr, nullptr);
}
