/* SPDX-License-Identifier: BSD-3-Clause */
/* How much of the cost of measured MPI calls is left: calls on MPI_COMM_SELF through the PMPI layer, and the same
 * calls of the MPI library's own functions. Batches in turn; prints the medians of each kind of call, in ns for one:
 * KIND PLAIN MEASURED COMPENSATED. */
#include "../lib/batches.h"
#include "tare.h"

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { batches = 201, calls = 400 };

struct functions {
    int (*Comm_rank)(MPI_Comm, int *);
    int (*Bcast)(void *, int, MPI_Datatype, int, MPI_Comm);
    int (*Isend)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    int (*Recv)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
    int (*Wait)(MPI_Request *, MPI_Status *);
};

static struct functions layer = { MPI_Comm_rank, MPI_Bcast, MPI_Isend, MPI_Recv, MPI_Wait };
static struct functions library;
static char out[8], in[8];
static int count = 1;

static int find_library(struct dl_phdr_info *info, size_t size, void *handle)
{
    (void) size;
    if (strstr(info->dlpi_name, "/libmpi.so") == NULL && strstr(info->dlpi_name, "/libmpich.so") == NULL)
        return 0;
    *(void **) handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    return 1;
}

static void *function_of(void *handle, const char *name)
{
    void *found = dlsym(handle, name);
    if (found == NULL) {
        fprintf(stderr, "cost_of_calls: libmpi has no %s\n", name);
        exit(1);
    }
    return found;
}

static void find_functions(void)
{
    void *handle = NULL;
    dl_iterate_phdr(find_library, &handle);
    *(void **) &library.Comm_rank = function_of(handle, "PMPI_Comm_rank");
    *(void **) &library.Bcast = function_of(handle, "PMPI_Bcast");
    *(void **) &library.Isend = function_of(handle, "PMPI_Isend");
    *(void **) &library.Recv = function_of(handle, "PMPI_Recv");
    *(void **) &library.Wait = function_of(handle, "PMPI_Wait");
}

static void no_data(const struct functions *f)
{
    int rank;
    f->Comm_rank(MPI_COMM_SELF, &rank);
}

static void collective(const struct functions *f)
{
    f->Bcast(out, count, MPI_CHAR, 0, MPI_COMM_SELF);
}

/* Only one side is measured. */
static void message(const struct functions *sender, const struct functions *receiver)
{
    MPI_Request request;
    sender->Isend(out, count, MPI_CHAR, 0, 0, MPI_COMM_SELF, &request);
    receiver->Recv(in, count, MPI_CHAR, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    library.Wait(&request, MPI_STATUS_IGNORE);
}

static void send(const struct functions *f)
{
    message(f, &library);
}

static void receive(const struct functions *f)
{
    message(&library, f);
}

static void time_batch(void (*kind)(const struct functions *), const struct functions *f, double *time, double *left)
{
    const int64_t start = now_ns(), delay = tare_delay_ns();
    for (int i = 0; i < calls; i++)
        kind(f);
    const int64_t removed = tare_delay_ns() - delay, ns = now_ns() - start;
    *time = (double) ns / calls;
    *left = (double) (ns - removed) / calls;
}

static void show(const char *name, void (*kind)(const struct functions *))
{
    static double plain[batches], measured[batches], compensated[batches], unused;
    for (int i = 0; i < batches; i++) {
        time_batch(kind, &library, &plain[i], &unused);
        time_batch(kind, &layer, &measured[i], &compensated[i]);
    }
    printf("%s %.1f %.1f %.1f\n", name, median(plain, batches), median(measured, batches),
           median(compensated, batches));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    find_functions();
    show("no_data", no_data);
    show("collective", collective);
    show("send", send);
    show("receive", receive);
    MPI_Finalize();
    return 0;
}
