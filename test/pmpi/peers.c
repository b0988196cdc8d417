/* SPDX-License-Identifier: BSD-3-Clause */
/* peers: who sends to whom, by every kind of call and by communicators whose ranks are others than the world's. Three
 * ranks. What each sends to each stands at the call; the tests have the sums. "persistent" as first argument: with
 * persistent requests, too. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { room = 4096 };

static int rank;
static char out[room], in[room], attached[4 * room + 8 * MPI_BSEND_OVERHEAD];

/* 0 sends 10 messages of 8 B to 1, 1 one of 1000 B to 2, everybody nothing to MPI_PROC_NULL. */
static void in_the_world(void)
{
    for (int i = 0; i < 10 && rank < 2; i++)
        if (rank == 0)
            MPI_Send(out, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(in, room, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Ssend(out, 250, MPI_INT, 2, 1, MPI_COMM_WORLD);
    if (rank == 2)
        MPI_Recv(in, 250, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, 8, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

/* Each to its left neighbour in the world, who is the right one here: 16 B and 24 B. */
static void backwards(void)
{
    MPI_Comm comm;
    MPI_Request requests[2];
    int here;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    MPI_Comm_rank(comm, &here);
    MPI_Sendrecv(out, 16, MPI_BYTE, (here + 1) % 3, 0, in, room, MPI_BYTE, (here + 2) % 3, 0, comm, MPI_STATUS_IGNORE);
    MPI_Irecv(in, room, MPI_BYTE, (here + 2) % 3, 0, comm, &requests[0]);
    MPI_Isend(out, 24, MPI_BYTE, (here + 1) % 3, 0, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_free(&comm);
}

/* Handles that are given back come again for other groups: rank 1 here is rank 2, then rank 1, of the world. 0 sends
 * 32 B to 2 and 64 B to 1, a hundred times. */
static void handles_that_come_again(void)
{
    for (int i = 0; i < 200; i++) {
        const int partner = i % 2 ? 1 : 2;
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_WORLD, rank == 0 || rank == partner ? 0 : MPI_UNDEFINED, rank, &comm);
        if (rank == 0)
            MPI_Send(out, i % 2 ? 64 : 32, MPI_BYTE, 1, 0, comm);
        if (rank == partner)
            MPI_Recv(in, room, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE);
        if (comm != MPI_COMM_NULL)
            MPI_Comm_free(&comm);
    }
}

/* Between the groups {0} and {1, 2}: 0 sends 128 B to the second of the others, which is 2. */
static void between_groups(void)
{
    MPI_Comm own, inter;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &own);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 7, &inter);
    if (rank == 0)
        MPI_Send(out, 128, MPI_BYTE, 1, 0, inter);
    if (rank == 2)
        MPI_Recv(in, room, MPI_BYTE, 0, 0, inter, MPI_STATUS_IGNORE);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&own);
}

/* 2 sends 512 B to 0, and 4 B to itself. */
static void buffered_and_to_itself(void)
{
    int size;
    if (rank == 2) {
        MPI_Buffer_attach(attached, sizeof attached);
        MPI_Bsend(out, 512, MPI_BYTE, 0, 3, MPI_COMM_WORLD);
        MPI_Sendrecv(out, 4, MPI_BYTE, 0, 0, in, 4, MPI_BYTE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        void *buffer;
        MPI_Buffer_detach(&buffer, &size);
    }
    if (rank == 0)
        MPI_Recv(in, room, MPI_BYTE, 2, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* 1 sends 5 messages of 2048 B to 0. */
static void persistent(void)
{
    MPI_Comm comm;
    MPI_Request request;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    if (rank < 2) {
        if (rank == 1)
            MPI_Send_init(out, 2048, MPI_BYTE, 2, 0, comm, &request);
        else
            MPI_Recv_init(in, 2048, MPI_BYTE, 1, 0, comm, &request);
        for (int i = 0; i < 5; i++) {
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Request_free(&request);
    }
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 3) {
        fputs("peers: needs three ranks\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    in_the_world();
    backwards();
    handles_that_come_again();
    between_groups();
    buffered_and_to_itself();
    if (argc > 1 && strcmp(argv[1], "persistent") == 0)
        persistent();
    MPI_Finalize();
    return 0;
}
