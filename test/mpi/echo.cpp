// SPDX-License-Identifier: BSD-3-Clause
// Echo test of the header transport: both ranks get a known delay, exchange one message, and must end with the delay
// that rule (R) gives. The ways to send meet the ways to receive (calls.cpp), in four cases:
//
//   late sender,   small delay sent    the receiver waits:          D_r' = D_s
//   late sender,   large delay sent    the receiver waits w:        D_r' = D_r + w
//   late receiver, large delay here    the message has slack s:     D_r' = D_s + s
//   late receiver, small delay here                                 D_r' = D_r
//
// and a sender that is answered (rendezvous, synchronous) gets the receiver's delay back by the same rule.
// The expected values are written out here, not computed by the core.
//
// Run by two ranks with TARE_MODE=header. Prints TAP on rank 0. Options:
//   --events    gives a time stamp before every call, as a tool does; otherwise the transport reads the clock itself
//   --network   not through shared memory: without the scenes of its queues
//   --ucx       on the build for ch4:ucx, whose queues tell a stalled sender nothing
//   --largest BYTES          no longer messages: where they take as long as the scenes
//   --answered-above BYTES   longer sends wait for their receiver (64 KiB); -1: none does
//   --cells BYTES            a broadcast of more through shared flags waits for its receivers; -1: none goes so
//   --brief     each way to send and each way to receive with the first of the other side alone
//   --collectives   collective operations alone
//   --windows       one-sided communication alone
//   --native        the network does put and get by itself
//   --native-all    accumulate and its kin, too
//   --without WORD REASON    skips the cases whose names hold the word; may be repeated
#include "echo.hpp"

#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <initializer_list>

namespace echo {

const tare_transport_v1_table_t *core;
int rank;
bool give_events, over_network, over_ucx, operations_are_native, accumulates_are_native;
int largest = max_size, answered_above = largest_eager;
int cells_size = 3 * (8192 - 2 * 64);  // all cells but one; in each, two cache lines are not data
char *send_buffer, *receive_buffer;
int failures;

int64_t now_ns()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return int64_t(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

void wait_until(int64_t when)
{
    while (now_ns() < when) {
    }
}

void event()
{
    if (give_events)
        core->event(now_ns());
}

void overhead(int64_t ns)
{
    wait_until(now_ns() + ns);
    core->overhead_add(ns, 0);
}

int64_t common_start()
{
    quiet q;
    int64_t start = now_ns() + ms / 2;
    MPI_Bcast(&start, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    return start;
}

void rest_before(int attempt)
{
    constexpr timespec pause{0, 50 * ms};
    if (attempt >= 20)
        nanosleep(&pause, nullptr);
}

void report(bool good, const char *name, const char *skip)
{
    static int number;
    failures += !good;
    if (rank == 0)
        printf("%s %d - %s%s%s\n", good ? "ok" : "not ok", ++number, name, skip ? " # SKIP " : "", skip ? skip : "");
    fflush(stdout);
}

namespace {

// --without: a word of the names of what is left out, and the reason.
struct {
    const char *word, *reason;
} without[4];
int without_count;

}  // namespace

bool is_without(const char *word)
{
    for (int i = 0; i < without_count; i++)
        if (strcmp(without[i].word, word) == 0)
            return true;
    return false;
}

bool is_left_out(const char *name)
{
    for (int i = 0; i < without_count; i++)
        if (strstr(name, without[i].word)) {
            report(true, name, without[i].reason);
            return true;
        }
    return false;
}

namespace {

struct scene {
    const char *name;
    int64_t send_delay, receive_delay;  // before
    int64_t sender_late;                // > 0: the sender comes later, < 0: the receiver does
    int64_t answered, received;         // expected afterwards, at a sender that is answered and at the receiver
    int64_t allowed_below, allowed_above;
};

// The late side starts apart_ns after the other. Where time enters the expectation, it does so as about apart_ns.
const scene scenes[] = {
    {"late sender, 1 ms meets 9 ms", 1 * ms, 9 * ms, apart_ns, 1 * ms, 1 * ms, 0, 0},
    {"late sender, 9 ms meets 0 ms", 9 * ms, 0, apart_ns, apart_ns, apart_ns, tolerance_ns, tolerance_ns},
    {"late receiver, 1 ms meets 9 ms", 1 * ms, 9 * ms, -apart_ns, 1 * ms + apart_ns, 1 * ms + apart_ns, tolerance_ns,
     tolerance_ns},
    {"late receiver, 9 ms meets 1 ms", 9 * ms, 1 * ms, -apart_ns, 1 * ms, 1 * ms, 0, 0},
};

bool is_answered(const send_call &send, int size)
{
    switch (send.waits_for_answer) {
    case answer::never:
        return false;
    case answer::of_rendezvous:
        return answered_above >= 0 && size > answered_above;
    case answer::of_cells:
        return size > cells_size;
    default:
        return true;
    }
}

// The outcome on this rank.
struct outcome {
    int64_t delay, lo, hi, conservation, started_late;
};

outcome run(const scene &s, const send_call &send, const receive_call &receive, int size)
{
    const int64_t start = common_start();
    tare_thread_t *th = core->thread();
    const int64_t my_delay = rank == 0 ? s.send_delay : s.receive_delay;
    const int64_t late = rank == 0 ? s.sender_late : -s.sender_late;
    const int64_t when = start + (late > 0 ? late : 0);
    wait_until(when);
    core->test_set_delay(my_delay);
    const int64_t waited = th->wait_ns, waited_compensated = th->wait_compensated_ns;
    const int64_t entered = now_ns();
    if (rank == 0)
        send.run(size);
    else
        receive.run(size);
    const int64_t w = th->wait_ns - waited, w_compensated = th->wait_compensated_ns - waited_compensated;
    // D' + w' = D + w, to the nanosecond
    return {th->delay_ns, th->delay_lo_ns, th->delay_hi_ns, th->delay_ns + w_compensated - my_delay - w,
            entered - when};
}

bool is_within(int64_t value, int64_t expected, const scene &s)
{
    return value >= expected - s.allowed_below && value <= expected + s.allowed_above;
}

const char *const too_busy = "a rank was late itself";

// Judged from both outcomes. A rank that was late itself (descheduled) makes the case void.
const char *judge(const scene &s, const send_call &send, int size, const outcome (&o)[2])
{
    if (o[0].started_late > tolerance_ns / 2 || o[1].started_late > tolerance_ns / 2)
        return too_busy;
    const bool answered = is_answered(send, size);
    if (o[0].conservation != 0 || o[1].conservation != 0)
        return "D' + w' differs from D + w";
    if (answered ? !is_within(o[0].delay, s.answered, s) : o[0].delay != s.send_delay)
        return "sender's delay";
    if (!is_within(o[1].delay, s.received, s))
        return "receiver's delay";
    for (const outcome &x : o)
        if (x.lo > x.delay || x.hi < x.delay)
            return "bounds";
    return nullptr;
}

bool is_possible(const scene &s, const send_call &send) { return !send.is_ready || s.sender_late > 0; }

// What was learned of a latency may be that of a message whose sender was descheduled on its way. Each side waits once
// for the other: answers, and operations in which both send, have latencies of their own.
void learn_latencies_again(const send_call &send, const receive_call &receive, int size)
{
    for (const scene &s : {scenes[0], scenes[2]})
        if (is_possible(s, send))
            run(s, send, receive, size);
}

// One size. On a busy machine a rank is descheduled now and then: such a try is void. Where that is nearly always so,
// hundreds of cases that try a hundred times each would take hours: all of a run share their repetitions, some 10 s, and
// behind them a case is given up after a few void tries. One that is wrong is always tried again.
const char *one_size(const scene &s, const send_call &send, const receive_call &receive, int size, outcome (&o)[2])
{
    constexpr int attempts = 100, void_attempts_in_need = 5;
    static int repetitions_left = 200;   // the same on both ranks, which judge alike
    const char *wrong = nullptr;
    int void_attempts = 0;
    for (int attempt = 0; attempt < attempts; attempt++) {
        if (attempt > 0) {
            repetitions_left--;
            rest_before(attempt);
            learn_latencies_again(send, receive, size);
        }
        o[rank] = run(s, send, receive, size);
        quiet q;
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, o, sizeof(outcome), MPI_BYTE, MPI_COMM_WORLD);
        wrong = judge(s, send, size, o);
        void_attempts += wrong == too_busy;
        if (wrong == nullptr || (wrong == too_busy && repetitions_left <= 0 && void_attempts >= void_attempts_in_need))
            break;
    }
    return wrong;
}

using case_name = char[200];

void name_case(case_name &name, const scene &s, const send_call &send, const receive_call &receive)
{
    snprintf(name, sizeof(name), "%s to %s: %s", send.name, receive.name, s.name);
}

void one(const scene &s, const send_call &send, const receive_call &receive, const int *sizes)
{
    const char *wrong = nullptr;
    outcome o[2] = {};
    int size = 0;
    case_name name;
    name_case(name, s, send, receive);
    if (is_left_out(name))
        return;
    for (; *sizes >= 0 && wrong == nullptr; sizes++) {
        if (*sizes > largest)
            break;
        size = *sizes;
        wrong = one_size(s, send, receive, size, o);
    }
    const bool is_void = wrong == too_busy;
    report(wrong == nullptr || is_void, name, is_void ? "the machine is too busy: a rank was late in every try" : nullptr);
    if (rank == 0 && wrong && !is_void)
        printf("# %d B: %s: delay of sender %lld ns, of receiver %lld ns, bounds [%lld, %lld], residue %lld\n", size,
               wrong, (long long) o[0].delay, (long long) o[1].delay, (long long) o[1].lo, (long long) o[1].hi,
               (long long) (o[0].conservation + o[1].conservation));
}

bool brief, only_collectives, only_windows;

}  // namespace

void play_family(const family &f)
{
    for (int i = 0; i < f.send_count; i++)
        for (int j = 0; j < (brief && i > 0 ? 1 : f.receive_count); j++)
            for (const scene &s : scenes)
                if (is_possible(s, f.sends[i]))
                    one(s, f.sends[i], f.receives[j], f.sizes);
}

}  // namespace echo

using namespace echo;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    core = static_cast<const tare_transport_v1_table_t *>(dlsym(RTLD_DEFAULT, "tare_transport_v1"));
    if (size != 2 || core == nullptr || core->global->carry == 0) {
        if (rank == 0)
            fprintf(stderr, "echo: needs two ranks on Tare's MPICH with TARE_MODE=header\n");
        MPI_Finalize();
        return 99;
    }
    core->global->account_waits = 1;
    for (int i = 1; i < argc; i++) {
        give_events |= strcmp(argv[i], "--events") == 0;
        over_network |= strcmp(argv[i], "--network") == 0;
        over_ucx |= strcmp(argv[i], "--ucx") == 0;
        brief |= strcmp(argv[i], "--brief") == 0;
        only_collectives |= strcmp(argv[i], "--collectives") == 0;
        only_windows |= strcmp(argv[i], "--windows") == 0;
        accumulates_are_native |= strcmp(argv[i], "--native-all") == 0;
        operations_are_native |= accumulates_are_native || strcmp(argv[i], "--native") == 0;
        if (i + 1 == argc)
            break;
        if (strcmp(argv[i], "--largest") == 0)
            largest = atoi(argv[++i]);
        else if (strcmp(argv[i], "--answered-above") == 0)
            answered_above = atoi(argv[++i]);
        else if (strcmp(argv[i], "--cells") == 0)
            cells_size = atoi(argv[++i]);
        else if (strcmp(argv[i], "--without") == 0 && i + 2 < argc && without_count < 4)
            without[without_count++] = {argv[i + 1], argv[i + 2]}, i += 2;
    }
    if (over_network || over_ucx)
        cells_size = -1;
    // What MPICH allocates for a large message is used again: fresh pages would cost milliseconds on a virtual machine.
    mallopt(M_MMAP_THRESHOLD, 8 * max_size);
    mallopt(M_TRIM_THRESHOLD, 64 * max_size);
    send_buffer = static_cast<char *>(calloc(1, max_size));
    receive_buffer = static_cast<char *>(calloc(1, max_size));
    make_communicators();
    const bool all = !only_collectives && !only_windows;
    for (int i = 0; i < family_count && all; i++)
        play_family(families[i]);
    if (!only_windows) {
        play_collectives();
        play_flag_scenes();
        play_schedule_scenes();
    }
    if (!only_collectives)
        play_window_scenes();
    if (all)
        play_scenes();
    free_communicators();
    free(send_buffer);
    free(receive_buffer);
    MPI_Bcast(&failures, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return failures ? 1 : 0;
}
