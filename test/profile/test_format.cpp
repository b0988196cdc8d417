// SPDX-License-Identifier: BSD-3-Clause
// What is written, to the byte.
#include "example.hpp"
#include "scratch.hpp"

#include "cmocka_cpp.hpp"

#include <cstdio>

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

static std::string printed(int digits, double value)
{
    char text[40];
    std::snprintf(text, sizeof text, "%.*G", digits, value);
    return text;
}

// To another job, with a mean of many digits, and so many bytes that the mean just tells them apart.
static void messages_by_receiver_are_read_back(void **)
{
    thread t = example_thread();
    t.sent = {{elsewhere, 3, 0, 0, 0, 0},
              {0, 3, 100, 7, 50, 4000.25},
              {7, 9'007'199, 2'000'000'000'000'003, 0, 9'000'000'000'000'000, 1e300}};
    write_thread(scratch(), t);
    const run r = read_directory(scratch());
    assert_int_equal(r.threads[0].sent.size(), t.sent.size());
    for (std::size_t i = 0; i < t.sent.size(); i++) {
        const sent_messages &a = r.threads[0].sent[i], &b = t.sent[i];
        assert_int_equal(a.to, b.to);
        assert_int_equal(a.messages, b.messages);
        assert_int_equal(a.bytes, b.bytes);
        assert_int_equal(a.least_bytes, b.least_bytes);
        assert_int_equal(a.most_bytes, b.most_bytes);
        assert_true(a.squares == b.squares);
    }
    const std::string text = get_file(in_scratch("MULTI__TIME/profile.1.0.0"));
    assert_true(text.find("\"Message size sent to node 0\" 3 50 7 33.333333333333336 4000.25\n") != std::string::npos);
    assert_true(text.find("\"Message size sent to all nodes\" 9007205 ") != std::string::npos);
}

// With so few digits printf's are those of the decimal number.
static std::string usec_of(std::int64_t ns) { return printed(15, static_cast<double>(ns) / 1000); }

static row row_of(const std::string &region, std::int64_t ns)
{
    row r;
    r.region = region;
    r.group = "G";
    r.calls = r.subrs = ns;
    r.excl_ns = r.incl_ns = r.incl_comp_ns = r.lo_ns = r.hi_ns = ns;
    return r;
}

// The line of a region that was called once: its name and what follows it.
static std::string line_of(const std::string &text, const std::string &region)
{
    const std::size_t at = text.find("\n\"" + region + "\" ") + 1;
    return text.substr(at, text.find('\n', at) - at);
}

static void numbers_have_the_digits_that_they_need(void **)
{
    thread t = example_thread();
    t.rows.clear();
    for (std::int64_t ns = 0; ns < 4000; ns++)
        t.rows.push_back(row_of("r" + std::to_string(ns), ns));
    for (std::int64_t ns = 9; ns < 100'000'000'000'000; ns = ns * 10 + ns % 7)
        t.rows.push_back(row_of("long" + std::to_string(ns), ns));
    write_thread(scratch(), t);
    const std::string text = get_file(in_scratch("MULTI__TIME/profile.1.0.0"));
    for (const row &r : t.rows) {
        const std::string usec = usec_of(r.incl_ns), count = std::to_string(r.calls);
        const std::string wanted = '"' + r.region + "\" " + count + ' ' + count + ' ' + usec + ' ' + usec +
                                   " 0 GROUP=\"G\" ";
        assert_string_equal(line_of(text, r.region).c_str(), wanted.c_str());
    }
}

// In usec^2. From 10 ns on they are exact.
static void squares_of_few_nanoseconds_are_written_as_printf_writes_them(void **)
{
    thread t = example_thread();
    t.rows.clear();
    for (std::int64_t ns = 1; ns < 10; ns++) {
        t.rows.push_back(row_of("plus" + std::to_string(ns), 100));
        t.rows.push_back(row_of("minus" + std::to_string(ns), 100));
        (t.rows.end() - 2)->residue_ns = ns;
        (t.rows.end() - 1)->residue_ns = -ns;
    }
    write_thread(scratch(), t);
    const std::string text = get_file(in_scratch("MULTI__TIME/profile.1.0.0"));
    for (const row &r : t.rows) {
        const double usec = static_cast<double>(r.residue_ns) / 1000;
        const std::string value = usec_of(r.residue_ns) + ' ', name = "tare residue : " + r.region;
        const std::string wanted = '"' + name + "\" 1 " + value + value + value + printed(16, usec * usec);
        assert_string_equal(line_of(text, name).c_str(), wanted.c_str());
    }
}

static void control_character_becomes_a_blank_wherever_it_stands(void **)
{
    for (std::size_t length = 1; length < 40; length++) {
        thread t = example_thread();
        for (std::size_t at = 0; at < length; at++) {
            t.rows.push_back(row_of(std::string(length, 'n'), 1));
            t.rows.back().region[at] = '\x1f';
            t.rows.back().group = std::string(length, '\xc3');
            t.rows.back().group[at] = '\t';
        }
        write_thread(scratch(), t);
        const std::vector<row> found = read_directory(scratch()).threads[0].rows;
        for (std::size_t at = 0; at < length; at++) {
            std::string name(length, 'n'), group(length, '\xc3');
            name[at] = group[at] = ' ';
            assert_string_equal(found[3 + at].region.c_str(), name.c_str());
            assert_string_equal(found[3 + at].group.c_str(), group.c_str());
        }
    }
}

static void names_longer_than_the_buffer_are_cut_and_others_stay(void **)
{
    thread t = example_thread();
    t.rows[1].region.assign(59'999, 'x');
    t.rows[2].region.assign(200'000, 'y');
    t.rows.push_back(row_of("after", 7));
    write_thread(scratch(), t);
    const std::vector<row> found = read_directory(scratch()).threads[0].rows;
    assert_int_equal(found[1].region.size(), 59'999);
    assert_true(found[2].region == std::string(60'000, 'y'));
    assert_int_equal(found[2].removed_ns, t.rows[2].removed_ns);
    assert_true(same(found[3], t.rows[3]));
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
        cmocka_unit_test_setup_teardown(numbers_have_the_digits_that_they_need, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(squares_of_few_nanoseconds_are_written_as_printf_writes_them, make_scratch,
                                        remove_scratch),
        cmocka_unit_test_setup_teardown(control_character_becomes_a_blank_wherever_it_stands, make_scratch,
                                        remove_scratch),
        cmocka_unit_test_setup_teardown(names_longer_than_the_buffer_are_cut_and_others_stay, make_scratch,
                                        remove_scratch),
        cmocka_unit_test_setup_teardown(messages_by_receiver_are_read_back, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(call_paths_are_read_back_beside_the_regions, make_scratch, remove_scratch),
        cmocka_unit_test(innermost_region_of_a_path_is_behind_its_last_arrow),
    };
    return cmocka_run_group_tests_name("profile format", tests, nullptr, nullptr);
}
