/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests: whatever completes them. */
#include "cases.h"

static void reverse_tags(void)
{
    enum { n = 200 };
    int values[n], sum = 0;
    MPI_Request requests[n];
    MPI_Status status;
    if (rank == 0) {
        for (int i = 0; i < n; i++) {
            values[i] = i * i;
            MPI_Isend(&values[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);
        }
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
        return;
    }
    for (int i = n - 1; i >= 0; i--) {
        int in = -1;
        MPI_Recv(&in, 1, MPI_INT, 0, i, MPI_COMM_WORLD, &status);
        EXPECT(in == i * i && status.MPI_TAG == i);
        sum += in;
    }
    note("sum %d", sum);
}

static void nine_thousand(void)
{
    enum { n = 9000 };
    int *out = malloc(n * sizeof *out), *in = malloc(n * sizeof *in);
    MPI_Request *requests = malloc(2 * n * sizeof *requests);
    MPI_Status *statuses = malloc(2 * n * sizeof *statuses);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < n; i++) {
            out[i] = i + round;
            MPI_Irecv(&in[i], 1, MPI_INT, other, i, MPI_COMM_WORLD, &requests[i]);
        }
        for (int i = 0; i < n; i++)
            MPI_Isend(&out[i], 1, MPI_INT, other, i, MPI_COMM_WORLD, &requests[n + i]);
        MPI_Waitall(2 * n, requests, round == 0 ? statuses : MPI_STATUSES_IGNORE);
        if (round == 0)
            note_status("last", &statuses[n - 1], MPI_INT);
        note("in %u", checksum(in, n * sizeof *in));
        EXPECT(in[n - 1] == n - 1 + round);
    }
    free(out);
    free(in);
    free(requests);
    free(statuses);
}

static void null_requests(void)
{
    MPI_Request requests[3] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    int index, flag, done, indices[3], out = rank, in = -1;
    MPI_Status status, statuses[3];
    MPI_Waitany(3, requests, &index, &status);
    note("waitany %d", index == MPI_UNDEFINED);
    MPI_Waitsome(3, requests, &done, indices, statuses);
    note("waitsome %d", done == MPI_UNDEFINED);
    MPI_Testany(3, requests, &index, &flag, &status);
    note("testany %d %d", index == MPI_UNDEFINED, flag);
    MPI_Testsome(3, requests, &done, indices, statuses);
    note("testsome %d", done == MPI_UNDEFINED);
    MPI_Testall(3, requests, &flag, statuses);
    note("testall %d", flag);
    MPI_Wait(&requests[0], &status);
    note_status("wait", &status, MPI_INT);
    MPI_Irecv(&in, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Send(&out, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
    MPI_Waitany(3, requests, &index, &status);
    note("index %d", index);
    note_status("waitany", &status, MPI_INT);
    EXPECT(in == other);
}

/* A test of a message that was not sent yet comes back, and says so. */
static void test_comes_back(void)
{
    int in = -1, flag = 1, out = 9;
    MPI_Request request;
    MPI_Status status;
    if (rank == 0) {
        MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&out, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
        return;
    }
    MPI_Irecv(&in, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 100; i++) {
        MPI_Test(&request, &flag, &status);
        EXPECT(!flag);
    }
    MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
    for (flag = 0; !flag;)
        MPI_Test(&request, &flag, &status);
    note_status("test", &status, MPI_INT);
    EXPECT(in == 9 && request == MPI_REQUEST_NULL);
}

enum { some_count = 6 };

static void post_some(int *in, const int *out, MPI_Request *requests)
{
    for (int i = 0; i < some_count; i++) {
        in[i] = -1;
        MPI_Irecv(&in[i], 1, MPI_INT, other, i, MPI_COMM_WORLD, &requests[2 * i]);
        MPI_Isend(&out[i], 1, MPI_INT, other, i, MPI_COMM_WORLD, &requests[2 * i + 1]);
    }
}

/* Every function that completes some of many; which come first is up to the MPI library, so sums are noted. */
static void ways_to_complete(void)
{
    int in[some_count], out[some_count], indices[2 * some_count];
    MPI_Request requests[2 * some_count];
    MPI_Status statuses[2 * some_count];
    for (int i = 0; i < some_count; i++)
        out[i] = 10 * i + rank;
    for (int way = 0; way < 5; way++) {
        int left = 2 * some_count, bytes = 0;
        post_some(in, out, requests);
        while (left > 0) {
            int done = 0, flag = 0, ready = 0;
            switch (way) {
            case 0: MPI_Waitany(2 * some_count, requests, indices, statuses), done = 1; break;
            case 1: MPI_Waitsome(2 * some_count, requests, &done, indices, statuses); break;
            case 2: MPI_Testany(2 * some_count, requests, indices, &flag, statuses), done = flag; break;
            case 3: MPI_Testsome(2 * some_count, requests, &done, indices, statuses); break;
            case 4: MPI_Testall(2 * some_count, requests, &flag, statuses), done = flag ? left : 0; break;
            }
            for (int i = 0; i < done; i++) {
                const int which = way == 4 ? i : indices[i];
                if (which % 2 == 0)
                    MPI_Get_count(&statuses[i], MPI_BYTE, &ready), bytes += ready;
            }
            left -= done;
        }
        note("way %d: bytes %d in %u", way, bytes, checksum(in, sizeof in));
        EXPECT(bytes == some_count * (int) sizeof *in && in[3] == 30 + other);
    }
}

static void cancel(void)
{
    int in = -1, out = 3, cancelled;
    MPI_Request request;
    MPI_Status status;
    if (rank == 1) {
        MPI_Irecv(&in, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &cancelled);
        note("cancelled %d in %d", cancelled, in);
        EXPECT(cancelled && in == -1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Send(&out, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&in, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &status);
        MPI_Test_cancelled(&status, &cancelled);
        note_status("after", &status, MPI_INT);
        note("cancelled %d", cancelled);
        EXPECT(in == 3);
    }
}

/* The message was there already: it is received, and not cancelled. */
static void cancel_too_late(void)
{
    int *in = room(4 * sizeof *in), out = 3, cancelled = 1;
    MPI_Request request;
    MPI_Status status;
    if (rank == 0) {
        MPI_Send(&out, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        return;
    }
    MPI_Probe(0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(in, 4, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    EXPECT(!cancelled);
    EXPECT_STATUS(&status, 0, 1, MPI_INT, 1);
    EXPECT(*in == 3 && untouched(in, sizeof *in));
}

/* Two of four are cancelled, and one Waitall completes them all. */
static void cancel_some(void)
{
    int *in = room(4 * sizeof *in), cancelled;
    MPI_Request requests[4];
    MPI_Status statuses[4];
    if (rank == 1) {
        for (int i = 0; i < 4; i++)
            MPI_Irecv(&in[i], 1, MPI_INT, i == 1 ? MPI_ANY_SOURCE : 0, i, MPI_COMM_WORLD, &requests[i]);
        MPI_Cancel(&requests[1]);
        MPI_Cancel(&requests[3]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 4; i += 2)
        if (rank == 0)
            MPI_Send(&i, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
    if (rank == 0)
        return;
    MPI_Waitall(4, requests, statuses);
    for (int i = 0; i < 4; i++) {
        MPI_Test_cancelled(&statuses[i], &cancelled);
        EXPECT(cancelled == i % 2);
        if (i % 2 == 0)
            EXPECT_STATUS(&statuses[i], 0, i, MPI_INT, 1);
    }
    EXPECT(in[0] == 0 && in[2] == 2 && in[1] == in[3]);
}

/* A receive that was freed before its message came: the message is in the buffer some time later. */
static void freed_receive(void)
{
    enum { tries = 20000000 };
    int out = 5, flag;
    volatile int *in = room(4 * sizeof *in);
    MPI_Request request;
    if (rank == 1) {
        MPI_Irecv((void *) in, 4, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
        EXPECT(request == MPI_REQUEST_NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Send(&out, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Send(&out, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        return;
    }
    for (int i = 0; i < tries && in[0] != 5; i++)
        MPI_Iprobe(0, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    EXPECT(in[0] == 5 && in[1] == in[3]);
    int next = -1;      /* the first message is not there any more */
    MPI_Recv(&next, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Iprobe(0, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    EXPECT(next == 5 && !flag);
}

static void freed_requests(void)
{
    enum { large = 300000 };
    char *buffer = malloc(large);
    int small = 4, in = -1;
    MPI_Request request;
    fill(buffer, large, 1);
    const unsigned sum = checksum(buffer, large);
    if (rank == 0) {
        MPI_Isend(&small, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
        MPI_Isend(buffer, large, MPI_CHAR, 1, 2, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
        EXPECT(request == MPI_REQUEST_NULL);
        MPI_Recv(&in, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);     /* it has all arrived */
    } else {
        MPI_Recv(&in, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        memset(buffer, 0, large);
        MPI_Recv(buffer, large, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&in, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
        EXPECT(checksum(buffer, large) == sum);
    }
    note("in %d", in);
    free(buffer);
}

static void request_get_status(void)
{
    int in[4] = { -1, -1, -1, -1 }, out = 6, flag = 0;
    MPI_Request request;
    MPI_Status status;
    if (rank == 0) {
        MPI_Send(&out, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        return;
    }
    MPI_Irecv(in, 4, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
    while (!flag)
        MPI_Request_get_status(request, &flag, &status);
    note_status("looked at", &status, MPI_INT);
    MPI_Request_get_status(request, &flag, &status);
    note_status("again", &status, MPI_INT);
    MPI_Wait(&request, &status);
    note_status("waited for", &status, MPI_INT);
    EXPECT(in[0] == 6 && in[1] == -1);
}

/* The same buffer in many messages at once. */
static void one_buffer_many_sends(void)
{
    enum { n = 64 };
    int value = 17, in[n], sum = 0;
    MPI_Request requests[n];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < n; i++)
            if (rank == 0)
                MPI_Isend(&value, 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);
            else
                MPI_Irecv(&in[i], 1, MPI_INT, 0, n - 1 - i, MPI_COMM_WORLD, &requests[i]);
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; rank == 1 && i < n; i++)
            sum += in[i];
    }
    note("sum %d", sum);
}

const test_case_t request_cases[] = {
    { "reverse_tags", reverse_tags, "200 Isends received in reverse order of tags" },
    { "nine_thousand", nine_thousand, "9,000 requests in one Waitall" },
    { "null_requests", null_requests, "Waitany and Waitsome on null and inactive requests" },
    { "test_comes_back", test_comes_back, "Test never blocks" },
    { "ways_to_complete", ways_to_complete, "every way to complete requests" },
    { "one_buffer_many_sends", one_buffer_many_sends, NULL }, { "cancel", cancel, "Cancel, then Test_cancelled" },
    { "cancel_too_late", cancel_too_late, NULL }, { "cancel_some", cancel_some, NULL },
    { "freed_requests", freed_requests, "Request_free of active sends and receives" },
    { "freed_receive", freed_receive, NULL },
    { "request_get_status", request_get_status, "Request_get_status" }, { NULL, NULL, NULL },
};
