/* SPDX-License-Identifier: BSD-3-Clause */
/* killed SIGNAL [threads]: two ranks; rank 1 ends by a signal inside a region while rank 0 waits for it.
 * killed abort: the same with MPI_Abort.
 * killed before [threads]: the same, with a region and threads before MPI_Init; SIGKILL.
 * killed limit: both may write no file of more than 1 KiB any more, and end, rank 1 some time later.
 * killed sites [full | fork | FILE]: places that call MPI, also in threads; then SIGKILL. full: the live file has no
 *   more room behind the second place. fork: a child calls MPI, too, and ends. FILE: both wait until it is gone, and
 *   end well.
 * killed dump FILE: both send themselves SIGUSR2 and wait for the file that it makes; RANK in its name is the rank. */
#include "tare_measure.h"

#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank;

static void call(const char *name, int times)
{
    tare_region_t *region = tare_region(name);
    for (int i = 0; i < times; i++) {
        tare_enter(region);
        tare_leave(region);
    }
}

static void exchange(void)
{
    int out = rank, in;
    MPI_Sendrecv(&out, 1, MPI_INT, 1 - rank, 1, &in, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void *worker(void *ready)
{
    call("worker", 10);
    tare_enter(tare_region("waiting"));
    pthread_barrier_wait(ready);
    sleep(60);
    return NULL;
}

static void start_threads(void)
{
    static pthread_barrier_t ready;
    pthread_barrier_init(&ready, NULL, 4);
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, worker, &ready);
    }
    pthread_barrier_wait(&ready);
}

/* Each place has a function of its own, which the tests look for. It is in a loop: no call is a jump. */
#define PLACE static __attribute__((noinline)) void
static volatile int three = 3, five = 5, many = 25;

PLACE before_init(void)
{
    int flag;
    for (int i = 0; i < three; i++)
        MPI_Initialized(&flag);
}

PLACE exchange_doubles(void)
{
    double out = rank, in;
    for (int i = 0; i < three; i++)
        MPI_Sendrecv(&out, 1, MPI_DOUBLE, 1 - rank, 3, &in, 1, MPI_DOUBLE, 1 - rank, 3, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
}

/* From rank 0 to rank 1. */
PLACE pass_ints(void)
{
    int data[100] = { 0 };
    for (int i = 0; i < five; i++)
        if (rank == 0)
            MPI_Send(data, 100, MPI_INT, 1, 4, MPI_COMM_WORLD);
        else
            MPI_Recv(data, 100, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

PLACE wait_for_ever(void)
{
    int never;
    for (int i = 0; i < three; i++)
        MPI_Recv(&never, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

PLACE in_child(void)
{
    int size;
    for (int i = 0; i < many; i++)
        MPI_Comm_size(MPI_COMM_WORLD, &size);
}

static void *in_thread(void *argument)
{
    int size;
    for (int i = 0; i < many; i++)
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    return argument;
}

static void run_threads(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, in_thread, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
}

static void fill_live_file(void)
{
    const struct rlimit limit = { 3 << 20, 3 << 20 };
    setrlimit(RLIMIT_FSIZE, &limit);
    while (tare_measure_is_kept(tare_measure_note_memory(1 << 20)))
        continue;
}

static void fork_a_child(void)
{
    const pid_t child = fork();
    if (child == 0) {
        in_child();
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void go_on_without(const char *file)
{
    puts("here");
    fflush(stdout);
    for (int i = 0; i < 6000 && access(file, F_OK) == 0; i++)
        usleep(10000);
    exchange_doubles();
}

static void die_in_wait(void)
{
    if (rank == 0)
        wait_for_ever();
    usleep(200000);
    raise(SIGKILL);
}

PLACE sites(const char *how)
{
    int provided;
    before_init();
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    exchange_doubles();
    if (strcmp(how, "full") == 0)
        fill_live_file();
    pass_ints();
    run_threads();
    if (strcmp(how, "fork") == 0)
        fork_a_child();
    if (strchr(how, '/') != NULL)
        go_on_without(how);
    else
        die_in_wait();
    MPI_Finalize();
}

static void die_by(int number)
{
    int never;
    call("work", 4);
    if (rank == 0)
        MPI_Recv(&never, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    tare_enter(tare_region("doomed"));
    call("work", 2);
    usleep(200000);
    if (number == 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    raise(number);
}

static void dump(char *file)
{
    char *place = strstr(file, "RANK");
    char path[4096];
    snprintf(path, sizeof path, "%.*s%d%s", (int) (place - file), file, rank, place + 4);
    call("before", 5);
    raise(SIGUSR2);
    for (int i = 0; i < 1000 && access(path, F_OK) != 0; i++)
        usleep(10000);
    puts(access(path, F_OK) == 0 ? "written" : "nothing");
    call("after", 2);
}

int main(int argc, char **argv)
{
    int provided;
    if (argc < 2)
        return 2;
    if (strcmp(argv[1], "sites") == 0) {
        sites(argc == 3 ? argv[2] : "");
        return 0;
    }
    if (strcmp(argv[1], "before") == 0) {
        call("early", 7);
        if (argc == 3)
            start_threads();
    }
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++)
        exchange();
    if (argc == 3 && strcmp(argv[1], "dump") == 0) {
        dump(argv[2]);
    } else if (strcmp(argv[1], "limit") == 0) {
        const struct rlimit limit = { 1024, 1024 };
        setrlimit(RLIMIT_FSIZE, &limit);
    } else if (strcmp(argv[1], "abort") == 0) {
        die_by(0);
    } else if (strcmp(argv[1], "before") == 0) {
        die_by(SIGKILL);
    } else {
        if (argc == 3)
            start_threads();
        die_by(atoi(argv[1]));
    }
    MPI_Finalize();
    if (strcmp(argv[1], "limit") == 0)
        sleep(2 * rank);
    return 0;
}
