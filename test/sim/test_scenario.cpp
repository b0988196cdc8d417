// SPDX-License-Identifier: BSD-3-Clause
// The reader of scenario files: what it makes of a good one, and its sentence for each kind of bad one.
#include <sstream>
#include <string>

#include "scenario.hpp"

#include "cmocka_cpp.hpp"

namespace {

std::string error_of(const std::string& text)
{
    std::istringstream in(text);
    try {
        sim::parse_scenarios(in, "x");
        return "";
    } catch (const sim::scenario_error& e) {
        return e.what();
    }
}

struct bad_input {
    const char* name;
    const char* text;
    const char* sentence;
};

#define HEAD "scenario a\nprocesses 2\nsteps 1\noverhead 0.5\nlatency 2\ncall 0.2\n"
#define PROGRAM "program all: work 1 0\n"
#define EXPECT "expect exact=0\n"

const bad_input bad_inputs[] = {
    {"empty_file_is_refused", "# nothing\n",
     "x:1: there is no scenario in this file; one starts with 'scenario NAME'"},
    {"directive_before_scenario_is_refused", "steps 1\n", "x:1: 'steps' stands before the first 'scenario NAME'"},
    {"unknown_directive_is_refused", "scenario a\nstep 1\n",
     "x:2: 'step' is not a directive; see the head of scenario.hpp for all of them"},
    {"directive_without_value_is_refused", "scenario a\nsteps # 1\n", "x:2: 'steps' needs a value"},
    {"directive_given_twice_is_refused", "scenario a\nsteps 1\nsteps 1\n",
     "x:3: 'steps' is given twice in scenario 'a'"},
    {"scenario_name_with_capitals_is_refused", "scenario A\n",
     "x:1: a scenario's name is made of lower case letters, digits and '_', not 'A'"},
    {"scenario_name_used_twice_is_refused", HEAD PROGRAM EXPECT "scenario a\n",
     "x:9: there is already a scenario 'a'"},
    {"scenario_without_latency_is_refused", "\nscenario a\nprocesses 2\nsteps 1\noverhead 0\n",
     "x:2: scenario 'a' has no 'latency' line"},
    {"scenario_without_expectation_is_refused", HEAD PROGRAM, "x:1: scenario 'a' has no 'expect' line"},
    {"compute_without_cost_is_refused", HEAD "program all: compute\n" EXPECT,
     "x:1: scenario 'a' has no 'cost' line"},
    {"process_without_program_is_refused", HEAD "program 0: work 1 0\n" EXPECT,
     "x:1: scenario 'a' has no program for process 1"},
    {"process_with_two_programs_is_refused", HEAD PROGRAM PROGRAM, "x:8: process 0 has two programs"},
    {"program_before_processes_is_refused", "scenario a\n" PROGRAM,
     "x:2: 'processes' must stand before the first line that names a set of them"},
    {"program_without_colon_is_refused", HEAD "program all\n",
     "x:7: 'program' needs 'SET: STATEMENT, ...', not 'all'"},
    {"program_with_unknown_word_is_refused", HEAD "program all twice: work 1 0\n",
     "x:7: before the colon of 'program' stands a set and perhaps 'forever', not 'all twice'"},
    {"finally_of_other_set_is_refused", HEAD PROGRAM "finally 0: work 1 0\n",
     "x:8: 'finally 0' must name the same processes as one 'program' line above it"},
    {"finally_of_endless_program_is_refused", HEAD "program all forever: recv +1\nfinally all: work 1 0\n",
     "x:8: 'finally all' belongs to a program that never ends or has one already"},
    {"unknown_statement_is_refused", HEAD "program all: work 1 0, sleep\n",
     "x:7: 'sleep' is not a statement; allowed: barrier, compute, irecv, isend, recv, recvany, send, srecv, ssend, "
     "stop, wait or work"},
    {"missing_statement_is_refused", HEAD "program all: work 1 0,,\n",
     "x:7: a statement is missing between two commas or after the colon"},
    {"send_without_peer_is_refused", HEAD "program all: send\n", "x:7: 'send' needs at least one peer"},
    {"work_without_events_is_refused", HEAD "program all: work 1\n", "x:7: 'work' takes 2 numbers, not 'work 1'"},
    {"peer_outside_is_refused", HEAD "program all: send 2\n",
     "x:7: a peer must be a whole number from 0 to 1, not '2'"},
    {"relative_peer_outside_is_refused", HEAD "program all: send -2\n",
     "x:7: a peer must be a whole number from -1 to 1, not '-2'"},
    {"set_outside_is_refused", HEAD "program 0..2: work 1 0\n",
     "x:7: a process of a set must be a whole number from 0 to 1, not '2'"},
    {"set_running_backwards_is_refused", HEAD "program last..0: work 1 0\n",
     "x:7: the range 'last..0' runs backwards"},
    {"empty_set_is_refused", "scenario a\nprocesses 1\nevents odd 1\n", "x:3: the set 'odd' is empty"},
    {"events_given_twice_is_refused", HEAD "events all 1\nevents 0..1 2\n",
     "x:8: process 0 of set '0..1' has its events given twice"},
    {"events_with_negative_count_is_refused", HEAD "events all -1\n",
     "x:7: events must be a whole number from 0 to 1000000000, not '-1'"},
    {"processes_of_zero_is_refused", "scenario a\nprocesses 0\n",
     "x:2: processes must be a whole number from 1 to 1000000, not '0'"},
    {"time_with_unit_is_refused", "scenario a\nlatency 2us\n",
     "x:2: latency must be a number from 0 to 1e+09, not '2us'"},
    {"time_not_a_number_is_refused", "scenario a\nlatency nan\n",
     "x:2: latency must be a number from 0 to 1e+09, not 'nan'"},
    {"seeds_running_backwards_is_refused", "scenario a\nseeds 3..2\n",
     "x:2: a seed must be a whole number from 3 to 2147483647, not '2'"},
    {"unknown_cost_is_refused", "scenario a\ncost normal 3\n",
     "x:2: a cost is 'constant TIME' or 'exponential MEAN plus TIME', not 'normal 3'"},
    {"wildcard_without_latency_is_refused",
     "scenario a\nprocesses 1\nsteps 1\noverhead 0\nlatency 0\ncall 0\nprogram all: recvany\n" EXPECT,
     "x:1: 'recvany' needs a latency above 0, or the order of arrivals would not be defined"},
    {"expectation_without_value_is_refused", HEAD "expect exact\n",
     "x:7: an expectation is COLUMN=PERCENT or COLUMN=PERCENT~TOLERANCE, not 'exact'"},
    {"expectation_of_unknown_column_is_refused", HEAD "expect tau=0\n",
     "x:7: 'tau' is not a column; allowed: inversions, measured, local, published, first_poll, exact, nocts, "
     "no_poll_edge or no_data_stamp"},
    {"expectation_given_twice_is_refused", HEAD "expect exact=0 exact=1\n",
     "x:7: column 'exact' has two expectations"},
    {"expectation_of_inversions_as_number_is_refused", HEAD "expect inversions=3\n",
     "x:7: inversions are expected to be 'none' or 'some', not '3'"},
    {"tolerance_below_zero_is_refused", HEAD "expect exact=0~-1\n",
     "x:7: a tolerance in percent must be a number from 0 to 1e+06, not '-1'"},
};

constexpr std::size_t bad_count = sizeof bad_inputs / sizeof *bad_inputs;

void bad_input_is_refused(void** state)
{
    const auto* bad = static_cast<const bad_input*>(*state);
    static std::string sentence;
    sentence = error_of(bad->text);
    assert_string_equal(sentence.c_str(), bad->sentence);
}

void file_that_is_missing_is_refused(void**)
{
    static std::string sentence;
    try {
        sim::read_scenarios("no/such.scenario");
    } catch (const sim::scenario_error& e) {
        sentence = e.what();
    }
    assert_string_equal(sentence.c_str(), "no/such.scenario: this scenario file cannot be opened for reading");
}

sim::scenario parsed(const std::string& text)
{
    std::istringstream in(text);
    return sim::parse_scenarios(in, "x").front();
}

const sim::scenario& good()
{
    static const sim::scenario s = parsed("scenario good # comment\n title Of some kind \nprocesses 5\nsteps 7\n"
                                          "overhead 0.5\nlatency 2\ncall 0.000001\nseeds 3..4\n"
                                          "cost exponential 50 plus 100\nevents even 6\nevents 1,3 4\n"
                                          "program 0,last-1..last: compute, send +1 -1 0\n"
                                          "finally 0,3,4: barrier 1.5\n"
                                          "program 1..2 forever: recv 0 source, work 2 3\n"
                                          "expect measured=+1.5~0.25 exact=0 inversions=some\n");
    return s;
}

void times_in_microseconds_are_read_as_picoseconds(void**)
{
    assert_int_equal(good().overhead, 500000);
    assert_int_equal(good().latency, 2000000);
    assert_int_equal(good().call, 1);
}

void title_and_seeds_are_read_as_written(void**)
{
    assert_string_equal(good().title.c_str(), "Of some kind");
    assert_int_equal(good().first_seed, 3);
    assert_int_equal(good().last_seed, 4);
}

void sets_of_all_forms_name_their_processes(void**)
{
    const int events[] = {6, 4, 6, 4, 6};
    const int programs[] = {0, 1, 1, 0, 0};
    for (std::size_t p = 0; p < 5; ++p) {
        assert_int_equal(good().events[p], events[p]);
        assert_int_equal(good().program_of[p], programs[p]);
    }
}

void send_to_three_peers_is_read_as_three_calls(void**)
{
    const sim::program& prog = good().programs[0];
    assert_int_equal(prog.body.size(), 4);
    assert_int_equal(prog.body[2].peers.size(), 1);
    assert_int_equal(prog.body[2].peers[0].number, -1);
    assert_true(prog.body[2].peers[0].how == sim::peer::kind::relative);
    assert_int_equal(prog.after.size(), 1);
}

void recv_from_two_peers_is_read_as_one_wait(void**)
{
    const sim::program& prog = good().programs[1];
    assert_true(prog.forever);
    assert_int_equal(prog.body.size(), 2);
    assert_int_equal(prog.body[0].peers.size(), 2);
    assert_true(prog.body[0].peers[1].how == sim::peer::kind::source);
}

void expectations_with_and_without_tolerance_are_read(void**)
{
    assert_int_equal(good().expected.size(), 2);
    assert_true(good().expected[0].tolerance == 0.25);
    assert_true(good().expected[1].tolerance == 1e-7);
    assert_true(good().inversions.value());
}

}  // namespace

int main()
{
    static CMUnitTest tests[bad_count + 7] = {
        cmocka_unit_test(file_that_is_missing_is_refused),
        cmocka_unit_test(times_in_microseconds_are_read_as_picoseconds),
        cmocka_unit_test(title_and_seeds_are_read_as_written),
        cmocka_unit_test(sets_of_all_forms_name_their_processes),
        cmocka_unit_test(send_to_three_peers_is_read_as_three_calls),
        cmocka_unit_test(recv_from_two_peers_is_read_as_one_wait),
        cmocka_unit_test(expectations_with_and_without_tolerance_are_read),
    };
    for (std::size_t i = 0; i < bad_count; ++i)
        tests[7 + i] = {bad_inputs[i].name, bad_input_is_refused, nullptr, nullptr,
                        const_cast<bad_input*>(&bad_inputs[i])};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
