/* SPDX-License-Identifier: BSD-3-Clause */
/* What a receive tells about its message. */
#include "cases.h"

/* A receive with more room than the message: counts in every unit, and not a byte behind the message is touched. */
static void larger_buffer(void)
{
    static const int sizes[] = { 0, 1, 7, 8, 13, 15, 16, 17, 100, 5000, 100000 };
    enum { room = 200000 };
    MPI_Datatype three = make_three_bytes();
    char *buffer = malloc(room);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        MPI_Status status;
        memset(buffer, 0x55, room);
        if (rank == 0) {
            fill(buffer, (size_t) sizes[i], 1);
            MPI_Send(buffer, sizes[i], MPI_CHAR, 1, (int) i, MPI_COMM_WORLD);
            continue;
        }
        MPI_Recv(buffer, room, MPI_CHAR, 0, (int) i, MPI_COMM_WORLD, &status);
        note_status("bytes", &status, MPI_CHAR);
        note_status("doubles", &status, MPI_DOUBLE);
        note_status("threes", &status, three);
        note("buffer %u", checksum(buffer, room));
        EXPECT(buffer[sizes[i]] == 0x55);
    }
    MPI_Type_free(&three);
    free(buffer);
}

/* A receive of more elements than come, into a room of every shape: what lies between and behind is untouched. */
static void short_receive(void)
{
    MPI_Datatype spaced;
    MPI_Status status;
    MPI_Type_vector(1, 2, 5, MPI_INT, &spaced);         /* two ints ... */
    MPI_Datatype wide;
    MPI_Type_create_resized(spaced, 0, 5 * sizeof(int), &wide);         /* ... of every five */
    MPI_Type_commit(&wide);
    for (int n = 0; n <= 7; n++) {
        int out[7] = { 1, 2, 3, 4, 5, 6, 7 }, *in = room(50 * sizeof *in);
        if (rank == 0) {
            MPI_Send(out, n, MPI_INT, 1, n, MPI_COMM_WORLD);
            continue;
        }
        MPI_Recv(in, 10, wide, 0, n, MPI_COMM_WORLD, &status);
        EXPECT_STATUS(&status, 0, n, wide, n % 2 ? MPI_UNDEFINED : n / 2);
        note_status("short", &status, wide);
        for (int i = 0; i < n; i++)
            EXPECT(in[i / 2 * 5 + i % 2] == i + 1);
        EXPECT(in[2] == in[49] && in[4] == in[49]);
        EXPECT(untouched(in, n == 0 ? 0 : (size_t) ((n - 1) / 2 * 5 + (n - 1) % 2 + 1) * sizeof *in));
    }
    MPI_Type_free(&spaced);
    MPI_Type_free(&wide);
}

/* MPICH over UCX says that a message which ends inside an element of a struct was truncated, and tells no size. */
static int may_call_it_truncated(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    return strstr(version, "ch4:ucx") != NULL;
}

/* Of a double and a short each. */
static void note_pairs(int rc, MPI_Status *status, MPI_Datatype pair, int bytes)
{
    enum { whole = sizeof(double) + sizeof(short) };
    int elements = 0;
    if (bytes % whole == 0 || !may_call_it_truncated()) {
        EXPECT(rc == MPI_SUCCESS);
        note_status("pair", status, pair);
    } else if (rc != MPI_SUCCESS) {
        EXPECT(error_class(rc) == MPI_ERR_TRUNCATE);
    } else {
        MPI_Get_elements(status, pair, &elements);
        EXPECT(elements == bytes / whole * 2 + (bytes % whole >= (int) sizeof(double)));
    }
}

/* A message of one type received as another that does not divide it. */
static void partial_elements(void)
{
    MPI_Datatype three = make_three_bytes(), pair;
    const int lengths[2] = { 1, 1 };
    const MPI_Aint places[2] = { 0, 8 };
    const MPI_Datatype types[2] = { MPI_DOUBLE, MPI_SHORT };
    MPI_Type_create_struct(2, lengths, places, types, &pair);
    MPI_Type_commit(&pair);
    for (int n = 0; n < 24; n++) {
        char out[64], in[128];
        MPI_Status status;
        memset(in, 0, sizeof in);
        fill(out, sizeof out, n);
        if (rank == 0) {
            MPI_Send(out, n, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            MPI_Send(out, n, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
            continue;
        }
        MPI_Recv(in, 16, three, 0, 1, MPI_COMM_WORLD, &status);
        note_status("three", &status, three);
        note_pairs(MPI_Recv(in, 4, pair, 0, 2, MPI_COMM_WORLD, &status), &status, pair, n);
        note("in %u", checksum(in, sizeof in));
    }
    MPI_Type_free(&pair);
    MPI_Type_free(&three);
}

static void zero_bytes(void)
{
    MPI_Datatype nothing;
    MPI_Status status;
    char c = 'x';
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    if (rank == 0) {
        MPI_Send(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Send(&c, 5, nothing, 1, 2, MPI_COMM_WORLD);
        MPI_Send(&c, 0, MPI_CHAR, 1, 3, MPI_COMM_WORLD);
    } else {
        MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, &status);
        note_status("no buffer", &status, MPI_INT);
        MPI_Recv(&c, 5, nothing, 0, 2, MPI_COMM_WORLD, &status);
        note_status("zero-size type", &status, nothing);
        MPI_Recv(&c, 1, MPI_CHAR, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        note_status("zero count", &status, MPI_CHAR);
        EXPECT(c == 'x');
    }
    MPI_Type_free(&nothing);
}

static void proc_null(void)
{
    int value = 7, in = 8, flag;
    MPI_Status status;
    MPI_Request requests[2];
    MPI_Message message;
    EXPECT(MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD) == MPI_SUCCESS);
    MPI_Recv(&in, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
    note_status("recv", &status, MPI_INT);
    MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&in, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Wait(&requests[1], &status);
    note_status("irecv", &status, MPI_INT);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, &in, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
    note_status("sendrecv", &status, MPI_INT);
    MPI_Sendrecv_replace(&in, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
    note_status("replace", &status, MPI_INT);
    MPI_Probe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
    note_status("probe", &status, MPI_INT);
    MPI_Iprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, &status);
    note_status("iprobe", &status, MPI_INT);
    MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &message, &status);
    note_status("mprobe", &status, MPI_INT);
    MPI_Mrecv(&in, 1, MPI_INT, &message, &status);
    note_status("mrecv", &status, MPI_INT);
    EXPECT(in == 8);
}

/* One half of a shift goes nowhere, as at the ends of a chain. */
static void chain_ends(void)
{
    int up = rank == 0 ? 1 : MPI_PROC_NULL, down = rank == 0 ? MPI_PROC_NULL : 0;
    int out = 10 + rank, in = -1, both = 20 + rank;
    MPI_Status status;
    MPI_Sendrecv(&out, 1, MPI_INT, up, 1, &in, 1, MPI_INT, down, 1, MPI_COMM_WORLD, &status);
    note_status("up", &status, MPI_INT);
    note("in %d", in);
    MPI_Sendrecv_replace(&both, 1, MPI_INT, up, 2, down, 2, MPI_COMM_WORLD, &status);
    note_status("replace", &status, MPI_INT);
    note("both %d", both);
}

static void probe_then_allocate(void)
{
    for (int kind = 0; kind < 4; kind++) {
        int n = 100 * kind + 3, flag = 0, count;
        MPI_Status status;
        MPI_Message message;
        MPI_Request request;
        if (rank == 0) {
            int *out = malloc((size_t) n * sizeof *out);
            fill(out, (size_t) n * sizeof *out, kind);
            MPI_Send(out, n, MPI_INT, 1, kind, MPI_COMM_WORLD);
            free(out);
            continue;
        }
        if (kind == 0)
            MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        while (kind == 1 && !flag)
            MPI_Iprobe(0, kind, MPI_COMM_WORLD, &flag, &status);
        if (kind == 2)
            MPI_Mprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
        while (kind == 3 && !flag)
            MPI_Improbe(MPI_ANY_SOURCE, kind, MPI_COMM_WORLD, &flag, &message, &status);
        note_status("probed", &status, MPI_INT);
        MPI_Get_count(&status, MPI_INT, &count);
        int *in = malloc((size_t) count * sizeof *in);
        if (kind < 2)
            MPI_Recv(in, count, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
        else if (kind == 2)
            MPI_Mrecv(in, count, MPI_INT, &message, &status);
        else {
            MPI_Imrecv(in, count, MPI_INT, &message, &request);
            MPI_Wait(&request, &status);
        }
        note_status("received", &status, MPI_INT);
        note("data %u", checksum(in, (size_t) count * sizeof *in));
        free(in);
    }
}

/* Too little room: the error class, for eager messages and for large ones, in every way to receive. */
static void truncation(void)
{
    char *buffer = malloc(too_large);
    for (int n = 20; n <= too_large; n += too_large - 20) {
        for (int kind = 0; kind < 4; kind++) {
            MPI_Status status, statuses[2];
            MPI_Request requests[2];
            int rc = MPI_SUCCESS;
#ifdef OPEN_MPI         /* 4.1 with threads may hang in a Waitall of which a request has failed */
            if (kind == 1)
                continue;
#endif
            if (rank == 0) {
                MPI_Send(buffer, kind == 1 ? 8 : n, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
                if (kind == 1)
                    MPI_Send(buffer, n, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
                continue;
            }
            if (kind == 0)
                rc = MPI_Recv(buffer, 5, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &status);
            if (kind == 1) {
                MPI_Irecv(buffer, 8, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &requests[0]);
                MPI_Irecv(buffer + 8, 5, MPI_CHAR, 0, 2, MPI_COMM_WORLD, &requests[1]);
                rc = MPI_Waitall(2, requests, statuses);
                note("classes %d %d", error_class(statuses[0].MPI_ERROR), error_class(statuses[1].MPI_ERROR));
                EXPECT(error_class(rc) == MPI_ERR_IN_STATUS);
                rc = statuses[1].MPI_ERROR;
            }
            if (kind == 2) {
                MPI_Irecv(buffer, 5, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &requests[0]);
                rc = MPI_Wait(&requests[0], &status);
            }
            if (kind == 3)
                rc = MPI_Recv(buffer, 5, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            note("kind %d size %d: class %d", kind, n, error_class(rc));
            EXPECT(error_class(rc) == MPI_ERR_TRUNCATE);
        }
    }
    free(buffer);
}

/* Arguments that the MPI library refuses: the same class of error. */
static void wrong_arguments(void)
{
    int value = 1;
    MPI_Request request;
    MPI_Status status;
    note("rank %d", error_class(MPI_Send(&value, 1, MPI_INT, 77, 1, MPI_COMM_WORLD)));
    note("tag %d", error_class(MPI_Send(&value, 1, MPI_INT, other, -5, MPI_COMM_WORLD)));
    note("count %d", error_class(MPI_Send(&value, -1, MPI_INT, other, 1, MPI_COMM_WORLD)));
    note("type %d", error_class(MPI_Send(&value, 1, MPI_DATATYPE_NULL, other, 1, MPI_COMM_WORLD)));
    note("irecv %d", error_class(MPI_Irecv(&value, 1, MPI_INT, 77, 1, MPI_COMM_WORLD, &request)));
#ifndef OPEN_MPI        /* which takes a null pointer for a buffer */
    note("buffer %d", error_class(MPI_Send(NULL, 1, MPI_INT, other, 1, MPI_COMM_WORLD)));
    note("recv %d", error_class(MPI_Recv(NULL, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &status)));
#endif
    note("replace %d",
         error_class(MPI_Sendrecv_replace(&value, 1, MPI_INT, 77, 1, other, 1, MPI_COMM_WORLD, &status)));
    EXPECT(value == 1);
}

const test_case_t status_cases[] = {
    { "larger_buffer", larger_buffer, "Get_count, Get_elements after a receive into a larger buffer" },
    { "short_receive", short_receive, "short receive" },
    { "partial_elements", partial_elements, "byte-exact counts of types whose size does not divide 8" },
    { "zero_bytes", zero_bytes, "zero-byte message" }, { "proc_null", proc_null, "PROC_NULL" },
    { "chain_ends", chain_ends, NULL },
    { "probe_then_allocate", probe_then_allocate, "Probe, Iprobe, Mprobe, Improbe, then allocate, then receive" },
    { "truncation", truncation, "truncation: the same error class" },
    { "wrong_arguments", wrong_arguments, "error handlers: the same classes, as often" }, { NULL, NULL, NULL },
};
