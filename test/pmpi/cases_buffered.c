/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffered sends: the user's buffer has exactly the size that the standard asks for. */
#include "cases.h"

static size_t bytes_for(int count, MPI_Datatype type)
{
    int packed;
    MPI_Pack_size(count, type, MPI_COMM_WORLD, &packed);
    return (size_t) packed + MPI_BSEND_OVERHEAD;
}

static void attach(void **space, size_t size)
{
    *space = room(size);
    EXPECT(MPI_Buffer_attach(*space, (int) size) == MPI_SUCCESS);
}

/* Detach waits for all messages, and gives back what was attached. */
static void detach(const void *space, size_t size)
{
    void *detached = NULL;
    int detached_size = -1;
    EXPECT(MPI_Buffer_detach(&detached, &detached_size) == MPI_SUCCESS);
    EXPECT(detached == space && detached_size == (int) size);
}

static void receive_ints(int n, int tag)
{
    int *in = room(((size_t) n + 5) * sizeof *in);
    MPI_Status status;
    MPI_Recv(in, n + 5, MPI_INT, 0, tag, MPI_COMM_WORLD, &status);
    EXPECT_STATUS(&status, 0, tag, MPI_INT, n);
    EXPECT(in[0] == 1000 * tag && in[n - 1] == 1000 * tag + n - 1);
    EXPECT(untouched(in, (size_t) n * sizeof *in));
}

static int *make_ints(int n, int tag)
{
    int *out = room((size_t) n * sizeof *out);
    for (int i = 0; i < n; i++)
        out[i] = 1000 * tag + i;
    return out;
}

static void bsend_exact(void)
{
    static const int counts[] = { 1, 2, 3, 100, 5000, 100000 };
    for (int i = 0; i < 6; i++) {
        const size_t size = bytes_for(counts[i], MPI_INT);
        void *space = NULL;
        if (rank == 1) {
            receive_ints(counts[i], i);
            continue;
        }
        attach(&space, size);
        EXPECT(MPI_Bsend(make_ints(counts[i], i), counts[i], MPI_INT, 1, i, MPI_COMM_WORLD) == MPI_SUCCESS);
        detach(space, size);
    }
}

/* Twenty at once, received in the other order; the data change right after the call. */
static void bsend_many(void)
{
    enum { n = 20 };
    size_t size = 0;
    void *space = NULL;
    for (int i = 0; i < n; i++)
        size += bytes_for(i + 1, MPI_INT);
    if (rank == 0) {
        attach(&space, size);
        for (int i = 0; i < n; i++) {
            int *out = make_ints(i + 1, i);
            EXPECT(MPI_Bsend(out, i + 1, MPI_INT, 1, i, MPI_COMM_WORLD) == MPI_SUCCESS);
            memset(out, 0, (size_t) (i + 1) * sizeof *out);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = n - 1; rank == 1 && i >= 0; i--)
        receive_ints(i + 1, i);
    if (rank == 0)
        detach(space, size);
}

static void ibsend(void)
{
    const size_t size = bytes_for(50, MPI_INT) + bytes_for(7, MPI_INT);
    void *space = NULL;
    MPI_Request requests[2];
    if (rank == 1) {
        receive_ints(7, 2);
        receive_ints(50, 1);
        return;
    }
    attach(&space, size);
    EXPECT(MPI_Ibsend(make_ints(50, 1), 50, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[0]) == MPI_SUCCESS);
    EXPECT(MPI_Ibsend(make_ints(7, 2), 7, MPI_INT, 1, 2, MPI_COMM_WORLD, &requests[1]) == MPI_SUCCESS);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    detach(space, size);
}

static void bsend_init(void)
{
    const size_t size = bytes_for(50, MPI_INT);
    MPI_Request request;
    void *space = NULL;
    if (rank == 0) {
        attach(&space, size);
        MPI_Bsend_init(make_ints(50, 1), 50, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
    }
    for (int round = 0; round < 3; round++) {
        if (rank == 1) {
            receive_ints(50, 1);
            continue;
        }
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        detach(space, size);            /* it is empty again */
        MPI_Buffer_attach(space, (int) size);
    }
    if (rank == 0) {
        MPI_Request_free(&request);
        detach(space, size);
    }
}

/* A type with gaps, from a buffer of the size that MPI_Pack_size gives for it. */
static void bsend_derived(void)
{
    MPI_Datatype three = make_three_bytes();
    const size_t size = bytes_for(9, three);
    char *out = room(64), *in = room(64);
    void *space = NULL;
    MPI_Status status;
    fill(out, 64, 2);
    if (rank == 0) {
        attach(&space, size);
        EXPECT(MPI_Bsend(out, 9, three, 1, 1, MPI_COMM_WORLD) == MPI_SUCCESS);
        detach(space, size);
    } else {
        MPI_Recv(in, 64, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &status);
        EXPECT_STATUS(&status, 0, 1, MPI_CHAR, 27);
        EXPECT(memcmp(in, out, 3) == 0 && memcmp(in + 3, out + 4, 3) == 0 && memcmp(in + 24, out + 32, 3) == 0);
        EXPECT(untouched(in, 27));
    }
    MPI_Type_free(&three);
}

/* Sends n ints into a buffer that may be too small for them; the receiver learns whether they come. */
static void try_bsend(const char *what, int n)
{
    int sent = 0;
    if (rank == 0) {
        const int rc = MPI_Bsend(make_ints(n, 1), n, MPI_INT, 1, 1, MPI_COMM_WORLD);
        note("%s: class %d", what, error_class(rc));
        sent = rc == MPI_SUCCESS;
        MPI_Send(&sent, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
        return;
    }
    MPI_Recv(&sent, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    note("%s: sent %d", what, sent);
    if (sent)
        receive_ints(n, 1);
}

/* Without a buffer, and with one that is too small: the same class of error, or the same success. */
static void bsend_without_room(void)
{
    void *space = NULL;
    try_bsend("none", 1000);
    attach(&space, bytes_for(500, MPI_INT));
    try_bsend("too small", 1000);
    try_bsend("large enough", 500);
    detach(space, bytes_for(500, MPI_INT));
}

static void bsend_to_itself(void)
{
    const size_t size = bytes_for(3, MPI_INT);
    int *in = room(10 * sizeof *in);
    void *space = NULL;
    MPI_Status status;
    attach(&space, size);
    MPI_Bsend(make_ints(3, 4), 3, MPI_INT, rank, 4, MPI_COMM_WORLD);
    MPI_Recv(in, 10, MPI_INT, rank, 4, MPI_COMM_WORLD, &status);
    EXPECT_STATUS(&status, rank, 4, MPI_INT, 3);
    EXPECT(in[2] == 4002 && untouched(in, 3 * sizeof *in));
    detach(space, size);
}

const test_case_t buffered_cases[] = {
    { "bsend_exact", bsend_exact, "Bsend, with a buffer of exactly the size asked for" },
    { "bsend_many", bsend_many, NULL }, { "ibsend", ibsend, NULL }, { "bsend_init", bsend_init, NULL },
    { "bsend_derived", bsend_derived, NULL }, { "bsend_without_room", bsend_without_room, NULL },
    { "bsend_to_itself", bsend_to_itself, NULL }, { NULL, NULL, NULL },
};
