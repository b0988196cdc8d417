/* SPDX-License-Identifier: BSD-3-Clause */
/* Which message a receive gets: named ones beside wildcards, sizes, tags and the order of completion. */
#include "cases.h"

#include <pthread.h>

/* A message of n ints, each n + seed. */
static void send_ints(int n, int seed, int tag)
{
    int *out = malloc((size_t) n * sizeof *out);
    for (int i = 0; i < n; i++)
        out[i] = n + seed;
    MPI_Send(out, n, MPI_INT, 1, tag, MPI_COMM_WORLD);
    free(out);
}

static void expect_ints(const int *in, int n, int seed)
{
    EXPECT(in[0] == n + seed && in[n - 1] == n + seed);
    EXPECT(untouched(in, (size_t) n * sizeof *in));
}

static int *room_for_ints(int n)
{
    return room((size_t) n * sizeof(int));
}

/* The wildcard was there first, so it gets the first message, though the second has another size. */
static void any_source_then_named_sizes(void)
{
    int *first = room_for_ints(5000), *second = room_for_ints(5000);
    MPI_Request request;
    MPI_Status status;
    for (int swap = 0; swap < 2; swap++) {
        const int a = swap ? 3000 : 2, b = swap ? 2 : 3000;
        memset(first, 0xA5, 5000 * sizeof *first);
        memset(second, 0xA5, 5000 * sizeof *second);
        if (rank == 0) {
            send_ints(a, 0, 5);
            send_ints(b, 0, 5);
            continue;
        }
        MPI_Irecv(first, 5000, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &request);
        MPI_Recv(second, 5000, MPI_INT, 0, 5, MPI_COMM_WORLD, &status);
        EXPECT_STATUS(&status, 0, 5, MPI_INT, b);
        expect_ints(second, b, 0);
        MPI_Wait(&request, &status);
        EXPECT_STATUS(&status, 0, 5, MPI_INT, a);
        expect_ints(first, a, 0);
    }
}

/* ANY_TAG takes the first message of any tag; the named receive of that tag gets a later one. */
static void any_tag_then_named(void)
{
    int *first = room_for_ints(10), *second = room_for_ints(10), *third = room_for_ints(10);
    MPI_Request requests[3];
    MPI_Status statuses[3];
    if (rank == 0) {
        send_ints(1, 0, 6);
        send_ints(2, 0, 7);
        send_ints(3, 0, 6);
        return;
    }
    MPI_Irecv(first, 10, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(second, 10, MPI_INT, 0, 6, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(third, 10, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[2]);
    for (int i = 2; i >= 0; i--)
        MPI_Wait(&requests[i], &statuses[i]);
    EXPECT_STATUS(&statuses[0], 0, 6, MPI_INT, 1);
    EXPECT_STATUS(&statuses[1], 0, 6, MPI_INT, 3);
    EXPECT_STATUS(&statuses[2], 0, 7, MPI_INT, 2);
    expect_ints(first, 1, 0);
    expect_ints(second, 3, 0);
    expect_ints(third, 2, 0);
}

static void named_then_any_source(void)
{
    int *first = room_for_ints(10), *second = room_for_ints(10);
    MPI_Request request;
    MPI_Status status;
    if (rank == 0) {
        send_ints(4, 0, 5);
        send_ints(2, 0, 5);
        return;
    }
    MPI_Irecv(first, 10, MPI_INT, 0, 5, MPI_COMM_WORLD, &request);
    MPI_Recv(second, 10, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    EXPECT_STATUS(&status, 0, 5, MPI_INT, 2);
    MPI_Wait(&request, &status);
    EXPECT_STATUS(&status, 0, 5, MPI_INT, 4);
    expect_ints(first, 4, 0);
    expect_ints(second, 2, 0);
}

/* The wildcard is cancelled before anything came, so the named receive gets the first message. */
static void any_source_cancelled_then_named(void)
{
    int *never = room_for_ints(10), *in = room_for_ints(10), cancelled;
    MPI_Request request;
    MPI_Status status;
    if (rank == 1) {
        MPI_Irecv(never, 10, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &cancelled);
        EXPECT(cancelled && untouched(never, 0));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        send_ints(3, 0, 5);
        send_ints(4, 0, 5);
        return;
    }
    for (int n = 3; n <= 4; n++) {
        memset(in, 0xA5, 10 * sizeof *in);
        MPI_Recv(in, 10, MPI_INT, n == 3 ? 0 : MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
        EXPECT_STATUS(&status, 0, 5, MPI_INT, n);
        expect_ints(in, n, 0);
    }
}

/* Many wildcards, and the sender's messages each of another tag and size: in the order in which they were sent. */
static void many_wildcards(void)
{
    enum { n = 50 };
    int *in[n];
    MPI_Request requests[n];
    MPI_Status statuses[n];
    if (rank == 0) {
        for (int i = 0; i < n; i++)
            send_ints(1 + i * 7 % n, i, i);
        return;
    }
    for (int i = 0; i < n; i++) {
        in[i] = room_for_ints(n + 5);
        MPI_Irecv(in[i], n + 5, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(n, requests, statuses);
    for (int i = 0; i < n; i++) {
        EXPECT_STATUS(&statuses[i], 0, i, MPI_INT, 1 + i * 7 % n);
        expect_ints(in[i], 1 + i * 7 % n, i);
    }
}

/* Two messages of one tag are matched by probes and received in the other order. */
static void mprobe_two_backwards(void)
{
    int *in[2] = { room_for_ints(10), room_for_ints(10) };
    MPI_Message messages[2];
    MPI_Request request;
    MPI_Status status;
    if (rank == 0) {
        send_ints(2, 0, 5);
        send_ints(7, 0, 5);
        return;
    }
    for (int i = 0; i < 2; i++) {
        MPI_Mprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &messages[i], &status);
        EXPECT_STATUS(&status, 0, 5, MPI_INT, i ? 7 : 2);
    }
    MPI_Imrecv(in[1], 10, MPI_INT, &messages[1], &request);
    MPI_Mrecv(in[0], 10, MPI_INT, &messages[0], &status);
    EXPECT_STATUS(&status, 0, 5, MPI_INT, 2);
    MPI_Wait(&request, &status);
    EXPECT_STATUS(&status, 0, 5, MPI_INT, 7);
    expect_ints(in[0], 2, 0);
    expect_ints(in[1], 7, 0);
}

/* A matched message is out of the way: a receive of the same tag gets the next one. */
static void mprobe_then_recv(void)
{
    int *matched = room_for_ints(10), *next = room_for_ints(10);
    MPI_Message message;
    MPI_Status status;
    if (rank == 0) {
        send_ints(2, 0, 5);
        send_ints(7, 0, 5);
        return;
    }
    MPI_Mprobe(0, 5, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Recv(next, 10, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
    EXPECT_STATUS(&status, 0, 5, MPI_INT, 7);
    MPI_Mrecv(matched, 10, MPI_INT, &message, MPI_STATUS_IGNORE);
    EXPECT(message == MPI_MESSAGE_NULL);
    expect_ints(matched, 2, 0);
    expect_ints(next, 7, 0);
}

/* A probe of a large message with ignored status, then its receive with room for exactly what is there. */
static void probe_large(void)
{
    enum { n = 300000 };
    int *in = room_for_ints(n), flag = 0;
    MPI_Status status;
    if (rank == 0) {
        send_ints(n, 0, 5);
        send_ints(n, 1, 6);
        return;
    }
    MPI_Probe(0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(in, n, MPI_INT, 0, 5, MPI_COMM_WORLD, &status);
    EXPECT_STATUS(&status, 0, 5, MPI_INT, n);
    while (!flag)
        MPI_Iprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
    EXPECT_STATUS(&status, 0, 6, MPI_INT, n);
    MPI_Recv(in, n, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect_ints(in, n, 1);
}

/* Receives are posted in one order, completed in another, and the sizes differ in each. */
static void reverse_tags_sizes(void)
{
    enum { n = 200 };
    int *in[n];
    MPI_Request requests[n];
    MPI_Status status;
    if (rank == 0) {
        for (int i = 0; i < n; i++)
            send_ints(1 + i, 0, i);
        return;
    }
    for (int i = n - 1; i >= 0; i--) {
        in[i] = room_for_ints(n + 1);
        MPI_Irecv(in[i], n + 1, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; i < n; i++) {
        const int which = i * 77 % n;   /* each once: 77 and 200 have no common factor */
        MPI_Wait(&requests[which], &status);
        EXPECT_STATUS(&status, 0, which, MPI_INT, 1 + which);
        expect_ints(in[which], 1 + which, 0);
    }
}

enum { mixed_count = 12, small_bytes = 4, big_bytes = 1 << 20 };

static int mixed_bytes(int i)
{
    return i % 3 == 1 ? big_bytes + i : small_bytes + i;
}

/* Large and small messages in one Waitall, sent in another order than they were posted in. */
static void big_and_small_mixed(void)
{
    char *data[mixed_count];
    MPI_Request requests[mixed_count];
    MPI_Status statuses[mixed_count];
    for (int i = 0; i < mixed_count; i++) {
        const int which = rank == 0 ? i * 5 % mixed_count : i, n = mixed_bytes(which);
        data[which] = room((size_t) n + 10);
        if (rank == 0) {
            fill(data[which], (size_t) n, which);
            MPI_Isend(data[which], n, MPI_CHAR, 1, which, MPI_COMM_WORLD, &requests[i]);
        } else {
            MPI_Irecv(data[which], n + 10, MPI_CHAR, 0, which, MPI_COMM_WORLD, &requests[i]);
        }
    }
    MPI_Waitall(mixed_count, requests, statuses);
    char *right = malloc(big_bytes + mixed_count);
    for (int i = 0; rank == 1 && i < mixed_count; i++) {
        const int n = mixed_bytes(i);
        fill(right, (size_t) n, i);
        EXPECT_STATUS(&statuses[i], 0, i, MPI_CHAR, n);
        EXPECT(memcmp(data[i], right, (size_t) n) == 0 && untouched(data[i], (size_t) n));
    }
    free(right);
}

/* Large and small messages of one tag never overtake each other. */
static void big_and_small_in_order(void)
{
    int *in = room_for_ints(400000);
    MPI_Request requests[10];
    MPI_Status status;
    int *out = malloc(400000 * sizeof *out);
    for (int i = 0; i < 400000; i++)
        out[i] = i;
    for (int i = 0; i < 10; i++) {
        const int n = i % 2 ? 1 + i : 300000 + i;
        if (rank == 0) {
            MPI_Isend(out, n, MPI_INT, 1, 4, MPI_COMM_WORLD, &requests[i]);
            continue;
        }
        memset(in, 0xA5, 400000 * sizeof *in);
        MPI_Recv(in, 400000, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        EXPECT_STATUS(&status, 0, 4, MPI_INT, n);
        EXPECT(in[n - 1] == n - 1 && untouched(in, (size_t) n * sizeof *in));
    }
    if (rank == 0)
        MPI_Waitall(10, requests, MPI_STATUSES_IGNORE);
    free(out);
}

/* Statuses are ignored: the data and what lies behind them are right all the same. */
static void waitall_ignored_sizes(void)
{
    enum { n = 60 };
    int *in[n];
    MPI_Request requests[n];
    if (rank == 0) {
        for (int i = 0; i < n; i++)
            send_ints(1 + i * i, 0, i);
        return;
    }
    for (int i = 0; i < n; i++) {
        in[i] = room_for_ints(n * n);
        MPI_Irecv(in[i], n * n, MPI_INT, i % 2 ? MPI_ANY_SOURCE : 0, i, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; i++) {
        EXPECT(requests[i] == MPI_REQUEST_NULL);
        expect_ints(in[i], 1 + i * i, 0);
    }
}

enum { thread_messages = 200, thread_room = 400 };

static void *send_in_thread(void *seed)
{
    for (int i = 1; i <= thread_messages; i++)
        send_ints(i, *(int *) seed, 3);
    return NULL;
}

/* Any of the messages, and each only once; their size says which it is, their content who sent it. */
static void *receive_in_thread(void *seen)
{
    int in[thread_room], n, *counts = seen;
    MPI_Status status;
    for (int i = 0; i < thread_messages; i++) {
        MPI_Recv(in, thread_room, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &n);
        if (n < 1 || n > thread_messages || in[0] != in[n - 1] || (in[0] != n && in[0] != n + 1000))
            counts[0]++;
        else
            counts[n]++;
    }
    return NULL;
}

/* Two threads send, two receive, all on one communicator and tag; sizes differ, so data must keep to their status. */
static void two_threads_sizes(void)
{
    int level, seeds[2] = { 0, 1000 }, counts[2][thread_messages + 1] = { { 0 }, { 0 } };
    pthread_t second;
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_MULTIPLE) {
        skip("this MPI was built without MPI_THREAD_MULTIPLE");
        return;
    }
    if (rank == 0) {
        pthread_create(&second, NULL, send_in_thread, &seeds[1]);
        send_in_thread(&seeds[0]);
    } else {
        pthread_create(&second, NULL, receive_in_thread, counts[1]);
        receive_in_thread(counts[0]);
    }
    pthread_join(second, NULL);
    EXPECT(counts[0][0] == 0 && counts[1][0] == 0);
    for (int n = 1; rank == 1 && n <= thread_messages; n++)
        EXPECT(counts[0][n] + counts[1][n] == 2);
}

const test_case_t order_cases[] = {
    { "any_source_then_named_sizes", any_source_then_named_sizes, "Irecv(ANY_SOURCE), then a named Recv" },
    { "any_tag_then_named", any_tag_then_named, NULL }, { "named_then_any_source", named_then_any_source, NULL },
    { "any_source_cancelled_then_named", any_source_cancelled_then_named, NULL },
    { "many_wildcards", many_wildcards, NULL },
    { "mprobe_two_backwards", mprobe_two_backwards, "Probe, Iprobe, Mprobe, Improbe, then allocate, then receive" },
    { "mprobe_then_recv", mprobe_then_recv, NULL }, { "probe_large", probe_large, NULL },
    { "reverse_tags_sizes", reverse_tags_sizes, "200 Isends received in reverse order of tags" },
    { "big_and_small_mixed", big_and_small_mixed, "1 MB and small messages in one Waitall" },
    { "big_and_small_in_order", big_and_small_in_order, NULL },
    { "waitall_ignored_sizes", waitall_ignored_sizes, "Waitall with STATUSES_IGNORE" },
    { "two_threads_sizes", two_threads_sizes, "two threads on one communicator and tag" }, { NULL, NULL, NULL },
};
