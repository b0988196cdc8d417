/* SPDX-License-Identifier: BSD-3-Clause */
/* messages: every way to send and to receive, around a ring of ranks. What each rank has done it writes into did.RANK, a
 * line for each event that its trace must have, in their order: messages.py prints the same of the trace. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *out;
static int rank, size, left, right;
static int data[1024], room[1024];

static void did(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
    fputc('\n', out);
}

static const char *name_of(MPI_Comm comm)
{
    static char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Comm_get_name(comm, name, &length);
    return name;
}

static void message(const char *kind, MPI_Comm comm, int peer, int tag, int bytes)
{
    did("%s %s %d %d %d", kind, name_of(comm), peer, tag, bytes);
}

/* Even ranks send first. */
typedef int send_function(const void *, int, MPI_Datatype, int, int, MPI_Comm);

static void receive(MPI_Comm comm, int tag, int bytes)
{
    MPI_Recv(room, 1024, MPI_INT, left, tag, comm, MPI_STATUS_IGNORE);
    message("RECV", comm, left, tag, bytes);
}

static void send_around(send_function * send, MPI_Comm comm, int count, int tag)
{
    if (rank % 2 == 1)
        receive(comm, tag, 4 * count);
    send(data, count, MPI_INT, right, tag, comm);
    message("SEND", comm, right, tag, 4 * count);
    if (rank % 2 == 0)
        receive(comm, tag, 4 * count);
}

static void blocking(MPI_Comm comm)
{
    static char buffer[8192 + MPI_BSEND_OVERHEAD];
    void *detached;
    int detached_size;
    send_around(MPI_Send, comm, 3, 1);
    send_around(MPI_Ssend, comm, 5, 2);
    MPI_Buffer_attach(buffer, sizeof buffer);
    send_around(MPI_Bsend, comm, 7, 3);
    MPI_Buffer_detach(&detached, &detached_size);
    send_around(MPI_Send, comm, 0, 4);
    send_around(MPI_Send, comm, 1000, 5);
}

/* A ready send needs a receive that is there. */
static void ready(MPI_Comm comm)
{
    MPI_Request request;
    MPI_Irecv(room, 1024, MPI_INT, left, 9, comm, &request);
    did("IRECV_REQUEST");
    MPI_Barrier(comm);
    MPI_Rsend(data, 2, MPI_INT, right, 9, comm);
    message("SEND", comm, right, 9, 8);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    message("IRECV", comm, left, 9, 8);
}

static void exchange(MPI_Comm comm)
{
    MPI_Sendrecv(data, 4, MPI_INT, right, 10, room, 1024, MPI_INT, left, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
    message("SEND", comm, right, 10, 16);
    message("RECV", comm, left, 10, 16);
    MPI_Sendrecv_replace(data, 6, MPI_INT, right, 11, MPI_ANY_SOURCE, 11, comm, MPI_STATUS_IGNORE);
    message("SEND", comm, right, 11, 24);
    message("RECV", comm, left, 11, 24);
}

static void nobody(MPI_Comm comm)
{
    MPI_Request request;
    MPI_Send(data, 1, MPI_INT, MPI_PROC_NULL, 1, comm);
    MPI_Recv(data, 1, MPI_INT, MPI_PROC_NULL, 1, comm, MPI_STATUS_IGNORE);
    MPI_Isend(data, 1, MPI_INT, MPI_PROC_NULL, 1, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Irecv(data, 1, MPI_INT, MPI_PROC_NULL, 1, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Sendrecv(data, 1, MPI_INT, MPI_PROC_NULL, 1, data, 1, MPI_INT, MPI_PROC_NULL, 1, comm, MPI_STATUS_IGNORE);
    MPI_Send_init(data, 1, MPI_INT, MPI_PROC_NULL, 1, comm, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

/* Many sends that are complete at once may have one handle. */
static void many(MPI_Comm comm)
{
    enum { n = 100 };
    MPI_Request requests[2 * n];
    for (int i = 0; i < n; i++) {
        MPI_Irecv(room + i, 1, MPI_INT, left, i, comm, &requests[i]);
        did("IRECV_REQUEST");
    }
    for (int i = 0; i < n; i++) {
        MPI_Isend(data, 1, MPI_INT, right, i, comm, &requests[n + i]);
        message("ISEND", comm, right, i, 4);
    }
    MPI_Waitall(2 * n, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; i++)
        message("IRECV", comm, left, i, 4);
    for (int i = 0; i < n; i++)
        message("ISEND_COMPLETE", comm, right, i, 4);
}

static void kinds_of_isend(MPI_Comm comm)
{
    typedef int isend_function(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    static isend_function *const all[] = { MPI_Isend, MPI_Issend, MPI_Ibsend };
    static char buffer[8192 + MPI_BSEND_OVERHEAD];
    void *detached;
    int detached_size;
    MPI_Buffer_attach(buffer, sizeof buffer);
    for (int i = 0; i < 3; i++) {
        MPI_Request request;
        all[i] (data, 1 + i, MPI_INT, right, 20 + i, comm, &request);
        message("ISEND", comm, right, 20 + i, 4 + 4 * i);
        receive(comm, 20 + i, 4 + 4 * i);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        message("ISEND_COMPLETE", comm, right, 20 + i, 4 + 4 * i);
    }
    MPI_Buffer_detach(&detached, &detached_size);
}

static void one_of_several(MPI_Comm comm)
{
    MPI_Request requests[3] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    MPI_Status statuses[3];
    int index, indices[3], count;
    MPI_Irecv(room, 1024, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &requests[1]);
    did("IRECV_REQUEST");
    MPI_Send(data, 2, MPI_INT, right, 30, comm);
    message("SEND", comm, right, 30, 8);
    MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE);
    message("IRECV", comm, left, 30, 8);
    MPI_Waitany(3, requests, &index, statuses);
    MPI_Irecv(room, 1024, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &requests[2]);
    did("IRECV_REQUEST");
    MPI_Send(data, 3, MPI_INT, right, 31, comm);
    message("SEND", comm, right, 31, 12);
    MPI_Waitsome(3, requests, &count, indices, statuses);
    message("IRECV", comm, left, 31, 12);
    MPI_Waitsome(3, requests, &count, indices, statuses);
}

/* The last test of a spin may be the first: what failed before is one event, or none. */
typedef int test_function(MPI_Request * request, int *flag);

static int test_alone(MPI_Request * request, int *flag) { return MPI_Test(request, flag, MPI_STATUS_IGNORE); }

static int test_all(MPI_Request * request, int *flag) { return MPI_Testall(1, request, flag, MPI_STATUSES_IGNORE); }

static int test_any(MPI_Request * request, int *flag)
{
    int index;
    return MPI_Testany(1, request, &index, flag, MPI_STATUS_IGNORE);
}

static int test_some(MPI_Request * request, int *flag)
{
    int index;
    return MPI_Testsome(1, request, flag, &index, MPI_STATUSES_IGNORE);
}

static void tests(MPI_Comm comm)
{
    static test_function *const all[] = { test_alone, test_all, test_any, test_some };
    for (int i = 0; i < 4; i++) {
        MPI_Request request;
        int flag = 0;
        MPI_Irecv(room, 1024, MPI_INT, left, 40 + i, comm, &request);
        did("IRECV_REQUEST");
        all[i] (&request, &flag);
        did("REQUEST_TEST");
        MPI_Barrier(comm);
        MPI_Send(data, 1, MPI_INT, right, 40 + i, comm);
        message("SEND", comm, right, 40 + i, 4);
        MPI_Barrier(comm);
        for (flag = 0; !flag;)
            all[i] (&request, &flag);
        message("IRECV", comm, left, 40 + i, 4);
    }
}

static void persistent(MPI_Comm comm)
{
    MPI_Request requests[2];
    MPI_Send_init(data, 9, MPI_INT, right, 50, comm, &requests[0]);
    MPI_Recv_init(room, 1024, MPI_INT, MPI_ANY_SOURCE, 50, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, requests);
        message("ISEND", comm, right, 50, 36);
        did("IRECV_REQUEST");
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        message("ISEND_COMPLETE", comm, right, 50, 36);
        message("IRECV", comm, left, 50, 36);
    }
    MPI_Start(&requests[1]);
    did("IRECV_REQUEST");
    MPI_Start(&requests[0]);
    message("ISEND", comm, right, 50, 36);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    message("IRECV", comm, left, 50, 36);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    message("ISEND_COMPLETE", comm, right, 50, 36);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void given_up(MPI_Comm comm)
{
    MPI_Request request;
    MPI_Irecv(room, 1024, MPI_INT, left, 60, comm, &request);
    did("IRECV_REQUEST");
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    did("REQUEST_CANCELLED");
    MPI_Isend(data, 1, MPI_INT, right, 61, comm, &request);
    message("ISEND", comm, right, 61, 4);
    MPI_Request_free(&request);
    receive(comm, 61, 4);
    MPI_Barrier(comm);
}

static void matched(MPI_Comm comm)
{
    MPI_Message found;
    MPI_Request request;
    MPI_Status status;
    int flag = 0;
    MPI_Send(data, 2, MPI_INT, right, 70, comm);
    message("SEND", comm, right, 70, 8);
    MPI_Mprobe(MPI_ANY_SOURCE, 70, comm, &found, MPI_STATUS_IGNORE);
    MPI_Mrecv(room, 1024, MPI_INT, &found, MPI_STATUS_IGNORE);
    message("RECV", comm, left, 70, 8);
    MPI_Send(data, 3, MPI_INT, right, 71, comm);
    message("SEND", comm, right, 71, 12);
    while (!flag)
        MPI_Improbe(left, MPI_ANY_TAG, comm, &flag, &found, &status);
    MPI_Imrecv(room, 1024, MPI_INT, &found, &request);
    did("IRECV_REQUEST");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    message("IRECV", comm, left, 71, 12);
}

/* What was too long is gone, and was received. */
static void truncated(MPI_Comm comm)
{
    MPI_Status status;
    int code, error_class, bytes;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Send(data, 8, MPI_INT, right, 80, comm);
    message("SEND", comm, right, 80, 32);
    code = MPI_Recv(room, 4, MPI_INT, left, 80, comm, &status);
    MPI_Error_class(code, &error_class);
    if (error_class != MPI_ERR_TRUNCATE)
        MPI_Abort(comm, 1);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    message("RECV", comm, left, 80, bytes);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
    char file[32];
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    snprintf(file, sizeof file, "did.%d", rank);
    out = fopen(file, "w");
    if (out == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "ring");
    blocking(MPI_COMM_WORLD);
    ready(comm);
    exchange(comm);
    nobody(comm);
    many(MPI_COMM_WORLD);
    kinds_of_isend(comm);
    one_of_several(comm);
    tests(comm);
    persistent(comm);
    given_up(comm);
    matched(comm);
    if (argc == 1)
        truncated(comm);
    MPI_Comm_free(&comm);
    fclose(out);
    MPI_Finalize();
    return 0;
}
