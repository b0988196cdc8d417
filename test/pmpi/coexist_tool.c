/* SPDX-License-Identifier: BSD-3-Clause */
/* Another tool around MPI, as it may stand in front of Tare: counts calls, and takes TOOL_NS of rank 0's time before each
 * MPI_Send. It calls PMPI_Send, or with VIA_NEXT the MPI_Send behind its own. With TOOL_DECLARES it tells Tare what it
 * takes, if Tare is there. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

extern void tare_overhead_add(int64_t ns) __attribute__((weak));

#ifdef VIA_NEXT
#define BEHIND(name) ((__typeof__(&MPI_##name)) dlsym(RTLD_NEXT, "MPI_" #name))
#else
#define BEHIND(name) PMPI_##name
#endif

static int rank, sends, receives, barriers;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void take_time(void)
{
    const char *text = getenv("TOOL_NS");
    const int64_t began = now_ns(), ends = began + (text != NULL && rank == 0 ? atoll(text) : 0);
    while (now_ns() < ends)
        ;
    if (getenv("TOOL_DECLARES") != NULL && tare_overhead_add != NULL)
        tare_overhead_add(now_ns() - began);
}

int MPI_Init(int *argc, char ***argv)
{
    const int rc = BEHIND(Init) (argc, argv);
    BEHIND(Comm_rank) (MPI_COMM_WORLD, &rank);
    return rc;
}

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    sends++;
    take_time();
    return BEHIND(Send) (data, count, type, to, tag, comm);
}

int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    receives++;
    return BEHIND(Recv) (data, count, type, from, tag, comm, status);
}

int MPI_Barrier(MPI_Comm comm)
{
    barriers++;
    return BEHIND(Barrier) (comm);
}

int MPI_Finalize(void)
{
    printf("tool: rank %d: %d sends, %d receives, %d barriers\n", rank, sends, receives, barriers);
    fflush(stdout);
    return BEHIND(Finalize) ();
}
