/* SPDX-License-Identifier: BSD-3-Clause */
/* Small programs for the tests of libtare: scenario NAME [arguments]. Plain C, as a user's program may be. */
#define _GNU_SOURCE
#include "tare_measure.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char **arguments;
static jmp_buf landing;

/* A sanitizer's leak check at the end of a child waits for ever for a lock that another thread of its parent happened
 * to hold when it forked. */
static int is_child;
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) { return is_child; }

/* 0 in the child */
static pid_t fork_off(void)
{
    const pid_t child = fork();
    is_child = is_child || child == 0;
    return child;
}

static void call(const char *name, int times)
{
    tare_region_t *region = tare_region(name);
    for (int i = 0; i < times; i++) {
        tare_enter(region);
        tare_leave(region);
    }
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

static void sleep_ms(int ms)
{
    struct timespec t = { 0, ms * 1000000L };
    nanosleep(&t, NULL);
}

/* outer { inner x 3, recursive x 4 deep }, then outer again */
static void recurse(tare_region_t * region, int depth)
{
    tare_enter(region);
    if (depth > 1)
        recurse(region, depth - 1);
    tare_leave(region);
}

static void nested(void)
{
    tare_region_t *outer = tare_region("outer");
    tare_enter(outer);
    call("inner", 3);
    recurse(tare_region("recursive"), 4);
    tare_leave(outer);
    call("outer", 1);
}

/* A leave without enter, then b left open inside a, then a leave of b that is too late. */
static void unbalanced(void)
{
    tare_region_t *a = tare_region("a"), *b = tare_region("b");
    call("other", 1);
    tare_leave(a);
    tare_enter(a);
    tare_enter(b);
    tare_leave(a);
    tare_leave(b);
    call("after", 1);
}

static void *worker(void *unused)
{
    (void) unused;
    call("worker", 10);
    return NULL;
}

/* Four threads one after the other, and what the first one calls. */
static void threads(void)
{
    pthread_t thread;
    for (int i = 0; i < 4; i++) {
        pthread_create(&thread, NULL, worker, NULL);
        pthread_join(thread, NULL);
    }
    call("first", 1);
}

static void *worker_with_names(void *unused)
{
    tare_measure_name_thread("before its first region");
    call("worker", 10);
    tare_measure_name_thread("<last> & \"least\"");
    return unused;
}

/* One thread has no name, one has two after one another, and one enters nothing. `killed`: SIGKILL at the end. */
static void named(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, worker_with_names, NULL);
    pthread_join(thread, NULL);
    call("first", 1);
    tare_measure_name_thread("first");
    if (arguments[0] != NULL)
        raise(SIGKILL);
}

static void *call_until_told(void *stop)
{
    while (!__atomic_load_n((int *) stop, __ATOMIC_RELAXED))
        call("busy", 100);
    return NULL;
}

/* The profile is written again and again while another thread measures. */
static void flushed_while_measuring(void)
{
    pthread_t thread;
    int stop = 0;
    pthread_create(&thread, NULL, call_until_told, &stop);
    for (int i = 0; i < 50; i++)
        tare_flush();
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
}

static void *dive(void *unused)
{
    (void) unused;
    recurse(tare_region("dive"), 600);
    call("worker", 10);
    return NULL;
}

/* The same while many threads begin, need room for their stacks of regions, and end. */
static void flushed_while_threads_come_and_go(void)
{
    pthread_t thread[8];
    for (int i = 0; i < 8; i++)
        pthread_create(&thread[i], NULL, dive, NULL);
    for (int i = 0; i < 20; i++)
        tare_flush();
    for (int i = 0; i < 8; i++)
        pthread_join(thread[i], NULL);
}

static void exited(void)
{
    tare_enter(tare_region("open"));
    call("inside", 2);
    exit(3);
}

static void flushed_then_killed(void)
{
    call("before", 5);
    tare_flush();
    call("lost", 1);
    raise(SIGKILL);
}

/* Ends by a signal that is given by its number, with two regions open: killed SIGNAL [RANK RANKS ID] */
static void killed(void)
{
    const int number = atoi(arguments[0]);
    if (arguments[1])
        tare_measure_initialized(atoi(arguments[1]), atoi(arguments[2]), arguments[3]);
    tare_measure_metadata("a constant ns", "12.5");
    tare_enter(tare_region("outer"));
    call("inner", 3);
    sleep_ms(2);
    tare_enter(tare_region("open"));
    call("inner", 2);
    raise(number);
}

static void *work_forever(void *unused)
{
    (void) unused;
    call("worker", 10);
    tare_enter(tare_region("forever"));
    sleep(30);
    return NULL;
}

/* Two threads that have ended, 30 with a region open, then SIGKILL. More than the first piece of the file holds. */
static void killed_with_threads(void)
{
    pthread_t thread;
    for (int i = 0; i < 2; i++) {
        pthread_create(&thread, NULL, worker, NULL);
        pthread_join(thread, NULL);
    }
    for (int i = 0; i < 30; i++)
        pthread_create(&thread, NULL, work_forever, NULL);
    sleep_ms(300);
    call("first", 1);
    raise(SIGKILL);
}

/* Is killed somewhere. Ends by itself after half a minute, whatever has become of the test. */
static void killed_anywhere(void)
{
    const int64_t end_ns = now_ns() + INT64_C(30000000000);
    tare_region_t *around = tare_region("around");
    while (now_ns() < end_ns) {
        tare_enter(around);
        call("busy", 10);
        tare_leave(around);
    }
}

/* 3000 regions, one inside the other up to 600, on the way to SIGKILL. */
static void killed_with_many_regions(void)
{
    char name[32];
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "region %d", i);
        call(name, 1);
    }
    for (int i = 0; i < 600; i++)
        tare_enter(tare_region("deep"));
    raise(SIGKILL);
}

static void resolve_as_text(const void *what, enum tare_measure_name which, char *name, size_t size)
{
    (void) which;
    snprintf(name, size, "%s", (const char *) what);
}

/* Functions that turn out to have one name, and that of a region: the first that was made is never called. */
static void same_names(void)
{
    for (int i = 0; i < 4; i++) {
        tare_region_t *twin = tare_measure_region_late("twin", resolve_as_text, TARE_GROUP_FUNCTION);
        for (int k = 0; k < i; k++) {
            tare_enter(twin);
            tare_leave(twin);
        }
        call("between", 1);
    }
    call("twin", 10);
}

static void *count_on_a_thread(void *unused)
{
    call("tiny", 3);
    return unused;
}

/* Prints how much is declared for the second half of outer's calls of tiny. What is called after the flush and after
 * the pause tells whether it is counted. arguments[1]: killed at the end. */
static void counted(void)
{
    const int calls = atoi(arguments[0]);
    pthread_t thread;
    tare_region_t *outer = tare_region("outer");
    tare_enter(outer);
    for (int i = 0; i < 3; i++)
        recurse(tare_region("deep"), 4);
    call("tiny", calls);
    const int64_t delay_ns = tare_delay_ns();
    call("tiny", calls);
    printf("%lld\n", (long long) (tare_delay_ns() - delay_ns));
    fflush(stdout);
    tare_leave(outer);
    pthread_create(&thread, NULL, count_on_a_thread, NULL);
    pthread_join(thread, NULL);
    tare_measure_pause(1);
    call("tiny", 1000);
    tare_measure_pause(0);
    tare_flush();
    call("tiny", 5);
    if (arguments[1] != NULL)
        raise(SIGKILL);
}

/* So many calls of so many ms each */
static void slow(void)
{
    tare_region_t *region = tare_region("slow");
    for (int i = 0; i < atoi(arguments[0]); i++) {
        tare_enter(region);
        sleep_ms(atoi(arguments[1]));
        tare_leave(region);
    }
}

static int64_t processor_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Prints what the profile of so many regions takes at the end of an MPI program, in us of time and of the processor's
 * time: finalizing REGIONS */
/* finalizing REGIONS [NS]: regions that do so much, or nothing. */
static void finalizing(void)
{
    char name[64];
    const int64_t work_ns = arguments[1] == NULL ? 0 : atoi(arguments[1]);
    tare_measure_initialized(0, 1, "a-run");
    for (int i = 0; i < atoi(arguments[0]); i++) {
        snprintf(name, sizeof name, "a_region_with_a_usual_name_%d", i);
        tare_region_t *region = tare_region(name);
        tare_enter(region);
        for (const int64_t start_ns = now_ns(); work_ns > 0 && now_ns() - start_ns < work_ns;) {
        }
        tare_leave(region);
    }
    const int64_t start_ns = now_ns(), start_processor_ns = processor_ns();
    tare_measure_finalizing();
    printf("%lld %lld\n", (long long) (now_ns() - start_ns) / 1000,
           (long long) (processor_ns() - start_processor_ns) / 1000);
}

/* Without MPI_Finalize and without exit(). */
static void left_in_a_hurry(void)
{
    call("work", 1);
    _exit(7);
}

/* Its profile does not fit into what it may write, which it learns after the live file has been made. */
static void unwritable(void)
{
    const struct rlimit limit = { 1024, 1024 };
    call("work", 5);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        abort();
}

static void on_signal(int number)
{
    (void) number;
    static const char text[] = "own handler\n";
    if (write(1, text, sizeof text - 1) < 0)
        abort();
}

/* Sends itself a signal, waits for a file, goes on: signalled SIGNAL FILE [own] */
static void signalled(void)
{
    if (arguments[2])
        signal(atoi(arguments[0]), on_signal);
    call("before", 5);
    raise(atoi(arguments[0]));
    for (int i = 0; i < 500 && access(arguments[1], F_OK) != 0; i++)
        sleep_ms(10);
    printf("%s\n", access(arguments[1], F_OK) == 0 ? "written" : "nothing");
    call("after", 1);
}

/* A forked child goes on with the parent's regions and makes its own; the parent is killed then. */
static void killed_after_fork(void)
{
    tare_enter(tare_region("parent"));
    const pid_t child = fork_off();
    if (child == 0) {
        tare_leave(tare_region("parent"));
        for (int i = 0; i < 3000; i++)
            call("child", 1);
        exit(0);
    }
    waitpid(child, NULL, 0);
    call("after", 2);
    raise(SIGKILL);
}

/* outer { inner x 3, middle { inner x 2, deep in deep in deep } }, inner; a thread with worker { inner } */
static void *work_on_a_path(void *unused)
{
    (void) unused;
    tare_enter(tare_region("worker"));
    call("inner", 4);
    tare_leave(tare_region("worker"));
    return NULL;
}

static void paths(void)
{
    tare_region_t *outer = tare_region("outer"), *middle = tare_region("middle");
    pthread_t thread;
    tare_enter(outer);
    call("inner", 3);
    tare_enter(middle);
    call("inner", 2);
    recurse(tare_region("deep"), 3);
    tare_leave(middle);
    tare_leave(outer);
    call("inner", 1);
    pthread_create(&thread, NULL, work_on_a_path, NULL);
    pthread_join(thread, NULL);
}

/* Each of ten regions inside each of ten, so many levels: many_paths LEVELS */
static void fan_out(tare_region_t ** ten, int levels)
{
    for (int i = 0; i < 10 && levels > 0; i++) {
        tare_enter(ten[i]);
        fan_out(ten, levels - 1);
        tare_leave(ten[i]);
    }
}

static void many_paths(void)
{
    tare_region_t *ten[10];
    char name[] = "r0";
    for (int i = 0; i < 10; i++, name[1]++)
        ten[i] = tare_region(name);
    fan_out(ten, atoi(arguments[0]));
}

/* The same, then SIGKILL. */
static void killed_with_many_paths(void)
{
    many_paths();
    raise(SIGKILL);
}

/* Regions one inside the other, with names of so many bytes: long_path REGIONS BYTES */
static void long_path(void)
{
    const int regions = atoi(arguments[0]), bytes = atoi(arguments[1]);
    char *name = malloc(bytes + 20);
    memset(name, 'x', bytes + 20);
    for (int i = 0; i < regions; i++) {
        snprintf(name + bytes, 20, "%d", i);
        tare_enter(tare_region(name));
    }
    for (int i = regions; i-- > 0;) {
        snprintf(name + bytes, 20, "%d", i);
        tare_leave(tare_region(name));
    }
    free(name);
}

/* A longjmp out of b in a leaves b open: a's leave ends it. */
static void jumped(void)
{
    tare_region_t *a = tare_region("a"), *b = tare_region("b");
    tare_enter(a);
    if (setjmp(landing) == 0) {
        tare_enter(b);
        longjmp(landing, 1);
    }
    call("after", 1);
    tare_leave(a);
    call("after", 1);
}

static void paused(void)
{
    tare_region_t *around = tare_region("around"), *across = tare_region("across");
    tare_enter(around);
    call("seen", 1);
    tare_measure_pause(1);
    call("unseen", 7);
    tare_enter(across);
    tare_measure_pause(0);
    call("seen", 1);
    tare_leave(across);
    tare_leave(around);
}

/* As rank R of N in run ID, as the PMPI layer tells it: rank R N ID [REGION] */
static void rank(void)
{
    tare_measure_initialized(atoi(arguments[0]), atoi(arguments[1]), arguments[2]);
    call(arguments[3] ? arguments[3] : "work", 3);
    tare_measure_metadata("a constant ns", "12.5");
    tare_measure_finalizing();
    puts("results");
}

static void moved(void)
{
    call("work", 1);
    if (chdir("/") != 0)
        abort();
}

static void forked(void)
{
    call("parent", 1);
    const pid_t child = fork_off();
    if (child == 0) {
        call("child", 1);
        exit(0);
    }
    waitpid(child, NULL, 0);
    call("parent", 1);
}

/* MPI calls of 5 ms without a carrier: one that waits, one that does not. */
static void waited(void)
{
    tare_region_t *receive = tare_measure_region("MPI_Recv()", TARE_GROUP_MPI);
    tare_region_t *send = tare_measure_region("MPI_Isend()", TARE_GROUP_MPI);
    tare_measure_enter_mpi(receive);
    sleep_ms(5);
    tare_measure_leave_mpi(receive, 1);
    tare_measure_enter_mpi(send);
    sleep_ms(5);
    tare_measure_leave_mpi(send, 0);
}

/* Prints how long 10 calls took and the delay that they left, in ns. */
static void injected(void)
{
    call("warm", 1);
    const int64_t start = now_ns(), delay = tare_delay_ns();
    call("work", 10);
    printf("%lld %lld\n", (long long) (now_ns() - start), (long long) (tare_delay_ns() - delay));
}

/* A region that declares its own 2 ms as overhead, and 1 ms more than it took. */
static void declared(void)
{
    tare_region_t *region = tare_region("declares");
    tare_enter(region);
    const int64_t start = now_ns();
    sleep_ms(2);
    tare_overhead_add(now_ns() - start + 1000000);
    tare_now_ns();
    tare_leave(region);
    printf("%d\n", tare_delay_lo_ns() <= tare_delay_ns() && tare_delay_ns() <= tare_delay_hi_ns());
}

/* Prints what three further calibrations take, in ms, and how much of that the compensated clock sees, in 1/1000.
 * Another thread enters and leaves regions meanwhile. */
static void calibrated_again(void)
{
    pthread_t thread;
    int stop = 0;
    call("first", 1);
    pthread_create(&thread, NULL, call_until_told, &stop);
    tare_enter(tare_region("around"));
    const int64_t start = now_ns(), start_compensated = tare_now_ns();
    for (int i = 0; i < 3; i++)
        tare_measure_calibrate_again();
    const int64_t compensated = tare_now_ns() - start_compensated, took = now_ns() - start;
    tare_leave(tare_region("around"));
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    printf("%lld %lld\n", (long long) (took / 1000000), (long long) (1000 * compensated / took));
}

static int64_t slowness_ns;

static tare_region_t *slow_region(const void *function)
{
    (void) function;
    return tare_region("slow");
}

static void slow_probes(int n)
{
    const void *const function = &slowness_ns;
    for (int i = 0; i < n; i++) {
        tare_measure_state()->hooks.enter_function(function);
        tare_measure_trial_work();
        tare_measure_state()->hooks.leave_function(function);
        for (const int64_t start = now_ns(); now_ns() - start < slowness_ns;) {
        }
    }
}

static void no_probes(int n)
{
    for (int i = 0; i < n; i++)
        tare_measure_trial_work();
}

/* What is declared for ten pairs of hooks. */
static int64_t overhead_of_probes(void)
{
    sleep_ms(2);        /* no more is declared than has elapsed */
    const int64_t delay = tare_delay_ns();
    slow_probes(10);
    return tare_delay_ns() - delay;
}

static pthread_barrier_t turn;

static void *probe_before_and_after(void *overhead)
{
    slow_probes(100);
    ((int64_t *) overhead)[0] = overhead_of_probes();
    pthread_barrier_wait(&turn);
    pthread_barrier_wait(&turn);
    slow_probes(100);
    ((int64_t *) overhead)[1] = overhead_of_probes();
    return NULL;
}

/* A thread's overhead for ten pairs of hooks, before and after another thread has calibrated them as much slower. */
static void calibrated_for_another_thread(void)
{
    pthread_t thread;
    int64_t overhead[2];
    tare_measure_functions_from(slow_region);
    tare_measure_calibrate(TARE_WAY_PROBE, slow_probes, no_probes);
    pthread_barrier_init(&turn, NULL, 2);
    pthread_create(&thread, NULL, probe_before_and_after, overhead);
    pthread_barrier_wait(&turn);
    slowness_ns = 20000;
    tare_measure_calibrate_again();
    slowness_ns = 0;
    pthread_barrier_wait(&turn);
    pthread_join(thread, NULL);
    printf("%lld %lld\n", (long long) overhead[0], (long long) overhead[1]);
}

/* Prints whether it is calibrated again while measuring is paused, and afterwards. */
static void calibrated_while_paused(void)
{
    tare_measure_pause(1);
    call("unseen", 1);
    const int while_paused = tare_measure_calibrate_again();
    tare_measure_pause(0);
    printf("%d %d\n", while_paused, tare_measure_calibrate_again());
    call("seen", 1);
}

static void left_paused(void)
{
    tare_measure_pause(1);
    call("unseen", 1);
}

static void take_no_note(void *call, const tare_measure_spent_t * spent, tare_thread_t * thread)
{
    (void) call, (void) spent, (void) thread;
}

static int64_t overhead_of_two_calls(unsigned end)
{
    tare_region_t *region = tare_measure_region("MPI_Send()", TARE_GROUP_MPI);
    const int64_t delay = tare_delay_ns();
    for (int i = 0; i < 2; i++) {
        tare_measure_enter_mpi(region);
        sleep_ms(2);            /* no more is declared than has elapsed */
        tare_measure_leave_noted(region, end, take_no_note, NULL);
    }
    return tare_delay_ns() - delay;
}

/* Prints what is declared more for two calls whose note costs 1000000.5 ns more than that of other calls, and the same
 * while measuring is paused. */
static void noted(void)
{
    tare_measure_note_cost(3, 1000000.5);
    overhead_of_two_calls(TARE_END_RETURNS);
    const int64_t other = overhead_of_two_calls(TARE_END_BLOCKS);
    const int64_t more = overhead_of_two_calls(TARE_END_BLOCKS | TARE_END_NOTED(3)) - other;
    tare_measure_pause(1);
    printf("%lld %lld\n", (long long) more, (long long) overhead_of_two_calls(TARE_END_RETURNS | TARE_END_NOTED(3)));
}

static void nothing(void)
{
    printf("%s %d\n", tare_version(), tare_mode());
}

static const struct {
    const char *name;
    void (*run)(void);
} scenarios[] = {
    { "named", named }, { "nested", nested }, { "unbalanced", unbalanced }, { "threads", threads },
    { "flushed_while_measuring", flushed_while_measuring },
    { "flushed_while_threads_come_and_go", flushed_while_threads_come_and_go }, { "exited", exited },
    { "flushed_then_killed", flushed_then_killed }, { "paused", paused }, { "rank", rank }, { "moved", moved },
    { "forked", forked }, { "waited", waited }, { "injected", injected }, { "declared", declared },
    { "nothing", nothing }, { "paths", paths }, { "many_paths", many_paths }, { "long_path", long_path },
    { "jumped", jumped }, { "killed_with_many_paths", killed_with_many_paths },
    { "killed", killed }, { "killed_with_threads", killed_with_threads },
    { "killed_anywhere", killed_anywhere }, { "killed_with_many_regions", killed_with_many_regions },
    { "left_in_a_hurry", left_in_a_hurry }, { "unwritable", unwritable }, { "signalled", signalled },
    { "killed_after_fork", killed_after_fork }, { "finalizing", finalizing },
    { "same_names", same_names }, { "counted", counted }, { "slow", slow },
    { "noted", noted }, { "left_paused", left_paused },
    { "calibrated_for_another_thread", calibrated_for_another_thread }, { "calibrated_again", calibrated_again },
    { "calibrated_while_paused", calibrated_while_paused },
};

int main(int argc, char **argv)
{
    arguments = argv + 2;
    for (size_t i = 0; argc > 1 && i < sizeof scenarios / sizeof scenarios[0]; i++) {
        if (strcmp(argv[1], scenarios[i].name) == 0) {
            scenarios[i].run();
            return 0;
        }
    }
    fputs("scenario: no such scenario\n", stderr);
    return 2;
}
