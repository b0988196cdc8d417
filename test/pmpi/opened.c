/* SPDX-License-Identifier: BSD-3-Clause */
/* opened LIBMPI local|global handle|default: opens an MPI library, and looks its functions up in what dlopen gave, or in
 * what the whole process has, where those that were preloaded come first. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *opened, *where;

static void *look_up(const char *name)
{
    void *symbol = dlsym(where, name);
    if (symbol == NULL)
        symbol = dlsym(opened, name); /* a handle of Open MPI's, which is data */
    if (symbol != NULL)
        return symbol;
    fprintf(stderr, "opened: no %s\n", name);
    exit(2);
}

#define CALL(name) ((__typeof__(&MPI_##name)) look_up("MPI_" #name))
#ifdef OPEN_MPI
#define WORLD ((MPI_Comm) look_up("ompi_mpi_comm_world"))
#define TYPE ((MPI_Datatype) look_up("ompi_mpi_int"))
#else
#define WORLD MPI_COMM_WORLD
#define TYPE MPI_INT
#endif

int main(int argc, char **argv)
{
    int rank, value = -1;
    if (argc != 4)
        return 2;
    opened = dlopen(argv[1], RTLD_NOW | (strcmp(argv[2], "local") == 0 ? RTLD_LOCAL : RTLD_GLOBAL));
    if (opened == NULL) {
        fprintf(stderr, "opened: %s\n", dlerror());
        return 2;
    }
    where = strcmp(argv[3], "handle") == 0 ? opened : RTLD_DEFAULT;
    CALL(Init) (NULL, NULL);
    CALL(Comm_rank) (WORLD, &rank);
    for (int i = 0; i < 5; i++)
        if (rank == 0)
            CALL(Send) (&i, 1, TYPE, 1, 1, WORLD);
        else
            CALL(Recv) (&value, 1, TYPE, 0, 1, WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        printf("%d\n", value);
    CALL(Finalize) ();
    return 0;
}
