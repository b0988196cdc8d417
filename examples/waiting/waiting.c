/* SPDX-License-Identifier: BSD-3-Clause */
/* The waiting example: how long does rank 1 really wait for rank 0?
 *
 * Ten rounds. Rank 0 works 20 ms, calls tiny() 100,000 times and sends; rank 1 works 10 ms and receives. So rank 1
 * waits a little over 100 ms in all. Instrument tiny() and rank 0 gets slower by the cost of a million probes: a
 * profiler then blames MPI_Recv for a wait that is not there without it.
 *
 * The work is a fixed amount of arithmetic, never a wait for the clock: a loop that watches the clock would swallow
 * the overhead that this example is about. --work gives the amount, so that several builds can do the same work.
 *
 * Build it twice: as it is (its own MPI_Wtime differences are the truth), and with -finstrument-functions.
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOT_INSTRUMENTED __attribute__((noinline, no_instrument_function))

enum { rounds = 10, sender_work_ms = 20, receiver_work_ms = 10, tiny_calls = 100000, message_tag = 7 };

struct arguments {
    int64_t steps_per_ms;       /* how much arithmetic is 1 ms of work; 0: find out */
    int calibrate_only;
    int json;
};

/* What this rank measures with MPI_Wtime, in seconds. */
struct times {
    double receive;
    double loop;
};

static volatile uint64_t result;

/* One step of a linear congruential generator: a chain that no compiler can shorten or reorder. */
#define STEP(x) \
    do { \
        (x) = (x) * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407); \
        __asm__ volatile("" : "+r"(x)); \
    } while (0)

/* Aligned, so that it is equally fast wherever a build puts it. */
__attribute__((aligned(64))) NOT_INSTRUMENTED static void work(int64_t steps)
{
    uint64_t x = result;
    for (int64_t i = 0; i < steps; i++)
        STEP(x);
    result = x;
}

/* A few nanoseconds: far less than a probe costs. Not static, so that a profiler finds its name. */
__attribute__((noinline)) void tiny(void)
{
    uint64_t x = result;
    STEP(x);
    STEP(x);
    result = x;
}

NOT_INSTRUMENTED static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The minimum of several batches: interrupts only ever make a batch longer. */
NOT_INSTRUMENTED static int64_t calibrate(void)
{
    const int64_t steps = 1000000;
    int64_t least_ns = INT64_MAX;
    for (int i = 0; i < 50; i++) {
        const int64_t start_ns = now_ns();
        work(steps);
        const int64_t took_ns = now_ns() - start_ns;
        if (took_ns < least_ns)
            least_ns = took_ns;
    }
    return steps * 1000000 / least_ns;
}

NOT_INSTRUMENTED static void send_round(int64_t steps_per_ms, int round)
{
    work(sender_work_ms * steps_per_ms);
    for (int i = 0; i < tiny_calls; i++)
        tiny();
    MPI_Send(&round, 1, MPI_INT, 1, message_tag, MPI_COMM_WORLD);
}

NOT_INSTRUMENTED static double receive_round(int64_t steps_per_ms)
{
    int round;
    work(receiver_work_ms * steps_per_ms);
    const double start = MPI_Wtime();
    MPI_Recv(&round, 1, MPI_INT, 0, message_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return MPI_Wtime() - start;
}

/* The section that is compared: its region in a profile is named like this function. */
__attribute__((noinline)) void loop(int rank, int64_t steps_per_ms, struct times *times)
{
    const double start = MPI_Wtime();
    for (int round = 0; round < rounds; round++) {
        if (rank == 0)
            send_round(steps_per_ms, round);
        else
            times->receive += receive_round(steps_per_ms);
    }
    times->loop = MPI_Wtime() - start;
}

NOT_INSTRUMENTED static void print_times(const struct times all[2], const struct arguments *arguments)
{
    if (arguments->json)
        printf("{\"steps_per_ms\": %lld, \"receive_ns\": %.0f, \"loop_ns\": [%.0f, %.0f]}\n",
               (long long) arguments->steps_per_ms, all[1].receive * 1e9, all[0].loop * 1e9, all[1].loop * 1e9);
    else
        printf("rank 1 spent %.2f ms in %d calls of MPI_Recv; the loop took %.2f ms on rank 0, %.2f ms on rank 1\n",
               all[1].receive * 1e3, rounds, all[0].loop * 1e3, all[1].loop * 1e3);
}

NOT_INSTRUMENTED static void run(int rank, struct arguments *arguments)
{
    struct times mine = { 0, 0 };
    struct times all[2];
    if (rank == 0 && arguments->steps_per_ms == 0)
        arguments->steps_per_ms = calibrate();
    MPI_Bcast(&arguments->steps_per_ms, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    loop(rank, arguments->steps_per_ms, &mine);
    MPI_Gather(&mine, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        print_times(all, arguments);
}

NOT_INSTRUMENTED static void print_help(void)
{
    puts("Usage: mpiexec -n 2 waiting [--work STEPS] [--json]\n"
         "       waiting --calibrate\n\n"
         "  --work STEPS  arithmetic steps that make 1 ms of work (default: found out at the start)\n"
         "  --calibrate   print the number of steps for this machine and exit\n"
         "  --json        print the times as JSON, in ns");
}

/* Returns the word that is wrong, or NULL. */
NOT_INSTRUMENTED static const char *parse(int argc, char **argv, struct arguments *arguments)
{
    for (int i = 1; i < argc; i++) {
        char *end = NULL;
        if (strcmp(argv[i], "--json") == 0)
            arguments->json = 1;
        else if (strcmp(argv[i], "--calibrate") == 0)
            arguments->calibrate_only = 1;
        else if (strcmp(argv[i], "--work") == 0 && i + 1 < argc)
            arguments->steps_per_ms = strtoll(argv[++i], &end, 10);
        else
            return argv[i];
        if (end && (*end != '\0' || arguments->steps_per_ms <= 0 || arguments->steps_per_ms > INT64_C(100000000)))
            return argv[i];
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct arguments arguments = { 0, 0, 0 };
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        print_help();
        return 0;
    }
    const char *wrong = parse(argc, argv, &arguments);
    if (!wrong && arguments.calibrate_only) {
        printf("%lld\n", (long long) calibrate());
        return 0;
    }

    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (wrong && rank == 0)
        fprintf(stderr, "waiting: cannot use '%s': give --work STEPS (1 to 100000000), --calibrate or --json\n", wrong);
    else if (ranks != 2 && rank == 0)
        fprintf(stderr, "waiting: needs exactly 2 ranks, not %d: start it by mpiexec -n 2\n", ranks);
    const int usable = !wrong && ranks == 2;
    if (usable)
        run(rank, &arguments);
    MPI_Finalize();
    return usable ? 0 : 2;
}
