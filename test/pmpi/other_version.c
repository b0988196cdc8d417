/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded behind the layer, it makes a rank's layer look like one of another version: it stands between the layer
 * and the MPI library, and changes what this rank says in the reduction by which all ranks agree, the first one. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <string.h>

int PMPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    static int calls;
    const int64_t version = INT64_C(1) << 48;
    int64_t words[3];
    int (*library) (const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    *(void **) &library = dlsym(RTLD_NEXT, "PMPI_Allreduce");
    if (calls++ > 0)
        return library(sendbuf, recvbuf, count, datatype, op, comm);
    memcpy(words, sendbuf, sizeof words);
    words[0] += version;        /* the least of all ranks, and the most, negative */
    words[1] -= version;
    return library(words, recvbuf, count, datatype, op, comm);
}
