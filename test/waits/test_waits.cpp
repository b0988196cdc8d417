// SPDX-License-Identifier: BSD-3-Clause
// Programs of known cause, traces that lack something, and what is kept in memory.
#include "program.hpp"

#include "roots.hpp"
#include "trace_event.h"

#include "cmocka_cpp.hpp"

#include <iterator>
#include <utility>

using namespace waiting;
using namespace tare::waits;

namespace {

// A failing assert jumps over destructors: what a test looks at outlives it.
program *made;
result found;
causes cause_of;

program &made_of(std::uint32_t processes)
{
    delete made;
    made = new program(processes);
    return *made;
}

std::int64_t causes_of(const wait_sum &sum)
{
    std::int64_t all = 0;
    for (const auto &[step, e] : sum.causes)
        all += e.explained_ns;
    return all;
}

void assert_sums_are_exact()
{
    std::int64_t waiting = 0, by_process = 0, own = 0;
    for (const auto &[where, sum] : found.waits) {
        assert_ns_equal(causes_of(sum), sum.waiting_ns);
        waiting += sum.waiting_ns;
    }
    for (const process_sum &p : found.processes) {
        by_process += p.waiting_ns;
        own += p.own.sum();
    }
    assert_ns_equal(waiting, found.waiting_ns);
    assert_ns_equal(by_process, found.waiting_ns);
    assert_ns_equal(own + waiting, found.total_ns);
}

void look_at(tare::clock_change change = tare::clock_change::none)
{
    found = analyse(*made, change);
    assert_sums_are_exact();
}

// Of all waits.
std::int64_t explained_by(const std::string &region, const std::string &call = "")
{
    std::int64_t sum = 0;
    cause_of.clear();
    for (const auto &[where, of] : of_result(*made, found))
        for (const auto &[step, ns] : of)
            sum += step == step_name(region, call) ? ns : 0;
    return sum;
}

std::int64_t would_go_with(const std::string &region)
{
    std::int64_t sum = 0;
    const std::uint32_t number = made->region(region);
    for (const auto &[where, of] : found.waits)
        for (const auto &[step, e] : of.causes)
            sum += found.steps[step].what == nature::work && found.steps[step].region == number ? e.would_go_ns : 0;
    return sum;
}

std::int64_t waiting_by(state why)
{
    std::int64_t sum = 0;
    for (const auto &[where, of] : found.waits)
        sum += where.second == why ? of.waiting_ns : 0;
    return sum;
}

gap_sum gap_of(gap what)
{
    gap_sum sum;
    for (const auto &[where, of] : found.gaps)
        if (where.first == what) {
            sum.calls += of.calls;
            sum.ns += of.ns;
        }
    return sum;
}

// --- causes that are known ---

void imbalance_on_one_rank_is_the_cause(void **)
{
    program &p = made_of(2);
    p.work(0, "compute", 100);
    p.work(1, "compute", 40);
    p.message(0, 1);
    look_at();
    assert_ns_equal(found.waiting_ns, 60);
    assert_ns_equal(explained_by("compute"), 60);
    assert_ns_equal(would_go_with("compute"), 60);
    assert_ns_equal(waiting_by(late_sender), 60);
    assert_int_equal(found.gaps.size(), 0);
}

// Each hop is late because the one before was: the wait in it is replaced by what explains it.
void propagated_over(std::uint32_t hops)
{
    program &p = made_of(hops + 1);
    p.work(0, "compute", 1000);
    for (std::uint32_t i = 1; i <= hops; i++)
        p.work(i, "compute", 200);
    for (std::uint32_t i = 0; i < hops; i++) {
        p.message(i, i + 1);
        p.work(i + 1, "own", 10);
    }
    look_at();
    // Hop i waits for 800 and for what the hops before did in between.
    const std::int64_t n = hops, between = (n - 1) * n / 2;
    assert_ns_equal(explained_by("compute"), 800 * n);
    assert_ns_equal(explained_by("own"), 10 * between);
    assert_ns_equal(explained_by("main", "MPI_Recv"), receive_ns * between);
    assert_ns_equal(found.waiting_ns, 800 * n + (10 + receive_ns) * between);
    assert_ns_equal(would_go_with("compute"), 800 * n);
}

void imbalance_is_found_over_two_hops(void **) { propagated_over(2); }
void imbalance_is_found_over_three_hops(void **) { propagated_over(3); }

void cancelled_imbalance_is_no_cause(void **)
{
    program &p = made_of(2);
    for (int i = 0; i < 3; i++) {
        p.work(0, "first", 50);
        p.work(1, "first", 10);
        p.work(0, "second", 10);
        p.work(1, "second", 50);
        p.collective(TARE_TRACE_BARRIER);
    }
    look_at();
    assert_ns_equal(found.waiting_ns, 0);
    assert_int_equal(found.waits.size(), 0);
}

// What the other one has more of makes the wait shorter, and stands there with a sign.
void half_cancelled_imbalance_has_two_signs(void **)
{
    program &p = made_of(2);
    p.work(0, "first", 60);
    p.work(1, "first", 10);
    p.work(0, "second", 10);
    p.work(1, "second", 40);
    p.collective(TARE_TRACE_BARRIER);
    look_at();
    assert_ns_equal(found.waiting_ns, 20);
    assert_ns_equal(explained_by("first"), 50);
    assert_ns_equal(explained_by("second"), -30);
    assert_ns_equal(would_go_with("first"), 20);
    assert_ns_equal(would_go_with("second"), -30);
}

void alternating_causes_share_the_waiting(void **)
{
    program &p = made_of(2);
    for (int i = 0; i < 10; i++) {
        p.work(0, "even", i % 2 == 0 ? 70 : 10);
        p.work(1, "even", 10);
        p.work(0, "odd", 10);
        p.work(1, "odd", i % 2 == 1 ? 40 : 10);
        p.collective(TARE_TRACE_ALLREDUCE);
    }
    look_at();
    assert_ns_equal(found.waiting_ns, 5 * 60 + 5 * 30);
    assert_ns_equal(explained_by("even"), 5 * 60);
    assert_ns_equal(explained_by("odd"), 5 * 30);
    assert_ns_equal(waiting_by(wait_at_nxn), found.waiting_ns);
    assert_ns_equal(found.processes[0].waiting_ns, 150);
    assert_ns_equal(found.processes[1].waiting_ns, 300);
}

void what_was_before_the_last_common_point_is_no_cause(void **)
{
    program &p = made_of(2);
    p.work(0, "early", 500);
    p.work(1, "early", 100);
    p.collective(TARE_TRACE_BARRIER);
    const std::int64_t first = 400;
    p.work(0, "late", 10);
    p.work(1, "late", 30);
    p.message(1, 0);
    look_at();
    assert_ns_equal(found.waiting_ns, first + 20);
    assert_ns_equal(explained_by("early"), first);
    assert_ns_equal(explained_by("late"), 20);
}

void collectives_wait_by_their_kind(void **)
{
    program &p = made_of(3);
    p.work(2, "compute", 100);
    p.collective(TARE_TRACE_BCAST, 0);
    look_at();
    assert_ns_equal(found.waiting_ns, 0);
    p.collective(TARE_TRACE_BCAST, 2);
    look_at();
    assert_ns_equal(waiting_by(late_broadcast), 200);
    p.work(1, "compute", 50);
    p.collective(TARE_TRACE_REDUCE, 0);
    look_at();
    assert_ns_equal(waiting_by(early_reduce), 50);
    assert_ns_equal(waiting_by(late_broadcast), 200);
    assert_int_equal(found.gaps.size(), 0);
}

void sender_waits_for_a_late_receiver(void **)
{
    program &p = made_of(2);
    p.work(1, "compute", 80);
    p.message(0, 1, message_kind::synchronous);
    p.work(1, "compute", 40);
    p.message(0, 1, message_kind::nonblocking, 10);
    p.work(1, "compute", 90);
    p.message(0, 1, message_kind::plain);
    look_at();
    assert_ns_equal(waiting_by(late_receiver), found.waiting_ns);
    // The second one does something else meanwhile, and begins when the first receive has taken longer than its send.
    assert_ns_equal(found.waiting_ns, 80 + 40 + (receive_ns - send_ns) - begin_ns - 10);
    assert_ns_equal(explained_by("compute"), 80 + 40);
    assert_ns_equal(explained_by("meanwhile"), -10);
}

// One event of its own.
tare_archive_event_t event_at(std::uint32_t kind, std::uint32_t process, std::int64_t ns)
{
    tare_archive_event_t e{};
    e.kind = kind;
    e.location = process;
    e.time_ns = static_cast<std::uint64_t>(ns);
    e.peer = 1 - process;
    return e;
}

// --- threads of one process ---

program &made_of_threads(std::uint32_t threads)
{
    program &p = made_of(threads);
    p.make_threads();
    return p;
}

void between_threads(std::uint32_t kind, std::uint32_t thread, std::int64_t ns, std::uint64_t round, std::uint32_t arrivals = 0)
{
    tare_archive_event_t e = event_at(kind, thread, ns);
    e.number = 5;
    e.sequence = round;
    e.arrivals = arrivals;
    made->add(e);
}

void releases(std::uint32_t thread, std::int64_t ns, std::uint64_t round)
{
    between_threads(TARE_ARCHIVE_THREAD_RELEASE, thread, ns, round);
}

void begins(std::uint32_t thread, std::int64_t ns, std::uint64_t round)
{
    between_threads(TARE_ARCHIVE_THREAD_BEGIN, thread, ns, round);
}

void region_event(std::uint32_t kind, std::uint32_t thread, const char *name, std::int64_t ns)
{
    tare_archive_event_t e = event_at(kind, thread, ns);
    e.region = made->region(name);
    made->add(e);
}

// A call that says at its end for which release, and for how many.
void waits_for(std::uint32_t thread, const char *name, std::int64_t from, std::int64_t to, std::uint64_t round,
               std::uint32_t arrivals = 1)
{
    region_event(TARE_ARCHIVE_ENTER, thread, name, from);
    between_threads(TARE_ARCHIVE_THREAD_ACQUIRE, thread, to, round, arrivals);
    region_event(TARE_ARCHIVE_LEAVE, thread, name, to);
}

void arrives(std::uint32_t thread, std::int64_t from, std::int64_t to, std::uint64_t round, std::uint32_t arrivals)
{
    region_event(TARE_ARCHIVE_ENTER, thread, "omp barrier", from);
    releases(thread, from, round);
    between_threads(TARE_ARCHIVE_THREAD_ACQUIRE, thread, to, round, arrivals);
    region_event(TARE_ARCHIVE_LEAVE, thread, "omp barrier", to);
}

void lock_is_waited_for_until_it_is_released(void **)
{
    program &p = made_of_threads(2);
    p.work(0, "compute", 100);
    p.work(1, "own", 40);
    releases(0, 100, 1);
    waits_for(1, "pthread_mutex_lock", 40, 104, 1);
    look_at();
    assert_ns_equal(found.waiting_ns, 60);
    assert_ns_equal(waiting_by(mutex_contention), 60);
    assert_ns_equal(explained_by("compute"), 100);
    assert_ns_equal(explained_by("own"), -40);
    assert_int_equal(found.gaps.size(), 0);
}

void lock_that_was_free_is_no_wait(void **)
{
    program &p = made_of_threads(2);
    p.work(0, "compute", 10);
    p.work(1, "own", 40);
    releases(0, 10, 1);
    waits_for(1, "pthread_mutex_lock", 40, 44, 1);
    look_at();
    assert_ns_equal(found.waiting_ns, 0);
    assert_int_equal(found.gaps.size(), 0);
}

void lock_that_nobody_has_had_is_no_gap(void **)
{
    made_of_threads(2);
    waits_for(1, "omp critical", 40, 44, 0);
    look_at();
    assert_ns_equal(found.waiting_ns, 0);
    assert_int_equal(found.gaps.size(), 0);
}

// Another one comes behind it before the first is explained.
void release_is_the_one_that_is_named(void **)
{
    program &p = made_of_threads(3);
    p.work(0, "compute", 100);
    p.work(2, "later", 110);
    releases(0, 100, 1);
    releases(2, 110, 2);
    waits_for(1, "omp critical", 40, 120, 1);
    look_at();
    assert_ns_equal(waiting_by(omp_critical_contention), 60);
    assert_ns_equal(explained_by("later"), 0);
}

void condition_is_waited_for_until_signal_and_mutex_are_there(void **)
{
    program &p = made_of_threads(2);
    p.work(0, "compute", 100);
    releases(0, 100, 1);
    p.work(0, "unlock", 10);
    releases(0, 110, 2);
    region_event(TARE_ARCHIVE_ENTER, 1, "pthread_cond_wait", 20);
    between_threads(TARE_ARCHIVE_THREAD_ACQUIRE, 1, 115, 2, 1);
    between_threads(TARE_ARCHIVE_THREAD_ACQUIRE, 1, 115, 1, 1);
    region_event(TARE_ARCHIVE_LEAVE, 1, "pthread_cond_wait", 115);
    look_at();
    assert_ns_equal(waiting_by(wait_for_condition), 90);
    assert_ns_equal(explained_by("compute"), 100);
    assert_ns_equal(explained_by("unlock"), 10);
}

void barrier_waits_for_all_that_come(void **)
{
    program &p = made_of_threads(3);
    p.work(0, "own", 10);
    p.work(1, "compute", 100);
    p.work(2, "own", 30);
    arrives(0, 10, 105, 1, 3);
    arrives(1, 100, 104, 1, 3);
    arrives(2, 30, 106, 1, 3);
    look_at();
    assert_ns_equal(waiting_by(wait_at_omp_barrier), 90 + 70);
    assert_ns_equal(explained_by("compute"), 200);
    assert_ns_equal(explained_by("own"), -40);
}

// Through another thread, which has nothing to do but to wait.
void thread_that_waits_passes_its_cause_on(void **)
{
    program &p = made_of_threads(3);
    p.work(0, "compute", 100);
    releases(0, 100, 1);
    waits_for(1, "pthread_mutex_lock", 0, 100, 1);
    releases(1, 100, 2);
    waits_for(2, "pthread_join", 0, 100, 2);
    look_at();
    assert_ns_equal(found.waiting_ns, 200);
    assert_ns_equal(explained_by("compute"), 200);
}

// What it did before is no cause, and neither is who has made it for as long as both go on.
void thread_begins_where_it_is_made(void **)
{
    program &p = made_of_threads(2);
    p.work(1, "idle", 10);
    p.work(0, "serial", 45);
    releases(0, 45, TARE_TRACE_ROUND_END);
    begins(1, 50, TARE_TRACE_ROUND_END);
    region_event(TARE_ARCHIVE_ENTER, 1, "compute", 50);
    region_event(TARE_ARCHIVE_LEAVE, 1, "compute", 90);
    releases(1, 90, 1);
    waits_for(0, "pthread_join", 45, 92, 1);
    look_at();
    assert_ns_equal(waiting_by(wait_for_thread), 45);
    assert_ns_equal(explained_by("compute"), 40);
    assert_ns_equal(explained_by("serial"), 0);
    assert_ns_equal(explained_by("idle"), 0);
    assert_ns_equal(explained_by("begin"), 5);
}

void threads_of_two_processes_do_not_meet(void **)
{
    program &p = made_of(2);
    p.work(0, "compute", 100);
    releases(0, 100, 1);
    waits_for(1, "pthread_mutex_lock", 40, 104, 1);
    look_at();
    assert_ns_equal(found.waiting_ns, 0);
    assert_int_equal(gap_of(gap_thread).calls, 1);
    assert_ns_equal(gap_of(gap_thread).ns, 64);
}

void wait_for_an_unknown_thread_is_a_gap(void **)
{
    made_of_threads(2);
    waits_for(0, "omp parallel end", 10, 30, TARE_TRACE_ROUND_END, 0);
    region_event(TARE_ARCHIVE_ENTER, 1, "omp barrier", 10);
    region_event(TARE_ARCHIVE_LEAVE, 1, "omp barrier", 20);
    look_at();
    assert_int_equal(gap_of(gap_thread).calls, 2);
    assert_ns_equal(gap_of(gap_thread).ns, 30);
    assert_ns_equal(found.waiting_ns, 0);
}

void thread_that_nobody_has_made_goes_on(void **)
{
    made_of_threads(2);
    begins(1, 50, TARE_TRACE_ROUND_END);
    made->work(1, "compute", 40);
    look_at();
    assert_ns_equal(found.waiting_ns, 0);
}

// --- what a trace lacks ---

void call_at(std::uint32_t process, const char *name, std::int64_t from, std::int64_t to, std::uint32_t inside)
{
    for (const std::uint32_t kind : {static_cast<std::uint32_t>(TARE_ARCHIVE_ENTER), inside,
                                     static_cast<std::uint32_t>(TARE_ARCHIVE_LEAVE)}) {
        tare_archive_event_t e = event_at(kind, process, kind == TARE_ARCHIVE_ENTER || kind == TARE_ARCHIVE_SEND ? from : to);
        e.region = made->region(name);
        if (kind != TARE_ARCHIVE_KINDS)
            made->add(e);
    }
}

// When each receive is posted is known when it has been read, before it is replayed. Only the second send was held.
void sends_to_each_other_do_not_wait_in_a_circle(void **)
{
    made_of(2);
    call_at(0, "MPI_Send", 0, 10, TARE_ARCHIVE_SEND);
    call_at(1, "MPI_Send", 2, 12, TARE_ARCHIVE_SEND);
    call_at(0, "MPI_Recv", 10, 20, TARE_ARCHIVE_RECV);
    call_at(1, "MPI_Recv", 12, 15, TARE_ARCHIVE_RECV);
    look_at();
    assert_int_equal(found.gaps.size(), 0);
    assert_ns_equal(waiting_by(late_receiver), 8);
    assert_ns_equal(found.waiting_ns, 8);
}

void receive_without_its_send_is_a_gap(void **)
{
    made_of(2);
    call_at(1, "MPI_Recv", 10, 100, TARE_ARCHIVE_RECV);
    call_at(1, "MPI_Recv", 110, 115, TARE_ARCHIVE_RECV);
    look_at();
    assert_int_equal(gap_of(gap_message).calls, 2);
    assert_ns_equal(gap_of(gap_message).ns, 95);
    assert_ns_equal(found.waiting_ns, 0);
    assert_ns_equal(found.total_ns, 115);
}

void send_that_nobody_receives_is_no_gap_if_nobody_was_there(void **)
{
    made_of(2);
    call_at(0, "MPI_Send", 10, 20, TARE_ARCHIVE_SEND);
    look_at();
    assert_int_equal(found.gaps.size(), 0);
    call_at(1, "MPI_Probe", 15, 18, TARE_ARCHIVE_KINDS);
    look_at();
    assert_ns_equal(gap_of(gap_message).ns, 10);
    assert_ns_equal(gap_of(gap_no_record).ns, 3);
}

void collective_that_a_process_has_left_no_trace_of_is_a_gap(void **)
{
    made_of(2);
    tare_archive_event_t end = event_at(TARE_ARCHIVE_COLLECTIVE_END, 0, 50);
    tare_archive_event_t enter = event_at(TARE_ARCHIVE_ENTER, 0, 10), leave = event_at(TARE_ARCHIVE_LEAVE, 0, 50);
    enter.region = leave.region = made->region("MPI_Barrier");
    end.operation = TARE_TRACE_BARRIER;
    made->add(enter);
    made->add(end);
    made->add(leave);
    look_at();
    assert_int_equal(gap_of(gap_collective).calls, 1);
    assert_ns_equal(gap_of(gap_collective).ns, 40);
}

void collectives_that_do_not_agree_are_a_gap(void **)
{
    made_of(2);
    for (std::uint32_t i = 0; i < 2; i++) {
        tare_archive_event_t end = event_at(TARE_ARCHIVE_COLLECTIVE_END, i, 50);
        tare_archive_event_t enter = event_at(TARE_ARCHIVE_ENTER, i, 10 + 20 * i), leave = event_at(TARE_ARCHIVE_LEAVE, i, 50);
        enter.region = leave.region = made->region("MPI_Something");
        end.operation = i == 0 ? TARE_TRACE_BARRIER : TARE_TRACE_ALLREDUCE;
        made->add(enter);
        made->add(end);
        made->add(leave);
    }
    look_at();
    assert_int_equal(gap_of(gap_collective).calls, 2);
    assert_ns_equal(gap_of(gap_collective).ns, 60);
    assert_ns_equal(found.waiting_ns, 0);
}

void nonblocking_collective_is_a_gap(void **)
{
    made_of(2);
    call_at(0, "MPI_Wait", 10, 30, TARE_ARCHIVE_COLLECTIVE_COMPLETE);
    look_at();
    assert_ns_equal(gap_of(gap_collective).ns, 20);
}

// The message is there before it was sent: the wait ends with its call, and the clocks explain the rest.
void clocks_that_differ_are_a_cause_of_their_own(void **)
{
    made_of(2);
    call_at(0, "MPI_Send", 100, 105, TARE_ARCHIVE_SEND);
    call_at(1, "MPI_Recv", 20, 60, TARE_ARCHIVE_RECV);
    look_at();
    assert_ns_equal(found.waiting_ns, 40);
    assert_int_equal(found.before_send, 1);
    assert_ns_equal(explained_by("clock"), -40);
    assert_ns_equal(explained_by("main"), 80);
}

void events_outside_of_calls_change_nothing(void **)
{
    made_of(2);
    made->add(event_at(TARE_ARCHIVE_SEND, 0, 10));
    made->add(event_at(TARE_ARCHIVE_RECV, 1, 5));
    made->add(event_at(TARE_ARCHIVE_IRECV, 1, 7));
    made->add(event_at(TARE_ARCHIVE_ISEND_COMPLETE, 1, 8));
    made->add(event_at(TARE_ARCHIVE_COLLECTIVE_END, 1, 9));
    for (int i = 0; i < 3; i++)
        made->add(event_at(TARE_ARCHIVE_LEAVE, 1, 20 + i));
    look_at();
    assert_ns_equal(found.waiting_ns, 0);
    assert_int_equal(found.calls, 0);
    assert_int_equal(found.outside, 4);
}

void processes_begin_where_init_has_ended(void **)
{
    made_of(2);
    call_at(0, "MPI_Init", 500, 600, TARE_ARCHIVE_KINDS);
    call_at(1, "MPI_Init", 10, 601, TARE_ARCHIVE_KINDS);
    call_at(0, "MPI_Send", 700, 705, TARE_ARCHIVE_SEND);
    call_at(1, "MPI_Recv", 650, 710, TARE_ARCHIVE_RECV);
    look_at();
    assert_ns_equal(found.waiting_ns, 50);
    assert_ns_equal(explained_by("start"), -1);
    assert_ns_equal(explained_by("main"), 51);
}

// --- clocks ---

void other_clock_is_made_of_what_was_removed(void **)
{
    made_of(2);
    call_at(0, "MPI_Send", 100, 105, TARE_ARCHIVE_SEND);
    call_at(1, "MPI_Recv", 20, 105, TARE_ARCHIVE_RECV);
    look_at();
    assert_ns_equal(found.waiting_ns, 80);
    // All that process 0 does from 50 on comes 30 later on the other clock.
    static std::vector<tare_archive_event_t> events;
    events = made->events();
    static std::int64_t waited[2];
    for (const tare::clock_change change : {tare::clock_change::add_removed, tare::clock_change::subtract_removed}) {
        analysis a(made->archive(), change);
        for (tare_archive_event_t e : events) {
            e.removed_ns = e.location == 0 && e.time_ns >= 50 ? 30 : 0;
            a.add(e);
        }
        waited[change == tare::clock_change::add_removed ? 0 : 1] = a.finish().waiting_ns;
    }
    assert_ns_equal(waited[0], 85);              // until the call has ended
    assert_ns_equal(waited[1], 50);
}

// --- memory ---

void location_that_waits_for_nothing_is_given_up(void **)
{
    made_of(2);
    call_at(1, "MPI_Recv", 10, 20, TARE_ARCHIVE_RECV);
    for (int i = 0; i < 1000; i++)
        call_at(1, "compute", 20 + 10 * i, 30 + 10 * i, TARE_ARCHIVE_KINDS);
    static result r;
    for (const std::size_t most : {std::size_t{50}, std::size_t{100'000}}) {
        analysis a(made->archive(), tare::clock_change::none, most);
        for (const tare_archive_event_t &e : made->events())
            a.add(e);
        r = a.finish();
        assert_int_equal(r.given_up, most == 50 ? 1 : 0);
        assert_in_range(r.most_queued, most == 50 ? 1 : 2000, most == 50 ? 51 : 3000);
        assert_int_equal(r.gaps.size(), 1);
    }
}

void events_of_a_program_that_is_whole_do_not_pile_up(void **)
{
    program &p = made_of(4);
    for (int i = 0; i < 500; i++) {
        for (std::uint32_t rank = 0; rank < 4; rank++)
            p.work(rank, "compute", 10 + 7 * ((rank + i) % 4));
        for (std::uint32_t rank = 0; rank < 4; rank++)
            p.message(rank, (rank + 1) % 4, message_kind::posted, 5);
        if (i % 10 == 0)
            p.collective(TARE_TRACE_ALLREDUCE);
    }
    look_at();
    assert_int_equal(found.given_up, 0);
    assert_in_range(found.most_queued, 1, 100);
    assert_true(found.waiting_ns > 0);
}

// A sender far ahead of its receiver does not wait for what becomes of its messages.
void sender_far_ahead_does_not_pile_up(void **)
{
    program &p = made_of(2);
    p.work(1, "compute", 100'000);
    for (int i = 0; i < 1000; i++)
        p.message(0, 1);
    look_at();
    assert_ns_equal(found.waiting_ns, 0);
    assert_in_range(found.most_queued, 1, 20);
}

// --- names ---

void calls_are_known_by_their_names(void **)
{
    assert_true(call_named("MPI_Recv").is_mpi && call_named("MPI_Recv").may_wait);
    assert_true(call_named("MPI_Recv()").may_wait);
    assert_true(call_named("mpi_recv_").may_wait);
    assert_false(call_named("MPI_Recv_init").may_wait);
    assert_false(call_named("MPI_Allreduce_init").may_wait);
    assert_false(call_named("MPI_Isend").may_wait);
    assert_false(call_named("MPI_Send").may_wait);
    assert_true(call_named("MPI_Win_fence").may_wait);
    assert_false(call_named("MPI_Comm_rank").may_wait);
    assert_true(call_named("MPI_Init_thread()").begins && call_named("MPI_Init").begins);
    assert_false(call_named("MPI_Initialized").begins);
    assert_false(call_named("MPI_Finalized").may_wait || call_named("MPI_SEND_INIT").may_wait);
    assert_false(call_named("main").is_mpi || call_named("").is_mpi || call_named("MPI").is_mpi);
}

void waits_are_named_by_their_calls(void **)
{
    const std::pair<const char *, state> named[] = {
        {"MPI_Recv()", late_sender}, {"MPI_Iprobe", late_sender}, {"mpi_mrecv_", late_sender},
        {"MPI_Send()", late_receiver}, {"MPI_Ssend_c", late_receiver}, {"MPI_Sendrecv()", late_partner},
        {"MPI_Waitall()", late_partner}, {"MPI_Testsome()", late_partner}, {"MPI_Barrier()", wait_at_barrier},
        {"MPI_Alltoallw()", wait_at_nxn}, {"MPI_Reduce_scatter_block()", wait_at_nxn},
        {"MPI_Scatterv()", late_broadcast}, {"MPI_Reduce()", early_reduce}, {"MPI_Gatherv()", early_reduce},
        {"MPI_Exscan()", early_scan}, {"MPI_Neighbor_alltoall()", late_neighbor},
        {"MPI_Win_allocate_shared()", wait_at_create}, {"MPI_Win_free()", wait_at_free},
        {"MPI_Win_fence()", wait_at_fence}, {"MPI_Win_start()", late_post}, {"MPI_Win_wait()", early_wait},
        {"MPI_Win_flush_local_all()", wait_for_lock}, {"MPI_Finalize()", wait_at_finalize},
        {"MPI_Comm_split_type()", wait_at_communicator}, {"MPI_File_write_all()", wait_at_file},
        {"omp barrier", wait_at_omp_barrier}, {"omp parallel end", wait_at_omp_end},
        {"pthread_mutex_lock()", mutex_contention}, {"pthread_join()", wait_for_thread}, {"MPI_Put()", other_wait},
        {"MPI_Reduce_local()", other_wait}, {"MPI_Recv_init()", other_wait}, {"work", other_wait}, {"", other_wait}};
    for (const auto &[region, why] : named)
        if (state_of(region) != why)
            fail_msg("%s: %s and not %s", region, states[state_of(region)].name, states[why].name);
}

// Of a barrier that one process leaves later, and another one first.
void completion_is_behind_the_first_that_leaves(void **)
{
    program &p = made_of(3);
    p.work(0, "work", 100);
    p.collective(TARE_TRACE_BARRIER);
    p.work(1, "work", 50);
    p.collective(TARE_TRACE_ALLREDUCE);
    p.collective(TARE_TRACE_BCAST);
    tare::waits::analysis analysis(p.archive(), tare::clock_change::none);
    const std::uint32_t barrier = p.region("MPI_Barrier"), allreduce = p.region("MPI_Allreduce");
    for (tare_archive_event_t e : p.events()) {
        const bool is_leave = e.kind == TARE_ARCHIVE_LEAVE;
        // All have left at once: the times of nothing else are between.
        if (is_leave && e.region == barrier)
            e.time_ns -= e.location == 2 ? 4 : 0;
        if (is_leave && e.region == allreduce)
            e.time_ns -= e.location;
        analysis.add(e);
    }
    found = analysis.finish();
    assert_sums_are_exact();
    std::map<state, completion_sum> sums;
    for (const auto &[where, sum] : found.completions) {
        sums[where.second].calls += sum.calls;
        sums[where.second].ns += sum.ns;
    }
    assert_int_equal(sums.size(), 2);
    assert_int_equal(sums[wait_at_barrier].calls, 3);
    assert_ns_equal(sums[wait_at_barrier].ns, 4 + 4);
    assert_int_equal(sums[wait_at_nxn].calls, 3);
    assert_ns_equal(sums[wait_at_nxn].ns, 2 + 1);
}

// Who has come there late by the clocks is not behind one that had left before.
void completion_is_none_of_the_waiting(void **)
{
    program &p = made_of(2);
    p.work(0, "work", 100);
    p.collective(TARE_TRACE_BARRIER);
    tare::waits::analysis analysis(p.archive(), tare::clock_change::none);
    const std::uint32_t barrier = p.region("MPI_Barrier");
    for (tare_archive_event_t e : p.events()) {
        if (e.kind == TARE_ARCHIVE_LEAVE && e.region == barrier && e.location == 1)
            e.time_ns -= collective_ns + 30;
        analysis.add(e);
    }
    found = analysis.finish();
    assert_sums_are_exact();
    assert_int_equal(found.completions.size(), 1);
    std::int64_t all = 0;
    for (const auto &[where, sum] : found.completions)
        all += sum.ns;
    assert_ns_equal(all, collective_ns);
}

void states_have_words_of_their_own(void **)
{
    for (const state_words &s : states) {
        assert_true(s.meaning[0] != '\0');
        for (const state_words *other = states; other != &s; other++) {
            assert_string_not_equal(s.name, other->name);
            assert_string_not_equal(s.metric, other->metric);
        }
    }
}

void operations_wait_for_whom_their_data_come_from(void **)
{
    using whom = who_is_waited_for;
    const whom::whom wanted[] = {whom::all,  whom::root, whom::all_by_root, whom::all_by_root, whom::root,
                                 whom::root, whom::all,  whom::all,         whom::all,         whom::all,
                                 whom::all,  whom::all,  whom::all_by_root, whom::all,         whom::not_known,
                                 whom::not_known, whom::all, whom::not_known, whom::not_known};
    for (std::uint32_t operation = 0; operation < std::size(wanted); operation++)
        assert_int_equal(waited_for_in(operation).who, wanted[operation]);
    assert_int_equal(waited_for_in(UINT32_MAX).who, whom::not_known);
    assert_int_equal(waited_for_in(TARE_TRACE_ALLREDUCE).why, wait_at_nxn);
    assert_int_equal(waited_for_in(TARE_TRACE_SCATTERV).why, late_broadcast);
}

// --- what time was ---

reading reading_of(std::int64_t measured_ns, std::uint64_t core_ns, std::uint64_t cycles, std::uint64_t stalled)
{
    reading r;
    r.measured_ns = measured_ns;
    r.known = 1u << TARE_COUNTER_CORE_NS | 1u << TARE_COUNTER_CYCLES | 1u << TARE_COUNTER_STALLED | 1u << TARE_COUNTER_REMOTE;
    r.value[TARE_COUNTER_CORE_NS] = core_ns;
    r.value[TARE_COUNTER_CYCLES] = cycles;
    r.value[TARE_COUNTER_STALLED] = stalled;
    r.value[TARE_COUNTER_REMOTE] = stalled / 10;
    return r;
}

// 1000 ns, of which 800 on a core, a quarter of whose cycles were stalled.
void interval_is_split_by_its_counters(void **)
{
    const counted c = between(reading_of(5000, 100, 1000, 50), reading_of(6000, 900, 2600, 450));
    assert_ns_equal(c.off_core_ns, 200);
    assert_ns_equal(c.stalled_ns, 200);
    assert_int_equal(c.remote, 40);
    assert_int_equal(c.instructions, 0);
}

void what_one_reading_does_not_know_is_no_part(void **)
{
    reading before = reading_of(5000, 100, 1000, 50), behind = reading_of(6000, 900, 2600, 450);
    before.known = 1u << TARE_COUNTER_CYCLES | 1u << TARE_COUNTER_STALLED;
    behind.known = 1u << TARE_COUNTER_CORE_NS | 1u << TARE_COUNTER_CYCLES;
    assert_true(between(before, behind).is_zero());
    assert_true(between(before, {}).is_zero());
}

void counted_parts_of_paths_differ_as_their_times_do(void **)
{
    path later, earlier;
    later.add(2, 70);
    later.add(2, counted{30, 20, 1, 5, 0, 0});
    earlier.add(2, 70);
    earlier.add(2, counted{10, 25, 0, 9, 0, 0});
    earlier.add(0, 4);
    std::map<std::uint32_t, std::pair<std::int64_t, counted>> all;
    for_difference(later, earlier, [&](std::uint32_t step, std::int64_t ns, const counted &more) { all[step] = {ns, more}; });
    assert_int_equal(all.size(), 2);
    assert_ns_equal(all[0].first, -4);
    assert_ns_equal(all[2].first, 0);
    assert_ns_equal(all[2].second.off_core_ns, 20);
    assert_ns_equal(all[2].second.stalled_ns, -5);
    assert_int_equal(all[2].second.instructions, -4);
}

void sums_stop_at_the_last_number(void **)
{
    program &p = made_of(3);
    for (std::uint32_t process = 0; process < 3; process++)
        p.work(process, "long", INT64_MAX / 2);
    found = analyse(*made, tare::clock_change::none);
    assert_ns_equal(found.total_ns, INT64_MAX);
    for (const process_sum &sum : found.processes)
        assert_ns_equal(sum.own.sum(), INT64_MAX / 2);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(imbalance_on_one_rank_is_the_cause),
        cmocka_unit_test(imbalance_is_found_over_two_hops),
        cmocka_unit_test(imbalance_is_found_over_three_hops),
        cmocka_unit_test(cancelled_imbalance_is_no_cause),
        cmocka_unit_test(half_cancelled_imbalance_has_two_signs),
        cmocka_unit_test(alternating_causes_share_the_waiting),
        cmocka_unit_test(what_was_before_the_last_common_point_is_no_cause),
        cmocka_unit_test(collectives_wait_by_their_kind),
        cmocka_unit_test(sender_waits_for_a_late_receiver),
        cmocka_unit_test(lock_is_waited_for_until_it_is_released),
        cmocka_unit_test(lock_that_was_free_is_no_wait),
        cmocka_unit_test(lock_that_nobody_has_had_is_no_gap),
        cmocka_unit_test(release_is_the_one_that_is_named),
        cmocka_unit_test(condition_is_waited_for_until_signal_and_mutex_are_there),
        cmocka_unit_test(barrier_waits_for_all_that_come),
        cmocka_unit_test(thread_that_waits_passes_its_cause_on),
        cmocka_unit_test(thread_begins_where_it_is_made),
        cmocka_unit_test(threads_of_two_processes_do_not_meet),
        cmocka_unit_test(wait_for_an_unknown_thread_is_a_gap),
        cmocka_unit_test(thread_that_nobody_has_made_goes_on),
        cmocka_unit_test(sends_to_each_other_do_not_wait_in_a_circle),
        cmocka_unit_test(receive_without_its_send_is_a_gap),
        cmocka_unit_test(send_that_nobody_receives_is_no_gap_if_nobody_was_there),
        cmocka_unit_test(collective_that_a_process_has_left_no_trace_of_is_a_gap),
        cmocka_unit_test(collectives_that_do_not_agree_are_a_gap),
        cmocka_unit_test(nonblocking_collective_is_a_gap),
        cmocka_unit_test(clocks_that_differ_are_a_cause_of_their_own),
        cmocka_unit_test(events_outside_of_calls_change_nothing),
        cmocka_unit_test(processes_begin_where_init_has_ended),
        cmocka_unit_test(other_clock_is_made_of_what_was_removed),
        cmocka_unit_test(location_that_waits_for_nothing_is_given_up),
        cmocka_unit_test(events_of_a_program_that_is_whole_do_not_pile_up),
        cmocka_unit_test(sender_far_ahead_does_not_pile_up),
        cmocka_unit_test(calls_are_known_by_their_names),
        cmocka_unit_test(waits_are_named_by_their_calls),
        cmocka_unit_test(completion_is_behind_the_first_that_leaves),
        cmocka_unit_test(completion_is_none_of_the_waiting),
        cmocka_unit_test(states_have_words_of_their_own),
        cmocka_unit_test(operations_wait_for_whom_their_data_come_from),
        cmocka_unit_test(interval_is_split_by_its_counters),
        cmocka_unit_test(what_one_reading_does_not_know_is_no_part),
        cmocka_unit_test(counted_parts_of_paths_differ_as_their_times_do),
        cmocka_unit_test(sums_stop_at_the_last_number),
    };
    const int failed = cmocka_run_group_tests_name("waits", tests, nullptr, nullptr);
    delete made;
    return failed;
}
