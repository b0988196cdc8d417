/* SPDX-License-Identifier: BSD-3-Clause */
/* waited: who is late for whom, by every kind of call that waits for one process, and by some that do not. Four ranks.
 * Each scene begins together; who is late sleeps for so many ms in it, and the tests know for whom. "threads" as first
 * argument: two threads of rank 0 wait for different ranks; "forks": with processes beside that make no call; "orders":
 * rank 0 receives messages in another order than they were sent in. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { large = 1 << 20 };

static int rank;
static char out[large], in[large];

static void late(int who, int ms)
{
    const struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == who)
        nanosleep(&t, NULL);
}

static void send_tagged(int to, int tag, MPI_Comm comm)
{
    MPI_Send(out, 1, MPI_CHAR, to, tag, comm);
}

static void send_byte(int to)
{
    send_tagged(to, 0, MPI_COMM_WORLD);
}

static void receive_tagged(int from, int tag, MPI_Comm comm)
{
    MPI_Recv(in, 1, MPI_CHAR, from, tag, comm, MPI_STATUS_IGNORE);
}

static void receive_byte(int from)
{
    receive_tagged(from, 0, MPI_COMM_WORLD);
}

/* 0 waits for 1 (50 ms); for whoever sends, which is 2 (100 ms); and in a probe, for 3 (60 ms). */
static void late_senders(void)
{
    late(1, 50);
    if (rank == 1)
        send_byte(0);
    if (rank == 0)
        receive_byte(1);
    late(2, 100);
    if (rank == 2)
        send_byte(0);
    if (rank == 0)
        receive_byte(MPI_ANY_SOURCE);
    late(3, 60);
    if (rank == 3)
        send_byte(0);
    if (rank == 0) {
        MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        receive_byte(3);
    }
}

/* 1 waits for 3 (70 ms), to whom it sends. */
static void late_receiver(void)
{
    late(3, 70);
    if (rank == 1)
        MPI_Ssend(out, 1, MPI_CHAR, 3, 0, MPI_COMM_WORLD);
    if (rank == 3)
        receive_byte(1);
}

/* 2 and 3 wait in exchanges: 2 for 0 (40 ms), 3 in turn for 2. */
static void exchange(void)
{
    late(0, 40);
    if (rank == 0)
        MPI_Sendrecv(out, 1, MPI_CHAR, 2, 1, in, 1, MPI_CHAR, 2, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2)
        MPI_Sendrecv(out, 1, MPI_CHAR, 0, 1, in, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2)
        MPI_Sendrecv_replace(out, 1, MPI_CHAR, 3, 2, MPI_PROC_NULL, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 3)
        MPI_Sendrecv_replace(in, 1, MPI_CHAR, MPI_PROC_NULL, 2, 2, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* By a communicator whose ranks run backwards: 2 waits for 1 (80 ms), for whoever sends; 3 for 0 (55 ms), one of two. */
static void requests(void)
{
    MPI_Comm backwards;
    MPI_Request r[2];
    int at;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
    late(1, 80);
    if (rank == 1)
        MPI_Send(out, 1, MPI_CHAR, 3 - 2, 3, backwards);
    if (rank == 2) {
        MPI_Irecv(in, 1, MPI_CHAR, MPI_ANY_SOURCE, 3, backwards, &r[0]);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    }
    late(0, 55);
    if (rank == 0)
        MPI_Send(out, 1, MPI_CHAR, 3 - 3, 4, backwards);
    if (rank == 3) {
        MPI_Irecv(in, 1, MPI_CHAR, 3 - 1, 5, backwards, &r[0]);
        MPI_Irecv(in + 1, 1, MPI_CHAR, 3 - 0, 4, backwards, &r[1]);
        MPI_Waitany(2, r, &at, MPI_STATUS_IGNORE);
        if (at != 1)
            puts("the wrong request");
    }
    late(-1, 0);
    if (rank == 1)
        MPI_Send(out, 1, MPI_CHAR, 3 - 3, 5, backwards);
    if (rank == 3)
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Comm_free(&backwards);
}

/* 0 waits for 3 (45 ms), which takes a large message late. */
static void late_receiver_of_a_request(void)
{
    MPI_Request r;
    late(3, 45);
    if (rank == 0) {
        MPI_Isend(out, large, MPI_CHAR, 3, 6, MPI_COMM_WORLD, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    if (rank == 3)
        MPI_Recv(in, large, MPI_CHAR, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* 0 waits for 1 (35 ms), by a communicator that is free before it waits: nobody can tell for whom. */
static void freed_communicator(void)
{
    MPI_Comm comm;
    MPI_Request r;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (rank == 0)
        MPI_Irecv(in, 1, MPI_CHAR, 1, 7, comm, &r);
    late(1, 35);
    if (rank == 1)
        MPI_Send(out, 1, MPI_CHAR, 0, 7, comm);
    MPI_Comm_free(&comm);
    if (rank == 0)
        MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* All wait for 2, the root (90 ms); 1 for several (65 ms); and all for all (75 ms), also by a request. */
static void many(void)
{
    MPI_Request r[2];
    int one = 1, sum;
    late(2, 90);
    MPI_Bcast(out, 8, MPI_CHAR, 2, MPI_COMM_WORLD);
    late(0, 65);
    if (rank == 0 || rank == 2)
        send_byte(1);
    if (rank == 1) {
        MPI_Irecv(in, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &r[0]);
        MPI_Irecv(in + 1, 1, MPI_CHAR, 2, 0, MPI_COMM_WORLD, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    late(1, 75);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    late(2, 85);
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
}

/* A message that a probe has taken: 3 waits for 1 (25 ms). */
static void matched(void)
{
    MPI_Message message;
    late(1, 25);
    if (rank == 1)
        send_byte(3);
    if (rank == 3) {
        MPI_Mprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(in, 1, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    }
}

static void *receive_in_thread(void *from)
{
    receive_byte(*(int *) from);
    return NULL;
}

/* Two threads of 0 wait at the same time: for 1 (50 ms), and for 2 (100 ms). */
static void threads(void)
{
    int from[] = { 1, 2 };
    pthread_t t[2];
    late(-1, 0);
    for (int i = 0; i < 2 && rank == 0; i++)
        pthread_create(&t[i], NULL, receive_in_thread, &from[i]);
    for (int i = 0; i < 2 && rank == 0; i++)
        pthread_join(t[i], NULL);
    if (rank == 1 || rank == 2) {
        usleep(50000 * (unsigned) rank);
        send_byte(0);
    }
}

/* ---- orders ---- */

/* 0 waits for 1 (60 ms), which had sent another message before, and so had 2. */
static void behind_one_of_the_same(void)
{
    late(-1, 0);
    if (rank == 1 || rank == 2)
        send_byte(0);
    if (rank == 1) {
        usleep(60000);
        send_tagged(0, 1, MPI_COMM_WORLD);
    }
    if (rank == 0) {
        receive_tagged(1, 1, MPI_COMM_WORLD);
        receive_byte(2);
        receive_byte(1);
    }
}

/* The same of a request: 0 waits for 1 (80 ms) while the message of 2 is there. */
static void behind_one_of_another(void)
{
    MPI_Request r;
    late(1, 80);
    if (rank == 1 || rank == 2)
        send_byte(0);
    if (rank == 0) {
        MPI_Irecv(in, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        receive_byte(2);
    }
}

/* In order: 0 waits for 1 (40 ms), whose message was sent before that of 2 (50 ms later); for several in one call
 * (70 ms); and for 1 (55 ms) while 2 has sent, but in another communicator. */
static void in_order(void)
{
    MPI_Comm other;
    MPI_Request r[2];
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    late(1, 40);
    if (rank == 1)
        send_byte(0);
    if (rank == 2) {
        usleep(90000);
        send_byte(0);
    }
    if (rank == 0) {
        receive_byte(1);
        receive_byte(2);
    }
    late(1, 70);
    if (rank == 1 || rank == 2)
        send_byte(0);
    if (rank == 0) {
        MPI_Irecv(in, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &r[0]);
        MPI_Irecv(in + 1, 1, MPI_CHAR, 2, 0, MPI_COMM_WORLD, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    late(1, 55);
    if (rank == 1 || rank == 2)
        send_tagged(0, 0, rank == 1 ? MPI_COMM_WORLD : other);
    if (rank == 0) {
        receive_byte(1);
        receive_tagged(2, 0, other);
    }
    MPI_Comm_free(&other);
}

static void fork_beside(void)
{
    const pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
    int level;
    const char *what = argc > 1 ? argv[1] : "";
    const int with_threads = strcmp(what, "threads") == 0, with_forks = strcmp(what, "forks") == 0;
    MPI_Init_thread(&argc, &argv, with_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (with_threads) {
        threads();
    } else if (strcmp(what, "orders") == 0) {
        behind_one_of_the_same();
        behind_one_of_another();
        in_order();
    } else {
        late_senders();
        late_receiver();
        if (with_forks)
            fork_beside();
        exchange();
        requests();
        late_receiver_of_a_request();
        freed_communicator();
        many();
        matched();
    }
    MPI_Finalize();
    return 0;
}
