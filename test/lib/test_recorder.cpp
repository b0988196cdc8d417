// SPDX-License-Identifier: BSD-3-Clause
// The arithmetic of the recorder, with time and delay made up.
#include "recorder.hpp"

#include <random>

#include "cmocka_cpp.hpp"

using namespace tare;

namespace {

// Regions are only compared by address.
int names[2000];
const void *region_at(int i) { return &names[i]; }

// One recorder with a clock and a delay that tests move.
struct bench {
    recorder record;
    sample now{};
    accumulator *sums[2000] = {};        // of the regions that were entered

    void pass(std::int64_t ns, std::int64_t overhead_ns = 0)
    {
        now.v[c_time] += ns;
        now.v[c_delay] += overhead_ns;
        now.v[c_delay_lo] += overhead_ns;
        now.v[c_delay_hi] += overhead_ns;
    }
    void enter(int i)
    {
        record.begin();
        frame &f = record.push(region_at(i), static_cast<std::uint32_t>(i));
        f.start = now;
        sums[i] = f.sum;
        record.end();
    }
    void leave()
    {
        record.begin();
        record.pop(now);
        record.end();
    }
    // The region must have been entered before.
    void enter_quickly(int i)
    {
        record.begin();
        record.push_known(record.top_frame(), region_at(i), sums[i])->start = now;
        record.end();
    }
    void leave_quickly()
    {
        record.begin();
        record.pop_known(record.top_frame(), packed_sample(now));
        record.end();
    }
    accumulator sum(int i)
    {
        return record.copy([this] { return now; }).sums[static_cast<std::size_t>(i)];
    }
};

bench *b;

int make_bench(void **)
{
    b = new bench;
    return 0;
}

int drop_bench(void **)
{
    delete b;
    return 0;
}

std::int64_t measured_incl(int i) { return b->sum(i).inclusive.v[c_time]; }
std::int64_t measured_excl(int i) { return b->sum(i).exclusive.v[c_time]; }
std::int64_t removed_incl(int i) { return b->sum(i).inclusive.v[c_delay]; }
std::int64_t removed_excl(int i) { return b->sum(i).exclusive.v[c_delay]; }

}  // namespace

static void child_time_is_inclusive_in_the_parent_only(void **)
{
    b->enter(0);
    b->pass(100);
    b->enter(1);
    b->pass(30, 7);
    b->leave();
    b->pass(5);
    b->leave();
    assert_int_equal(measured_incl(0), 135);
    assert_int_equal(measured_excl(0), 105);
    assert_int_equal(measured_incl(1), 30);
    assert_int_equal(removed_incl(0), 7);
    assert_int_equal(removed_excl(0), 0);
    assert_int_equal(removed_excl(1), 7);
    assert_int_equal(b->sum(0).subrs, 1);
    assert_int_equal(b->sum(1).calls, 1);
}

static void recursion_counts_inclusive_time_once(void **)
{
    for (int depth = 0; depth < 5; depth++) {
        b->enter(0);
        b->pass(10, 1);
    }
    for (int depth = 0; depth < 5; depth++)
        b->leave();
    assert_int_equal(measured_incl(0), 50);
    assert_int_equal(measured_excl(0), 50);
    assert_int_equal(removed_incl(0), 5);
    assert_int_equal(b->sum(0).calls, 5);
    assert_int_equal(b->sum(0).subrs, 4);
}

static void mutual_recursion_counts_inclusive_time_once(void **)
{
    for (int i = 0; i < 6; i++) {
        b->enter(i % 2);
        b->pass(10);
    }
    for (int i = 0; i < 6; i++)
        b->leave();
    assert_int_equal(measured_incl(0), 60);
    assert_int_equal(measured_incl(1), 50);
    assert_int_equal(measured_excl(0) + measured_excl(1), 60);
}

static void open_region_counts_up_to_now_in_a_copy(void **)
{
    b->enter(0);
    b->pass(10);
    b->enter(1);
    b->pass(20, 3);
    assert_int_equal(measured_incl(0), 30);
    assert_int_equal(measured_excl(0), 10);
    assert_int_equal(measured_incl(1), 20);
    b->leave();
    b->pass(1);
    b->leave();
    assert_int_equal(measured_incl(0), 31);
    assert_int_equal(removed_incl(0), 3);
}

static void unrecorded_region_belongs_to_the_one_around(void **)
{
    b->enter(0);
    b->pass(10);
    b->record.push_unrecorded(region_at(1));
    b->pass(5);
    b->enter(2);
    b->pass(3);
    b->leave();
    b->leave();
    b->leave();
    assert_int_equal(measured_incl(0), 18);
    assert_int_equal(measured_excl(0), 15);
    assert_int_equal(b->sum(1).calls, 0);
    assert_int_equal(measured_incl(2), 3);
    assert_int_equal(b->record.depth(), 0);
}

// The hot path's own enter and leave.
static void quick_way_sums_up_the_same(void **)
{
    constexpr int regions = 7;
    std::mt19937 random(20);
    bench other;
    for (int i = 0; i < regions; i++) {
        b->enter(i);
        other.enter(i);
    }
    for (int i = 0; i < 20000; i++) {
        for (int c = 0; c < counter_count; c++)
            b->now.v[c] += static_cast<std::int64_t>(random() % 1000) - 300;
        other.now = b->now;
        const int region = static_cast<int>(random() % regions);
        if (random() % 2 == 0 && b->record.depth() < 200) {
            b->enter(region);
            other.enter_quickly(region);
        } else if (b->record.depth() > regions) {
            b->leave();
            other.leave_quickly();
        }
        assert_int_equal(other.record.depth(), b->record.depth());
    }
    const recorded slow = b->record.copy([] { return b->now; });
    const recorded quick = other.record.copy([&other] { return other.now; });
    for (int i = 0; i < regions; i++)
        assert_memory_equal(&quick.sums[static_cast<std::size_t>(i)], &slow.sums[static_cast<std::size_t>(i)],
                            sizeof(accumulator));
}

static void quick_way_is_for_what_is_inside_of_what_is_recorded(void **)
{
    b->enter(0);
    assert_false(recorder::is_inside(b->record.top_frame()));
    b->enter(1);
    assert_true(recorder::is_inside(b->record.top_frame()));
    b->record.push_unrecorded(region_at(2));
    assert_false(b->record.is_recorded());
    b->enter(3);
    assert_false(recorder::is_inside(b->record.top_frame()));
    while (b->record.depth() < 255)
        b->enter(4);
    assert_true(b->record.has_room());
    b->enter(4);
    assert_false(b->record.has_room());
}

static void second_change_inside_a_change_is_refused(void **)
{
    assert_true(b->record.begin());
    assert_false(b->record.begin());
    b->record.end();
    assert_true(b->record.begin());
    b->record.end();
}

// The rest of a random program's regions is open, also some that are not recorded, in several blocks.
static void read_in_place_is_as_a_copy(void **)
{
    for (unsigned seed = 1; seed <= 50; seed++) {
        drop_bench(nullptr);
        make_bench(nullptr);
        std::mt19937 random(seed);
        for (int step = 0; step < 1000; step++) {
            b->pass(random() % 1000, static_cast<std::int64_t>(random() % 200) - 100);
            if (const unsigned what = random() % 20; what < 11)
                b->enter(static_cast<int>(random() % (seed % 2 == 0 ? 2000 : 900)));
            else if (what == 11)
                b->record.push_unrecorded(region_at(3));
            else if (b->record.depth() > 0)
                b->leave();
        }
        b->record.ignore_leave();
        const sample now = b->now;
        const recorded copied = b->record.copy([now] { return now; });
        assert_true(b->record.begin());
        recorded rest;
        const placed_sums in_place = b->record.read_in_place(now, rest), in_copy = sums_in(copied);
        b->record.end();
        for (std::uint32_t i = 0; i < 3 * recorder::block_size; i++) {
            const accumulator *a = in_place.of(i), *c = in_copy.of(i);
            assert_int_equal(a == nullptr, i >= copied.sums.size() || copied.sums[i].calls == 0);
            assert_int_equal(a == nullptr, c == nullptr);
            if (a != nullptr)
                assert_memory_equal(a, c, sizeof *a);
        }
        assert_int_equal(rest.ignored_leaves, 1);
        assert_int_equal(b->record.copy([now] { return now; }).sums.size(), copied.sums.size());
        assert_memory_equal(b->record.copy([now] { return now; }).sums.data(), copied.sums.data(),
                            copied.sums.size() * sizeof(accumulator));
    }
}

static void delay_that_shrinks_in_a_wait_gives_negative_removed(void **)
{
    b->enter(0);
    b->pass(1000, -300);
    b->now.v[c_wait] += 900;
    b->now.v[c_wait_comp] += 1200;
    b->leave();
    assert_int_equal(removed_incl(0), -300);
    assert_int_equal(b->sum(0).inclusive.v[c_wait], 900);
    assert_int_equal(b->sum(0).inclusive.v[c_wait_comp], 1200);
}

static void deep_stack_and_many_regions_are_kept(void **)
{
    for (int i = 0; i < 2000; i++) {
        b->enter(i);
        b->pass(1);
    }
    for (int i = 0; i < 2000; i++)
        b->leave();
    assert_int_equal(measured_incl(0), 2000);
    assert_int_equal(measured_incl(1999), 1);
    for (int i = 0; i < 2000; i++)
        assert_int_equal(measured_excl(i), 1);
}

static void region_beyond_the_limit_is_followed_without_being_recorded(void **)
{
    const std::uint32_t beyond = recorder::block_size * recorder::block_limit;
    b->enter(0);
    b->record.push(region_at(1), beyond).start = b->now;
    b->pass(10);
    assert_true(b->record.is_top(region_at(1)));
    b->leave();
    b->leave();
    assert_int_equal(measured_excl(0), 10);
}

// Of every random program: the exclusive times of all regions add up to the root's inclusive time, and so does what
// was removed; to the nanosecond.
static void random_program_conserves_every_nanosecond(void **)
{
    for (unsigned seed = 1; seed <= 200; seed++) {
        drop_bench(nullptr);
        make_bench(nullptr);
        std::mt19937 random(seed);
        b->enter(0);
        for (int step = 0; step < 300; step++) {
            b->pass(random() % 1000, static_cast<std::int64_t>(random() % 200) - 100);
            if (random() % 2 == 0)
                b->enter(1 + static_cast<int>(random() % 9));
            else if (b->record.depth() > 1)
                b->leave();
        }
        while (b->record.depth() > 0)
            b->leave();
        std::int64_t excl = 0, removed = 0;
        for (int i = 0; i < 10; i++) {
            excl += measured_excl(i);
            removed += removed_excl(i);
        }
        assert_int_equal(excl, measured_incl(0));
        assert_int_equal(removed, removed_incl(0));
        assert_int_equal(excl, b->now.v[c_time]);
        assert_int_equal(removed, b->now.v[c_delay]);
    }
}

int main()
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_bench, drop_bench)
    const CMUnitTest tests[] = {
        TEST(child_time_is_inclusive_in_the_parent_only),
        TEST(recursion_counts_inclusive_time_once),
        TEST(mutual_recursion_counts_inclusive_time_once),
        TEST(open_region_counts_up_to_now_in_a_copy),
        TEST(unrecorded_region_belongs_to_the_one_around),
        TEST(quick_way_sums_up_the_same),
        TEST(quick_way_is_for_what_is_inside_of_what_is_recorded),
        TEST(second_change_inside_a_change_is_refused),
        TEST(read_in_place_is_as_a_copy),
        TEST(delay_that_shrinks_in_a_wait_gives_negative_removed),
        TEST(deep_stack_and_many_regions_are_kept),
        TEST(region_beyond_the_limit_is_followed_without_being_recorded),
        TEST(random_program_conserves_every_nanosecond),
    };
#undef TEST
    return cmocka_run_group_tests_name("recorder", tests, nullptr, nullptr);
}
