/* SPDX-License-Identifier: BSD-3-Clause */
/* Tells Tare what a tool takes that does not know Tare. Two libraries, one on either side of the tool, in LD_PRELOAD:
 *
 *     outer.so : the tool : inner.so : libtare-mpi.so : libtare.so
 *
 * The outer one (OUTER) sees a call before the tool and after it, the inner one when the tool passes it on. What passes
 * between is the tool's, and is declared, less what is declared in there already, by Tare's wrappers of what the tool
 * itself calls. (Not by tare_now_ns: Tare's clock would have to run backwards behind what it has told.) */
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <time.h>

#include "tare.h"

static int64_t undeclared_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec - tare_delay_ns();
}

#ifdef OUTER
extern __thread int64_t coexist_mark_ns;
#define AROUND(call) \
    coexist_mark_ns = undeclared_ns(); \
    const int rc = call; \
    tare_overhead_add(undeclared_ns() - coexist_mark_ns); \
    return rc
#else
__thread int64_t coexist_mark_ns;
#define AROUND(call) \
    tare_overhead_add(undeclared_ns() - coexist_mark_ns); \
    const int rc = call; \
    coexist_mark_ns = undeclared_ns(); \
    return rc
#endif

#define SHIM(name, parameters, arguments) \
    int MPI_##name parameters \
    { \
        static __typeof__(&MPI_##name) next; \
        if (next == NULL) \
            next = (__typeof__(&MPI_##name)) dlsym(RTLD_NEXT, "MPI_" #name); \
        AROUND(next arguments); \
    }

#define SENT const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm
#define RECEIVED void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm

SHIM(Send, (SENT), (data, count, type, to, tag, comm))
SHIM(Isend, (SENT, MPI_Request *request), (data, count, type, to, tag, comm, request))
SHIM(Recv, (RECEIVED, MPI_Status *status), (data, count, type, from, tag, comm, status))
SHIM(Irecv, (RECEIVED, MPI_Request *request), (data, count, type, from, tag, comm, request))
SHIM(Wait, (MPI_Request *request, MPI_Status *status), (request, status))
SHIM(Waitall, (int n, MPI_Request requests[], MPI_Status statuses[]), (n, requests, statuses))
SHIM(Barrier, (MPI_Comm comm), (comm))
SHIM(Bcast, (void *data, int count, MPI_Datatype type, int root, MPI_Comm comm), (data, count, type, root, comm))
SHIM(Allreduce, (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (in, out, count, type, op, comm))
