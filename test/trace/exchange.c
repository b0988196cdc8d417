/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange KIND: messages whose pairs are to be found in their trace, on an even number of ranks.
 *
 *     ordered     one thread: each rank sends to the next, four at a time, and waits for the last one first
 *     threads     two threads of each rank send to the next rank: one tag, one length
 *     own-tags    the same, a tag for each thread
 *     wildcards   rank 0 receives from anybody with any tag, in both threads
 *     inter       through an intercommunicator, between the even and the odd ranks
 *     shapes      cancelled receives, truncated messages, zero bytes, messages to oneself, probes
 */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { rounds = 200, at_once = 4 };
static int rank, ranks;

static int next(void)
{
    return (rank + 1) % ranks;
}

static int before(void)
{
    return (rank + ranks - 1) % ranks;
}

static void ordered(void)
{
    int in[at_once], out[at_once] = { 0 };
    MPI_Request receives[at_once], sends[at_once];
    for (int i = 0; i < rounds; i++) {
        for (int k = 0; k < at_once; k++)
            MPI_Irecv(&in[k], 1, MPI_INT, before(), 0, MPI_COMM_WORLD, &receives[k]);
        for (int k = 0; k < at_once; k++)
            MPI_Isend(&out[k], 1, MPI_INT, next(), 0, MPI_COMM_WORLD, &sends[k]);
        for (int k = at_once; k-- > 0;)
            MPI_Wait(&receives[k], MPI_STATUS_IGNORE);
        MPI_Waitall(at_once, sends, MPI_STATUSES_IGNORE);
    }
}

static void in_two_threads(void *(*work) (void *))
{
    pthread_t other;
    if (pthread_create(&other, NULL, work, (void *) 1L) != 0)
        abort();
    work((void *) 0L);
    pthread_join(other, NULL);
}

static void talk(int tag)
{
    int in, out = rank;
    for (int i = 0; i < rounds; i++) {
        MPI_Request send;
        MPI_Isend(&out, 1, MPI_INT, next(), tag, MPI_COMM_WORLD, &send);
        MPI_Recv(&in, 1, MPI_INT, before(), tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
    }
}

static void *talk_alike(void *thread)
{
    (void) thread;
    talk(0);
    return NULL;
}

static void *talk_apart(void *thread)
{
    talk((int) (long) thread);
    return NULL;
}

static void *talk_to_the_first(void *thread)
{
    int in, out = (int) (long) thread;
    for (int i = 0; rank > 0 && i < rounds; i++)
        MPI_Send(&out, 1, MPI_INT, 0, i % 2, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < rounds * (ranks - 1); i++)
        MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return NULL;
}

static void inter(void)
{
    MPI_Comm half, bridge;
    int in, out = rank;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &bridge);
    for (int i = 0; i < rounds; i++)
        MPI_Sendrecv(&out, 1, MPI_INT, rank / 2, 1, &in, 1, MPI_INT, rank / 2, 1, bridge, MPI_STATUS_IGNORE);
    MPI_Comm_free(&bridge);
    MPI_Comm_free(&half);
}

static void cancel_a_receive(void)
{
    int in;
    MPI_Request request;
    MPI_Irecv(&in, 1, MPI_INT, before(), 99, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void truncate_a_message(void)
{
    int in[2], out[8] = { 0 };
    MPI_Request send;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Isend(out, 8, MPI_INT, next(), 3, MPI_COMM_WORLD, &send);
    MPI_Recv(in, 2, MPI_INT, before(), 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void send_nothing_and_to_oneself(void)
{
    int in, out = rank;
    MPI_Request send;
    MPI_Status status;
    MPI_Isend(&out, 0, MPI_INT, next(), 4, MPI_COMM_WORLD, &send);
    MPI_Probe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &status);
    MPI_Recv(&in, 0, MPI_INT, status.MPI_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Isend(&out, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &send);
    MPI_Recv(&in, 1, MPI_INT, 0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
}

static int run(const char *kind)
{
    if (strcmp(kind, "ordered") == 0) {
        ordered();
    } else if (strcmp(kind, "threads") == 0) {
        in_two_threads(talk_alike);
    } else if (strcmp(kind, "own-tags") == 0) {
        in_two_threads(talk_apart);
    } else if (strcmp(kind, "wildcards") == 0) {
        in_two_threads(talk_to_the_first);
    } else if (strcmp(kind, "inter") == 0) {
        inter();
    } else if (strcmp(kind, "shapes") == 0) {
        cancel_a_receive();
        truncate_a_message();
        send_nothing_and_to_oneself();
    } else {
        return 2;
    }
    return 0;
}

int main(int argc, char **argv)
{
    int level, status;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    status = level == MPI_THREAD_MULTIPLE && argc == 2 ? run(argv[1]) : 2;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return status;
}
