/* SPDX-License-Identifier: BSD-3-Clause */
/* exchanges BATCHES SHORTEST_NS: what each takes in ns while the machine is quiet, and how many batches that is the mean
 * of: a message of a rank to itself, one that blocks and one with two requests, and a region entered and left.
 * exchanges: the shortest time of equal work, for SHORTEST_NS. exchanges BATCHES: without a clock, to count instructions. */
#define _POSIX_C_SOURCE 200809L
#include "../lib/quiet.h"
#include "tare.h"

#include <mpi.h>
#include <stdio.h>

enum { messages = 50, regions = 250 };   /* of a batch: less than 0.05 ms */

static double *data, *room;              /* on main's stack */
static tare_region_t *region;

static void blocking(void)
{
    for (int i = 0; i < messages; i++)
        MPI_Sendrecv(data, 1, MPI_DOUBLE, 0, 0, room, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void with_requests(void)
{
    for (int i = 0; i < messages; i++) {
        MPI_Request requests[2];
        MPI_Irecv(room, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &requests[0]);
        MPI_Isend(data, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}

static void entered_and_left(void)
{
    for (int i = 0; i < regions; i++) {
        tare_enter(region);
        tare_leave(region);
    }
}

static const struct {
    void (*batch)(void);
    int times;
} works[] = {
    { blocking, messages }, { with_requests, messages }, { entered_and_left, regions },
};

int main(int argc, char **argv)
{
    double sent[1] = { 1 }, received[1];
    if (argc < 2) {
        printf("%lld\n", (long long) shortest_equal_work_ns());
        return 0;
    }
    data = sent;
    room = received;
    MPI_Init(&argc, &argv);
    region = tare_region("inner");
    for (int i = 0; i < 3; i++) {
        const int batches = atoi(argv[1]);
        int counted;
        if (argc > 2) {
            quiet_mean_ns(works[i].batch, batches / 10 + 1, 0, &counted);
            const double ns = quiet_mean_ns(works[i].batch, batches, atoll(argv[2]), &counted);
            printf("%.1f %d ", ns / works[i].times, counted);
        } else {
            for (int k = 0; k < batches; k++)
                works[i].batch();
        }
    }
    printf("\n");
    MPI_Finalize();
    return 0;
}
