/* SPDX-License-Identifier: BSD-3-Clause */
/* stress messages N: N messages between two ranks, after which each rank has the memory that it had after a tenth.
 * stress requests N: N receives open at once, and N sends, completed by one Waitall.
 * Prints what rank 0 and rank 1 measured; ends with 1 if memory grew or a message was wrong.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { window = 50, buffers = 64, allowed_growth_kib = 512 };
static int rank, other;

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
        MPI_Irecv(&in[i], 1, MPI_LONG, n % 5 ? other : MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[i]);
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

static int messages(long n)
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

static void *many(long n, size_t size)
{
    void *p = calloc((size_t) n, size);
    if (p == NULL) {
        fprintf(stderr, "stress: no memory for %ld requests\n", n);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return p;
}

/* The same N requests twice: the second time needs no more memory than the first. */
static int requests(long n)
{
    long *out = many(n, sizeof *out), *in = many(n, sizeof *in), wrong = 0, first_kib = 0;
    MPI_Request *open = many(2 * n, sizeof *open);
    for (int round = 0; round < 2; round++) {
        const double began = seconds();
        for (long i = 0; i < n; i++)
            MPI_Irecv(&in[i], 1, MPI_LONG, other, 1, MPI_COMM_WORLD, &open[i]);
        const double posted = seconds();
        MPI_Barrier(MPI_COMM_WORLD);
        for (long i = 0; i < n; i++) {
            out[i] = i + round;
            MPI_Isend(&out[i], 1, MPI_LONG, other, 1, MPI_COMM_WORLD, &open[n + i]);
        }
        const double sent = seconds();
        MPI_Waitall((int) (2 * n), open, MPI_STATUSES_IGNORE);
        const double done = seconds();
        for (long i = 0; i < n; i++)
            wrong += in[i] != i + round;
        printf("rank %d: %ld receives posted in %.2f s, sent in %.2f s, completed in %.2f s, resident %ld KiB\n", rank,
               n, posted - began, sent - posted, done - sent, resident_kib());
        first_kib = round == 0 ? resident_kib() : first_kib;
    }
    printf("rank %d: %ld wrong\n", rank, wrong);
    return wrong != 0 || resident_kib() - first_kib > allowed_growth_kib;
}

int main(int argc, char **argv)
{
    const long n = argc == 3 ? atol(argv[2]) : 0;
    const int what = argc < 2 ? 0 : strcmp(argv[1], "messages") == 0 ? 1 : strcmp(argv[1], "requests") == 0 ? 2 : 0;
    if (what == 0 || n < window || n > 100000000) {
        fprintf(stderr, "usage: stress messages|requests N, N between %d and 100000000\n", window);
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    int failed = what == 1 ? messages(n) : requests(n), any = 0;
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return any;
}
