// SPDX-License-Identifier: BSD-3-Clause
// The simulator itself: books that must balance, cases small enough to be computed by hand, random numbers.
// Overhead is 0.5 us an event, latency 2 us, a call costs nothing, unless a case says otherwise.
#include <cstdio>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "random.hpp"
#include "simulation.hpp"

#include "cmocka_cpp.hpp"

namespace {

using sim::columns;
using sim::outcome;
using sim::ps;

constexpr ps us = sim::ps_per_us;

struct runs {
    std::string problem;
    outcome truth;
    outcome measured;

    ps delay(std::size_t process, std::size_t e) const { return measured.processes[process].delay[e]; }
};

void simulate_both(const std::string& text, runs& r)
{
    try {
        std::istringstream in(text);
        const sim::scenario s = sim::parse_scenarios(in, "x").front();
        const sim::cost_table costs = sim::draw_costs(s, s.first_seed);
        r.truth = sim::simulate(s, costs, false);
        r.measured = sim::simulate(s, costs, true);
    } catch (const std::exception& e) {
        r.problem = e.what();
    }
}

// Static, because a failing assert jumps over destructors.
const runs& both(const std::string& text)
{
    static runs r;
    r = runs();
    simulate_both(text, r);
    return r;
}

std::string small(int processes, const char* programs)
{
    return "scenario small\nprocesses " + std::to_string(processes) +
           "\nsteps 1\noverhead 0.5\nlatency 2\ncall 0\n" + programs + "\nexpect exact=0\n";
}

const runs& simulated(int processes, const char* programs)
{
    const runs& r = both(small(processes, programs));
    assert_string_equal(r.problem.c_str(), "");
    return r;
}

// Random programs of every kind of call; the last two take another course when they are instrumented. Calls of polled
// rendezvous cost nothing where the exact rule is to be exact, so that no RTS comes between two of them.
const char* const large_cases[] = {
    "call 0.2\nevents even 60\nprogram all: compute, send +1 -1, recv -1 +1",
    "call 0.2\nevents last 60\nprogram 0: compute, send +1\nprogram 1..last-1: recv -1, compute, send +1\n"
    "program last: recv -1, compute",
    "call 0.2\nevents odd 60\nprogram all: compute, barrier 1",
    "call 0.2\nevents 0 60\nprogram even: compute, ssend +1\nprogram odd: compute, srecv -1",
    "call 0\nevents 0 60\nprogram even: compute, isend +1, wait\nprogram odd: compute, irecv -1, wait",
    "call 0.2\nevents even 60\nprogram all: irecv -1 +1, isend +1 -1, compute, wait",
    "call 0.2\nevents last 60\nprogram 0: recvany, send source\nfinally 0: recvany, stop source, recvany, "
    "stop source, recvany, stop source\nprogram 1..last forever: send 0, recv 0, compute received",
};
constexpr std::size_t large_count = sizeof large_cases / sizeof *large_cases;
constexpr std::size_t exact_count = large_count - 2;

const runs& large(std::size_t i)
{
    static std::string text;
    text = std::string("scenario large\nprocesses 4\nsteps 100\noverhead 0.5\nlatency 2\nseeds 5\n"
                       "cost exponential 50 plus 20\n") + large_cases[i] + "\nexpect exact=0\n";
    const runs& r = both(text);
    if (!r.problem.empty())
        print_error("case %zu: %s\n", i, r.problem.c_str());
    assert_true(r.problem.empty());
    return r;
}

void assert_books_balance(std::size_t i, const sim::process_result& p)
{
    if (p.end != p.busy + p.overhead + p.waited)
        print_error("case %zu\n", i);
    assert_int_equal(p.end, p.busy + p.overhead + p.waited);
    for (std::size_t e = 0; e < columns; ++e) {
        if (p.end - p.delay[e] != p.busy + p.wait[e])
            print_error("case %zu, estimator %s\n", i, sim::estimators[e].name);
        assert_int_equal(p.end - p.delay[e], p.busy + p.wait[e]);
    }
}

void books_of_every_process_balance(void**)
{
    for (std::size_t i = 0; i < large_count; ++i) {
        const runs& r = large(i);
        for (const sim::process_result& p : r.truth.processes)
            assert_books_balance(i, p);
        for (const sim::process_result& p : r.measured.processes)
            assert_books_balance(i, p);
    }
}

void waits_by_exact_rule_are_those_of_the_truth(void**)
{
    for (std::size_t i = 0; i < exact_count; ++i) {
        const runs& r = large(i);
        for (std::size_t p = 0; p < r.truth.processes.size(); ++p) {
            if (r.measured.processes[p].wait[sim::exact] != r.truth.processes[p].waited)
                print_error("case %zu, process %zu\n", i, p);
            assert_int_equal(r.measured.processes[p].wait[sim::exact], r.truth.processes[p].waited);
            assert_true(r.measured.processes[p].busy == r.truth.processes[p].busy);
        }
    }
}

// But without the poll's own edge, a match that waits for a poll makes delay out of nothing.
void run_without_overhead_has_no_delay_and_no_inversion(void**)
{
    for (std::size_t i = 0; i < large_count; ++i) {
        const runs& r = large(i);
        assert_int_equal(r.truth.inversions.count, 0);
        for (const sim::process_result& p : r.truth.processes) {
            for (std::size_t e = 0; e < columns; ++e) {
                if (e != sim::no_poll_edge)
                    assert_int_equal(p.delay[e], 0);
            }
        }
    }
}

// D_s = 30, t_a = 82; the receiver enters at 10. D' = min(0 + 72, 30).
void message_waited_for_brings_the_sender_delay(void**)
{
    const runs& r = simulated(2, "program 0: work 50 60, send 1\nprogram 1: work 10 0, recv 0");
    assert_int_equal(r.measured.processes[1].end, 82 * us);
    assert_int_equal(r.delay(1, sim::exact), 30 * us);
    assert_int_equal(r.delay(1, sim::published), 30 * us);
    assert_int_equal(r.delay(1, sim::first_poll), 30 * us);
    assert_int_equal(r.delay(1, sim::local), 0);
}

// t_a = 12, the receiver enters at 80 with D_r = 30. D' = min(30, 0 + 68); without slack min(30, 0).
void early_message_leaves_the_receiver_delay(void**)
{
    const runs& r = simulated(2, "program 0: work 10 0, send 1\nprogram 1: work 50 60, recv 0");
    assert_int_equal(r.delay(1, sim::exact), 30 * us);
    assert_int_equal(r.delay(1, sim::published), 0);
    assert_int_equal(r.delay(1, sim::first_poll), 0);
    assert_int_equal(r.delay(1, sim::local), 30 * us);
}

// The same, with a poll at 60 and 20 us of work (10 of them overhead) after it: first poll grants 20 us of slack.
void early_message_seen_by_an_earlier_poll_has_slack_since_then(void**)
{
    const runs& r = simulated(2, "program 0: work 10 0, send 1, recv 1\n"
                                 "program 1: work 30 60, send 0, work 10 20, recv 0");
    assert_int_equal(r.delay(1, sim::exact), 40 * us);
    assert_int_equal(r.delay(1, sim::first_poll), 20 * us);
}

// Arrivals at 32 with D = 0 and at 52 with D = 30. D' = min(20, 30), and min(20, 0) as published.
void receive_from_two_joins_with_both(void**)
{
    const char* sources[] = {"1 2", "2 1"};
    for (const char* order : sources) {
        static char text[200];
        std::snprintf(text, sizeof text,
                      "program 0: recv %s\nprogram 1: work 30 0, send 0\nprogram 2: work 20 60, send 0", order);
        const runs& r = simulated(3, text);
        assert_int_equal(r.measured.processes[0].end, 52 * us);
        assert_int_equal(r.delay(0, sim::exact), 20 * us);
        assert_int_equal(r.delay(0, sim::published), 0);
    }
}

// Entered at 80 (D = 30), 50, 60: truth 60, measured 80, so D' = 20 for all. The barrier itself costs 1.
void barrier_of_three_gives_all_the_same_delay(void**)
{
    const runs& r = simulated(3, "program 0: work 50 60, barrier 1\nprogram 1: work 50 0, barrier 1\n"
                                 "program 2: work 60 0, barrier 1");
    for (std::size_t p = 0; p < 3; ++p) {
        assert_int_equal(r.measured.processes[p].end, 81 * us);
        assert_int_equal(r.delay(p, sim::exact), 20 * us);
        assert_int_equal(r.delay(p, sim::published), 0);
    }
    assert_int_equal(r.delay(0, sim::local), 30 * us);
}

// RTS at 1000 during 10 ms of work with 10 ms of overhead. The sender gets D_M with CTS.
void match_after_instrumented_work_has_the_delay_of_the_poll(void**)
{
    const runs& r = simulated(2, "program 0: work 998 0, isend 1, wait\nprogram 1: irecv 0, work 10000 20000, wait");
    assert_int_equal(r.measured.processes[0].end, 20002 * us);
    assert_int_equal(r.delay(0, sim::exact), 10000 * us);
    assert_int_equal(r.delay(0, sim::no_poll_edge), 19000 * us);
    assert_int_equal(r.delay(0, sim::first_poll), 0);
    assert_int_equal(r.delay(0, sim::no_cts), 0);
    assert_int_equal(r.delay(1, sim::exact), 10000 * us);
}

// CTS at 4 during 10 ms of work with 10 ms of overhead; DATA leaves at 20000 with what the sender's poll knows.
void data_sent_after_instrumented_work_brings_its_delay(void**)
{
    const runs& r = simulated(2, "program 0: isend 1, work 10000 20000, wait\nprogram 1: irecv 0, wait");
    assert_int_equal(r.measured.processes[1].end, 20002 * us);
    assert_int_equal(r.delay(0, sim::exact), 10000 * us);
    assert_int_equal(r.delay(1, sim::exact), 10000 * us);
    assert_int_equal(r.delay(1, sim::no_data_stamp), 0);
    assert_int_equal(r.delay(1, sim::published), 0);
}

void nothing_of_a_rendezvous_moves_without_a_poll(void**)
{
    const runs& r = simulated(2, "program 0: isend 1, work 100 0, wait\nprogram 1: irecv 0, work 300 0, wait");
    // RTS at 2 waits for the poll at 300; CTS 302, DATA 304.
    assert_int_equal(r.measured.processes[0].end, 302 * us);
    assert_int_equal(r.measured.processes[1].end, 304 * us);
}

// Process 2 comes 30 us late; its RTS must not mark the CTS to process 1, which is completed by the same wait.
void cts_of_one_match_knows_nothing_of_the_other(void**)
{
    const runs& r = simulated(3, "program 0: irecv 1 2, wait\nprogram 1: work 100 0, isend 0, wait\n"
                                 "program 2: work 90 60, isend 0, wait");
    assert_int_equal(r.delay(1, sim::exact), 0);
    assert_int_equal(r.delay(2, sim::exact), 30 * us);
    assert_int_equal(r.delay(0, sim::exact), 20 * us);
}

// Arrivals 22 and 42 (12 without overhead): the other one would have come first, by 10 us.
void wildcard_match_in_another_order_is_counted_with_its_size(void**)
{
    const runs& r = simulated(3, "program 0: recvany, recvany\nprogram 1: work 10 60, send 0\n"
                                 "program 2: work 20 0, send 0");
    assert_int_equal(r.measured.inversions.count, 1);
    assert_int_equal(r.measured.inversions.largest, 10 * us);
}

// Both were there long before the receive: that it fired late says nothing about their order.
void late_wildcard_receive_of_ordered_messages_is_no_inversion(void**)
{
    const runs& r = simulated(3, "program 0: work 100 60, recvany, recvany\nprogram 1: work 10 2, send 0\n"
                                 "program 2: work 20 0, send 0");
    assert_int_equal(r.measured.inversions.count, 0);
}

void stop_message_ends_the_program_of_its_receiver(void**)
{
    const runs& r = simulated(2, "program 0: work 10 0, send 1, work 10 0, stop 1\n"
                                 "program 1 forever: recv 0, work 1 0");
    assert_int_equal(r.measured.processes[1].end, 22 * us);
    assert_int_equal(r.measured.processes[1].busy, 1 * us);
}

void programs_that_wait_for_each_other_stop_with_a_sentence(void**)
{
    const runs& r = both(small(2, "program 0: work 1 0\nprogram 1: recv 0"));
    assert_string_equal(r.problem.c_str(), "scenario 'small': process 1 waits for ever in step 0; "
                                           "the programs must let every wait end");
}

void run_beyond_the_time_base_stops_with_a_sentence(void**)
{
    const runs& r = both("scenario small\nprocesses 1\nsteps 10000\noverhead 0\nlatency 0\ncall 0\n"
                         "program 0: work 1e9 0\nexpect exact=0\n");
    assert_string_equal(r.problem.c_str(), "scenario 'small' runs longer than 26 days of simulated time");
}

// The first and the thousandth fraction of Python's random.Random(seed).
void random_numbers_of_known_seeds_are_those_of_python(void**)
{
    const struct {
        std::uint32_t seed;
        double first, thousandth;
    } known[] = {{0, 0.8444218515250481, 0.4804125346981437},
                 {1, 0.13436424411240122, 0.7062615472551386},
                 {19, 0.6771258268002703, 0.13238920732588166},
                 {123456789, 0.6414006161858726, 0.20451464618236992}};
    for (const auto& k : known) {
        sim::random_source random(k.seed);
        assert_true(random.uniform() == k.first);
        for (int i = 2; i < 1000; ++i)
            random.uniform();
        assert_true(random.uniform() == k.thousandth);
    }
}

void exponential_number_of_known_seed_is_that_of_python(void**)
{
    sim::random_source random(7);
    assert_int_equal(sim::ps_from_us(random.exponential(50)), sim::ps_from_us(19.565742211740215));
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(books_of_every_process_balance),
        cmocka_unit_test(waits_by_exact_rule_are_those_of_the_truth),
        cmocka_unit_test(run_without_overhead_has_no_delay_and_no_inversion),
        cmocka_unit_test(message_waited_for_brings_the_sender_delay),
        cmocka_unit_test(early_message_leaves_the_receiver_delay),
        cmocka_unit_test(early_message_seen_by_an_earlier_poll_has_slack_since_then),
        cmocka_unit_test(receive_from_two_joins_with_both),
        cmocka_unit_test(barrier_of_three_gives_all_the_same_delay),
        cmocka_unit_test(match_after_instrumented_work_has_the_delay_of_the_poll),
        cmocka_unit_test(data_sent_after_instrumented_work_brings_its_delay),
        cmocka_unit_test(nothing_of_a_rendezvous_moves_without_a_poll),
        cmocka_unit_test(cts_of_one_match_knows_nothing_of_the_other),
        cmocka_unit_test(wildcard_match_in_another_order_is_counted_with_its_size),
        cmocka_unit_test(late_wildcard_receive_of_ordered_messages_is_no_inversion),
        cmocka_unit_test(stop_message_ends_the_program_of_its_receiver),
        cmocka_unit_test(programs_that_wait_for_each_other_stop_with_a_sentence),
        cmocka_unit_test(run_beyond_the_time_base_stops_with_a_sentence),
        cmocka_unit_test(random_numbers_of_known_seeds_are_those_of_python),
        cmocka_unit_test(exponential_number_of_known_seed_is_that_of_python),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
