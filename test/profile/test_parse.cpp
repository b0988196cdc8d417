// SPDX-License-Identifier: BSD-3-Clause
// A file that is not as the writer writes it gets one sentence with the file and the line.
#include "scratch.hpp"
#include "tau_file.hpp"

#include "cmocka_cpp.hpp"

using namespace tare::profile;

#define HEAD "1 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls\n"
#define ROW "\"f\" 1 0 2.5 2.5 0 GROUP=\"G\" \n"

struct bad_file {
    const char *text;
    const char *sentence;
};

static const bad_file bad_files[] = {
    {"", "x, line 1: the file ends where the number of functions should be"},
    {"one templated_functions_MULTI_TIME\n", "x, line 1: the number of functions should begin the line"},
    {"1 functions\n", "x, line 1: 'templated_functions_MULTI_' and the metric should follow the number of functions"},
    {"1 templated_functions_MULTI_TIME\n# Name Calls\n",
     "x, line 2: '# Name Calls Subrs Excl Incl ProfileCalls' should begin the line"},
    {"1 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls # <metadata>\n",
     "x, line 2: '# <metadata>...</metadata>' should follow the names of the columns"},
    {"1 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>a"
     "</metadata>\n",
     "x, line 2: the metadata lacks </name><value>"},
    {"0 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>a"
     "</name><value>&nbsp;</value></attribute></metadata>\n",
     "x, line 2: the metadata holds an unknown entity"},
    {HEAD, "x, line 3: the file ends where a function should be"},
    {HEAD "\"f\" 1 0 2.5 2.5 0 GROUP=\"G\"", "x, line 3: the line does not end where a function should be"},
    {HEAD "\"f\" 1 0 2.5 2.5 0\n", "x, line 3: GROUP=\"...\" should end the line of a function"},
    {HEAD "\"f\" 1 0 2.5 2.5 3 GROUP=\"G\" \n", "x, line 3: the number of profiled calls is not 0"},
    {HEAD "\"f\" 1 0 2.5 abc 0 GROUP=\"G\" \n", "x, line 3: 'abc' is not a number"},
    {HEAD "\"f\" 1 0 nan 2.5 0 GROUP=\"G\" \n", "x, line 3: 'nan' is not a number"},
    {HEAD "\"f\" 1 0 2.5 2.5. 0 GROUP=\"G\" \n", "x, line 3: '2.5.' is not a number"},
    {HEAD "\"f\" 1 0 2.5 - 0 GROUP=\"G\" \n", "x, line 3: '-' is not a number"},
    {HEAD "\"f\" 1 0 2.5 1.x 0 GROUP=\"G\" \n", "x, line 3: '1.x' is not a number"},
    {HEAD "\"f\" 1.5 0 2.5 2.5 0 GROUP=\"G\" \n", "x, line 3: '1.5' is not a count"},
    {HEAD "\"f\" -1 0 2.5 2.5 0 GROUP=\"G\" \n", "x, line 3: '-1' is not a count"},
    {HEAD "\"f\" 1 0 -2.5 2.5 0 GROUP=\"G\" \n", "x, line 3: the time of 'f' is negative"},
    {HEAD "\"f\" 1 0 2.5 1E300 0 GROUP=\"G\" \n", "x, line 3: '1E300' is not a time in microseconds"},
    {HEAD "f 1 0 2.5 2.5 0 GROUP=\"G\" \n", "x, line 3: the name is not in quotes"},
    {HEAD "1 0 2.5 2.5 0 GROUP=\"G\" \n", "x, line 3: a number is missing"},
    {HEAD ROW ROW, "x, line 4: '0 aggregates' should follow the functions"},
    {HEAD ROW, "x, line 4: the file ends where the number of aggregates should be"},
    {HEAD ROW "0 aggregates\nmore\n", "x, line 5: the number of user events should begin the line"},
    {HEAD ROW "0 aggregates\n1 userevents\n# eventname numevents max min mean sumsqr\n",
     "x, line 7: the file ends where a user event should be"},
    {HEAD ROW "0 aggregates\n1 userevents\n# eventname numevents max min mean sumsqr\n\"e\" 2 1 1 1 1\n",
     "x, line 7: an event of Tare happens once"},
    {HEAD ROW "0 aggregates\n1 userevents\n# eventname numevents max min mean sumsqr\n\"e\" 1 1 1 1 1\nmore\n",
     "x, line 8: something follows the last user event"},
    {HEAD ROW "0 aggregates\n1 userevents\n# eventname numevents max min mean sumsqr\n"
     "\"Message size sent to node 1\" 0 1 1 1 1\n",
     "x, line 7: the numbers of 'Message size sent to node 1' do not fit each other"},
    {HEAD ROW "0 aggregates\n1 userevents\n# eventname numevents max min mean sumsqr\n"
     "\"Message size sent to node 1\" 2 5 3 5.5 1\n",
     "x, line 7: the numbers of 'Message size sent to node 1' do not fit each other"},
    {HEAD ROW "0 aggregates\n1 userevents\n# eventname numevents max min mean sumsqr\n"
     "\"Message size sent to node 1\" 2.5 5 3 4 1\n",
     "x, line 7: '2.5' is not a count"},
};

static const bad_file *current;

static void parse_current() { parse(current->text, "x"); }

static void malformed_file_gets_one_sentence_with_its_line(void **)
{
    for (const bad_file &bad : bad_files) {
        current = &bad;
        assert_string_equal(sentence_of(parse_current).c_str(), bad.sentence);
    }
}

static void file_without_metadata_or_events_is_read(void **)
{
    const read_file file = parse(HEAD ROW "0 aggregates\n", "x");
    assert_string_equal(file.metric.c_str(), "TIME");
    assert_int_equal(file.functions.size(), 1);
    assert_int_equal(file.functions[0].incl_ns, 2500);
    assert_true(file.events.empty() && file.metadata.empty());
}

struct number {
    const char *usec;
    std::int64_t ns;
};

// Plain digits go another way than the rest, and both must give every nanosecond.
static const number numbers[] = {
    {"0", 0},
    {"2.5", 2500},
    {"0.001", 1},
    {".5", 500},
    {"7.", 7000},
    {"12.0004", 12000},
    {"12.0006", 12001},
    {"1E+06", 1'000'000'000},
    {"123456789012.345", 123'456'789'012'345},
    {"999999999999999", 999'999'999'999'999'000},
    {"1000000000000000", 1'000'000'000'000'000'000},
};

static void every_way_to_write_a_time_is_read(void **)
{
    for (const number &n : numbers) {
        const std::string text = std::string(HEAD) + "\"f\" 1 0 0 " + n.usec + " 0 GROUP=\"G\" \n0 aggregates\n" +
                                 "1 userevents\n# eventname numevents max min mean sumsqr\n\"e\" 1 0 0 -" + n.usec +
                                 " 0\n";
        const read_file file = parse(text, "x");
        assert_int_equal(file.functions[0].incl_ns, n.ns);
        assert_int_equal(file.events[0].value_ns, -n.ns);
    }
}

static void file_that_promises_more_lines_than_fit_into_memory_is_refused(void **)
{
    static const bad_file bad = {"18446744073709551615 templated_functions_MULTI_TIME\n"
                                 "# Name Calls Subrs Excl Incl ProfileCalls\n",
                                 "x, line 3: the file ends where a function should be"};
    current = &bad;
    assert_string_equal(sentence_of(parse_current).c_str(), bad.sentence);
}

static void any_cut_of_a_good_file_is_refused(void **)
{
    const std::string whole = get_file(TARE_GOLDEN "/MULTI__TIME/profile.1.0.0");
    static std::string part;
    static bad_file cut;
    const std::size_t without_events = whole.find("0 aggregates\n") + 13;
    assert_true(without_events < whole.size());
    for (std::size_t size = 0; size < whole.size(); size++) {
        if (size == without_events)
            continue;
        part = whole.substr(0, size);
        cut = {part.c_str(), ""};
        current = &cut;
        assert_true(!sentence_of(parse_current).empty());
    }
}

static void other_files_are_not_taken_for_tares(void **)
{
    assert_true(tells_tare(get_file(TARE_GOLDEN "/MULTI__TIME/profile.1.0.0").substr(0, telling_bytes)));
    assert_false(tells_tare(HEAD ROW));
    assert_false(tells_tare(""));
    assert_false(tells_tare("a line\nand another"));
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(malformed_file_gets_one_sentence_with_its_line),
        cmocka_unit_test(file_without_metadata_or_events_is_read),
        cmocka_unit_test(every_way_to_write_a_time_is_read),
        cmocka_unit_test(file_that_promises_more_lines_than_fit_into_memory_is_refused),
        cmocka_unit_test(any_cut_of_a_good_file_is_refused),
        cmocka_unit_test(other_files_are_not_taken_for_tares),
    };
    return cmocka_run_group_tests_name("profile parser", tests, nullptr, nullptr);
}
