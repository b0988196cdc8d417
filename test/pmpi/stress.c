/* SPDX-License-Identifier: BSD-3-Clause */
/* stress messages N: N messages between two ranks, after which each rank has the memory that it had after a tenth.
 * stress named N: the same without wildcards.
 * stress requests N: N receives open at once, and N sends, completed by one Waitall; again and again, in the same memory.
 * stress time N: what one of N receives and N sends that are completed by one Waitall takes.
 * Prints what rank 0 and rank 1 measured; ends with 1 if memory grew or a message was wrong.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { window = 50, buffers = 64, allowed_growth_kib = 512 };
/* The MPI library's own memory grows in the first rounds. In the others, 32 bytes a request and round are allowed. */
enum { rounds = 8, warm_rounds = 3, allowed_growth_bytes = 32 * (rounds - warm_rounds) };
static int rank, other, any_source;

static long resident_kib(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f == NULL || fscanf(f, "%*s %ld", &pages) != 1) {
        fputs("stress: /proc/self/statm cannot be read\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* One window each way, from ever other buffers, some of it by wildcards and some by blocking calls. */
static long exchange_window(long from)
{
    static long out[buffers], in[buffers];
    MPI_Request requests[2 * window];
    long wrong = 0;
    for (int i = 0; i < window; i++) {
        const long n = from + i;
        MPI_Irecv(&in[i], 1, MPI_LONG, n % 5 ? other : any_source, 1, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; i < window; i++) {
        const long n = from + i;
        requests[window + i] = MPI_REQUEST_NULL;
        out[n % buffers] = n;
        if (n % 7)
            MPI_Isend(&out[n % buffers], 1, MPI_LONG, other, 1, MPI_COMM_WORLD, &requests[window + i]);
        else
            MPI_Send(&out[n % buffers], 1, MPI_LONG, other, 1, MPI_COMM_WORLD);
    }
    MPI_Waitall(2 * window, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < window; i++)
        wrong += in[i] != from + i;
    return wrong;
}

static int exchange(long n)
{
    long wrong = 0, early_kib = 0;
    const double began = seconds();
    for (long sent = 0; sent < n; sent += window) {
        if (sent >= n / 10 && early_kib == 0)
            early_kib = resident_kib();
        wrong += exchange_window(sent);
    }
    const long late_kib = resident_kib();
    printf("rank %d: %ld messages each way in %.1f s, resident after a tenth %ld KiB, at the end %ld KiB, %ld wrong\n",
           rank, n, seconds() - began, early_kib, late_kib, wrong);
    return wrong != 0 || late_kib - early_kib > allowed_growth_kib;
}

static int messages(long n)
{
    any_source = MPI_ANY_SOURCE;
    return exchange(n);
}

static int named_messages(long n)
{
    any_source = other;
    return exchange(n);
}

static void *many(long n, size_t size)
{
    void *p = calloc((size_t) n, size);
    if (p == NULL) {
        fprintf(stderr, "stress: no memory for %ld requests\n", n);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return p;
}

typedef struct open_requests {
    long n, *out, *in;
    MPI_Request *requests;      /* the receives, then the sends */
} open_requests_t;

static open_requests_t room_for(long n)
{
    return (open_requests_t) { n, many(n, sizeof(long)), many(n, sizeof(long)), many(2 * n, sizeof(MPI_Request)) };
}

static void post(const open_requests_t *o)
{
    for (long i = 0; i < o->n; i++)
        MPI_Irecv(&o->in[i], 1, MPI_LONG, other, 1, MPI_COMM_WORLD, &o->requests[i]);
}

/* A barrier behind each `block`: how many messages the MPI library has to keep is no matter of chance. */
static void send(const open_requests_t *o, long first, long block)
{
    for (long i = 0; i < o->n; i++) {
        o->out[i] = first + i;
        MPI_Isend(&o->out[i], 1, MPI_LONG, other, 1, MPI_COMM_WORLD, &o->requests[o->n + i]);
        if ((i + 1) % block == 0)
            MPI_Barrier(MPI_COMM_WORLD);
    }
}

static long count_wrong(const open_requests_t *o, long first)
{
    long wrong = 0;
    for (long i = 0; i < o->n; i++)
        wrong += o->in[i] != first + i;
    return wrong;
}

static int requests(long n)
{
    const open_requests_t open = room_for(n);
    long wrong = 0, warm_kib = 0;
    for (int round = 1; round <= rounds; round++) {
        const double began = seconds();
        post(&open);
        const double posted = seconds();
        MPI_Barrier(MPI_COMM_WORLD);
        send(&open, round, 25);
        const double sent = seconds();
        MPI_Waitall((int) (2 * n), open.requests, MPI_STATUSES_IGNORE);
        const double done = seconds();
        wrong += count_wrong(&open, round);
        printf("rank %d: %ld receives posted in %.2f s, sent in %.2f s, completed in %.2f s, resident %ld KiB\n", rank,
               n, posted - began, sent - posted, done - sent, resident_kib());
        warm_kib = round == warm_rounds ? resident_kib() : warm_kib;
    }
    printf("rank %d: %ld wrong\n", rank, wrong);
    return wrong != 0 || resident_kib() - warm_kib > allowed_growth_kib + 2 * n * allowed_growth_bytes / 1024;
}

/* The least of many rounds, of posting, sending and waiting together. */
static int time_requests(long n)
{
    const open_requests_t open = room_for(n);
    double least = 1e9;
    long wrong = 0;
    for (long round = 1; round <= 20 + 90000 / n; round++) {
        const double began = seconds();
        post(&open);
        const double posted = seconds();
        MPI_Barrier(MPI_COMM_WORLD);
        const double ready = seconds();
        send(&open, round, n + 1);
        MPI_Waitall((int) (2 * n), open.requests, MPI_STATUSES_IGNORE);
        const double taken = posted - began + seconds() - ready;
        least = taken < least ? taken : least;
        wrong += count_wrong(&open, round);
    }
    if (rank == 0)
        printf("%ld requests: %.0f ns each\n", 2 * n, 1e9 * least / (double) (2 * n));
    return wrong != 0;
}

int main(int argc, char **argv)
{
    const long n = argc == 3 ? atol(argv[2]) : 0;
    int (*what)(long) = argc < 2 ? NULL : strcmp(argv[1], "messages") == 0 ? messages
        : strcmp(argv[1], "named") == 0 ? named_messages : strcmp(argv[1], "requests") == 0 ? requests : strcmp(argv[1], "time") == 0 ? time_requests : NULL;
    if (what == NULL || n < window / 2 || n > 100000000) {
        fprintf(stderr, "usage: stress messages|named|requests|time N, N between %d and 100000000\n", window / 2);
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    int failed = what(n), any = 0;
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return any;
}
