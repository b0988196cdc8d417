/* SPDX-License-Identifier: BSD-3-Clause */
/* Which core is in use: `adoption linked` (linked with the stand-in of libmpi), or `adoption LIBRARY`, which loads
 * one without making its names visible, as Python does. Prints the owner of the core and the delay, in ns. */
#define _GNU_SOURCE
#include "tare_measure.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const char *owner(void)
{
    return tare_measure_core()->carries_header ? "libmpi" : "own";
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "linked") == 0) {
        puts(owner());
        return 0;
    }
    /* Not recorded, the calling thread's delay is what was declared. */
    tare_region_t *across = tare_region("across"), *after = tare_region("after");
    tare_enter(across);
    const int64_t before = tare_delay_ns();
    tare_overhead_add(5000);
    printf("%s %lld\n", owner(), (long long) (tare_delay_ns() - before));
    tare_measure_adopt(dlopen(argv[1], RTLD_NOW | RTLD_LOCAL));
    printf("%s %lld\n", owner(), (long long) (tare_delay_ns() - before));
    tare_leave(across);
    tare_enter(after);
    tare_leave(after);
    return 0;
}
