/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions of the user's own, and a home-made tool that declares its cost by tare.h.
 *
 * Rank 0 works, then spends 5 ms on measurement and says so, then sends. Rank 1 is idle and waits for the message:
 * its wait was 5 ms too long, and it knows that as soon as a carrier brings rank 0's delay.
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <tare.h>
#include <time.h>

enum { work_ms = 10, measurement_ms = 5 };

static int64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

static void spin_ms(int ms)
{
    const int64_t end_ns = monotonic_ns() + ms * INT64_C(1000000);
    while (monotonic_ns() < end_ns)
        ;
}

/* What a tool does between two instructions of the program: it costs time, and the tool knows how much. */
static void measure_something(void)
{
    const int64_t start_ns = monotonic_ns();
    spin_ms(measurement_ms);
    tare_overhead_add(monotonic_ns() - start_ns);
}

static void send_late(void)
{
    tare_region_t *work = tare_region("work");
    tare_enter(work);
    spin_ms(work_ms);
    measure_something();
    tare_leave(work);
    MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
}

static void receive(void)
{
    tare_region_t *idle = tare_region("idle");
    tare_enter(idle);
    MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    tare_leave(idle);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != 2) {
        if (rank == 0)
            fprintf(stderr, "regions: needs exactly 2 ranks, not %d: start it by mpiexec -n 2\n", ranks);
        MPI_Finalize();
        return 2;
    }

    MPI_Barrier(MPI_COMM_WORLD);
    const int64_t start_ns = monotonic_ns();
    const int64_t compensated_start_ns = tare_now_ns();
    if (rank == 0)
        send_late();
    else
        receive();
    printf("rank %d: %.2f ms measured, %.2f ms compensated, delay %.2f ms\n", rank,
           (monotonic_ns() - start_ns) / 1e6, (tare_now_ns() - compensated_start_ns) / 1e6, tare_delay_ns() / 1e6);
    MPI_Finalize();
    return 0;
}
