/* SPDX-License-Identifier: BSD-3-Clause */
/* causes KIND: ranks that wait for a cause that is known. Prints nothing.
 *
 *     one         rank 0 takes longer in `compute`, rank 1 receives from it
 *     hops        the same, and each rank sends on to the next one: the last one waits for what rank 0 has done
 *     cancelled   ranks 0 and 1 take longer in one of two steps each, and alike in both
 *     alternating rank 0 is late in `even`, rank 1 in `odd`, in turn; all reduce
 *     probes      rank 0 has as much to do as rank 1, and a hundred thousand calls that only the measurement makes long
 *     stalls      rank 0 sleeps for 10 ms, and works for 30 ms of which fake_counters.c has it stalled for 20
 *     pages       rank 0 uses 1000 pages, which appear on another node and come to its own behind the fifth of ten times
 *     touches     rank 0 writes to 1000 pages of 4 KiB that it has never touched, for once
 *     polling     rank 1 tests until the message is there
 *     thread      rank 0 waits for a thread of its own, and rank 1 for rank 0
 *     same        rank 0 sends two messages and rank 1 receives the later one first; in one call both are in order
 *     different   rank 2 sends at once, and rank 1 receives what rank 0 sends later first
 *     victim      rank 1 is killed while rank 0 waits for it at the barrier
 */
#define _GNU_SOURCE
#include "work.h"

#include <mpi.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { rounds = 10 };

static int rank, ranks;

static void pass_on(void)
{
    int token = 0;
    if (rank > 0)
        MPI_Recv(&token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    work("own", 1);
    if (rank + 1 < ranks)
        MPI_Send(&token, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
}

static void reduce(void)
{
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void late_in_one_step(int is_last)
{
    static char used[1 << 12];
    tare_uses("compute", used, sizeof used);
    work("compute", rank == 0 ? 60 : 10);
    pass_on();
    if (is_last && rank == 1)
        raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void cancelled(void)
{
    work("first", rank == 0 ? 50 : 10);
    work("second", rank == 0 ? 10 : 50);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void alternating(int i)
{
    work("even", rank == 0 && i % 2 == 0 ? 60 : 5);
    work("odd", rank == 1 && i % 2 == 1 ? 45 : 5);
    reduce();
}

static void probes(void)
{
    tare_region_t *tiny = tare_region("tiny");
    work("compute", rank == 0 ? 50 : 10);
    for (int i = 0; rank == 0 && i < 100000; i++) {
        tare_enter(tiny);
        tare_leave(tiny);
    }
    pass_on();
    MPI_Barrier(MPI_COMM_WORLD);
}

/* fake_counters.c, if it is preloaded. */
void fake_stall(long ns, long reads) __attribute__((weak));

/* On a core. */
static void spin(long ms)
{
    struct timespec start, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((now.tv_sec - start.tv_sec) * 1000000000L + now.tv_nsec - start.tv_nsec < ms * 1000000L);
}

static void stalls(void)
{
    tare_region_t *region = tare_region("memory");
    errno = 0;
    tare_enter(region);
    if (errno != 0)
        puts("errno has changed");
    if (rank == 0) {
        const struct timespec time = { 0, 10000000L };
        nanosleep(&time, NULL);
        spin(30);
        if (fake_stall)
            fake_stall(20000000L, 100);
    }
    tare_leave(region);
    MPI_Barrier(MPI_COMM_WORLD);
}

void fake_node(const void *start, size_t bytes, int node) __attribute__((weak));

enum { used_pages = 1000 };

static void pages(int i)
{
    static char memory[used_pages << 12] __attribute__((aligned(1 << 12)));
    tare_region_t *region = tare_region("memory");
    tare_uses("memory", memory, sizeof memory);
    if (fake_node && rank == 0 && i == 5)
        fake_node(memory, sizeof memory, 0);
    errno = 0;
    tare_enter(region);
    if (fake_node && rank == 0 && i == 0)
        fake_node(memory, sizeof memory, 1);
    if (rank == 0)
        spin(20);
    tare_leave(region);
    if (errno != 0)
        puts("errno has changed");
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Half of the memory that the region uses, and none of what lies behind. */
static void touches(int i)
{
    if (i > 0)
        return;
    char *memory = mmap(NULL, 2 * used_pages << 12, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    tare_region_t *region = tare_region("memory");
    madvise(memory, 2 * used_pages << 12, MADV_NOHUGEPAGE);
    tare_uses("memory", memory, 2 * used_pages << 12);
    tare_enter(region);
    for (int page = 0; rank == 0 && page < used_pages; page++)
        memory[page << 12] = 1;
    if (rank == 0)
        spin(50);
    tare_leave(region);
    MPI_Barrier(MPI_COMM_WORLD);
    munmap(memory, 2 * used_pages << 12);
    tare_enter(region);
    tare_leave(region);
}

static void polling(void)
{
    int token = 0, flag = 0;
    MPI_Request request;
    if (rank == 0) {
        work("compute", 50);
        MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Irecv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        while (!flag)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
}

static void send_to_1(int tag)
{
    int token = 0;
    MPI_Send(&token, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
}

static void receive_from(int source, int tag)
{
    int token;
    MPI_Recv(&token, 1, MPI_INT, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void receive_both(void)
{
    int tokens[2];
    MPI_Request requests[2];
    MPI_Status statuses[2];
    for (int i = 0; i < 2; i++)
        MPI_Irecv(&tokens[i], 1, MPI_INT, 0, 3 - i, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(2, requests, statuses);
}

static void same(void)
{
    if (rank == 0) {
        send_to_1(0);
        work("compute", 20);
        send_to_1(1);
        work("compute", 20);
        send_to_1(2);
        send_to_1(3);
    } else if (rank == 1) {
        receive_from(0, 1);
        receive_from(0, 0);
        receive_both();
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void different(void)
{
    if (rank == 0)
        work("compute", 20);
    if (rank != 1)
        send_to_1(0);
    for (int source = 0; rank == 1 && source < 3; source += 2)
        receive_from(source, 0);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void *compute(void *unused)
{
    work("compute", 50);
    return unused;
}

/* Rank 0 waits for a thread of its own, and rank 1 for rank 0. */
static void thread(void)
{
    pthread_t helper;
    if (rank == 0) {
        pthread_create(&helper, NULL, compute, NULL);
        pthread_join(helper, NULL);
    }
    pass_on();
}

static void play(const char *kind, int i)
{
    if (strcmp(kind, "cancelled") == 0)
        cancelled();
    else if (strcmp(kind, "same") == 0)
        same();
    else if (strcmp(kind, "different") == 0)
        different();
    else if (strcmp(kind, "alternating") == 0)
        alternating(i);
    else if (strcmp(kind, "probes") == 0)
        probes();
    else if (strcmp(kind, "stalls") == 0)
        stalls();
    else if (strcmp(kind, "pages") == 0)
        pages(i);
    else if (strcmp(kind, "touches") == 0)
        touches(i);
    else if (strcmp(kind, "polling") == 0)
        polling();
    else if (strcmp(kind, "thread") == 0)
        thread();
    else
        late_in_one_step(strcmp(kind, "victim") == 0 && i == rounds / 2);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return fprintf(stderr, "usage: causes one|hops|cancelled|alternating|probes|stalls|pages|touches|polling|thread|same|different|victim\n"), 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < rounds; i++)
        play(argv[1], i);
    MPI_Finalize();
    return 0;
}
