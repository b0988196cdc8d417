/* SPDX-License-Identifier: BSD-3-Clause */
/* A process without MPI. With an argument it asks, as libraries do that find an MPI function by chance. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int flag = -1;
    if (argc == 1) {
        puts("no MPI");
        return 0;
    }
    if (strcmp(argv[1], "initialized") == 0) {
        int (*initialized) (int *) = (int (*)(int *)) dlsym(RTLD_DEFAULT, "MPI_Initialized");
        if (initialized != NULL)
            initialized(&flag);
        printf("flag %d\n", flag);
        return 0;
    }
    int (*barrier) (int) = (int (*)(int)) dlsym(RTLD_DEFAULT, "MPI_Barrier");
    return barrier == NULL ? 2 : barrier(0);
}
