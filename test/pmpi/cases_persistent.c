/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistent requests: to each other and to plain ones, started again and again. */
#include "cases.h"

enum { rounds = 3, sent = 4, posted = 10, tag = 3 };

static void fill_round(int *out, int round)
{
    for (int i = 0; i < sent; i++)
        out[i] = 100 * round + i;
}

/* What the round's message must have left. */
static void expect_round(const int *in, const MPI_Status *status, int round)
{
    EXPECT_STATUS(status, 0, tag, MPI_INT, sent);
    EXPECT(in[0] == 100 * round && in[sent - 1] == 100 * round + sent - 1);
    EXPECT(untouched(in, sent * sizeof *in));
}

/* A round of a persistent request. */
static void start_and_wait(MPI_Request *request, MPI_Status *status)
{
    MPI_Start(request);
    MPI_Wait(request, status);
    EXPECT(*request != MPI_REQUEST_NULL);
}

static void receive_rounds(MPI_Request *request, const int *in)
{
    MPI_Status status;
    for (int round = 0; round < rounds; round++) {
        start_and_wait(request, &status);
        expect_round(in, &status, round);
    }
    MPI_Request_free(request);
}

static void send_rounds(MPI_Request *request, int *out)
{
    for (int round = 0; round < rounds; round++) {
        fill_round(out, round);
        start_and_wait(request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(request);
}

static void send_plainly(int *out)
{
    for (int round = 0; round < rounds; round++) {
        fill_round(out, round);
        MPI_Send(out, sent, MPI_INT, 1, tag, MPI_COMM_WORLD);
    }
}

static void receive_plainly(int *in)
{
    MPI_Status status;
    for (int round = 0; round < rounds; round++) {
        MPI_Recv(in, posted, MPI_INT, 0, tag, MPI_COMM_WORLD, &status);
        expect_round(in, &status, round);
    }
}

typedef int send_init_t(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static void send_persistently(send_init_t *init)
{
    int *out = room(sent * sizeof *out);
    MPI_Request request;
    init(out, sent, MPI_INT, 1, tag, MPI_COMM_WORLD, &request);
    send_rounds(&request, out);
}

static void receive_persistently(int source, int with_tag)
{
    int *in = room(posted * sizeof *in);
    MPI_Request request;
    MPI_Recv_init(in, posted, MPI_INT, source, with_tag, MPI_COMM_WORLD, &request);
    receive_rounds(&request, in);
}

static void persistent_to_persistent(void)
{
    rank == 0 ? send_persistently(MPI_Send_init) : receive_persistently(0, tag);
}

static void persistent_to_plain(void)
{
    rank == 0 ? send_persistently(MPI_Send_init) : receive_plainly(room(posted * sizeof(int)));
}

static void plain_to_persistent(void)
{
    rank == 0 ? send_plainly(room(sent * sizeof(int))) : receive_persistently(0, tag);
}

static void persistent_wildcards(void)
{
    rank == 0 ? send_plainly(room(sent * sizeof(int))) : receive_persistently(MPI_ANY_SOURCE, MPI_ANY_TAG);
}

static void persistent_ssend(void)
{
    rank == 0 ? send_persistently(MPI_Ssend_init) : receive_plainly(room(posted * sizeof(int)));
}

/* Ready: the receive is there before each start. */
static void persistent_rsend(void)
{
    int *out = room(sent * sizeof *out), *in = room(posted * sizeof *in);
    MPI_Request request;
    MPI_Status status;
    if (rank == 0)
        MPI_Rsend_init(out, sent, MPI_INT, 1, tag, MPI_COMM_WORLD, &request);
    else
        MPI_Recv_init(in, posted, MPI_INT, 0, tag, MPI_COMM_WORLD, &request);
    for (int round = 0; round < rounds; round++) {
        fill_round(out, round);
        if (rank == 1)
            MPI_Start(&request);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            MPI_Start(&request);
        MPI_Wait(&request, &status);
        if (rank == 1)
            expect_round(in, &status, round);
    }
    MPI_Request_free(&request);
}

/* Both ways, several at once, each message with another length; completed by a Waitall. */
static void startall(void)
{
    enum { n = 5 };
    int *out[n], *in[n];
    MPI_Request requests[2 * n];
    MPI_Status statuses[2 * n];
    for (int i = 0; i < n; i++) {
        out[i] = room((size_t) (i + 1) * sizeof(int));
        in[i] = room(posted * sizeof(int));
        MPI_Recv_init(in[i], posted, MPI_INT, other, i, MPI_COMM_WORLD, &requests[i]);
        MPI_Send_init(out[i], i + 1, MPI_INT, other, i, MPI_COMM_WORLD, &requests[n + i]);
    }
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < n; i++)
            out[i][i] = 10 * round + rank;
        MPI_Startall(2 * n, requests);
        MPI_Waitall(2 * n, requests, round == 1 ? MPI_STATUSES_IGNORE : statuses);
        for (int i = 0; i < n; i++) {
            EXPECT(in[i][i] == 10 * round + other && untouched(in[i], (size_t) (i + 1) * sizeof(int)));
            if (round != 1)
                EXPECT_STATUS(&statuses[i], other, i, MPI_INT, i + 1);
        }
    }
    for (int i = 0; i < 2 * n; i++)
        MPI_Request_free(&requests[i]);
}

/* Never started, and started once and then freed; what comes after is not disturbed. */
static void persistent_freed_inactive(void)
{
    int *out = room(sent * sizeof *out), *in = room(posted * sizeof *in), *never = room(sizeof *never);
    MPI_Request requests[2];
    MPI_Status status;
    for (int i = 0; i < 100; i++) {
        MPI_Send_init(never, 1, MPI_INT, other, tag, MPI_COMM_WORLD, &requests[0]);
        MPI_Recv_init(never, 1, MPI_INT, other, tag, MPI_COMM_WORLD, &requests[1]);
        MPI_Request_free(&requests[0]);
        MPI_Request_free(&requests[1]);
        EXPECT(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
    }
    fill_round(out, 1);
    if (rank == 0) {
        MPI_Send_init(out, sent, MPI_INT, 1, tag, MPI_COMM_WORLD, &requests[0]);
        start_and_wait(&requests[0], &status);
        MPI_Request_free(&requests[0]);
        MPI_Send(out, sent, MPI_INT, 1, tag, MPI_COMM_WORLD);
    } else {
        for (int i = 0; i < 2; i++) {
            MPI_Recv(in, posted, MPI_INT, 0, tag, MPI_COMM_WORLD, &status);
            expect_round(in, &status, 1);
        }
    }
    EXPECT(untouched(never, 0));
}

/* A send that is freed while it is active still arrives. */
static void persistent_freed_active(void)
{
    int *out = room(sent * sizeof *out), *in = room(posted * sizeof *in);
    MPI_Request request;
    MPI_Status status;
    fill_round(out, 1);
    if (rank == 0) {
        MPI_Send_init(out, sent, MPI_INT, 1, tag, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        MPI_Request_free(&request);
        EXPECT(request == MPI_REQUEST_NULL);
    } else {
        MPI_Recv(in, posted, MPI_INT, 0, tag, MPI_COMM_WORLD, &status);
        expect_round(in, &status, 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);        /* the buffer lives until then */
}

/* Completed by tests; each test of the inactive request says that nothing is left to do. */
static void persistent_tested(void)
{
    int *out = room(sent * sizeof *out), *in = room(posted * sizeof *in), flag;
    MPI_Request request;
    MPI_Status status;
    if (rank == 0) {
        send_plainly(out);
        return;
    }
    MPI_Recv_init(in, posted, MPI_INT, 0, tag, MPI_COMM_WORLD, &request);
    for (int round = 0; round < rounds; round++) {
        MPI_Start(&request);
        for (flag = 0; !flag;)
            MPI_Test(&request, &flag, &status);
        expect_round(in, &status, round);
        MPI_Test(&request, &flag, &status);
        note_status("inactive", &status, MPI_INT);
        EXPECT(flag && request != MPI_REQUEST_NULL);
    }
    MPI_Request_free(&request);
}

static void persistent_cancelled(void)
{
    int *out = room(sent * sizeof *out), *in = room(posted * sizeof *in), cancelled;
    MPI_Request request;
    MPI_Status status;
    if (rank == 1) {
        MPI_Recv_init(in, posted, MPI_INT, 0, tag, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &cancelled);
        EXPECT(cancelled && untouched(in, 0) && request != MPI_REQUEST_NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        send_plainly(out);
    } else {
        receive_rounds(&request, in);
    }
}

/* The type and the place of the data outlive what they were named by. */
static void persistent_types(void)
{
    double *out = room(20 * sizeof *out), *in = room(20 * sizeof *in);
    MPI_Aint place;
    MPI_Datatype every_second, absolute;
    MPI_Request request;
    const int one = 1;
    MPI_Type_vector(10, 1, 2, MPI_DOUBLE, &every_second);
    MPI_Get_address(rank == 0 ? out : in, &place);
    MPI_Type_create_struct(1, &one, &place, &every_second, &absolute);
    MPI_Type_commit(&absolute);
    if (rank == 0)
        MPI_Send_init(MPI_BOTTOM, 1, absolute, 1, tag, MPI_COMM_WORLD, &request);
    else
        MPI_Recv_init(MPI_BOTTOM, 1, absolute, 0, tag, MPI_COMM_WORLD, &request);
    MPI_Type_free(&absolute);
    MPI_Type_free(&every_second);
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < 20; i++)
            out[i] = 50 * round + i;
        start_and_wait(&request, MPI_STATUS_IGNORE);
        EXPECT(rank == 0 || (in[0] == 50 * round && in[18] == 50 * round + 18));
    }
    MPI_Request_free(&request);
    note("gap %u", checksum(&in[1], sizeof *in));
    EXPECT(checksum(&in[1], sizeof *in) == checksum(&in[3], sizeof *in));
}

static void persistent_to_itself(void)
{
    int *out = room(sent * sizeof *out), *in = room(posted * sizeof *in);
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Recv_init(in, posted, MPI_INT, rank, tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(out, sent, MPI_INT, rank, tag, MPI_COMM_WORLD, &requests[1]);
    for (int round = 0; round < rounds; round++) {
        fill_round(out, round);
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, statuses);
        EXPECT_STATUS(&statuses[0], rank, tag, MPI_INT, sent);
        EXPECT(in[1] == 100 * round + 1 && untouched(in, sent * sizeof *in));
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

/* Large messages, which the MPI library sends in another way. */
static void persistent_large(void)
{
    enum { n = 1 << 20 };
    char *out = room(n), *in = room(n + 100);
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Recv_init(in, n + 100, MPI_CHAR, other, tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(out, n, MPI_CHAR, other, tag, MPI_COMM_WORLD, &requests[1]);
    for (int round = 0; round < rounds; round++) {
        fill(out, n, round + rank);
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, statuses);
        EXPECT_STATUS(&statuses[0], other, tag, MPI_CHAR, n);
        fill(out, n, round + other);
        EXPECT(memcmp(in, out, n) == 0 && untouched(in, n));
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

const test_case_t persistent_cases[] = {
    { "persistent_to_persistent", persistent_to_persistent, "persistent, restarted" },
    { "persistent_to_plain", persistent_to_plain, NULL }, { "plain_to_persistent", plain_to_persistent, NULL },
    { "persistent_wildcards", persistent_wildcards, NULL }, { "persistent_ssend", persistent_ssend, NULL },
    { "persistent_rsend", persistent_rsend, NULL }, { "startall", startall, NULL },
    { "persistent_freed_inactive", persistent_freed_inactive, NULL },
    { "persistent_freed_active", persistent_freed_active, NULL }, { "persistent_tested", persistent_tested, NULL },
    { "persistent_types", persistent_types, NULL }, { "persistent_to_itself", persistent_to_itself, NULL },
    { "persistent_large", persistent_large, NULL },
    { "persistent_cancelled", persistent_cancelled, "Cancel, then Test_cancelled" }, { NULL, NULL, NULL },
};
