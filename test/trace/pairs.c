/* SPDX-License-Identifier: BSD-3-Clause */
/* pairs: what MPI 4 has of point to point: MPI_Isendrecv, MPI_Isendrecv_replace and partitioned operations, around a ring of
 * ranks. did.RANK is as messages.c has it. With an MPI library that has none of them nothing is done. */
#include <mpi.h>
#include <stdio.h>

static FILE *out;

#if MPI_VERSION >= 4
static int rank, left, right;
static int data[64], room[64];

static void did(const char *kind, int peer, int tag, int bytes)
{
    fprintf(out, "%s MPI_COMM_WORLD %d %d %d\n", kind, peer, tag, bytes);
}

static void did_receive(void) { fprintf(out, "IRECV_REQUEST\n"); }

static void pairs(void)
{
    MPI_Request request;
    MPI_Isendrecv(data, 3, MPI_INT, right, 1, room, 3, MPI_INT, left, 1, MPI_COMM_WORLD, &request);
    did("ISEND", right, 1, 12);
    did_receive();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    did("ISEND_COMPLETE", right, 1, 12);
    did("IRECV", left, 1, 12);
    MPI_Isendrecv_replace(data, 5, MPI_INT, right, 2, left, 2, MPI_COMM_WORLD, &request);
    did("ISEND", right, 2, 20);
    did_receive();
    MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
    did("ISEND_COMPLETE", right, 2, 20);
    did("IRECV", left, 2, 20);
    /* Half of it is none, and half of it cannot be known. */
    MPI_Isendrecv(data, 1, MPI_INT, right, 3, room, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &request);
    did("ISEND", right, 3, 4);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    did("ISEND_COMPLETE", right, 3, 4);
    MPI_Isendrecv(data, 1, MPI_INT, MPI_PROC_NULL, 3, room, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &request);
    did_receive();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    did("IRECV", left, 3, 4);
    MPI_Isendrecv(data, 2, MPI_INT, right, 4, room, 2, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &request);
    did("ISEND", right, 4, 8);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    did("ISEND_COMPLETE", right, 4, 8);
}

static void partitions(void)
{
    MPI_Request requests[2];
    MPI_Psend_init(data, 4, 2, MPI_INT, right, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(room, 4, 2, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    for (int i = 0; i < 2; i++) {
        MPI_Startall(2, requests);
        did("ISEND", right, 5, 32);
        did_receive();
        for (int part = 0; part < 4; part++)
            MPI_Pready(part, requests[0]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        did("ISEND_COMPLETE", right, 5, 32);
        did("IRECV", left, 5, 32);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}
#endif

int main(int argc, char **argv)
{
    char name[32];
    int own = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    snprintf(name, sizeof name, "did.%d", own);
    out = fopen(name, "w");
    if (out == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
#if MPI_VERSION >= 4
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    rank = own;
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    if (argc > 1)                /* a carrier above MPI refuses the others */
        pairs();
    partitions();
#else
    (void) argc;
#endif
    fclose(out);
    MPI_Finalize();
    return 0;
}
