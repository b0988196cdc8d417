// SPDX-License-Identifier: BSD-3-Clause
// What is written, to the byte.
#include "example.hpp"
#include "scratch.hpp"

#include "cmocka_cpp.hpp"

using namespace tare::profile;

static const char *const metrics[] = {"TIME", "COMPENSATED_TIME", "MPI_WAIT_TIME", "COMPENSATED_MPI_WAIT_TIME"};

static void assert_golden(const char *metric)
{
    const std::string name = std::string("/MULTI__") + metric + "/profile.1.0.0";
    const std::string written = get_file(scratch() + name);
    const std::string golden = get_file(TARE_GOLDEN + name);
    assert_true(!golden.empty());
    assert_string_equal(written.c_str(), golden.c_str());
}

static void written_profile_equals_golden_files(void **)
{
    write_thread(scratch(), example_thread());
    for (const char *metric : metrics)
        assert_golden(metric);
}

static void written_profile_leaves_no_temporary_file(void **)
{
    write_thread(scratch(), example_thread());
    for (const char *metric : metrics)
        assert_false(is_there(scratch() + "/MULTI__" + metric + "/.profile.1.0.0.new"));
}

static void golden_files_read_back_as_what_was_written(void **)
{
    const run r = read_directory(TARE_GOLDEN);
    const thread expected = example_thread();
    assert_int_equal(r.threads.size(), 1);
    assert_int_equal(r.threads[0].rank, 1);
    assert_int_equal(r.ranks(), 2);
    assert_string_equal(r.attribute(key::run_id).c_str(), "run <1> & \"more\"");
    assert_int_equal(r.threads[0].rows.size(), expected.rows.size());
    assert_true(same(r.threads[0].rows[0], expected.rows[0]));
    assert_true(same(r.threads[0].rows[2], expected.rows[2]));
}

// Of `tiny` 123 ns more were removed than there were: both columns are 0, and nothing is lost.
static void negative_time_is_kept_as_removed_and_residue(void **)
{
    const run r = read_directory(TARE_GOLDEN);
    const row &tiny = r.threads[0].rows[1];
    assert_int_equal(tiny.incl_ns, 900'000);
    assert_int_equal(tiny.removed_ns, 900'123);
    assert_int_equal(tiny.incl_comp_ns, -123);
    assert_int_equal(tiny.excl_comp_ns, 0);
    assert_int_equal(tiny.residue_ns, 123);
}

static void every_nanosecond_of_a_long_run_survives(void **)
{
    thread t = example_thread();
    for (std::int64_t ns = 1; ns < 900'000'000'000'000; ns = ns * 3 + 1) {
        t.rows[0].incl_ns = ns;
        t.rows[0].removed_ns = ns / 3;
        t.rows[0].incl_comp_ns = t.rows[0].lo_ns = t.rows[0].hi_ns = ns - ns / 3;
        write_thread(scratch(), t);
        const run r = read_directory(scratch());
        assert_int_equal(r.threads[0].rows[0].incl_ns, ns);
        assert_int_equal(r.threads[0].rows[0].incl_comp_ns, ns - ns / 3);
    }
}

static void line_end_in_a_name_becomes_a_blank(void **)
{
    thread t = example_thread();
    t.rows[1].region = "two\nlines";
    write_thread(scratch(), t);
    assert_string_equal(read_directory(scratch()).threads[0].rows[1].region.c_str(), "two lines");
}

// The columns of a path say what was removed; events say only what they cannot hold.
static void call_paths_are_read_back_beside_the_regions(void **)
{
    thread t = example_thread();
    t.paths = t.rows;
    t.paths[0].region = ".TAU application => MPI_Recv()";
    t.paths[1].region = "a => km operator\"\" _km(long double)";
    t.paths[2].region = "a => b => MPI_Recv()";
    write_thread(scratch(), t);
    const thread found = read_directory(scratch()).threads[0];
    assert_int_equal(found.rows.size(), 3);
    assert_int_equal(found.paths.size(), 3);
    assert_true(same(found.rows[2], t.rows[2]));
    assert_true(same(found.paths[0], t.paths[0]));
    assert_true(same(found.paths[2], t.paths[2]));
    assert_int_equal(found.paths[1].removed_ns, 900'123);
    assert_int_equal(found.paths[1].incl_comp_ns, -123);
    assert_int_equal(found.paths[1].residue_ns, 123);
    const std::string text = get_file(in_scratch("MULTI__TIME/profile.1.0.0"));
    assert_true(text.find("\"a => b => MPI_Recv()\" 10 0 623000 623000 0 GROUP=\"TAU_CALLPATH|MPI|TAU_MESSAGE\" \n") !=
                std::string::npos);
    assert_true(text.find("tare removed : a => b") == std::string::npos);
    assert_true(text.find("tare removed : a => km") != std::string::npos);
}

static void innermost_region_of_a_path_is_behind_its_last_arrow(void **)
{
    assert_string_equal(last_of_path("a => b => MPI_Recv()").c_str(), "MPI_Recv()");
    assert_string_equal(last_of_path("alone").c_str(), "alone");
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(written_profile_equals_golden_files, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(written_profile_leaves_no_temporary_file, make_scratch, remove_scratch),
        cmocka_unit_test(golden_files_read_back_as_what_was_written),
        cmocka_unit_test(negative_time_is_kept_as_removed_and_residue),
        cmocka_unit_test_setup_teardown(every_nanosecond_of_a_long_run_survives, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(line_end_in_a_name_becomes_a_blank, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(call_paths_are_read_back_beside_the_regions, make_scratch, remove_scratch),
        cmocka_unit_test(innermost_region_of_a_path_is_behind_its_last_arrow),
    };
    return cmocka_run_group_tests_name("profile format", tests, nullptr, nullptr);
}
