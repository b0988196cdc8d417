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

/* Tags and partners of the two halves differ; and one half goes to nobody. */
static void replace_tags(void)
{
    int *both = room(8 * sizeof *both);
    MPI_Datatype every_second;
    MPI_Status status;
    MPI_Type_vector(3, 1, 2, MPI_INT, &every_second);
    MPI_Type_commit(&every_second);
    for (int i = 0; i < 3; i++)
        both[2 * i] = 10 * rank + i;
    MPI_Sendrecv_replace(both, 1, every_second, other, 20 + rank, other, 20 + other, MPI_COMM_WORLD, &status);
    EXPECT_STATUS(&status, other, 20 + other, every_second, 1);
    EXPECT(both[0] == 10 * other && both[4] == 10 * other + 2 && both[1] == both[7] && untouched(both, 20));
    MPI_Sendrecv_replace(both, 1, every_second, rank, 30, rank, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    EXPECT_STATUS(&status, rank, 30, every_second, 1);
    const int from = rank == 0 ? MPI_PROC_NULL : 0, to = rank == 0 ? 1 : MPI_PROC_NULL;
    MPI_Sendrecv_replace(both, 3, MPI_INT, to, 40, from, 40, MPI_COMM_WORLD, &status);
    EXPECT_STATUS(&status, from, rank == 0 ? MPI_ANY_TAG : 40, MPI_INT, rank == 0 ? 0 : 3);
    EXPECT(both[0] == 10);      /* rank 0 had that of rank 1 */
    MPI_Type_free(&every_second);
}

/* Less comes than goes. */
static void replace_with_less(void)
{
    int *both = room(100 * sizeof *both);
    MPI_Status status;
    fill(both, 50 * sizeof *both, rank);
    const unsigned rest = checksum(&both[10], 40 * sizeof *both);
    if (rank == 0) {
        MPI_Sendrecv_replace(both, 50, MPI_INT, 1, 1, 1, 2, MPI_COMM_WORLD, &status);
        EXPECT_STATUS(&status, 1, 2, MPI_INT, 10);
        EXPECT(checksum(&both[10], 40 * sizeof *both) == rest);
    } else {
        int out[10] = { 77 };
        MPI_Sendrecv(out, 10, MPI_INT, 0, 2, both, 100, MPI_INT, 0, 1, MPI_COMM_WORLD, &status);
        EXPECT_STATUS(&status, 0, 1, MPI_INT, 50);
    }
    EXPECT(rank == 1 || both[0] == 77);
    EXPECT(untouched(both, 50 * sizeof *both));
}

static void isendrecv(void)
{
#if MPI_VERSION >= 4
    int out[3] = { 10 + rank, 1, 2 }, *in = room(10 * sizeof *in), *both = room(10 * sizeof *both);
    MPI_Request requests[2];
    both[0] = 90 + rank;
    MPI_Isendrecv(out, 3, MPI_INT, other, rank, in, 10, MPI_INT, MPI_ANY_SOURCE, other, MPI_COMM_WORLD, &requests[0]);
    MPI_Isendrecv_replace(both, 1, MPI_INT, other, 5 + rank, other, 5 + other, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);      /* MPICH 4.0.2 leaves the statuses as they were */
    EXPECT(in[0] == 10 + other && untouched(in, 3 * sizeof *in));
    EXPECT(both[0] == 90 + other && untouched(both, sizeof *both));
#else
    skip("this MPI has no MPI_Isendrecv");
#endif
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

/* Large and small messages to itself, by wildcards, completed in the other order. */
static void to_itself_mixed(void)
{
    enum { n = 300000 };
    char *out = room(n), *large = room(n + 10), *small = room(20);
    MPI_Request requests[4];
    MPI_Status status;
    fill(out, n, rank);
    MPI_Irecv(large, n + 10, MPI_CHAR, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(small, 20, MPI_CHAR, rank, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(out, n, MPI_CHAR, rank, 8, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(out, 7, MPI_CHAR, rank, 9, MPI_COMM_WORLD, &requests[3]);
    MPI_Wait(&requests[1], &status);
    EXPECT_STATUS(&status, rank, 9, MPI_CHAR, 7);
    MPI_Wait(&requests[0], &status);
    EXPECT_STATUS(&status, rank, 8, MPI_CHAR, n);
    MPI_Waitall(2, &requests[2], MPI_STATUSES_IGNORE);
    EXPECT(memcmp(large, out, n) == 0 && untouched(large, n));
    EXPECT(memcmp(small, out, 7) == 0 && untouched(small, 7));
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
    { "send_kinds", send_kinds, "Ssend, Rsend, Irsend, Issend" },
    { "sendrecv_kinds", sendrecv_kinds, "Sendrecv_replace, also with different tags" },
    { "replace_tags", replace_tags, NULL }, { "replace_with_less", replace_with_less, NULL },
    { "isendrecv", isendrecv, "Isendrecv, Isendrecv_replace" },
    { "any_source_then_named", any_source_then_named, "Irecv(ANY_SOURCE), then a named Recv" },
    { "to_itself", to_itself, "messages to itself" }, { "to_itself_mixed", to_itself_mixed, NULL },
    { "communicators", communicators, "communicators of every making" },
    { "others_pass", others_pass, "other operations between carried ones" },
    { "message_from_callback", message_from_callback, NULL },
    { "two_threads", two_threads, "two threads on one communicator and tag" }, { NULL, NULL, NULL },
};
