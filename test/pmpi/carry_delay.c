/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends delays by every kind of call that the datatype carrier has, and prints the delay of the receiver afterwards,
 * in ns. Two ranks; every message is one of these, and which delay must come out is for the test to say:
 *
 *   late    the receiver waits for the message, and it (D_r) or the sender (D_s) is delayed
 *   early   the message has been there for a long time when the receiver asks for it
 *
 * A delay is given out of nothing through the core's test hook; the only clock that matters is how long the pauses
 * are, and every delay is much smaller than they.
 */
#include "tare_measure.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { pause_us = 30000 };      /* longer than any delay */
#define MS INT64_C(1000000)

enum kind { k_recv, k_ssend, k_wait, k_test, k_waitall, k_waitany, k_waitsome, k_sendrecv, k_replace, k_mrecv,
    k_large, k_count };
static const char *const names[k_count] = { "recv", "ssend", "wait", "test", "waitall", "waitany", "waitsome",
    "sendrecv", "replace", "mrecv", "large" };

static char buffer[1 << 20], in[1 << 20];

static void set_delay(int64_t ns)
{
    tare_measure_core()->test_set_delay(ns);
}

static void send_one(enum kind k)
{
    MPI_Request request;
    const int n = k == k_large ? (int) sizeof buffer : 40;
    switch (k) {
    case k_ssend:
        MPI_Ssend(buffer, n, MPI_CHAR, 1, k, MPI_COMM_WORLD);
        break;
    case k_wait:
    case k_waitall:
        MPI_Isend(buffer, n, MPI_CHAR, 1, k, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    case k_sendrecv:
        MPI_Sendrecv(buffer, n, MPI_CHAR, 1, k, in, 1, MPI_CHAR, MPI_PROC_NULL, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
    case k_replace:
        MPI_Sendrecv_replace(buffer, n, MPI_CHAR, 1, k, MPI_PROC_NULL, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
    default:
        MPI_Send(buffer, n, MPI_CHAR, 1, k, MPI_COMM_WORLD);
    }
}

/* A request that something else than MPI_Wait completes. */
static void receive_request(enum kind k)
{
    int index, flag = 0, done = 0;
    MPI_Request requests[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    MPI_Irecv(in, sizeof in, MPI_CHAR, 0, k, MPI_COMM_WORLD, &requests[1]);
    switch (k) {
    case k_waitall: MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); break;
    case k_waitany: MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE); break;
    case k_waitsome: MPI_Waitsome(2, requests, &done, &index, MPI_STATUSES_IGNORE); break;
    case k_test: while (!flag) MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE); break;
    default: MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    }
}

static void receive_one(enum kind k)
{
    MPI_Message message;
    switch (k) {
    case k_wait: case k_test: case k_waitall: case k_waitany: case k_waitsome:
        receive_request(k);
        break;
    case k_sendrecv:
        MPI_Sendrecv(buffer, 1, MPI_CHAR, MPI_PROC_NULL, k, in, sizeof in, MPI_CHAR, 0, k, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        break;
    case k_replace:
        MPI_Sendrecv_replace(in, sizeof in, MPI_CHAR, MPI_PROC_NULL, k, 0, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
    case k_mrecv:
        MPI_Mprobe(0, k, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(in, sizeof in, MPI_CHAR, &message, MPI_STATUS_IGNORE);
        break;
    default:
        MPI_Recv(in, sizeof in, MPI_CHAR, 0, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Prints the receiver's delay after one message of each kind; early: the receiver comes later than the message. */
static void one_of_each(const char *title, int rank, int early, int64_t sender_ns, int64_t receiver_ns)
{
    for (int k = 0; k < k_count; k++) {
        /* Synchronous and large messages arrive only when they are asked for; a test or a probe that waits is several
         * events. */
        if (early ? k == k_ssend || k == k_large : k == k_test || k == k_mrecv)
            continue;
        MPI_Barrier(MPI_COMM_WORLD);
        set_delay(rank == 0 ? sender_ns : receiver_ns);
        if (rank == (early ? 1 : 0))
            usleep(pause_us);
        if (rank == 0)
            send_one(k);
        else
            receive_one(k);
        if (rank == 1)
            printf("%s %s %lld\n", title, names[k], (long long) tare_delay_ns());
    }
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    one_of_each("late, sender delayed:", rank, 0, 5 * MS, 0);
    one_of_each("late, receiver delayed:", rank, 0, 0, 5 * MS);
    one_of_each("late, both delayed:", rank, 0, 7 * MS, 3 * MS);
    one_of_each("early, sender delayed:", rank, 1, 5 * MS, 0);
    one_of_each("early, receiver delayed:", rank, 1, 0, 5 * MS);
    MPI_Finalize();
    return 0;
}
