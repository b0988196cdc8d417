// SPDX-License-Identifier: BSD-3-Clause
// Call paths, with time and delay made up: what each path gets, and that together they get what the regions get.
#include "path_rows.hpp"
#include "paths.hpp"
#include "recorder.hpp"

#include <map>
#include <random>
#include <string>

#include "cmocka_cpp.hpp"

using namespace tare;

namespace {

int names[2000];         // regions are only compared by address

// A recorder of paths of so many regions; region 0 is its root.
struct bench {
    explicit bench(int depth)
    {
        record.record_paths(depth);
        enter(0);
    }

    void pass(std::int64_t ns, std::int64_t overhead_ns = 0)
    {
        now.v[c_time] += ns;
        now.v[c_delay] += overhead_ns;
        now.v[c_delay_lo] += overhead_ns / 2;
        now.v[c_delay_hi] += 2 * overhead_ns;
        now.v[c_wait] += ns / 2;
        now.v[c_wait_comp] += ns / 3;
        now.v[c_residue] += ns / 7;
    }
    void enter(int i)
    {
        record.begin();
        record.push(&names[i], static_cast<std::uint32_t>(i)).start = now;
        record.end();
    }
    void leave()
    {
        record.begin();
        record.pop(now);
        record.end();
    }
    recorded copy() const
    {
        return record.copy([this] { return now; });
    }

    recorder record;
    sample now{};
};

// Regions one inside the other, 10 ns in each.
void enter_all(bench &b, std::initializer_list<int> regions)
{
    for (const int i : regions) {
        b.enter(i);
        b.pass(10);
    }
}

void leave_all(bench &b, std::size_t count)
{
    while (count-- > 0)
        b.leave();
}

// Rows by name; region 1 is called r1.
std::map<std::string, profile::row> rows_of(const bench &b, std::size_t regions = 10, std::size_t name_bytes = 0)
{
    std::vector<region_text> texts;
    for (std::size_t i = 0; i < regions; i++)
        texts.push_back({"r" + std::to_string(i) + std::string(name_bytes, 'x'), "G"});
    std::map<std::string, profile::row> rows;
    for (profile::row &r : path_rows(b.copy(), texts)) {
        assert_true(rows.count(r.region) == 0);
        rows[r.region] = r;
    }
    return rows;
}

void assert_path(const std::map<std::string, profile::row> &rows, const char *name, int calls, int excl, int incl)
{
    const auto found = rows.find(name);
    if (found == rows.end())
        fail_msg("no path %s", name);
    assert_int_equal(found->second.calls, calls);
    assert_int_equal(found->second.excl_ns, excl);
    assert_int_equal(found->second.incl_ns, incl);
}

sample sum_of_regions(const recorded &r, std::uint32_t region)
{
    return r.sums.at(region).exclusive;
}

sample sum_of_paths(const recorded &r, std::uint32_t region)
{
    sample sum{};
    for (const path_sum &p : r.paths)
        if (p.length > 0 && p.region == region)
            add(sum, p.sum.exclusive);
    return sum;
}

// For every region and counter, open regions included.
void assert_conserved(const bench &b, std::uint32_t regions)
{
    const recorded r = b.copy();
    assert_int_equal(r.lost_calls, 0);
    for (std::uint32_t i = 0; i < regions; i++) {
        const sample flat = sum_of_regions(r, i), paths = sum_of_paths(r, i);
        for (int c = 0; c < counter_count; c++)
            assert_int_equal(flat.v[c], paths.v[c]);
    }
}

}  // namespace

static void region_has_a_path_for_each_way_to_it(void **)
{
    bench b(5);
    enter_all(b, {1, 3});
    leave_all(b, 2);
    enter_all(b, {2, 3});
    b.pass(7);
    leave_all(b, 2);
    const auto rows = rows_of(b);
    assert_int_equal(rows.size(), 4);
    assert_path(rows, "r0 => r1", 1, 10, 20);
    assert_path(rows, "r0 => r1 => r3", 1, 10, 10);
    assert_path(rows, "r0 => r2 => r3", 1, 17, 17);
    assert_conserved(b, 4);
}

static void path_holds_the_innermost_regions_only(void **)
{
    bench b(2);
    enter_all(b, {1, 3, 4});
    leave_all(b, 3);
    enter_all(b, {2, 3, 4});
    leave_all(b, 3);
    const auto rows = rows_of(b);
    assert_int_equal(rows.size(), 5);
    assert_path(rows, "r0 => r1", 1, 10, 30);
    assert_path(rows, "r1 => r3", 1, 10, 20);
    assert_path(rows, "r3 => r4", 2, 20, 20);
    assert_int_equal(rows.at("r3 => r4").subrs, 0);
    assert_int_equal(rows.at("r2 => r3").subrs, 1);
    assert_conserved(b, 5);
}

// [r0 r1] is entered from the beginning, and again at the end of a longer chain.
static void path_from_the_root_and_one_from_further_in_are_the_same(void **)
{
    bench b(2);
    enter_all(b, {1, 0, 1});
    leave_all(b, 3);
    const auto rows = rows_of(b);
    assert_int_equal(rows.size(), 2);
    assert_path(rows, "r0 => r1", 2, 20, 30);
    assert_path(rows, "r1 => r0", 1, 10, 20);
}

static void recursion_counts_inclusive_time_at_the_outermost_visit(void **)
{
    bench b(2);
    enter_all(b, {1, 1, 1, 1});
    leave_all(b, 4);
    const auto rows = rows_of(b);
    assert_path(rows, "r0 => r1", 1, 10, 40);
    assert_path(rows, "r1 => r1", 3, 30, 30);
    assert_conserved(b, 2);
}

static void recursion_through_another_counts_inclusive_time_once(void **)
{
    bench b(2);
    enter_all(b, {1, 2, 1, 2, 1, 2});
    leave_all(b, 6);
    const auto rows = rows_of(b);
    assert_path(rows, "r1 => r2", 3, 30, 50);
    assert_path(rows, "r2 => r1", 2, 20, 40);
    assert_conserved(b, 3);
}

static void open_paths_count_up_to_now_in_a_copy(void **)
{
    bench b(3);
    enter_all(b, {1, 2});
    const auto open = rows_of(b);
    assert_path(open, "r0 => r1", 1, 10, 20);
    assert_path(open, "r0 => r1 => r2", 1, 10, 10);
    b.pass(5);
    leave_all(b, 2);
    assert_path(rows_of(b), "r0 => r1 => r2", 1, 15, 15);
}

static void region_that_is_not_recorded_is_not_in_a_path(void **)
{
    bench b(5);
    enter_all(b, {1});
    b.record.push_unrecorded(&names[2]);
    enter_all(b, {3});
    leave_all(b, 3);
    const auto rows = rows_of(b);
    assert_int_equal(rows.size(), 2);
    assert_path(rows, "r0 => r1 => r3", 1, 10, 10);
    assert_conserved(b, 4);
}

static void call_that_goes_on_is_counted_on_its_path(void **)
{
    bench b(2);
    enter_all(b, {1});
    b.record.call_again();
    leave_all(b, 1);
    assert_path(rows_of(b), "r0 => r1", 2, 10, 10);
}

static void depth_of_one_is_the_flat_profile(void **)
{
    bench b(1);
    enter_all(b, {1});
    assert_true(b.copy().paths.empty());
}

static void functions_of_one_name_share_their_paths(void **)
{
    bench b(2);
    enter_all(b, {1});
    leave_all(b, 1);
    enter_all(b, {2});
    leave_all(b, 1);
    const std::vector<profile::row> rows = path_rows(b.copy(), {{"root", "G"}, {"same", "G"}, {"same", "G"}});
    assert_int_equal(rows.size(), 1);
    assert_string_equal(rows[0].region.c_str(), "root => same");
    assert_int_equal(rows[0].calls, 2);
    assert_int_equal(rows[0].incl_ns, 20);
}

// Of every random program with every depth: what the paths of a region get is what the region gets, in each counter.
static void random_program_conserves_every_nanosecond_of_every_counter(void **)
{
    for (unsigned seed = 1; seed <= 200; seed++) {
        bench b(2 + static_cast<int>(seed % 7));
        std::mt19937 random(seed);
        for (int step = 0; step < 400; step++) {
            b.pass(random() % 1000, static_cast<std::int64_t>(random() % 200) - 100);
            if (random() % 2 == 0)
                b.enter(static_cast<int>(random() % 6));
            else if (b.record.depth() > 1)
                b.leave();
        }
        assert_conserved(b, 6);
        leave_all(b, b.record.depth());
        assert_conserved(b, 6);
    }
}

// What a stack of names and a map find out about a random program with recursion.
static void random_program_has_the_paths_and_calls_of_its_stack(void **)
{
    for (unsigned seed = 1; seed <= 50; seed++) {
        const std::size_t depth = 2 + seed % 5;
        bench b(static_cast<int>(depth));
        std::mt19937 random(seed);
        std::vector<int> stack{0};
        std::map<std::string, std::int64_t> calls;
        for (int step = 0; step < 2000; step++) {
            if (random() % 2 == 0 && stack.size() < 100) {
                stack.push_back(static_cast<int>(random() % 4));
                b.enter(stack.back());
                std::string name;
                for (std::size_t i = stack.size() - std::min(depth, stack.size()); i < stack.size(); i++)
                    name += (name.empty() ? "r" : " => r") + std::to_string(stack[i]);
                calls[name]++;
            } else if (stack.size() > 1) {
                stack.pop_back();
                b.leave();
            }
        }
        std::map<std::string, std::int64_t> found;
        for (const auto &[name, row] : rows_of(b))
            found[name] = row.calls;
        assert_true(found == calls);
    }
}

static void paths_beyond_the_limit_are_counted_and_the_others_kept(void **)
{
    bench b(3);
    int entered = 0;
    for (int i = 1; i < 400; i++) {
        b.enter(i);
        for (int k = 1; k < 400; k++) {
            b.enter(k);
            b.pass(1);
            b.leave();
            entered++;
        }
        b.leave();
        entered++;
    }
    const recorded r = b.copy();
    assert_int_equal(r.paths.size(), path_record::path_limit);
    // The path of no regions and the root's are among them.
    assert_int_equal(r.lost_calls, entered - static_cast<int>(path_record::path_limit - 2));
    assert_int_equal(r.sums[1].calls, 400);
    std::int64_t calls = 0;
    for (const path_sum &p : r.paths)
        calls += p.length > 1 ? p.sum.calls : 0;
    assert_int_equal(calls + r.lost_calls, entered);
    leave_all(b, 1);
}

// More ways to enter a path of `depth` regions than are remembered.
static void steps_that_are_not_remembered_lead_to_the_same_paths(void **)
{
    bench b(2);
    constexpr int regions = 330;
    for (int round = 0; round < 2; round++)
        for (int i = 1; i < regions; i++)
            for (int k = 1; k < regions; k++) {
                enter_all(b, {i, k, 1});
                leave_all(b, 3);
            }
    assert_conserved(b, regions);
    const auto rows = rows_of(b, regions);
    assert_int_equal(rows.size(), (regions - 1) * (regions - 1) + regions - 1);
    assert_int_equal(rows.at("r7 => r1").calls, 2 * (regions - 1) + 2);
}

static void deep_stack_has_whole_and_cut_paths(void **)
{
    bench b(200);
    for (int i = 1; i < 1000; i++) {
        b.enter(i);
        b.pass(1);
    }
    const auto rows = rows_of(b, 1000);
    assert_int_equal(rows.size(), 999);
    std::string deepest = "r800";
    for (int i = 801; i < 1000; i++)
        deepest += " => r" + std::to_string(i);
    assert_path(rows, deepest.c_str(), 1, 1, 1);
    assert_conserved(b, 1000);
}

static void long_names_are_cut_and_stay_apart(void **)
{
    bench b(200);
    for (int i = 1; i < 200; i++) {
        b.enter(i);
        b.pass(1);
    }
    const auto rows = rows_of(b, 200, 5000);
    assert_int_equal(rows.size(), 199);
    for (const auto &[name, row] : rows) {
        assert_true(name.size() < 60000);
        assert_int_equal(row.calls, 1);
    }
    assert_int_equal(rows.count("r0" + std::string(5000, 'x') + " => r1" + std::string(5000, 'x')), 1);
}

static void name_that_alone_is_too_long_is_cut(void **)
{
    bench b(2);
    enter_all(b, {1});
    const auto rows = rows_of(b, 2, 100000);
    assert_int_equal(rows.size(), 1);
    assert_true(rows.begin()->first.size() < 60000);
    assert_true(rows.begin()->first.find("(1 outer region, ") == 0);
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(region_has_a_path_for_each_way_to_it),
        cmocka_unit_test(path_holds_the_innermost_regions_only),
        cmocka_unit_test(path_from_the_root_and_one_from_further_in_are_the_same),
        cmocka_unit_test(recursion_counts_inclusive_time_at_the_outermost_visit),
        cmocka_unit_test(recursion_through_another_counts_inclusive_time_once),
        cmocka_unit_test(open_paths_count_up_to_now_in_a_copy),
        cmocka_unit_test(region_that_is_not_recorded_is_not_in_a_path),
        cmocka_unit_test(call_that_goes_on_is_counted_on_its_path),
        cmocka_unit_test(depth_of_one_is_the_flat_profile),
        cmocka_unit_test(functions_of_one_name_share_their_paths),
        cmocka_unit_test(random_program_conserves_every_nanosecond_of_every_counter),
        cmocka_unit_test(random_program_has_the_paths_and_calls_of_its_stack),
        cmocka_unit_test(paths_beyond_the_limit_are_counted_and_the_others_kept),
        cmocka_unit_test(steps_that_are_not_remembered_lead_to_the_same_paths),
        cmocka_unit_test(deep_stack_has_whole_and_cut_paths),
        cmocka_unit_test(long_names_are_cut_and_stay_apart),
        cmocka_unit_test(name_that_alone_is_too_long_is_cut),
    };
    return cmocka_run_group_tests_name("call paths", tests, nullptr, nullptr);
}
