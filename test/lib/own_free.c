/* SPDX-License-Identifier: BSD-3-Clause */
/* A program whose free() enters a region, also while libtare gives memory back at the end of a thread. */
#include "tare.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

extern void __libc_free(void *memory);

static tare_region_t *inside_free;
static volatile int is_measured;

void free(void *memory)
{
    if (is_measured) {
        tare_enter(inside_free);
        tare_leave(inside_free);
    }
    __libc_free(memory);
}

static void *work(void *unused)
{
    (void) unused;
    tare_region_t *region = tare_region("work");
    for (int i = 0; i < 3; i++) {
        tare_enter(region);
        free(malloc(10));
        tare_leave(region);
    }
    return NULL;
}

int main(void)
{
    inside_free = tare_region("inside free");
    tare_region_t *region = tare_region("around");
    tare_enter(region);
    is_measured = 1;
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, NULL) != 0)
            return 1;
        pthread_join(thread, NULL);
    }
    is_measured = 0;
    tare_leave(region);
    puts("ended");
    return 0;
}
