// SPDX-License-Identifier: BSD-3-Clause
// tare-calls.RANK: what is written is read back, and whose files may be replaced. Damaged files: test/tool.
#include "mpi_calls.hpp"
#include "scratch.hpp"

#include <climits>

#include "cmocka_cpp.hpp"

using namespace tare::profile;

static rank_calls example(int rank, const char *run_id)
{
    rank_calls c;
    c.rank = rank;
    c.ranks = 2;
    c.run_id = run_id;
    c.mode = "header";
    c.rule = "exact";
    call_site s;
    s.function = "MPI_Send()";
    s.site = "km operator\"\" _km(long double)+0x2c";
    s.calls = 3;
    s.sent_bytes = INT64_C(1) << 52;
    s.received_bytes = 1;
    s.time_ns = 5'000'000'003;
    s.least_ns = -2;
    s.most_ns = 5'000'000'000;
    s.comp_ns = -7;
    s.wait_ns = 4;
    s.wait_comp_ns = -3;
    s.completed = 2;
    s.completion_ns = INT64_C(6'000'000'000);
    s.completion_comp_ns = 5;
    c.sites = {s};
    c.waits = {{7, "MPI_Recv()", 3, INT64_C(5'000'000'000), -6}, {elsewhere, "MPI_Recv()", 1, 1, 1},
               {several, "MPI_Waitall()", 2, 2, 3}, {all_others, "MPI_Barrier()", 4, 4, 4}, {unknown, "MPI_Mrecv()", 5, 5, 5}};
    c.sizes[0].messages = 9;
    c.sizes[63] = {1, INT64_MAX};
    return c;
}

static void write_run(int ranks, const char *run_id)
{
    for (int rank = 0; rank < ranks; rank++)
        write_calls(scratch(), example(rank, run_id));
}

static void check_scratch() { check_calls_place(scratch()); }
static void read_scratch() { read_calls(scratch()); }
static void write_to_scratch() { write_calls(scratch(), example(0, "new")); }

static std::string path_of(int rank) { return in_scratch("tare-calls." + std::to_string(rank)); }

static void every_number_is_read_back(void **)
{
    write_run(1, "one");
    const std::vector<rank_calls> all = read_calls(scratch());
    assert_int_equal(all.size(), 1);
    const rank_calls wanted = example(0, "one");
    const rank_calls &c = all[0];
    assert_true(c.rank == 0 && c.ranks == 2 && c.run_id == "one" && c.mode == "header" && c.rule == "exact");
    assert_int_equal(c.sites.size(), 1);
    const call_site &s = c.sites[0], &w = wanted.sites[0];
    assert_true(s.function == w.function && s.site == w.site && s.calls == w.calls);
    assert_true(s.sent_bytes == w.sent_bytes && s.received_bytes == w.received_bytes && s.time_ns == w.time_ns);
    assert_true(s.least_ns == w.least_ns && s.most_ns == w.most_ns && s.comp_ns == w.comp_ns);
    assert_true(s.wait_ns == w.wait_ns && s.wait_comp_ns == w.wait_comp_ns);
    assert_true(s.completed == w.completed && s.completion_ns == w.completion_ns);
    assert_true(s.completion_comp_ns == w.completion_comp_ns);
    assert_int_equal(c.waits.size(), 5);
    for (std::size_t i = 0; i < c.waits.size(); i++) {
        const waiting &a = c.waits[i], &b = wanted.waits[i];
        assert_true(a.whom == b.whom && a.function == b.function && a.calls == b.calls);
        assert_true(a.wait_ns == b.wait_ns && a.wait_comp_ns == b.wait_comp_ns);
    }
    for (std::size_t i = 0; i < size_classes; i++)
        assert_true(c.sizes[i].messages == wanted.sizes[i].messages && c.sizes[i].bytes == wanted.sizes[i].bytes);
}

static void sum_has_the_least_and_the_most(void **)
{
    call_site sum, a, b;
    a.calls = 2, a.time_ns = 30, a.least_ns = 10, a.most_ns = 20;
    b.calls = 1, b.time_ns = 25, b.least_ns = b.most_ns = 25;
    a.completed = 2, a.completion_ns = 7, a.completion_comp_ns = 5;
    b.completed = 1, b.completion_ns = 2, b.completion_comp_ns = 3;
    add(sum, a);
    assert_true(sum.least_ns == 10 && sum.most_ns == 20);
    add(sum, b);
    assert_true(sum.calls == 3 && sum.time_ns == 55 && sum.least_ns == 10 && sum.most_ns == 25);
    assert_true(sum.completed == 3 && sum.completion_ns == 9 && sum.completion_comp_ns == 8);
}

static void waits_of_a_function_for_one_process_are_summed(void **)
{
    wait_sums sums;
    sums.add({3, "MPI_Recv()", 1, 10, 20});
    sums.add({1, "MPI_Recv()", 1, 1, 1});
    sums.add({3, "MPI_Probe()", 1, 5, 5});
    const waiting &sum = sums.add({3, "MPI_Recv()", 2, 30, -5});
    assert_true(sum.calls == 3 && sum.wait_ns == 40 && sum.wait_comp_ns == 15);
    const std::vector<waiting> all = sums.list();
    assert_int_equal(all.size(), 3);
    assert_true(all[0].function == "MPI_Probe()" && all[1].whom == 1 && all[2].whom == 3);
}

static void waits_in_another_order_are_another_sum(void **)
{
    using tare::profile::message_order;
    wait_sums sums;
    sums.add({3, "MPI_Recv()", 1, 10, 20});
    sums.add({3, "MPI_Recv()", 1, 1, 2, message_order::wrong_different});
    const waiting &sum = sums.add({3, "MPI_Recv()", 2, 3, 4, message_order::wrong_different});
    assert_true(sum.calls == 3 && sum.wait_ns == 4 && sum.wait_comp_ns == 6);
    const std::vector<waiting> all = sums.list();
    assert_int_equal(all.size(), 2);
    assert_true(all[0].order == message_order::kept && all[1].order == message_order::wrong_different);
    rank_calls c = example(0, "one");
    c.waits = all;
    c.waits.push_back({3, "MPI_Wait()", 1, 7, 8, message_order::wrong_same});
    write_calls(scratch(), c);
    const std::vector<waiting> read = read_calls(scratch())[0].waits;
    assert_int_equal(read.size(), 3);
    assert_true(read[0].order == message_order::kept && read[1].order == message_order::wrong_different &&
                read[2].order == message_order::wrong_same && read[2].function == "MPI_Wait()");
}

// As it was before version 4.
static std::string without_completions(std::string text)
{
    const std::size_t from = text.find("\ncompletion ");
    return from == std::string::npos ? text : without_completions(text.erase(from, text.find('\n', from + 1) - from));
}

static void table_of_version_3_has_no_completions(void **)
{
    write_run(1, "one");
    std::string text = get_file(path_of(0));
    text.replace(0, 12, "tare calls 3");
    put_file(path_of(0), text);
    assert_string_equal(sentence_of(read_scratch).c_str(),
                        (path_of(0) + ", line 8: 'completion' is none of site, completion, wait, size, end, or out of order").c_str());
    put_file(path_of(0), without_completions(text));
    assert_int_equal(read_calls(scratch())[0].sites[0].completed, 0);
    assert_int_equal(read_calls(scratch())[0].sites[0].calls, 3);
}

static void table_of_version_2_has_no_orders(void **)
{
    write_run(1, "one");
    std::string text = get_file(path_of(0));
    text.replace(0, 12, "tare calls 2");
    text = without_completions(text);
    put_file(path_of(0), text);
    const rank_calls c = read_calls(scratch())[0];
    assert_true(c.knows_waits && !c.waits.empty());
    for (const waiting &w : c.waits)
        assert_true(w.order == tare::profile::message_order::kept);
}

static void table_of_version_1_has_no_waits(void **)
{
    write_run(1, "one");
    std::string text = get_file(path_of(0));
    text.replace(0, 12, "tare calls 1");
    text = without_completions(text);
    put_file(path_of(0), text);
    assert_string_equal(sentence_of(read_scratch).c_str(),
                        (path_of(0) + ", line 8: 'wait' is none of site, completion, wait, size, end, or out of order").c_str());
    rank_calls c = example(0, "one");
    c.waits.clear();
    write_calls(scratch(), c);
    assert_true(read_calls(scratch())[0].knows_waits);
    text = get_file(path_of(0));
    text.replace(0, 12, "tare calls 1");
    text = without_completions(text);
    put_file(path_of(0), text);
    assert_true(!read_calls(scratch())[0].knows_waits);
}

static void line_end_in_a_name_is_a_blank(void **)
{
    rank_calls c = example(0, "one");
    c.sites[0].site = "a\nb+0x1";
    write_calls(scratch(), c);
    assert_string_equal(read_calls(scratch())[0].sites[0].site.c_str(), "a b+0x1");
}

static void ranks_are_read_in_order_of_their_numbers(void **)
{
    write_run(12, "one");
    const std::vector<rank_calls> all = read_calls(scratch());
    assert_int_equal(all.size(), 12);
    for (int rank = 0; rank < 12; rank++)
        assert_int_equal(all[static_cast<std::size_t>(rank)].rank, rank);
}

static void names_that_are_no_ranks_are_nobodys(void **)
{
    write_run(1, "one");
    for (const char *name : {"tare-calls.", "tare-calls.x", "tare-calls.01", "tare-calls.1.old", "tare-calls.-1"})
        put_file(in_scratch(name), "something");
    assert_int_equal(read_calls(scratch()).size(), 1);
    assert_string_equal(sentence_of(check_scratch).c_str(), "");
}

static void files_of_two_runs_are_refused(void **)
{
    write_run(2, "old");
    write_calls(scratch(), example(0, "new"));
    assert_string_equal(sentence_of(read_scratch).c_str(),
                        (path_of(1) + " belongs to another run than " + path_of(0) + " beside it").c_str());
}

static void each_rank_removes_its_own_and_rank_0_the_surplus(void **)
{
    write_run(4, "old");
    remove_older_calls(scratch(), 1, 2);
    assert_true(is_there(path_of(0)) && !is_there(path_of(1)) && is_there(path_of(2)));
    write_calls(scratch(), example(1, "new"));
    remove_older_calls(scratch(), 0, 2);
    assert_true(!is_there(path_of(0)) && is_there(path_of(1)) && !is_there(path_of(2)) && !is_there(path_of(3)));
}

static void foreign_file_is_refused_and_left_alone(void **)
{
    put_file(path_of(0), "something");
    const std::string sentence = path_of(0) + " is in the profile's place, was not written by Tare and will not be "
                                              "overwritten";
    assert_string_equal(sentence_of(check_scratch).c_str(), sentence.c_str());
    assert_string_equal(sentence_of(write_to_scratch).c_str(), sentence.c_str());
    remove_older_calls(scratch(), 0, 1);
    assert_string_equal(get_file(path_of(0)).c_str(), "something");
}

int main()
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)
    const CMUnitTest tests[] = {
        TEST(every_number_is_read_back),
        TEST(sum_has_the_least_and_the_most),
        TEST(waits_of_a_function_for_one_process_are_summed),
        TEST(waits_in_another_order_are_another_sum),
        TEST(table_of_version_3_has_no_completions),
        TEST(table_of_version_2_has_no_orders),
        TEST(table_of_version_1_has_no_waits),
        TEST(line_end_in_a_name_is_a_blank),
        TEST(ranks_are_read_in_order_of_their_numbers),
        TEST(names_that_are_no_ranks_are_nobodys),
        TEST(files_of_two_runs_are_refused),
        TEST(each_rank_removes_its_own_and_rank_0_the_surplus),
        TEST(foreign_file_is_refused_and_left_alone),
    };
#undef TEST
    return cmocka_run_group_tests_name("profile calls", tests, nullptr, nullptr);
}
