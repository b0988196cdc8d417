/* SPDX-License-Identifier: BSD-3-Clause */
/* Every kind of call, communicators, and calls that pass unchanged between carried ones. */
#include "cases.h"

#include <pthread.h>

static void send_kinds(void)
{
    for (int kind = 0; kind < 6; kind++) {
        int value = 10 * kind + rank, in = -1;
        MPI_Request request;
        MPI_Status status;
        if (rank == 1) {
            MPI_Irecv(&in, 1, MPI_INT, 0, kind, MPI_COMM_WORLD, &request);
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Wait(&request, &status);
            note_status("received", &status, MPI_INT);
            note("kind %d value %d", kind, in);
            EXPECT(in == 10 * kind);
            continue;
        }
        MPI_Barrier(MPI_COMM_WORLD);    /* for the ready sends */
        switch (kind) {
        case 0: MPI_Send(&value, 1, MPI_INT, 1, kind, MPI_COMM_WORLD); continue;
        case 1: MPI_Ssend(&value, 1, MPI_INT, 1, kind, MPI_COMM_WORLD); continue;
        case 2: MPI_Rsend(&value, 1, MPI_INT, 1, kind, MPI_COMM_WORLD); continue;
        case 3: MPI_Isend(&value, 1, MPI_INT, 1, kind, MPI_COMM_WORLD, &request); break;
        case 4: MPI_Issend(&value, 1, MPI_INT, 1, kind, MPI_COMM_WORLD, &request); break;
        case 5: MPI_Irsend(&value, 1, MPI_INT, 1, kind, MPI_COMM_WORLD, &request); break;
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void sendrecv_kinds(void)
{
    int out[3] = { rank, 1, 2 }, in[5] = { -1, -1, -1, -1, -1 }, both[3] = { 50 + rank, 60, 70 };
    MPI_Status status;
    MPI_Sendrecv(out, 3, MPI_INT, other, rank, in, 5, MPI_INT, other, other, MPI_COMM_WORLD, &status);
    note_status("sendrecv", &status, MPI_INT);
    EXPECT(in[0] == other && in[3] == -1);
    MPI_Sendrecv_replace(both, 3, MPI_INT, other, 10 + rank, MPI_ANY_SOURCE, 10 + other, MPI_COMM_WORLD, &status);
    note_status("replace", &status, MPI_INT);
    EXPECT(both[0] == 50 + other);
    MPI_Sendrecv(out, 2, MPI_INT, rank, 1, in, 5, MPI_INT, rank, 1, MPI_COMM_WORLD, &status);
    note_status("to itself", &status, MPI_INT);
    MPI_Sendrecv_replace(both, 3, MPI_INT, rank, 1, rank, 1, MPI_COMM_WORLD, &status);
    note_status("replace, to itself", &status, MPI_INT);
    EXPECT(both[0] == 50 + other);
}

static void any_source_then_named(void)
{
    int a = -1, b = -1;
    MPI_Request request;
    MPI_Status status;
    if (rank == 0) {
        for (int v = 1; v <= 2; v++)
            MPI_Send(&v, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
        return;
    }
    MPI_Irecv(&a, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    MPI_Recv(&b, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &status);
    note_status("named", &status, MPI_INT);
    MPI_Wait(&request, &status);
    note_status("any", &status, MPI_INT);
    EXPECT(a == 1 && b == 2);
}

static void to_itself(void)
{
    int out = 5 + rank, in = -1;
    MPI_Request request;
    MPI_Status status;
    MPI_Isend(&out, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &request);
    MPI_Recv(&in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &status);
    note_status("itself", &status, MPI_INT);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(in == 5 + rank);
    MPI_Irecv(&in, 1, MPI_INT, 0, 2, MPI_COMM_SELF, &request);
    MPI_Send(&out, 1, MPI_INT, 0, 2, MPI_COMM_SELF);
    MPI_Wait(&request, &status);
    note_status("comm self", &status, MPI_INT);
}

static void communicators(void)
{
    MPI_Comm own, inter, copy;
    int out = 30 + rank, in = -1;
    MPI_Request request;
    MPI_Status status;
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &own);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, other, 7, &inter);
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, inter, &status);
    note_status("intercommunicator", &status, MPI_INT);
    EXPECT(in == 30 + other);
    for (int i = 0; i < 3; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        MPI_Irecv(&in, 1, MPI_INT, other, i, copy, &request);
        MPI_Send(&out, 1, MPI_INT, other, i, copy);
        MPI_Comm_free(&copy);   /* the receive is still pending */
        MPI_Wait(&request, &status);
        note_status("copy", &status, MPI_INT);
    }
    MPI_Comm_free(&inter);
    MPI_Comm_free(&own);
}

/* Collective, one-sided and partitioned operations between carried messages. */
static void others_pass(void)
{
    int value = rank + 1, sum = 0, in = -1, window = -1;
    MPI_Win win;
    MPI_Sendrecv(&value, 1, MPI_INT, other, 1, &in, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    note("sum %d", sum);
    MPI_Win_create(&window, sizeof window, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, other, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    note("window %d", window);
#if MPI_VERSION >= 4
    MPI_Request request;
    double parts[4] = { rank, rank, rank, rank };
    if (rank == 0) {
        MPI_Psend_init(parts, 2, 2, MPI_DOUBLE, 1, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready(0, request);
        MPI_Pready(1, request);
    } else {
        MPI_Precv_init(parts, 2, 2, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    note("parts %g", parts[3]);
#endif
}

static int delete_attribute(MPI_Comm comm, int key, void *value, void *extra)
{
    (void) comm, (void) key, (void) extra;
    int out = rank, *in = value;
    return MPI_Sendrecv(&out, 1, MPI_INT, other, 8, in, 2, MPI_INT, other, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The user's code called by the MPI library: a message from an attribute's delete function, received by a plain
 * receive on the other side. */
static void message_from_callback(void)
{
    int key, in[2] = { -1, -1 }, out = rank;
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_attribute, &key, NULL);
    if (rank == 0) {
        MPI_Comm_set_attr(copy, key, in);
        MPI_Comm_delete_attr(copy, key);
    } else {
        MPI_Recv(in, 2, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&out, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
    }
    note("in %d %d", in[0], in[1]);
    EXPECT(in[0] == other && in[1] == -1);
    MPI_Comm_free(&copy);
    MPI_Comm_free_keyval(&key);
}

enum { thread_messages = 300 };

static void *exchange_in_thread(void *sum)
{
    for (int i = 1; i <= thread_messages; i++) {
        int in = 0;
        MPI_Request request;
        MPI_Irecv(&in, 1, MPI_INT, other, 3, MPI_COMM_WORLD, &request);
        MPI_Send(&i, 1, MPI_INT, other, 3, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        *(long *) sum += in;
    }
    return NULL;
}

/* Two threads on one communicator and tag: nothing is lost, whoever receives it. */
static void two_threads(void)
{
    int level;
    long sums[2] = { 0, 0 };
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_MULTIPLE) {
        note("one thread only");
        return;
    }
    pthread_t second;
    pthread_create(&second, NULL, exchange_in_thread, &sums[1]);
    exchange_in_thread(&sums[0]);
    pthread_join(second, NULL);
    note("sum %ld", sums[0] + sums[1]);
    EXPECT(sums[0] + sums[1] == (long) thread_messages * (thread_messages + 1));
}

const test_case_t call_cases[] = {
    { "send_kinds", send_kinds }, { "sendrecv_kinds", sendrecv_kinds },
    { "any_source_then_named", any_source_then_named }, { "to_itself", to_itself },
    { "communicators", communicators }, { "others_pass", others_pass },
    { "message_from_callback", message_from_callback }, { "two_threads", two_threads }, { NULL, NULL },
};
