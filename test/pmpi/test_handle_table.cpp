// SPDX-License-Identifier: BSD-3-Clause
// handle_table against a plain list, over handles that collide.
#include "handle_hash.hpp"

#include "cmocka_cpp.hpp"

using table = tare::pmpi::handle_table<int, int>;

namespace {

void empty_table_finds_and_takes_nothing(void **)
{
    table t;
    assert_int_equal(t.size(), 0);
    assert_int_equal(t.find(1), 0);
    assert_int_equal(t.take(1), 0);
}

void value_put_is_found_until_taken(void **)
{
    table t;
    t.put(7, 70);
    assert_int_equal(t.find(7), 70);
    assert_int_equal(t.find(8), 0);
    assert_int_equal(t.take(7), 70);
    assert_int_equal(t.take(7), 0);
    assert_int_equal(t.size(), 0);
}

void value_is_put_only_if_its_handle_is_new(void **)
{
    table t;
    assert_int_equal(t.put_if_new(7, 70), 0);
    assert_int_equal(t.put_if_new(7, 71), 70);
    assert_int_equal(t.find(7), 70);
    assert_int_equal(t.size(), 1);
    for (int i = 8; i < 1000; i++)
        assert_int_equal(t.put_if_new(i, 10 * i), 0);
    for (int i = 7; i < 1000; i++)
        assert_int_equal(t.put_if_new(i, 1), 10 * i);
    assert_int_equal(t.size(), 993);
}

void growing_table_keeps_everything(void **)
{
    table t;
    for (int i = 1; i <= 20000; i++)
        t.put(i * 16, i);
    assert_int_equal(t.size(), 20000);
    for (int i = 20000; i >= 1; i--)
        assert_int_equal(t.take(i * 16), i);
    assert_int_equal(t.size(), 0);
}

// Random puts and takes over few handles: a gap that was closed wrongly loses one of them.
void random_puts_and_takes_as_a_plain_list(void **)
{
    enum { handles = 60 };
    static int present[handles];
    table t;
    uint32_t random = 12345;
    for (int step = 1; step <= 200000; step++) {
        random = random * 1664525u + 1013904223u;
        const int h = static_cast<int>(random >> 16) % handles;
        if (random & 0x4000u) {
            assert_int_equal(t.put_if_new(h, step), present[h]);
            present[h] = present[h] != 0 ? present[h] : step;
        } else if (present[h] == 0 && (random & 0x8000u)) {
            t.put(h, step);
            present[h] = step;
        } else if (present[h] != 0) {
            assert_int_equal(t.take(h), present[h]);
            present[h] = 0;
        }
        assert_int_equal(t.find(h), present[h]);
    }
    for (int h = 0; h < handles; h++)
        assert_int_equal(t.find(h), present[h]);
}

// A handle that counts how often it is compared.
struct counted {
    std::uint64_t bits;
    static long comparisons;
};
long counted::comparisons;
bool operator==(counted a, counted b)
{
    counted::comparisons++;
    return a.bits == b.bits;
}

struct measured {
    long wrong;
    double comparisons;      // of each handle, on average
};

// Puts a million handles, finds them and takes them out.
measured use_million_handles(std::uint64_t (*nth_handle)(std::uint64_t))
{
    enum { n = 1000000 };
    tare::pmpi::handle_table<counted, int> t;
    measured m{};
    counted::comparisons = 0;
    for (int i = 1; i <= n; i++)
        t.put(counted{nth_handle(static_cast<std::uint64_t>(i))}, i);
    for (int i = 1; i <= n; i++)
        m.wrong += t.find(counted{nth_handle(static_cast<std::uint64_t>(i))}) != i;
    for (int i = 1; i <= n; i++)
        m.wrong += t.take(counted{nth_handle(static_cast<std::uint64_t>(i))}) != i;
    m.comparisons = static_cast<double>(counted::comparisons) / n;
    return m;
}

std::uint64_t number_in_blocks(std::uint64_t i) { return UINT64_C(0xac000000) | i / 1024 << 12 | i % 1024; }
std::uint64_t address(std::uint64_t i) { return UINT64_C(0x7f1200000080) + 640 * i; }

// Each is compared twice where no other is in its way.
void million_handles_are_found_at_once(void **)
{
    for (const auto nth_handle : {number_in_blocks, address}) {
        const measured m = use_million_handles(nth_handle);
        assert_int_equal(m.wrong, 0);
        assert_true(m.comparisons < 8);
    }
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(empty_table_finds_and_takes_nothing),
        cmocka_unit_test(value_put_is_found_until_taken),
        cmocka_unit_test(growing_table_keeps_everything),
        cmocka_unit_test(random_puts_and_takes_as_a_plain_list),
        cmocka_unit_test(million_handles_are_found_at_once),
    };
    return cmocka_run_group_tests_name("handle_table", tests, nullptr, nullptr);
}
