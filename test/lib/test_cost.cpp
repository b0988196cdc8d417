// SPDX-License-Identifier: BSD-3-Clause
// How the cost of a pair of hooks is divided, and what it is where the hooks run slower than in the calibration.
#include "cost.hpp"

#include <cmath>

#include "cmocka_cpp.hpp"

using namespace tare;

namespace {

// total 150 = 80 seen + 40.5 inside + 29.5 outside
pair_cost example()
{
    pair_cost c;
    c.plain_ns = 5;
    c.with_hooks_ns = 155;
    c.seen_ns = 80;
    c.inside_ns = 40.5;
    return c;
}

double ns(const fine_ns &f) { return static_cast<double>(f.ns) + f.fraction / 4294967296.0; }

void assert_near(double a, double b) { assert_true(std::fabs(a - b) < 1e-6); }

void assert_unseen(const pair_cost &c, double inside_ns, double outside_ns)
{
    assert_near(c.inside_ns, inside_ns);
    assert_near(c.outside_ns(), outside_ns);
}

}  // namespace

static void hooks_declare_together_what_is_not_seen(void **)
{
    const way_cost cost = to_cost(example());
    assert_near(ns(cost.enter) + ns(cost.leave), 70);
    assert_int_equal(cost.enter_inside_ns, 20);
    assert_int_equal(cost.leave_inside_ns, 21);
}

static void negative_outside_is_kept(void **)
{
    pair_cost c = example();
    c.seen_ns = 140;
    const way_cost cost = to_cost(c);
    assert_near(ns(cost.enter) + ns(cost.leave), 10);
}

// Enter costs 6 ns more than leave outside its clock reads, 3.5 of them inside.
static pair_cost unequal_example()
{
    pair_cost c = example();
    tell_apart(c, {{50, 44, 20, 16.5}, {90, 20, 30, 1}, {38, 33, 9, 7}});
    return c;
}

static void enter_and_leave_declare_each_its_own(void **)
{
    const way_cost cost = to_cost(unequal_example());
    assert_near(ns(cost.enter), 38);
    assert_near(ns(cost.leave), 32);
    assert_int_equal(cost.enter_inside_ns, 22);
    assert_int_equal(cost.leave_inside_ns, 19);
}

static void halves_stay_where_nothing_tells_them_apart(void **)
{
    pair_cost c = example();
    tell_apart(c, {});
    assert_near(ns(to_cost(c).enter), 35);
    assert_near(ns(to_cost(c).leave), 35);
}

static void difference_of_enter_and_leave_follows_the_pace(void **)
{
    const way_cost cost = to_cost(at_pace(unequal_example(), 120));
    assert_near(ns(cost.enter), 1.5 * 38);
    assert_near(ns(cost.leave), 1.5 * 32);
}

static void cost_at_the_calibrated_pace_is_the_same(void **) { assert_unseen(at_pace(example(), 80), 40.5, 29.5); }

static void cost_follows_what_the_hooks_see(void **)
{
    assert_unseen(at_pace(example(), 120), 1.5 * 40.5, 1.5 * 29.5);
    assert_unseen(at_pace(example(), 60), 0.75 * 40.5, 0.75 * 29.5);
}

static void cost_stays_within_the_limits_of_a_pace(void **)
{
    assert_unseen(at_pace(example(), 1000), 2 * 40.5, 2 * 29.5);
    assert_unseen(at_pace(example(), 0), 0.5 * 40.5, 0.5 * 29.5);
}

static void cost_without_clock_reads_has_no_pace(void **)
{
    pair_cost c = example();
    c.seen_ns = 0;
    assert_unseen(at_pace(c, 120), 40.5, 109.5);
}

static batch of_plain_and_hooks(double plain_ns, double with_hooks_ns)
{
    batch b;
    b.plain_ns = plain_ns;
    b.with_hooks_ns = with_hooks_ns;
    b.seen_ns = with_hooks_ns / 2;
    return b;
}

static void fastest_batches_with_and_without_hooks_count(void **)
{
    const pair_cost c =
        fastest_of({of_plain_and_hooks(5, 170), of_plain_and_hooks(9, 150), of_plain_and_hooks(7, 160)});
    assert_near(c.total_ns(), 145);
    assert_near(c.seen_ns, 75);
}

static void batches_in_the_middle_with_and_without_hooks_count(void **)
{
    const pair_cost c = typical_of({of_plain_and_hooks(5, 170), of_plain_and_hooks(9, 150), of_plain_and_hooks(7, 160),
                                    of_plain_and_hooks(6, 900), of_plain_and_hooks(30, 155)});
    assert_near(c.total_ns(), 153);
    assert_near(c.seen_ns, 80);
}

static void spread_is_the_distance_of_the_quartiles(void **)
{
    assert_near(spread_of({4, 1, 3, 2}), 2);
    assert_near(spread_of({100, 101, 102, 103, 104, 105, 106, 107}), 4);
}

static void spread_does_not_show_one_interrupt(void **)
{
    assert_near(spread_of({100, 101, 102, 103, 104, 105, 106, 50000}), 4);
    assert_near(spread_of({7, 7, 7, 7, 7, 1e9}), 0);
}

static void spread_of_nothing_is_0(void **) { assert_near(spread_of({}), 0); }

static void median_is_the_one_in_the_middle(void **)
{
    assert_near(median_of({9, 1e9, 7}), 9);
    assert_near(median_of({-2, -4, 5, 3, -1}), -1);
    assert_near(median_of({}), 0);
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(hooks_declare_together_what_is_not_seen),
        cmocka_unit_test(negative_outside_is_kept),
        cmocka_unit_test(enter_and_leave_declare_each_its_own),
        cmocka_unit_test(halves_stay_where_nothing_tells_them_apart),
        cmocka_unit_test(difference_of_enter_and_leave_follows_the_pace),
        cmocka_unit_test(cost_at_the_calibrated_pace_is_the_same),
        cmocka_unit_test(cost_follows_what_the_hooks_see),
        cmocka_unit_test(cost_stays_within_the_limits_of_a_pace),
        cmocka_unit_test(cost_without_clock_reads_has_no_pace),
        cmocka_unit_test(fastest_batches_with_and_without_hooks_count),
        cmocka_unit_test(batches_in_the_middle_with_and_without_hooks_count),
        cmocka_unit_test(spread_is_the_distance_of_the_quartiles),
        cmocka_unit_test(spread_does_not_show_one_interrupt),
        cmocka_unit_test(spread_of_nothing_is_0),
        cmocka_unit_test(median_is_the_one_in_the_middle),
    };
    return cmocka_run_group_tests_name("cost", tests, nullptr, nullptr);
}
