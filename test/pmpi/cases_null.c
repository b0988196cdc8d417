/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of nothing: to and from nobody, of no bytes, of a type without size. */
#include "cases.h"

static int value = 7, in = 8;

static void expect_null(const char *call, int rc, MPI_Status *status)
{
    note_status(call, status, MPI_INT);
    EXPECT(rc == MPI_SUCCESS);
    EXPECT_STATUS(status, MPI_PROC_NULL, MPI_ANY_TAG, MPI_INT, 0);
    EXPECT(in == 8);
}

enum { sends, receives };

/* An active request to nobody is complete. */
static void wait_null(const char *call, int rc, MPI_Request *request, int what)
{
    MPI_Status status;
    EXPECT(rc == MPI_SUCCESS);
    rc = MPI_Wait(request, &status);
    if (what == receives)
        expect_null(call, rc, &status);
    EXPECT(rc == MPI_SUCCESS);
}

static void proc_null_sends(void)
{
    char *space = room(1000), *detached;
    int size;
    MPI_Request r;
    MPI_Buffer_attach(space, 1000);
    EXPECT(MPI_Ssend(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD) == MPI_SUCCESS);
    EXPECT(MPI_Rsend(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD) == MPI_SUCCESS);
    EXPECT(MPI_Bsend(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD) == MPI_SUCCESS);
    wait_null("issend", MPI_Issend(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &r), &r, sends);
    wait_null("irsend", MPI_Irsend(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &r), &r, sends);
    wait_null("ibsend", MPI_Ibsend(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &r), &r, sends);
    MPI_Buffer_detach(&detached, &size);
    EXPECT(detached == space && size == 1000);
}

/* MPICH 4.0.2 gives the status of a persistent receive no source, so here it is only noted. */
static void start_null(const char *call, int rc, MPI_Request *request)
{
    MPI_Status status;
    EXPECT(rc == MPI_SUCCESS);
    for (int round = 0; round < 2; round++) {
        EXPECT(MPI_Start(request) == MPI_SUCCESS);
        EXPECT(MPI_Wait(request, &status) == MPI_SUCCESS);
        note_status(call, &status, MPI_INT);
    }
    EXPECT(*request != MPI_REQUEST_NULL && in == 8);
    MPI_Request_free(request);
}

static void proc_null_persistent(void)
{
    MPI_Request r;
    start_null("send_init", MPI_Send_init(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &r), &r);
    start_null("ssend_init", MPI_Ssend_init(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &r), &r);
    start_null("rsend_init", MPI_Rsend_init(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &r), &r);
    start_null("recv_init", MPI_Recv_init(&in, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &r), &r);
}

static void proc_null_matched(void)
{
    int flag = 0;
    MPI_Status status;
    MPI_Message message;
    MPI_Request r;
    int rc = MPI_Improbe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, &message, &status);
    expect_null("improbe", rc, &status);
    EXPECT(flag && message == MPI_MESSAGE_NO_PROC);
    wait_null("imrecv", MPI_Imrecv(&in, 1, MPI_INT, &message, &r), &r, receives);
    EXPECT(message == MPI_MESSAGE_NULL);
}

static void proc_null_isendrecv(void)
{
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
    skip("MPICH 4.0.2 crashes in MPI_Isendrecv with MPI_PROC_NULL");
#elif MPI_VERSION >= 4
    MPI_Request r;
    wait_null("isendrecv", MPI_Isendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, &in, 1, MPI_INT, MPI_PROC_NULL, 1,
                                         MPI_COMM_WORLD, &r), &r, sends);
    wait_null("replace", MPI_Isendrecv_replace(&in, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_PROC_NULL, 1, MPI_COMM_WORLD,
                                               &r), &r, sends);
    EXPECT(in == 8);
#else
    skip("this MPI has no MPI_Isendrecv");
#endif
}

/* No bytes, by every kind of request, into a room that must stay as it is. */
static void zero_bytes_by_request(void)
{
    char *to = room(100), *from = room(1);
    MPI_Request requests[3];
    MPI_Status statuses[3];
    for (int i = 0; i < 3; i++)
        if (rank == 0)
            MPI_Issend(from, 0, MPI_CHAR, 1, i, MPI_COMM_WORLD, &requests[i]);
        else
            MPI_Irecv(to, 100, MPI_CHAR, 0, i == 2 ? MPI_ANY_TAG : i, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(3, requests, statuses);
    for (int i = 0; rank == 1 && i < 3; i++)
        EXPECT_STATUS(&statuses[i], 0, i, MPI_CHAR, 0);
    EXPECT(untouched(to, 0));
}

static void zero_bytes_probed(void)
{
    char *to = room(100);
    MPI_Status status;
    MPI_Message message;
    if (rank == 0) {
        MPI_Send(NULL, 0, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        MPI_Send(NULL, 0, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
        return;
    }
    MPI_Probe(0, 1, MPI_COMM_WORLD, &status);
    EXPECT_STATUS(&status, 0, 1, MPI_CHAR, 0);
    MPI_Recv(to, 100, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &status);
    EXPECT_STATUS(&status, 0, 1, MPI_CHAR, 0);
    MPI_Mprobe(0, 2, MPI_COMM_WORLD, &message, &status);
    EXPECT_STATUS(&status, 0, 2, MPI_CHAR, 0);
    MPI_Mrecv(to, 100, MPI_CHAR, &message, &status);
    EXPECT_STATUS(&status, 0, 2, MPI_CHAR, 0);
    EXPECT(untouched(to, 0));
}

/* A type without size, both ways, and sent to a receive of bytes; an error that the library sees ends the program. */
static void zero_size_types(void)
{
    char *to = room(100);
    MPI_Datatype nothing;
    MPI_Status status;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Type_vector(3, 0, 2, MPI_DOUBLE, &nothing);
    MPI_Type_commit(&nothing);
    MPI_Sendrecv(to, 4, nothing, other, 1, to, 9, nothing, other, 1, MPI_COMM_WORLD, &status);
    note_status("both ways", &status, nothing);
    MPI_Sendrecv(to, 4, nothing, other, 2, to, 100, MPI_CHAR, other, 2, MPI_COMM_WORLD, &status);
    EXPECT_STATUS(&status, other, 2, MPI_CHAR, 0);
    MPI_Sendrecv_replace(to, 4, nothing, other, 3, other, 3, MPI_COMM_WORLD, &status);
    note_status("replaced", &status, nothing);
    MPI_Sendrecv(NULL, 4, nothing, other, 4, NULL, 9, nothing, other, 4, MPI_COMM_WORLD, &status);
    note_status("from and to nowhere", &status, nothing);
    EXPECT(untouched(to, 0));
    MPI_Type_free(&nothing);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

/* To a receive that has no type either, and to one that has room; an error that the library sees ends the program. */
static void no_data_of_no_type(void)
{
#ifdef OPEN_MPI
    skip("Open MPI wants a type where there is no data");
#else
    char *to = room(100);
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    if (rank == 0) {
        MPI_Send(NULL, 0, MPI_DATATYPE_NULL, 1, 1, MPI_COMM_WORLD);
        MPI_Ssend(NULL, 0, MPI_DATATYPE_NULL, 1, 2, MPI_COMM_WORLD);
        MPI_Isend(NULL, 0, MPI_DATATYPE_NULL, 1, 3, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(to, 1, MPI_CHAR, 1, 4, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(NULL, 0, MPI_DATATYPE_NULL, 0, 1, MPI_COMM_WORLD, &statuses[0]);
        EXPECT_STATUS(&statuses[0], 0, 1, MPI_CHAR, 0);
        MPI_Recv(to, 100, MPI_CHAR, 0, 2, MPI_COMM_WORLD, &statuses[0]);
        EXPECT_STATUS(&statuses[0], 0, 2, MPI_CHAR, 0);
        MPI_Irecv(NULL, 0, MPI_DATATYPE_NULL, 0, 3, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(to, 100, MPI_CHAR, 0, 4, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, statuses);
        EXPECT_STATUS(&statuses[0], 0, 3, MPI_CHAR, 0);
        EXPECT_STATUS(&statuses[1], 0, 4, MPI_CHAR, 1);
        EXPECT(untouched(to, 1));
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
#endif
}

const test_case_t null_cases[] = {
    { "proc_null_sends", proc_null_sends, "PROC_NULL" }, { "proc_null_persistent", proc_null_persistent, NULL },
    { "proc_null_matched", proc_null_matched, NULL }, { "proc_null_isendrecv", proc_null_isendrecv, NULL },
    { "zero_bytes_by_request", zero_bytes_by_request, "zero-byte message" },
    { "zero_bytes_probed", zero_bytes_probed, NULL }, { "no_data_of_no_type", no_data_of_no_type, NULL },
    { "zero_size_types", zero_size_types, "zero-size type" },
    { NULL, NULL, NULL },
};
