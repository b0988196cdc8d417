/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers of every shape. */
#include "cases.h"

/* Both sides name their data by absolute addresses. */
static void bottom(void)
{
    double a = 1.5 + rank, far[100];
    int b = 42 + rank;
    for (int i = 0; i < 100; i++)
        far[i] = 100 * rank + i;
    const int lengths[3] = { 1, 1, 50 };
    const MPI_Datatype types[3] = { MPI_DOUBLE, MPI_INT, MPI_DOUBLE };
    MPI_Aint places[3];
    MPI_Datatype absolute;
    MPI_Status status;
    MPI_Get_address(&a, &places[0]);
    MPI_Get_address(&b, &places[1]);
    MPI_Get_address(&far[25], &places[2]);
    MPI_Type_create_struct(3, lengths, places, types, &absolute);
    MPI_Type_commit(&absolute);
    if (rank == 0) {
        MPI_Send(MPI_BOTTOM, 1, absolute, 1, 1, MPI_COMM_WORLD);
    } else {
        MPI_Recv(MPI_BOTTOM, 1, absolute, 0, 1, MPI_COMM_WORLD, &status);
        note_status("bottom", &status, absolute);
        note("a %g b %d far %g %g %g %g", a, b, far[24], far[25], far[74], far[75]);
        EXPECT(a == 1.5 && b == 42 && far[24] == 124 && far[25] == 25 && far[75] == 175);
    }
    MPI_Type_free(&absolute);
}

/* The same by requests and by a call that sends and receives. */
static void bottom_by_request(void)
{
    int *out = room(2 * sizeof *out), *in = room(2 * sizeof *in);
    const int lengths[2] = { 1, 1 };
    const MPI_Datatype types[2] = { MPI_INT, MPI_INT };
    MPI_Aint from[2], to[2];
    MPI_Datatype source, target;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    for (int i = 0; i < 2; i++) {
        MPI_Get_address(&out[1 - i], &from[i]);         /* backwards */
        MPI_Get_address(&in[i], &to[i]);
        out[i] = 10 * rank + i;
    }
    MPI_Type_create_struct(2, lengths, from, types, &source);
    MPI_Type_create_struct(2, lengths, to, types, &target);
    MPI_Type_commit(&source);
    MPI_Type_commit(&target);
    MPI_Irecv(MPI_BOTTOM, 1, target, other, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(MPI_BOTTOM, 1, source, other, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    EXPECT_STATUS(&statuses[0], other, 1, target, 1);
    EXPECT(in[0] == 10 * other + 1 && in[1] == 10 * other);
    MPI_Sendrecv_replace(MPI_BOTTOM, 1, target, other, 2, other, 2, MPI_COMM_WORLD, &statuses[0]);
    EXPECT_STATUS(&statuses[0], other, 2, target, 1);
    EXPECT(in[0] == 10 * rank + 1 && in[1] == 10 * rank);
    MPI_Type_free(&source);
    MPI_Type_free(&target);
}

static void exchange(const char *what, MPI_Datatype type, int count, int offset)
{
    enum { bytes = 4096 };
    char out[bytes], in[bytes];
    MPI_Status status;
    fill(out, bytes, rank + 3);
    memset(in, 0x33, bytes);
    MPI_Sendrecv(out + offset, count, type, other, 9, in + offset, count, type, other, 9, MPI_COMM_WORLD, &status);
    note_status(what, &status, type);
    note("in %u", checksum(in, bytes));
}

static void derived_types(void)
{
    MPI_Datatype vector, resized, sub, negative, nested;
    const int sizes[2] = { 10, 12 }, part[2] = { 3, 5 }, starts[2] = { 2, 4 };
    const int one[2] = { 2, 1 };
    const MPI_Aint back[2] = { -16, 8 };
    MPI_Type_vector(5, 2, 3, MPI_SHORT, &vector);
    MPI_Type_commit(&vector);
    exchange("vector", vector, 4, 0);
    MPI_Type_create_resized(vector, 0, 64, &resized);
    MPI_Type_commit(&resized);
    exchange("resized", resized, 5, 0);
    MPI_Type_create_subarray(2, sizes, part, starts, MPI_ORDER_C, MPI_DOUBLE, &sub);
    MPI_Type_commit(&sub);
    exchange("subarray", sub, 2, 0);
    MPI_Type_create_hindexed(2, one, back, MPI_FLOAT, &negative);
    MPI_Type_commit(&negative);
    exchange("negative", negative, 3, 512);
    MPI_Type_create_hvector(3, 2, 200, resized, &nested);
    MPI_Type_commit(&nested);
    exchange("nested", nested, 2, 0);
    MPI_Type_free(&vector);
    MPI_Type_free(&resized);
    MPI_Type_free(&sub);
    MPI_Type_free(&negative);
    MPI_Type_free(&nested);
}

/* Parts of the buffer are sent twice. */
static void overlapping_type(void)
{
    MPI_Datatype overlapping;
    char out[64], in[64];
    MPI_Status status;
    MPI_Type_create_hvector(5, 8, 3, MPI_CHAR, &overlapping);
    MPI_Type_commit(&overlapping);
    fill(out, sizeof out, 5);
    memset(in, 0, sizeof in);
    if (rank == 0) {
        MPI_Send(out, 1, overlapping, 1, 1, MPI_COMM_WORLD);
    } else {
        MPI_Recv(in, 64, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &status);
        note_status("overlapping", &status, MPI_CHAR);
        note("in %u", checksum(in, sizeof in));
        EXPECT(memcmp(in, out, 8) == 0 && memcmp(in + 8, out + 3, 8) == 0);
    }
    MPI_Type_free(&overlapping);
}

/* The handle of a freed type comes back as another type, over the same buffer with the same count. */
static void type_freed_and_made_again(void)
{
    int buffer[64], in[64];
    for (int stride = 1; stride <= 4; stride++) {
        MPI_Datatype type;
        MPI_Request request;
        MPI_Type_vector(8, 1, stride, MPI_INT, &type);
        MPI_Type_commit(&type);
        for (int i = 0; i < 64; i++)
            buffer[i] = 1000 * stride + i;
        memset(in, 0, sizeof in);
        if (rank == 0) {
            MPI_Isend(buffer, 1, type, 1, stride, MPI_COMM_WORLD, &request);
            MPI_Type_free(&type);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            continue;
        }
        MPI_Irecv(in, 8, MPI_INT, 0, stride, MPI_COMM_WORLD, &request);
        MPI_Type_free(&type);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        note("stride %d: %d %d", stride, in[1], in[7]);
        EXPECT(in[1] == 1000 * stride + stride && in[7] == 1000 * stride + 7 * stride);
    }
}

/* Data that begin before the address that is given, or behind it: lower bounds that are not zero. */
static void lower_bounds(void)
{
    MPI_Datatype before, behind, wide;
    const int lengths[2] = { 2, 1 };
    const MPI_Aint ahead[2] = { -24, -8 }, later[2] = { 40, 64 };
    const MPI_Datatype types[2] = { MPI_INT, MPI_DOUBLE };
    MPI_Type_create_struct(2, lengths, ahead, types, &before);
    MPI_Type_commit(&before);
    exchange("before", before, 3, 1024);
    MPI_Type_create_struct(2, lengths, later, types, &behind);
    MPI_Type_commit(&behind);
    exchange("behind", behind, 3, 0);
    MPI_Type_create_resized(behind, -16, 200, &wide);
    MPI_Type_commit(&wide);
    exchange("resized", wide, 4, 64);
    MPI_Type_free(&before);
    MPI_Type_free(&behind);
    MPI_Type_free(&wide);
}

/* From the end to the beginning. */
static void negative_strides(void)
{
    MPI_Datatype backwards, blocks, again;
    MPI_Type_vector(8, 1, -1, MPI_INT, &backwards);
    MPI_Type_commit(&backwards);
    exchange("backwards", backwards, 1, 512);
    MPI_Type_create_hvector(5, 3, -30, MPI_SHORT, &blocks);
    MPI_Type_commit(&blocks);
    exchange("blocks", blocks, 4, 1024);
    MPI_Type_create_resized(backwards, 0, -40, &again);
    MPI_Type_commit(&again);
    exchange("negative extent", again, 3, 2048);
    MPI_Type_free(&backwards);
    MPI_Type_free(&blocks);
    MPI_Type_free(&again);
}

/* Sent backwards, received forwards: which byte goes where. */
static void negative_stride_reverses(void)
{
    MPI_Datatype backwards;
    int out[8], *in = room(12 * sizeof *in);
    MPI_Status status;
    MPI_Type_vector(8, 1, -1, MPI_INT, &backwards);
    MPI_Type_commit(&backwards);
    for (int i = 0; i < 8; i++)
        out[i] = i;
    if (rank == 0) {
        MPI_Send(&out[7], 1, backwards, 1, 1, MPI_COMM_WORLD);
    } else {
        MPI_Recv(in, 12, MPI_INT, 0, 1, MPI_COMM_WORLD, &status);
        EXPECT_STATUS(&status, 0, 1, MPI_INT, 8);
        for (int i = 0; i < 8; i++)
            EXPECT(in[i] == 7 - i);
        EXPECT(untouched(in, 8 * sizeof *in));
    }
    MPI_Type_free(&backwards);
}

static void large_messages(void)
{
    for (size_t n = 1 << 16; n <= 1 << 22; n <<= 2) {
        char *out = malloc(n), *in = malloc(n);
        MPI_Request requests[2];
        fill(out, n, rank);
        MPI_Irecv(in, (int) n, MPI_CHAR, other, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, (int) n, MPI_CHAR, other, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        note("%zu: %u", n, checksum(in, n));
        fill(out, n, other);
        EXPECT(memcmp(in, out, n) == 0);
        free(out);
        free(in);
    }
}

/* The large-count forms, with counts that fit. */
static void large_count_calls(void)
{
#if MPI_VERSION >= 4
    int out[10], in[20], both[4];
    MPI_Count count;
    MPI_Status status;
    MPI_Request requests[2];
    fill(out, sizeof out, rank);
    fill(both, sizeof both, rank);
    memset(in, 0, sizeof in);
    if (rank == 0)
        MPI_Send_c(out, 10, MPI_INT, 1, 1, MPI_COMM_WORLD);
    else
        MPI_Recv_c(in, 20, MPI_INT, 0, 1, MPI_COMM_WORLD, &status);
    if (rank == 1) {
        MPI_Get_count_c(&status, MPI_INT, &count);
        note("count %lld in %u", (long long) count, checksum(in, sizeof in));
    }
    MPI_Irecv_c(in, 20, MPI_INT, other, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend_c(out, 10, MPI_INT, other, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv_c(out, 5, MPI_INT, other, 3, in, 20, MPI_INT, other, 3, MPI_COMM_WORLD, &status);
    note_status("sendrecv_c", &status, MPI_INT);
    MPI_Sendrecv_replace_c(both, 4, MPI_INT, other, 4, other, 4, MPI_COMM_WORLD, &status);
    note_status("replace_c", &status, MPI_INT);
    note("both %u", checksum(both, sizeof both));
#else
    skip("this MPI has no calls with large counts");
#endif
}

/* The same for persistent, buffered, matched and combined calls. */
static void large_count_other_calls(void)
{
#if MPI_VERSION >= 4
    int out[10], *in = room(20 * sizeof *in);
    char *space = room(2000);
    MPI_Request requests[2];
    MPI_Message message;
    MPI_Status status;
    fill(out, sizeof out, 3);
    MPI_Recv_init_c(in, 20, MPI_INT, other, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init_c(out, 10, MPI_INT, other, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Wait(&requests[0], &status);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    EXPECT_STATUS(&status, other, 1, MPI_INT, 10);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Buffer_attach(space, 2000);
    MPI_Bsend_c(out, 9, MPI_INT, other, 2, MPI_COMM_WORLD);
    MPI_Mprobe(other, 2, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv_c(in, 20, MPI_INT, &message, &status);
    EXPECT_STATUS(&status, other, 2, MPI_INT, 9);
    MPI_Buffer_detach(&space, &(int) { 0 });
    EXPECT(memcmp(in, out, sizeof out) == 0 && untouched(in, sizeof out));
#else
    skip("this MPI has no calls with large counts");
#endif
}

const test_case_t shape_cases[] = {
    { "bottom", bottom, "MPI_BOTTOM" }, { "bottom_by_request", bottom_by_request, NULL },
    { "derived_types", derived_types, "derived and overlapping types, bounds, strides" },
    { "overlapping_type", overlapping_type, NULL }, { "lower_bounds", lower_bounds, NULL },
    { "negative_strides", negative_strides, NULL }, { "negative_stride_reverses", negative_stride_reverses, NULL },
    { "type_freed_and_made_again", type_freed_and_made_again, NULL },
    { "large_messages", large_messages, "1 MB and small messages in one Waitall" },
    { "large_count_calls", large_count_calls, "_c calls" },
    { "large_count_other_calls", large_count_other_calls, NULL }, { NULL, NULL, NULL },
};
