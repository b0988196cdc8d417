/* SPDX-License-Identifier: BSD-3-Clause */
/* stress messages N: N messages between two ranks, in ten parts that need no more and more memory.
 * stress named N: the same without wildcards.
 * stress requests N: N receives and N sends open at once, completed by one Waitall; ten times, in the same memory.
 * stress time N: what one of N receives and N sends takes that are completed by one Waitall.
 * Prints what rank 0 and rank 1 measured; ends with 1 if memory grew or a message was wrong.
 */
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { window = 50, buffers = 64, parts = 10, allowed_growth_bytes = 8 };
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

static int compare(const void *a, const void *b)
{
    const long x = *(const long *) a, y = *(const long *) b;
    return (x > y) - (x < y);
}

/* What is lost with each message is lost in every part. The MPI library keeps more or less of its own from part to
 * part, so the growth is that in the middle. */
static int has_grown(const long *used, long messages_a_part)
{
    long growth[parts - 1];
    for (int i = 0; i + 1 < parts; i++)
        growth[i] = used[i + 1] - used[i];
    qsort(growth, parts - 1, sizeof *growth, compare);
    const double bytes = (double) growth[parts / 2 - 1] / (double) messages_a_part;
    printf("rank %d: %.1f bytes more with each message, %ld bytes in use, %ld KiB resident\n", rank, bytes,
           used[parts - 1], resident_kib());
    return bytes > allowed_growth_bytes;
}

/* What the program and its libraries have allocated and not given back. */
static long used_bytes(void)
{
    const struct mallinfo2 m = mallinfo2();
    MPI_Barrier(MPI_COMM_WORLD);
    return (long) (m.uordblks + m.hblkhd);
}

static int exchange(long n)
{
    long wrong = 0, used[parts];
    const double began = seconds();
    const long first_kib = resident_kib(), a_part = n / parts / window * window;
    for (int part = 0; part < parts; part++) {
        for (long sent = 0; sent < a_part; sent += window)
            wrong += exchange_window(part * a_part + sent);
        used[part] = used_bytes();
    }
    printf("rank %d: %ld messages each way in %.1f s, %ld wrong, resident at first %ld KiB\n", rank, parts * a_part,
           seconds() - began, wrong, first_kib);
    return has_grown(used, a_part) || wrong != 0;
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

static void send(const open_requests_t *o, long first)
{
    for (long i = 0; i < o->n; i++) {
        o->out[i] = first + i;
        MPI_Isend(&o->out[i], 1, MPI_LONG, other, 1, MPI_COMM_WORLD, &o->requests[o->n + i]);
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
    long wrong = 0, used[parts];
    for (int part = 0; part < parts; part++) {
        const double began = seconds();
        post(&open);
        const double posted = seconds();
        MPI_Barrier(MPI_COMM_WORLD);
        send(&open, part);
        const double sent = seconds();
        MPI_Waitall((int) (2 * n), open.requests, MPI_STATUSES_IGNORE);
        const double done = seconds();
        wrong += count_wrong(&open, part);
        used[part] = used_bytes();
        printf("rank %d: %ld receives posted in %.2f s, sent in %.2f s, completed in %.2f s\n", rank, n,
               posted - began, sent - posted, done - sent);
    }
    printf("rank %d: %ld wrong\n", rank, wrong);
    return has_grown(used, n) || wrong != 0;
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
        send(&open, round);
        MPI_Waitall((int) (2 * n), open.requests, MPI_STATUSES_IGNORE);
        const double taken = posted - began + seconds() - ready;
        least = taken < least ? taken : least;
        wrong += count_wrong(&open, round);
    }
    if (rank == 0)
        printf("%ld requests: %.0f ns each\n", 2 * n, 1e9 * least / (double) (2 * n));
    return wrong != 0;
}

static const struct {
    const char *name;
    int (*run)(long n);
    long least_n;
} ways[] = { { "messages", messages, parts * window }, { "named", named_messages, parts * window },
    { "requests", requests, 1 }, { "time", time_requests, 1 } };

int main(int argc, char **argv)
{
    enum { way_count = sizeof ways / sizeof *ways, most_n = 100000000 };
    const long n = argc == 3 ? atol(argv[2]) : 0;
    int way = 0;
    while (way < way_count && (argc != 3 || strcmp(argv[1], ways[way].name) != 0))
        way++;
    if (way == way_count || n < ways[way].least_n || n > most_n) {
        fprintf(stderr, "usage: stress messages|named|requests|time N, N up to %d, of messages from %d\n", most_n,
                parts * window);
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    int failed = ways[way].run(n), any = 0;
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return any;
}
