// SPDX-License-Identifier: BSD-3-Clause
// The core with many processes: nothing is left where everything is known, and what is not declared is left once for
// each probe on the longest way, as the closed forms say.
#include <algorithm>
#include <cmath>
#include <string>

#include "scale_world.hpp"

#include "cmocka_cpp.hpp"

namespace {

using scale::experiment;
using scale::totals;

const char *const names[] = {"tree", "dissemination", "ring", "stencil2", "stencil3"};

experiment basic(const std::string &pattern, std::int64_t processes)
{
    experiment x;
    x.pattern = pattern;
    x.processes = processes;
    return x;
}

// All processes alike, one to a host.
experiment even(const std::string &pattern, std::int64_t processes)
{
    experiment x = basic(pattern, processes);
    x.who = scale::of(scale::who::all);
    x.spread_us = 0;
    x.per_host = 1;
    return x;
}

bool leaves_nothing(const totals &t)
{
    return t.measured_ns > t.plain_ns && t.compensated_ns == t.plain_ns && t.worst_error_ns == 0 &&
           t.wait_abs_error_ns == 0 && t.held == 1 && t.beyond_ns == 0 && t.unknown == 0;
}

void exact_at_all_sizes(experiment x, bool any_size)
{
    for (std::int64_t n = 2; n <= 4096; n *= 2) {
        for (const std::int64_t more : {0, 1, 7}) {
            x.processes = n + more;
            if ((more == 0 || (any_size && n > 2)) && !leaves_nothing(scale::play(x)))
                fail_msg("%s of %lld: something is left", x.pattern.c_str(), static_cast<long long>(x.processes));
        }
    }
}

template <int number> void exact_rule_up_to_4096_processes_leaves_nothing(void **)
{
    exact_at_all_sizes(basic(names[number], 2), number < 3);
}

template <int number> void exact_rule_between_unknown_clocks_that_have_met_leaves_nothing(void **)
{
    static experiment x;
    x = basic(names[number], 2);
    x.clock = scale::of(scale::clocks::unknown);
    x.offset_us = 1e6;
    exact_at_all_sizes(x, false);
}

// Nobody reads waits, so joins take every short way.
template <int number> void exact_rule_without_accounts_of_waits_leaves_nothing(void **)
{
    static experiment x;
    for (std::int64_t n = 2; n <= 1024; n *= 2) {
        x = basic(names[number], n);
        x.waits = 0;
        x.steps = 24;
        const totals t = scale::play(x);
        assert_ns_equal(t.compensated_ns, t.plain_ns);
        assert_true(t.worst_error_ns == 0 && t.held == 1 && t.measured_ns > t.plain_ns);
    }
}

std::int64_t height(std::int64_t n)
{
    std::int64_t h = 0;
    while (INT64_C(1) << h < n)
        ++h;
    return h;
}

// Of each step, on the longest way: the work's probes and one for each send. A receive's own is within its wait.
std::int64_t probes_on_the_way(const experiment &x)
{
    const auto work = static_cast<std::int64_t>(x.probes);
    const std::int64_t h = height(x.processes);
    if (x.pattern == "tree")
        return work + 2 * h;
    if (x.pattern == "dissemination")
        return work + h;
    if (x.pattern == "ring")
        return work + x.processes;
    return work + 2 * std::min<std::int64_t>(h, x.pattern == "stencil2" ? 2 : 3);
}

template <int number> void calibration_error_is_left_once_for_each_probe_on_the_way(void **)
{
    static experiment x;
    for (std::int64_t n = 2; n <= 4096; n *= 4) {
        for (const double percent : {-10.0, 1.0, 10.0}) {
            x = even(names[number], n);
            x.calibration = percent;
            x.steps = number == 0 || number == 2 ? 1 : 5;
            const totals t = scale::play(x);
            const std::int64_t way_ns = x.steps * probes_on_the_way(x) * static_cast<std::int64_t>(x.probe_ns);
            assert_ns_equal(t.measured_ns - t.plain_ns, way_ns);
            const std::int64_t expected_ns = std::llround(static_cast<double>(way_ns) * percent / 100);
            assert_ns_between(expected_ns - 1, t.compensated_ns - t.plain_ns, expected_ns + 1);
        }
    }
}

// The root comes last, so all that it hears of has come before. What it declares afterwards is known: on the way that
// takes longest, the probe of its first send.
void published_rule_at_a_late_root_forgets_all_that_was_before_its_last_receive(void **)
{
    static experiment x;
    for (std::int64_t n = 2; n <= 4096; n *= 2) {
        x = even("tree", n);
        x.who = scale::of(scale::who::one);
        x.probes = 1000;
        x.steps = 1;
        assert_true(leaves_nothing(scale::play(x)));
        x.rule = TARE_RULE_PUBLISHED;
        const totals t = scale::play(x);
        const auto declared_later_ns = static_cast<std::int64_t>(x.probe_ns);
        assert_ns_equal(t.compensated_ns - t.plain_ns, t.measured_ns - t.plain_ns - declared_later_ns);
    }
}

// Everybody waits at every hop: there is nothing that the exact rule knows better.
void published_rule_of_an_even_ring_is_as_exact(void **)
{
    static experiment x;
    x = even("ring", 512);
    x.rule = TARE_RULE_PUBLISHED;
    const totals t = scale::play(x);
    assert_ns_equal(t.compensated_ns, t.plain_ns);
}

void local_rule_of_a_ring_leaves_all_but_one_process_s_overhead(void **)
{
    static experiment x;
    x = even("ring", 512);
    x.rule = TARE_RULE_LOCAL;
    x.steps = 1;
    const totals t = scale::play(x);
    const auto own_ns = static_cast<std::int64_t>((x.probes + 2) * x.probe_ns);
    assert_ns_equal(t.compensated_ns - t.plain_ns, t.measured_ns - t.plain_ns - own_ns);
}

void stamps_without_time_make_the_exact_rule_the_published_one_with_bounds(void **)
{
    static experiment x;
    x = basic("dissemination", 256);
    x.per_host = 1;
    x.stamp = scale::of(scale::stamps::timeless);
    const totals exact = scale::play(x);
    x.rule = TARE_RULE_PUBLISHED;
    const totals published = scale::play(x);
    assert_ns_equal(exact.compensated_ns, published.compensated_ns);
    assert_true(exact.compensated_ns > exact.plain_ns);
    assert_true(exact.held == 1 && published.held < 1);
    assert_int_equal(exact.unknown, exact.joins);
}

// Half a quantum at a join, at most: 2048 ns.
void short_stamps_are_wrong_by_half_a_quantum_a_round_at_most(void **)
{
    static experiment x;
    x = basic("dissemination", 4096);
    x.per_host = 1;
    x.stamp = scale::of(scale::stamps::brief);
    const totals t = scale::play(x);
    assert_true(std::abs(t.worst_error_ns) > 0 && std::abs(t.worst_error_ns) <= 4 * 12 * 2048);
    assert_true(t.held == 1);
}

// What has been learned is as much older as the program is long; hosts drift apart twice as fast as each does.
void drift_is_wrong_by_what_clocks_have_drifted_since_the_lesson_at_most(void **)
{
    static experiment x;
    x = basic("dissemination", 1024);
    x.clock = scale::of(scale::clocks::unknown);
    x.drift_ppm = 50;
    const totals t = scale::play(x);
    const double age_ns = static_cast<double>(scale::program_start_ns + t.measured_ns);
    assert_true(t.worst_error_ns != 0);
    assert_true(std::abs(t.worst_error_ns) <= 100e-6 * age_ns * 2);
}

void error_of_a_random_calibration_is_seen_in_both_directions(void **)
{
    static experiment x;
    x = basic("stencil2", 1024);
    x.spread = 10;
    const totals t = scale::play(x);
    assert_true(t.mean_abs_error_ns > std::abs(t.mean_error_ns));
    assert_true(t.held < 1);
}

void size_and_seed_that_are_the_same_give_the_same(void **)
{
    static experiment x;
    x = basic("stencil3", 512);
    x.jitter_ns = 1000;
    const totals one = scale::play(x), other = scale::play(x);
    assert_true(one.mean_error_ns == other.mean_error_ns && one.width_ns == other.width_ns);
    x.seed = 2;
    assert_true(scale::play(x).mean_error_ns != one.mean_error_ns);
}

struct test {
    std::string name;
    void (*run)(void **);
};

std::string named(const char *what, int number)
{
    const std::string text = what;
    return text.substr(0, text.find('<')) + "_" + names[number];
}

#define OF_EACH(what)                                                                                         \
    {named(#what, 0), what<0>}, {named(#what, 1), what<1>}, {named(#what, 2), what<2>}, {named(#what, 3), what<3>}, \
        {named(#what, 4), what<4>}
#define ONE(what)   \
    {               \
        #what, what \
    }

}  // namespace

int main()
{
    static const test tests[] = {
        OF_EACH(exact_rule_up_to_4096_processes_leaves_nothing),
        OF_EACH(exact_rule_between_unknown_clocks_that_have_met_leaves_nothing),
        OF_EACH(exact_rule_without_accounts_of_waits_leaves_nothing),
        OF_EACH(calibration_error_is_left_once_for_each_probe_on_the_way),
        ONE(published_rule_at_a_late_root_forgets_all_that_was_before_its_last_receive),
        ONE(published_rule_of_an_even_ring_is_as_exact),
        ONE(local_rule_of_a_ring_leaves_all_but_one_process_s_overhead),
        ONE(stamps_without_time_make_the_exact_rule_the_published_one_with_bounds),
        ONE(short_stamps_are_wrong_by_half_a_quantum_a_round_at_most),
        ONE(drift_is_wrong_by_what_clocks_have_drifted_since_the_lesson_at_most),
        ONE(error_of_a_random_calibration_is_seen_in_both_directions),
        ONE(size_and_seed_that_are_the_same_give_the_same),
    };
    static CMUnitTest all[sizeof tests / sizeof *tests];
    for (std::size_t i = 0; i < sizeof tests / sizeof *tests; ++i)
        all[i] = {tests[i].name.c_str(), tests[i].run, nullptr, nullptr, nullptr};
    return cmocka_run_group_tests(all, nullptr, nullptr);
}
