/* SPDX-License-Identifier: BSD-3-Clause */
/* worlds SCENE [ARGUMENT]: MPI programs to which something happens. Every scene begins with three exchanges around a
 * ring, in a region `ring`. */
#include "tare.h"
#include "tare_transport.h"

#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int rank, size;
static const char *argument = "";

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

static void sleep_ms(int ms)
{
    const struct timespec t = { ms / 1000, ms % 1000 * 1000000L };
    nanosleep(&t, NULL);
}

static void pass_on(void)
{
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    int out = rank, in;
    MPI_Sendrecv(&out, 1, MPI_INT, next, 1, &in, 1, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void ring(int times)
{
    tare_region_t *region = tare_region("ring");
    for (int i = 0; i < times; i++) {
        tare_enter(region);
        pass_on();
        tare_leave(region);
    }
}

/* What the rank is late, and how sure that is. Ranks tell one after the other. */
static void tell_delay(const char *when)
{
    for (int r = 0; r < size; r++) {
        if (r == rank)
            printf("%s %d %lld %lld %lld\n", when, rank, (long long) tare_delay_lo_ns(), (long long) tare_delay_ns(),
                   (long long) tare_delay_hi_ns());
        fflush(stdout);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static const tare_transport_v1_table_t *core(void)
{
    return dlsym(RTLD_DEFAULT, "tare_transport_v1");
}

/* --- ends that are none --- */

static int die_when_deleted(MPI_Comm comm, int key, void *value, void *extra)
{
    (void) comm, (void) key, (void) value, (void) extra;
    sleep_ms(100);
    raise(SIGKILL);
    return MPI_SUCCESS;
}

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF first of all. */
static void die_in_finalize(void)
{
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, die_when_deleted, &key, NULL);
    if (rank == size - 1)
        MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}

/* An error that MPI ends the job for: no call of MPI_Abort's. MPI says it into a file, since Hydra may end the job
 * before it has passed on what a rank wrote last. */
static void give_a_wrong_rank(void)
{
    if (rank == 0 && freopen("said", "w", stderr))
        MPI_Send(&rank, 1, MPI_INT, size + 5, 1, MPI_COMM_WORLD);
    sleep_ms(20000);
}

static void abort_on_one(void)
{
    if (rank == size - 1) {
        sleep_ms(100);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void die_in_the_middle(void)
{
    if (rank == size - 1) {
        sleep_ms(100);
        raise(SIGKILL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void arm(void)
{
    void (*killer)(void) = (void (*)(void)) dlsym(RTLD_DEFAULT, "killer_arm");
    if (killer != NULL)
        killer();
}

/* Rank 0 writes a file until there is no room. */
static void fill_disk(void)
{
    static char zeros[4096];
    FILE *file = rank == 0 ? fopen(argument, "w") : NULL;
    if (file != NULL) {
        setvbuf(file, NULL, _IONBF, 0);
        while (fwrite(zeros, 1, sizeof zeros, file) == sizeof zeros)
            continue;
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* --- stopped and continued --- */

static volatile int is_over;

static void *stop_other(void *process)
{
    const pid_t other = (pid_t) (intptr_t) process;
    for (int i = 0; i < 3; i++) {
        sleep_ms(30 + 7 * i);
        kill(other, SIGSTOP);
        sleep_ms(200);
        kill(other, SIGCONT);
    }
    is_over = 1;
    return NULL;
}

static int number_of_rank_1(void)
{
    int process = getpid();
    MPI_Bcast(&process, 1, MPI_INT, 1, MPI_COMM_WORLD);
    return process;
}

/* Rank 1 is stopped three times for 200 ms while both talk. Rank 0 is late by 20 ms, which has to be all there is. Both
 * have declared something before: who has not sends no times. */
static void stop_and_continue(void)
{
    pthread_t thread;
    int64_t longest_ns = 0;
    tare_overhead_add(1000);
    const int process = number_of_rank_1();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        sleep_ms(60);
        tare_overhead_add(20000000);
        pthread_create(&thread, NULL, stop_other, (void *) (intptr_t) process);
    }
    for (int over = 0; !over;) {
        const int64_t start = now_ns();
        pass_on();
        over = is_over;
        MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
        longest_ns = now_ns() - start > longest_ns ? now_ns() - start : longest_ns;
    }
    if (rank == 0) {
        pthread_join(thread, NULL);
        printf("longest %lld\n", (long long) longest_ns);
    }
    tell_delay("delay");
}

/* --- numbers at their ends --- */

/* Rank 0 gets the delay of the argument out of nothing, rank 1 gets 5 ms less, and the rest by waiting for rank 0. */
static void carry_a_delay(void)
{
    core()->test_set_delay(atoll(argument) - (rank == 1 ? 5000000 : 0));
    if (rank == 0) {
        sleep_ms(60);
        MPI_Send(NULL, 0, MPI_INT, 1, 4, MPI_COMM_WORLD);
    } else {
        MPI_Recv(NULL, 0, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    printf("delay %d %lld %lld %lld saturated %d\n", rank, (long long) tare_delay_lo_ns(),
           (long long) tare_delay_ns(), (long long) tare_delay_hi_ns(), (int) core()->thread()->saturated);
}

/* Until the clock has passed 2^48 ns; rank 0 is late by 1 ms more with every round. */
static void pass_the_wrap(void)
{
    const int64_t wrap = INT64_C(1) << 48, start = now_ns();
    int rounds = 0;
    for (int more = 1; more; rounds++) {
        if (rank == 0) {
            sleep_ms(11);
            tare_overhead_add(1000000);
        }
        more = now_ns() < wrap + 300000000;
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("wrap %s rounds %d\n", start < wrap && now_ns() > wrap ? "passed" : "not passed", rounds);
    tell_delay("delay");
}

/* --- children --- */

static void child_that_calls(void)
{
    const pid_t child = fork();
    if (child == 0) {
        ring(0);
        tare_region_t *region = tare_region("of_the_child");
        tare_enter(region);
        tare_leave(region);
        tare_flush();
        exit(0);        /* not _exit: all destructors run */
    }
    int status;
    waitpid(child, &status, 0);
    printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    fflush(stdout);
}

static void child_that_runs(void)
{
    const int status = system(argument);
    printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    fflush(stdout);
}

static void child_then_death(void)
{
    child_that_runs();
    MPI_Barrier(MPI_COMM_WORLD);
    die_in_the_middle();
}

static void nothing(void) { }

/* Both wait until there is this file. */
static void wait_for_file(void)
{
    for (int i = 0; i < 3000 && access(argument, F_OK) != 0; i++)
        sleep_ms(10);
}

/* Many ranks on few cores: they sleep between their calls. */
static void crowd(void)
{
    for (int i = 0; i < 3; i++) {
        sleep_ms(50);
        ring(1);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} scenes[] = {
    { "nothing", nothing }, { "killed", die_in_the_middle }, { "finalize", die_in_finalize },
    { "error", give_a_wrong_rank }, { "abort", abort_on_one }, { "writing", arm }, { "fill", fill_disk },
    { "stopped", stop_and_continue }, { "carried", carry_a_delay }, { "wrap", pass_the_wrap },
    { "fork", child_that_calls }, { "system", child_that_runs }, { "system_killed", child_then_death },
    { "until", wait_for_file }, { "crowd", crowd },
};

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    argument = argc > 2 ? argv[2] : "";
    ring(3);
    for (size_t i = 0; argc > 1 && i < sizeof scenes / sizeof scenes[0]; i++)
        if (strcmp(argv[1], scenes[i].name) == 0)
            scenes[i].run();
    MPI_Finalize();
    return 0;
}
