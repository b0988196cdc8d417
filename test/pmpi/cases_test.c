/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that must come back without a message, and lists of requests of which some are nothing. */
#include "cases.h"

#include <unistd.h>

/* One way to ask whether a receive is complete. A request that has completed is null. */
typedef int (*ask_t) (MPI_Request *request, MPI_Status *status);

static int ask_test(MPI_Request *request, MPI_Status *status)
{
    int flag;
    MPI_Test(request, &flag, status);
    return flag;
}

static int ask_testall(MPI_Request *request, MPI_Status *status)
{
    int flag;
    MPI_Request both[2] = { MPI_REQUEST_NULL, *request };
    MPI_Status statuses[2];
    MPI_Testall(2, both, &flag, statuses);
    *request = both[1];
    if (flag)
        *status = statuses[1];
    return flag;
}

static int ask_testany(MPI_Request *request, MPI_Status *status)
{
    int flag, index;
    MPI_Request both[2] = { MPI_REQUEST_NULL, *request };
    MPI_Testany(2, both, &index, &flag, status);
    *request = both[1];
    EXPECT(!flag || index == 1);
    return flag;
}

static int ask_testsome(MPI_Request *request, MPI_Status *status)
{
    int done, indices[2];
    MPI_Request both[2] = { MPI_REQUEST_NULL, *request };
    MPI_Status statuses[2];
    MPI_Testsome(2, both, &done, indices, statuses);
    *request = both[1];
    EXPECT(done == 0 || (done == 1 && indices[0] == 1));
    if (done == 1)
        *status = statuses[0];
    return done;
}

static int ask_get_status(MPI_Request *request, MPI_Status *status)
{
    int flag;
    MPI_Request_get_status(*request, &flag, status);
    if (flag)
        MPI_Wait(request, status);
    return flag;
}

static const ask_t ways[] = { ask_test, ask_testall, ask_testany, ask_testsome, ask_get_status };
enum { way_count = sizeof ways / sizeof *ways };

/* The message is sent only when a hundred tests of it have come back. */
static void every_test_comes_back(void)
{
    int *in = room(10 * sizeof *in), out = 9;
    MPI_Request request;
    MPI_Status status;
    for (int way = 0; way < way_count; way++) {
        if (rank == 0) {
            MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&out, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
            continue;
        }
        MPI_Irecv(in, 10, MPI_INT, way % 2 ? MPI_ANY_SOURCE : 0, 2, MPI_COMM_WORLD, &request);
        for (int i = 0; i < 100; i++)
            EXPECT(!ways[way] (&request, &status));
        MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
        while (!ways[way] (&request, &status)) ;
        EXPECT_STATUS(&status, 0, 2, MPI_INT, 1);
        EXPECT(*in == 9 && untouched(in, sizeof *in) && request == MPI_REQUEST_NULL);
    }
}

static int probe_once(int matched, MPI_Message *message, MPI_Status *status)
{
    int flag;
    if (matched)
        MPI_Improbe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &flag, message, status);
    else
        MPI_Iprobe(0, 2, MPI_COMM_WORLD, &flag, status);
    return flag;
}

static void every_probe_comes_back(void)
{
    int *in = room(10 * sizeof *in), out = 9;
    MPI_Message message;
    MPI_Status status;
    for (int matched = 0; matched < 2; matched++) {
        if (rank == 0) {
            MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&out, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
            continue;
        }
        for (int i = 0; i < 100; i++)
            EXPECT(!probe_once(matched, &message, &status));
        MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
        while (!probe_once(matched, &message, &status)) ;
        EXPECT_STATUS(&status, 0, 2, MPI_INT, 1);
        if (matched)
            MPI_Mrecv(in, 10, MPI_INT, &message, &status);
        else
            MPI_Recv(in, 10, MPI_INT, 0, 2, MPI_COMM_WORLD, &status);
        EXPECT_STATUS(&status, 0, 2, MPI_INT, 1);
        EXPECT(*in == 9 && untouched(in, sizeof *in));
    }
}

/* An int that both ranks see, so that one can wait for the other without a call of MPI. */
static volatile int *shared_int(MPI_Win *window)
{
    MPI_Aint size;
    int unit;
    void *place;
    MPI_Win_allocate_shared(rank == 0 ? sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &place, window);
    MPI_Win_shared_query(*window, 0, &size, &unit, &place);
    if (rank == 0)
        *(volatile int *) place = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    return place;
}

static void expect_large(const char *in, const MPI_Status *status, size_t n)
{
    char *right = malloc(n);
    fill(right, n, 4);
    EXPECT_STATUS(status, 0, 1, MPI_CHAR, (int) n);
    EXPECT(memcmp(in, right, n) == 0 && untouched(in, n));
    free(right);
}

/* The sender has begun to send and then calls MPI no more until 50 tests have come back: they must not wait for what
 * it has not sent yet. */
static void test_while_sender_sleeps(void)
{
    MPI_Win window;
    volatile int *tested = shared_int(&window);
    int turn = 0;
    for (int way = 0; way < way_count; way++)
        for (size_t n = 8; n <= 8 << 17; n <<= 17) {
            char *data = room(n + 100);
            MPI_Request request;
            MPI_Status status;
            turn++;
            if (rank == 0) {
                fill(data, n, 4);
                MPI_Isend(data, (int) n, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request);
                while (*tested < turn)
                    usleep(500);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
                continue;
            }
            int flag = 0;
            MPI_Irecv(data, (int) n + 100, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &request);
            for (int i = 0; i < 50 && !flag; i++)
                flag = ways[way] (&request, &status);
            *tested = turn;
            while (!flag)
                flag = ways[way] (&request, &status);
            expect_large(data, &status, n);
        }
    MPI_Win_free(&window);
}

/* Null, inactive and active requests in one list: only the active one counts. */
static void make_mixed(MPI_Request *requests, int *in, int active)
{
    requests[0] = MPI_REQUEST_NULL;
    MPI_Recv_init(&in[1], 1, MPI_INT, other, 1, MPI_COMM_WORLD, &requests[1]);
    requests[2] = MPI_REQUEST_NULL;
    if (active)
        MPI_Irecv(&in[3], 1, MPI_INT, other, 3, MPI_COMM_WORLD, &requests[2]);
    MPI_Send_init(&in[4], 1, MPI_INT, other, 4, MPI_COMM_WORLD, &requests[3]);
}

static void free_mixed(MPI_Request *requests)
{
    EXPECT(requests[0] == MPI_REQUEST_NULL && requests[2] == MPI_REQUEST_NULL);
    EXPECT(requests[1] != MPI_REQUEST_NULL && requests[3] != MPI_REQUEST_NULL);
    MPI_Request_free(&requests[1]);
    MPI_Request_free(&requests[3]);
}

/* One way to complete what is active in a list of four; says which it was. */
static int complete_one(int way, MPI_Request *requests, MPI_Status *status)
{
    int index = -1, flag = 0, done = 0, indices[4];
    MPI_Status statuses[4];
    switch (way) {
    case 0: MPI_Waitany(4, requests, &index, status); return index;
    case 1: MPI_Waitsome(4, requests, &done, indices, statuses); break;
    case 2: while (!flag) MPI_Testany(4, requests, &index, &flag, status); return index;
    case 3: while (!done) MPI_Testsome(4, requests, &done, indices, statuses); break;
    case 4: while (!flag) MPI_Testall(4, requests, &flag, statuses); *status = statuses[2]; return 2;
    default: MPI_Waitall(4, requests, statuses); *status = statuses[2]; return 2;
    }
    if (done == MPI_UNDEFINED)
        return MPI_UNDEFINED;
    EXPECT(done == 1);
    *status = statuses[0];
    return indices[0];
}

static void mixed_lists(void)
{
    int *in = room(5 * sizeof *in);
    MPI_Request requests[4];
    MPI_Status status;
    for (int way = 0; way < 6; way++) {
        const int out = 10 * way + rank;
        make_mixed(requests, in, 1);
        MPI_Send(&out, 1, MPI_INT, other, 3, MPI_COMM_WORLD);
        EXPECT(complete_one(way, requests, &status) == 2);
        EXPECT_STATUS(&status, other, 3, MPI_INT, 1);
        EXPECT(in[3] == 10 * way + other && in[1] == in[4]);
        free_mixed(requests);
    }
}

static void inactive_lists(void)
{
    int *in = room(5 * sizeof *in);
    MPI_Request requests[4];
    MPI_Status status;
    make_mixed(requests, in, 0);
    for (int way = 0; way < 4; way++)
        EXPECT(complete_one(way, requests, &status) == MPI_UNDEFINED);
    for (int way = 4; way < 6; way++) {
        EXPECT(complete_one(way, requests, &status) == 2);
        note_status("empty", &status, MPI_INT);
    }
    free_mixed(requests);
    EXPECT(untouched(in, 0));
}

/* No requests at all, and lists without a place. */
static void empty_lists(void)
{
    int index = 5, done = 5, flag = 0;
    MPI_Request none = MPI_REQUEST_NULL;
    MPI_Status status;
    EXPECT(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    EXPECT(MPI_Waitany(0, NULL, &index, MPI_STATUS_IGNORE) == MPI_SUCCESS && index == MPI_UNDEFINED);
    EXPECT(MPI_Waitsome(0, NULL, &done, NULL, MPI_STATUSES_IGNORE) == MPI_SUCCESS && done == MPI_UNDEFINED);
    EXPECT(MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE) == MPI_SUCCESS && flag);
    EXPECT(MPI_Test(&none, &flag, &status) == MPI_SUCCESS && flag);
    note_status("null", &status, MPI_INT);
    EXPECT(MPI_Request_get_status(none, &flag, &status) == MPI_SUCCESS && flag);
    note_status("null", &status, MPI_INT);
}

/* Of an inactive, a started and a completed persistent request. */
static void get_status_of_persistent(void)
{
    int *in = room(10 * sizeof *in), out = 6, flag;
    MPI_Request request;
    MPI_Status status;
    if (rank == 0) {
        MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&out, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
        return;
    }
    MPI_Recv_init(in, 10, MPI_INT, 0, 2, MPI_COMM_WORLD, &request);
    MPI_Request_get_status(request, &flag, &status);
    EXPECT(flag);
    note_status("inactive", &status, MPI_INT);
    MPI_Start(&request);
    MPI_Request_get_status(request, &flag, &status);
    EXPECT(!flag);
    MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
    for (flag = 0; !flag;)
        MPI_Request_get_status(request, &flag, &status);
    EXPECT_STATUS(&status, 0, 2, MPI_INT, 1);
    MPI_Wait(&request, &status);
    EXPECT_STATUS(&status, 0, 2, MPI_INT, 1);
    EXPECT(*in == 6 && untouched(in, sizeof *in));
    MPI_Request_free(&request);
}

const test_case_t test_cases[] = {
    { "every_test_comes_back", every_test_comes_back, "Test never blocks" },
    { "every_probe_comes_back", every_probe_comes_back, NULL },
    { "test_while_sender_sleeps", test_while_sender_sleeps, NULL },
    { "mixed_lists", mixed_lists, "Waitany and Waitsome on null and inactive requests" },
    { "inactive_lists", inactive_lists, NULL }, { "empty_lists", empty_lists, NULL },
    { "get_status_of_persistent", get_status_of_persistent, "Request_get_status" }, { NULL, NULL, NULL },
};
