/* SPDX-License-Identifier: BSD-3-Clause */
/* plain [FLUSHES]: regions and two threads, without MPI; writes its profile so often before the end. */
#include "tare.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void call(const char *name, int times, int us)
{
    tare_region_t *region = tare_region(name);
    for (int i = 0; i < times; i++) {
        tare_enter(region);
        if (us > 0)
            usleep(us);
        tare_leave(region);
    }
}

static void *run_thread(void *unused)
{
    call("thread", 7, 0);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    void (*arm)(void) = (void (*)(void)) dlsym(RTLD_DEFAULT, "killer_arm");
    call("work", 3, 10000);
    pthread_create(&thread, NULL, run_thread, NULL);
    pthread_join(thread, NULL);
    if (arm != NULL)
        arm();
    for (int i = argc == 2 ? atoi(argv[1]) : 0; i > 0; i--) {
        tare_flush();
        call("work", 1, 0);
    }
    return 0;
}
