/* SPDX-License-Identifier: BSD-3-Clause */
/* How much of the cost of enters, and of leaves, is left: 64 regions are entered one inside the other, then left.
 * What the compensated clock makes of each half, less a loop of calls, in ns for one hook, medians of batches in turn:
 * ENTER LEFT_OF_ENTER LEAVE LEFT_OF_LEAVE. With an argument: the hooks of MPI regions. */
#define _GNU_SOURCE
#include "batches.h"
#include "tare_measure.h"

#include <stdio.h>
#include <stdlib.h>

enum { batches = 4001, depth = 64 };

struct side {
    double measured[batches];
    double compensated[batches];
};

static tare_region_t *regions[depth];
static struct side plain, enters, leaves;

static void __attribute__((noinline)) nothing(tare_region_t *region)
{
    __asm__ volatile("" : : "r"(region));
}

typedef void (*volatile hook_t)(tare_region_t *);

static void __attribute__((noinline)) time_calls(hook_t call, int step, struct side *s, int batch)
{
    const int64_t start = now_ns(), delay = tare_delay_ns();
    for (int i = step > 0 ? 0 : depth - 1; i >= 0 && i < depth; i += step)
        call(regions[i]);
    const int64_t removed = tare_delay_ns() - delay, time = now_ns() - start;
    s->measured[batch] = (double) time / depth;
    s->compensated[batch] = (double) (time - removed) / depth;
}

static void leave_mpi(tare_region_t *region)
{
    tare_measure_leave_mpi(region, 1);
}

static void print(struct side *s, const char *end)
{
    printf("%.2f %.2f%s", median(s->measured, batches) - median(plain.measured, batches),
           median(s->compensated, batches) - median(plain.compensated, batches), end);
}

int main(int argc, char **argv)
{
    const int is_mpi = argc > 1;
    (void) argv;
    for (int i = 0; i < depth; i++) {
        char name[20];
        snprintf(name, sizeof name, "region %d", i);
        regions[i] = tare_region(name);
    }
    for (int i = 0; i < batches; i++) {
        time_calls(nothing, 1, &plain, i);
        time_calls(is_mpi ? tare_measure_enter_mpi : tare_enter, 1, &enters, i);
        time_calls(is_mpi ? leave_mpi : tare_leave, -1, &leaves, i);
    }
    print(&enters, " ");
    print(&leaves, "\n");
    return 0;
}
