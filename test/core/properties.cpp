// SPDX-License-Identifier: BSD-3-Clause
// The invariants of the model on random programs. The programs are the same in every run of the tests; for others,
// and more of them: RC_PARAMS="max_success=100000" (see RapidCheck) in the environment.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <rapidcheck.h>

#include "core_program.hpp"
#include "program.hpp"

namespace rc {

template <> struct Arbitrary<program::step> {
    static Gen<program::step> arbitrary()
    {
        using program::action;
        using program::step;
        const auto actions = gen::weightedElement<action>(
            {{8, action::work}, {8, action::send}, {7, action::receive}, {1, action::barrier}});
        const auto overheads = gen::weightedOneOf<std::int64_t>(
            {{1, gen::just<std::int64_t>(0)}, {2, gen::inRange<std::int64_t>(1, 800)}});
        return gen::build<step>(
            gen::set(&step::what, actions),
            gen::set(&step::process, gen::inRange(0u, program::processes)),
            gen::set(&step::peer, gen::inRange(0u, program::processes)),
            gen::set(&step::count, gen::inRange(1u, 5u)),
            gen::set(&step::work_ns, gen::inRange<std::int64_t>(0, 1000)),
            gen::set(&step::overhead_ns, overheads));
    }
};

}  // namespace rc

namespace {

using program::action;
using program::change;
using program::delays;
using program::estimate;
using program::event;
using program::settings;
using program::timeline;
using steps = std::vector<program::step>;

tare::rule any_rule() { return *rc::gen::element(tare::rule::exact, tare::rule::published, tare::rule::local); }

// Delays up to this, either way.
delays any_delays(std::int64_t limit)
{
    return *rc::gen::container<delays>(rc::gen::inRange<std::int64_t>(-limit, limit + 1));
}

settings any_settings()
{
    settings s;
    s.rule = any_rule();
    s.initial = any_delays(2000);
    return s;
}

// How long the process would have waited without measurement, by its edges.
std::int64_t uninstrumented_wait(const event &e, const change &c, const estimate &est)
{
    const std::int64_t ready = e.start_ns - c.before_ns;
    std::int64_t fired = ready;
    for (const program::arrival &a : e.arrivals)
        fired = std::max(fired, a.ready_ns - est.messages[a.message]);
    return fired - ready;
}

// D' + w' = D + w
void conservation_holds_at_every_wait(const steps &p)
{
    const timeline t = program::run(p, true);
    settings s = any_settings();
    s.rule = tare::rule::exact;
    const estimate est = program::estimate_delays(t, s);
    for (std::size_t i = 0; i < t.events.size(); ++i) {
        const event &e = t.events[i];
        const change &c = est.changes[i];
        RC_ASSERT(est.event_ends[i] == e.end_ns);
        if (e.what == action::receive)
            RC_ASSERT(c.after_ns + uninstrumented_wait(e, c, est) == c.before_ns + e.end_ns - e.start_ns);
    }
}

// min_k D_k <= D' <= D_r + w
void delay_stays_between_its_smallest_cause_and_delay_plus_wait(const steps &p)
{
    const timeline t = program::run(p, true);
    const estimate est = program::estimate_delays(t, any_settings());
    for (std::size_t i = 0; i < t.events.size(); ++i) {
        const event &e = t.events[i];
        const change &c = est.changes[i];
        if (e.what != action::receive)
            continue;
        std::int64_t smallest = c.before_ns;
        for (const program::arrival &a : e.arrivals)
            smallest = std::min(smallest, est.messages[a.message]);
        RC_ASSERT(smallest <= c.after_ns);
        RC_ASSERT(c.after_ns <= c.before_ns + e.end_ns - e.start_ns);
    }
}

void delay_error_never_grows(const steps &p)
{
    const timeline t = program::run(p, true);
    const settings s = any_settings();
    const std::int64_t error = *rc::gen::inRange<std::int64_t>(0, 500);
    settings wrong = s;
    const delays errors = any_delays(error);
    for (unsigned q = 0; q < program::processes; ++q)
        wrong.initial[q] += errors[q];
    const estimate right = program::estimate_delays(t, s);
    const estimate off = program::estimate_delays(t, wrong);
    for (std::size_t i = 0; i < t.events.size(); ++i)
        RC_ASSERT(std::abs(off.changes[i].after_ns - right.changes[i].after_ns) <= error);
}

// What lay on the way with the most overhead to each event, in this program.
std::vector<std::int64_t> overhead_on_the_way(const timeline &t)
{
    std::vector<std::int64_t> sums, sent(t.senders.size());
    delays now{};
    for (const event &e : t.events) {
        now[e.process] += e.overhead_ns;
        for (const program::arrival &a : e.arrivals)
            now[e.process] = std::max(now[e.process], sent[a.message]);
        if (e.what == action::send)
            sent[e.message] = now[e.process];
        sums.push_back(now[e.process]);
    }
    return sums;
}

// A calibration that is 10 % off leaves 10 % of the overhead, however many hops there are.
void delay_by_biased_calibration_is_off_by_the_bias_at_most(const steps &p)
{
    const timeline t = program::run(p, true);
    settings biased;
    biased.bias_permille = *rc::gen::inRange<std::int64_t>(-100, 101);
    const estimate right = program::estimate_delays(t);
    const estimate off = program::estimate_delays(t, biased);
    const std::vector<std::int64_t> overhead = overhead_on_the_way(t);
    for (std::size_t i = 0; i < t.events.size(); ++i)
        RC_ASSERT(std::abs(off.changes[i].after_ns - right.changes[i].after_ns) <=
                  overhead[i] * std::abs(biased.bias_permille) / 1000);
}

void delay_is_monotone_in_every_delay(const steps &p)
{
    const timeline t = program::run(p, true);
    const settings s = any_settings();
    settings more = s;
    for (std::int64_t &d : more.initial)
        d += *rc::gen::inRange<std::int64_t>(0, 1000);
    const estimate less = program::estimate_delays(t, s);
    const estimate greater = program::estimate_delays(t, more);
    for (std::size_t i = 0; i < t.events.size(); ++i)
        RC_ASSERT(greater.changes[i].after_ns >= less.changes[i].after_ns);
}

void assert_same(const timeline &t, const settings &a, const settings &b)
{
    const estimate x = program::estimate_delays(t, a);
    const estimate y = program::estimate_delays(t, b);
    for (std::size_t i = 0; i < t.events.size(); ++i) {
        RC_ASSERT(x.changes[i].after_ns == y.changes[i].after_ns);
        RC_ASSERT(x.event_ends[i] == y.event_ends[i]);
    }
}

void delay_does_not_depend_on_the_order_of_edges(const steps &p)
{
    const settings s = any_settings();
    settings other = s;
    other.order = *rc::gen::inRange(1u, 8u);
    assert_same(program::run(p, true), s, other);
}

void delay_does_not_depend_on_how_often_an_edge_is_applied(const steps &p)
{
    const settings s = any_settings();
    settings other = s;
    other.times = *rc::gen::inRange(2u, 4u);
    assert_same(program::run(p, true), s, other);
}

void compensated_clock_of_a_process_never_runs_backwards(const steps &p)
{
    const timeline t = program::run(p, true);
    const estimate est = program::estimate_delays(t, any_settings());
    for (std::size_t i = 0; i < t.events.size(); ++i) {
        const event &e = t.events[i];
        RC_ASSERT(e.end_ns - est.changes[i].after_ns >= e.start_ns - est.changes[i].before_ns);
    }
}

void uniform_delay_stays_what_it_is(const steps &p)
{
    settings s;
    s.rule = any_rule();
    s.initial.fill(*rc::gen::inRange<std::int64_t>(-2000, 2001));
    const timeline t = program::run(p, false);
    const estimate est = program::estimate_delays(t, s);
    for (const change &c : est.changes)
        RC_ASSERT(c.after_ns == s.initial[0]);
}

// What all of the above is for: at every moment the delay is the difference to the run without overhead.
void delay_is_the_difference_to_the_program_without_overhead(const steps &p)
{
    const timeline measured = program::run(p, true);
    const timeline truth = program::run(p, false);
    const estimate est = program::estimate_delays(measured);
    for (std::size_t i = 0; i < measured.events.size(); ++i) {
        const event &m = measured.events[i];
        const event &u = truth.events[i];
        RC_ASSERT(est.changes[i].after_ns == m.end_ns - u.end_ns);
        if (m.what == action::receive)
            RC_ASSERT(uninstrumented_wait(m, est.changes[i], est) == u.end_ns - u.start_ns);
    }
}

// --- the same programs through the core: stamps, learned latency, shortcuts ---

core_program::options any_options()
{
    core_program::options o;
    o.tool_gives_events = *rc::gen::arbitrary<bool>();
    o.account_waits = *rc::gen::arbitrary<bool>();
    o.reversed = *rc::gen::arbitrary<bool>();
    return o;
}

void core_delay_is_the_difference_to_the_program_without_overhead(const steps &p)
{
    const timeline measured = program::run(p, true);
    const timeline truth = program::run(p, false);
    const std::vector<tare_thread_t> after = core_program::execute(measured, any_options());
    for (std::size_t i = 0; i < measured.events.size(); ++i)
        RC_ASSERT(after[i].delay_ns == measured.events[i].end_ns - truth.events[i].end_ns);
}

void core_bounds_contain_the_truth(const steps &p)
{
    const timeline measured = program::run(p, true);
    const timeline truth = program::run(p, false);
    const std::vector<tare_thread_t> after = core_program::execute(measured, any_options());
    for (std::size_t i = 0; i < measured.events.size(); ++i) {
        const std::int64_t delay = measured.events[i].end_ns - truth.events[i].end_ns;
        RC_ASSERT(after[i].delay_lo_ns <= delay);
        RC_ASSERT(delay <= after[i].delay_hi_ns);
    }
}

void core_waits_are_those_of_the_program_without_overhead(const steps &p)
{
    const timeline measured = program::run(p, true);
    const timeline truth = program::run(p, false);
    core_program::options o = any_options();
    o.account_waits = true;
    const std::vector<tare_thread_t> after = core_program::execute(measured, o);
    delays waits{}, true_waits{};
    for (std::size_t i = 0; i < measured.events.size(); ++i) {
        const event &e = measured.events[i];
        if (e.what == action::receive) {
            waits[e.process] += e.end_ns - e.start_ns;
            true_waits[e.process] += truth.events[i].end_ns - truth.events[i].start_ns;
        }
        RC_ASSERT(after[i].wait_ns == waits[e.process]);
        RC_ASSERT(after[i].wait_compensated_ns == true_waits[e.process]);
    }
}

void core_compensated_clock_never_runs_backwards_and_has_no_residue(const steps &p)
{
    const timeline measured = program::run(p, true);
    const std::vector<tare_thread_t> after = core_program::execute(measured, any_options());
    delays last;
    last.fill(INT64_MIN);
    for (std::size_t i = 0; i < measured.events.size(); ++i) {
        const event &e = measured.events[i];
        const std::int64_t now = e.end_ns - after[i].delay_ns;
        RC_ASSERT(now >= last[e.process]);
        RC_ASSERT(after[i].residue_ns == 0);
        last[e.process] = now;
    }
}

int number;
bool all_good = true;

void check(const char *name, void (*property)(const steps &))
{
    const bool good = rc::check(name, property);
    std::printf("%sok %d - %s\n", good ? "" : "not ", ++number, name);
    std::fflush(stdout);
    all_good = all_good && good;
}

}  // namespace

#define CHECK(property) check(#property, property)

int main()
{
    setenv("RC_PARAMS", "seed=20 max_success=300", 0);
    CHECK(conservation_holds_at_every_wait);
    CHECK(delay_stays_between_its_smallest_cause_and_delay_plus_wait);
    CHECK(delay_error_never_grows);
    CHECK(delay_by_biased_calibration_is_off_by_the_bias_at_most);
    CHECK(delay_is_monotone_in_every_delay);
    CHECK(delay_does_not_depend_on_the_order_of_edges);
    CHECK(delay_does_not_depend_on_how_often_an_edge_is_applied);
    CHECK(compensated_clock_of_a_process_never_runs_backwards);
    CHECK(uniform_delay_stays_what_it_is);
    CHECK(delay_is_the_difference_to_the_program_without_overhead);
    CHECK(core_delay_is_the_difference_to_the_program_without_overhead);
    CHECK(core_bounds_contain_the_truth);
    CHECK(core_waits_are_those_of_the_program_without_overhead);
    CHECK(core_compensated_clock_never_runs_backwards_and_has_no_residue);
    std::printf("1..%d\n", number);
    return all_good ? 0 : 1;
}
