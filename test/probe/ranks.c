/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI programs whose functions have hooks: ranks NAME. Compiled by tarecc. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEPARATE __attribute__((noipa))

static int rank;

SEPARATE static void of_one_file(void)
{
    __asm__ volatile ("");
}

SEPARATE void of_all(void)
{
    of_one_file();
}

/* Where the loader has put this program differs from rank to rank. */
static void named(void)
{
    of_all();
    printf("%p\n", (void *) of_all);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}

static void not_finalized(void)
{
    of_all();
    MPI_Barrier(MPI_COMM_WORLD);
    of_all();
    exit(0);
}

/* Rank 1 gives up; rank 0 would wait for ever. */
static void aborted(void)
{
    int nothing;
    of_all();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 5);
    MPI_Recv(&nothing, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static const struct {
    const char *name;
    void (*run)(void);
} scenes[] = {
    { "named", named }, { "not_finalized", not_finalized }, { "aborted", aborted },
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t i = 0; argc > 1 && i < sizeof scenes / sizeof scenes[0]; i++) {
        if (strcmp(argv[1], scenes[i].name) == 0) {
            scenes[i].run();
            return 0;
        }
    }
    fputs("ranks: no such scene\n", stderr);
    return 2;
}
