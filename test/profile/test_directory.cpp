// SPDX-License-Identifier: BSD-3-Clause
// Whose files may be replaced, by whom, and what is refused.
#include "example.hpp"
#include "scratch.hpp"

#include <cstring>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmocka_cpp.hpp"

using namespace tare::profile;

static const char foreign[] = "1 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls\n";

static void write_run(int ranks, const char *run_id)
{
    for (int rank = 0; rank < ranks; rank++)
        write_thread(scratch(), example_thread(rank, run_id));
}

static void check_scratch() { check_place(scratch()); }
static void read_scratch() { read_directory(scratch()); }
static void write_to_scratch() { write_thread(scratch(), example_thread(0, "new")); }

static void assert_holds(const std::string &sentence, const char *part)
{
    if (sentence.find(part) == std::string::npos)
        assert_string_equal(sentence.c_str(), part);
}

static void empty_place_is_good(void **)
{
    assert_string_equal(sentence_of(check_scratch).c_str(), "");
    assert_true(is_there(in_scratch("MULTI__TIME")));
    assert_false(is_there(in_scratch("MULTI__TIME/.tare-trial." + std::to_string(getpid()))));
}

static void older_profile_is_no_obstacle(void **)
{
    write_run(3, "old");
    assert_string_equal(sentence_of(check_scratch).c_str(), "");
}

static void foreign_file_is_refused_by_name_and_left_alone(void **)
{
    const std::string path = in_scratch("MULTI__MPI_WAIT_TIME/profile.7.0.0");
    put_file(path, foreign);
    assert_holds(sentence_of(check_scratch), (path + " is in the profile's place, was not written by Tare").c_str());
    assert_string_equal(get_file(path).c_str(), foreign);
}

static void foreign_file_that_appeared_later_is_not_overwritten(void **)
{
    const std::string path = in_scratch("MULTI__TIME/profile.0.0.0");
    put_file(path, foreign);
    assert_holds(sentence_of(write_to_scratch), path.c_str());
    assert_string_equal(get_file(path).c_str(), foreign);
}

static void file_where_a_folder_should_be_is_refused(void **)
{
    put_file(in_scratch("MULTI__TIME"), "something");
    assert_holds(sentence_of(check_scratch), "MULTI__TIME");
}

// What a rank does to its own file from run to run, for a while.
static void replace_own_file_for_a_while()
{
    for (int i = 0; i < 3000; i++) {
        write_thread(scratch(), example_thread(1, "old"));
        remove_older(scratch(), 1, 2);
    }
}

static void file_that_another_rank_is_replacing_is_not_foreign(void **)
{
    write_run(2, "old");
    const pid_t other = fork();
    if (other == 0) {
        replace_own_file_for_a_while();
        _exit(0);
    }
    std::string first;
    while (waitpid(other, nullptr, WNOHANG) == 0)
        if (first.empty())
            first = sentence_of(check_scratch);
    assert_string_equal(first.c_str(), "");
}

static void check_impossible() { check_place("/proc/tare"); }

static void place_that_cannot_be_made_is_refused(void **)
{
    assert_holds(sentence_of(check_impossible), "the folder /proc/tare/MULTI__TIME cannot be made: ");
}

static void each_rank_removes_its_own_and_rank_0_the_surplus(void **)
{
    write_run(4, "old");
    remove_older(scratch(), 1, 2);
    assert_true(is_there(in_scratch("MULTI__TIME/profile.0.0.0")));
    assert_false(is_there(in_scratch("MULTI__TIME/profile.1.0.0")));
    assert_true(is_there(in_scratch("MULTI__TIME/profile.2.0.0")));
    write_thread(scratch(), example_thread(1, "new"));
    remove_older(scratch(), 0, 2);
    assert_false(is_there(in_scratch("MULTI__COMPENSATED_TIME/profile.3.0.0")));
    const run r = read_directory(scratch());
    assert_int_equal(r.threads.size(), 1);
    assert_string_equal(r.attribute(key::run_id).c_str(), "new");
}

static void files_of_two_runs_are_refused(void **)
{
    write_run(2, "old");
    write_thread(scratch(), example_thread(0, "new"));
    assert_holds(sentence_of(read_scratch), "profile.1.0.0 belongs to another run than ");
    assert_holds(sentence_of(read_scratch), "MULTI__TIME/profile.0.0.0 beside it");
}

static void metric_of_another_run_is_refused(void **)
{
    write_run(1, "old");
    const std::string path = in_scratch("MULTI__MPI_WAIT_TIME/profile.0.0.0");
    const std::string older = get_file(path);
    write_run(1, "new");
    put_file(path, older);
    assert_holds(sentence_of(read_scratch), "MULTI__MPI_WAIT_TIME/profile.0.0.0 belongs to another run than");
}

// A number of ranks that a report would never end to look for.
static void number_of_ranks_that_cannot_be_is_refused(void **)
{
    for (const char *number : {"", "0", "-2", "two", "2 ", "99999999", "99999999999999999999"}) {
        thread t = example_thread(0, "one");
        t.metadata[2].second = number;
        write_thread(scratch(), t);
        assert_holds(sentence_of(read_scratch),
                     ("profile.0.0.0, line 2: the number of ranks is '" + std::string(number) + "'").c_str());
    }
}

// Their events, one changed after the other: what the sentence must hold.
static void messages_that_do_not_add_up_are_refused(void **)
{
    thread t = example_thread(0, "one");
    t.sent = {{1, 2, 10, 5, 5, 50}, {3, 1, 7, 7, 7, 49}};
    write_thread(scratch(), t);
    const std::string path = in_scratch("MULTI__TIME/profile.0.0.0"), good = get_file(path);
    const struct {
        const char *from, *to, *sentence;
    } changes[] = {{"to node 3\" 1 7", "to node 3\" 2 7", "is not the sum of those to each"},
                   {"to node 3\"", "to node 1\"", "'Message size sent to node 1' is there twice, or out of order"},
                   {"to node 3\"", "to node x\"", "'Message size sent to node x' does not say to whom"},
                   {"to node 3\"", "to somebody\"", "'Message size sent to somebody' does not say to whom"},
                   {"to all nodes\"", "to no nodes\"", "'Message size sent to all nodes' should be before"}};
    for (const auto &c : changes) {
        std::string bad = good;
        bad.replace(bad.find(c.from), std::string(c.from).size(), c.to);
        put_file(path, bad);
        assert_holds(sentence_of(read_scratch), c.sentence);
    }
}

static void what_is_not_a_file_in_a_files_place_is_refused(void **)
{
    const std::string path = in_scratch("MULTI__COMPENSATED_TIME/profile.0.0.0");
    write_run(1, "one");
    assert_int_equal(unlink(path.c_str()), 0);
    assert_int_equal(mkfifo(path.c_str(), 0600), 0);
    assert_holds(sentence_of(read_scratch), ("cannot read " + path + ": it is not a file").c_str());
    assert_int_equal(unlink(path.c_str()), 0);
    assert_int_equal(mkdir(path.c_str(), 0700), 0);
    assert_holds(sentence_of(read_scratch), ("cannot read " + path + ": it is not a file").c_str());
}

// Events need not stand in the order of the functions, and those of other kinds are nobody's harm.
static void events_are_found_in_any_order(void **)
{
    write_run(1, "one");
    const run before = read_directory(scratch());
    const std::string path = in_scratch("MULTI__TIME/profile.0.0.0");
    std::string text = get_file(path);
    const std::size_t count = text.find(" userevents");
    const std::size_t first = text.find('\n', text.find("# eventname")) + 1;
    const std::size_t second = text.find('\n', first) + 1;
    const std::string moved = text.substr(first, second - first);
    text = text.substr(0, first) + "\"Message size\" 1 8 8 8 64\n" + text.substr(second) + moved;
    const std::size_t number = text.rfind('\n', count) + 1;
    text.replace(number, count - number, std::to_string(std::stoi(text.substr(number, count - number)) + 1));
    put_file(path, text);
    const run after = read_directory(scratch());
    for (std::size_t i = 0; i < before.threads[0].rows.size(); i++)
        assert_true(same(before.threads[0].rows[i], after.threads[0].rows[i]));
}

static void ranks_are_read_in_order_of_their_numbers(void **)
{
    write_run(12, "one");
    const run r = read_directory(scratch());
    assert_int_equal(r.threads.size(), 12);
    for (int rank = 0; rank < 12; rank++)
        assert_int_equal(r.threads[static_cast<std::size_t>(rank)].rank, rank);
}

static void missing_metric_is_refused(void **)
{
    write_run(1, "one");
    assert_int_equal(unlink(in_scratch("MULTI__COMPENSATED_TIME/profile.0.0.0").c_str()), 0);
    assert_holds(sentence_of(read_scratch), "cannot read");
}

static void thread_without_its_first_metric_is_not_there(void **)
{
    write_run(2, "one");
    assert_int_equal(unlink(in_scratch("MULTI__TIME/profile.1.0.0").c_str()), 0);
    assert_int_equal(read_directory(scratch()).threads.size(), 1);
}

static void place_without_a_profile_is_said(void **)
{
    assert_holds(sentence_of(read_scratch), "there is no Tare profile in");
}

static void compensated_column_that_disagrees_is_refused(void **)
{
    write_run(1, "one");
    const std::string path = in_scratch("MULTI__COMPENSATED_TIME/profile.0.0.0");
    std::string text = get_file(path);
    const std::size_t at = text.find("4000000.002");
    assert_true(at != std::string::npos);
    put_file(path, text.replace(at, 11, "4000000.003"));
    assert_holds(sentence_of(read_scratch), "the compensated time of '.TAU application' is not what");
}

// What is left of the measured time would not fit a number.
static void removed_time_beyond_all_numbers_is_refused(void **)
{
    write_thread(scratch(), example_thread(0, "run"));
    const std::string path = in_scratch("MULTI__TIME/profile.0.0.0");
    std::string text = get_file(path);
    for (const auto &[from, to] : {std::pair(" 5000000.003 0 GROUP", " 9000000000000000 0 GROUP"),
                                   std::pair("\"tare removed : .TAU application\" 1 1000000.001 1000000.001 1000000.001",
                                             "\"tare removed : .TAU application\" 1 1 1 -9000000000000000")})
        text.replace(text.find(from), std::strlen(from), to);
    put_file(path, text);
    assert_holds(sentence_of(read_scratch), "the compensated time of '.TAU application' is not what");
}

// The example's second row: its last 400 calls were only counted.
static void write_throttled()
{
    thread t = example_thread(0, "run");
    t.rows[1].counted_calls = 400;
    write_thread(scratch(), t);
}

static void throttled_region_is_written_as_TAU_does_and_read_back(void **)
{
    write_throttled();
    assert_holds(get_file(in_scratch("MULTI__COMPENSATED_TIME/profile.0.0.0")),
                 "\"km operator\"\" _km(long double) [THROTTLED]\" 1000000 0 ");
    assert_holds(get_file(in_scratch("MULTI__TIME/profile.0.0.0")), " 0 GROUP=\"TAU_DISABLE\" \n");
    const run r = read_directory(scratch());
    assert_int_equal(r.threads[0].rows[1].counted_calls, 400);
    assert_string_equal(r.threads[0].rows[1].region.c_str(), "km operator\"\" _km(long double)");
    assert_int_equal(r.threads[0].rows[1].removed_ns, 900123);
    assert_int_equal(r.threads[0].rows[2].counted_calls, 0);
}

// So many usec of what should be a number of calls.
static void replace_count(const char *count)
{
    write_throttled();
    std::string text = get_file(in_scratch("MULTI__TIME/profile.0.0.0"));
    const std::string event = "tare counted calls : km operator\"\" _km(long double)\" 1 400 400 400 160000";
    text.replace(text.find(event), event.size(),
                 "tare counted calls : km operator\"\" _km(long double)\" 1 " + std::string(count) + " 0 " + count + " 0");
    put_file(in_scratch("MULTI__TIME/profile.0.0.0"), text);
}

static void throttled_region_without_a_count_that_can_be_is_refused(void **)
{
    for (const char *count : {"0", "-1", "1000001"}) {
        replace_count(count);
        assert_holds(sentence_of(read_scratch), "'tare counted calls : km operator\"\" _km(long double)' does not say how "
                                                "many of the 1000000 calls were only counted");
    }
    replace_count("1000000");
    assert_string_equal(sentence_of(read_scratch).c_str(), "");
}

int main()
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)
    const CMUnitTest tests[] = {
        TEST(empty_place_is_good),
        TEST(older_profile_is_no_obstacle),
        TEST(foreign_file_is_refused_by_name_and_left_alone),
        TEST(foreign_file_that_appeared_later_is_not_overwritten),
        TEST(file_that_another_rank_is_replacing_is_not_foreign),
        TEST(file_where_a_folder_should_be_is_refused),
        TEST(place_that_cannot_be_made_is_refused),
        TEST(each_rank_removes_its_own_and_rank_0_the_surplus),
        TEST(files_of_two_runs_are_refused),
        TEST(metric_of_another_run_is_refused),
        TEST(number_of_ranks_that_cannot_be_is_refused),
        TEST(messages_that_do_not_add_up_are_refused),
        TEST(what_is_not_a_file_in_a_files_place_is_refused),
        TEST(events_are_found_in_any_order),
        TEST(ranks_are_read_in_order_of_their_numbers),
        TEST(missing_metric_is_refused),
        TEST(thread_without_its_first_metric_is_not_there),
        TEST(place_without_a_profile_is_said),
        TEST(compensated_column_that_disagrees_is_refused),
        TEST(removed_time_beyond_all_numbers_is_refused),
        TEST(throttled_region_is_written_as_TAU_does_and_read_back),
        TEST(throttled_region_without_a_count_that_can_be_is_refused),
    };
#undef TEST
    return cmocka_run_group_tests_name("profile directory", tests, nullptr, nullptr);
}
