/* SPDX-License-Identifier: BSD-3-Clause */
/* sites: places that call MPI, with known numbers of calls and bytes. Two ranks, MPI_THREAD_MULTIPLE. Each place has a
 * function of its own, which the tests look for. To be compiled so that no call is a jump. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define PLACE static __attribute__((noinline)) void

enum { large = 1 << 20, threads = 4 };

static int rank, other;
/* Not known to the compiler, which would make two calls of one. */
static volatile int two = 2, three = 3;
static char out[large], in[large];

/* Rank 0 sends what rank 1 receives, which offers more room. */
PLACE send_ten_ints(void)
{
    MPI_Send(out, 10, MPI_INT, other, 1, MPI_COMM_WORLD);
}

PLACE receive_ignoring(void)
{
    MPI_Recv(in, 100, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

PLACE receive_with_status(void)
{
    MPI_Status status;
    int count;
    MPI_Recv(in, large, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    if (status.MPI_SOURCE != other || count != large)
        puts("wrong status");
}

PLACE one_way(void)
{
    for (int i = 0; i < 5; i++)
        rank == 0 ? send_ten_ints() : receive_ignoring();
    if (rank == 0)
        MPI_Send(out, large, MPI_BYTE, other, 2, MPI_COMM_WORLD);
    else
        receive_with_status();
}

/* Two places in one function. */
PLACE two_places(void)
{
    for (int i = 0; i < two; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < three; i++)
        MPI_Barrier(MPI_COMM_WORLD);
}

/* Two messages of 8 bytes each way; the receives offer 16. */
PLACE nonblocking(void)
{
    MPI_Request r[4];
    for (int i = 0; i < two; i++) {
        MPI_Irecv(in + 16 * i, 2, MPI_DOUBLE, other, 3, MPI_COMM_WORLD, &r[i]);
        MPI_Isend(out, 1, MPI_DOUBLE, other, 3, MPI_COMM_WORLD, &r[2 + i]);
    }
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
}

/* Five times 24 bytes each way: three times started one by one, twice together. */
PLACE persistent(void)
{
    MPI_Request r[2];
    MPI_Recv_init(in, 24, MPI_BYTE, other, 4, MPI_COMM_WORLD, &r[0]);
    MPI_Send_init(out, 24, MPI_BYTE, other, 4, MPI_COMM_WORLD, &r[1]);
    for (int i = 0; i < three; i++) {
        MPI_Start(&r[0]);
        MPI_Start(&r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < two; i++) {
        MPI_Startall(2, r);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}

/* Both directions: three ints of every four, without data, and to nobody. */
PLACE shapes(void)
{
    MPI_Datatype type;
    MPI_Type_vector(3, 1, 4, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(out, 2, type, other, 5, in, 100, MPI_INT, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    MPI_Sendrecv_replace(in, 0, MPI_INT, other, 6, other, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, 7, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD);
    MPI_Recv(in, 7, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The message comes 20 ms late. */
PLACE polling(void)
{
    MPI_Request request;
    int flag = 0;
    long looks = 0;
    if (rank == 0) {
        const double until = MPI_Wtime() + 0.02;
        while (MPI_Wtime() < until)
            continue;
        MPI_Send(out, 1, MPI_CHAR, other, 8, MPI_COMM_WORLD);
        return;
    }
    MPI_Irecv(in, 1, MPI_CHAR, other, 8, MPI_COMM_WORLD, &request);
    for (; !flag; looks++)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    printf("looks %ld\n", looks);
}

PLACE collective(void)
{
    int numbers[6] = { 0 }, sums[6];
    MPI_Bcast(numbers, 6, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < two; i++)
        MPI_Allreduce(numbers, sums, 6, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* Errors return: a call that went wrong moved nothing. */
PLACE wrong(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (MPI_Send(out, -1, MPI_INT, other, 9, MPI_COMM_WORLD) == MPI_SUCCESS)
        puts("a negative count was taken");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void *in_thread(void *argument)
{
    int size;
    for (int i = 0; i < 25; i++)
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    return argument;
}

PLACE in_threads(void)
{
    pthread_t t[threads];
    for (int i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, in_thread, NULL);
    for (int i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
}

/* More places than a table begins with. */
#define CALL_4 MPI_Initialized(&flag); MPI_Initialized(&flag); MPI_Initialized(&flag); MPI_Initialized(&flag);
#define CALL_16 CALL_4 CALL_4 CALL_4 CALL_4
PLACE many_places(void)
{
    int flag;
    for (int i = 0; i < three; i++) {
        CALL_16 CALL_16 CALL_16 CALL_16 CALL_16
    }
}

/* sites [persistent]: without, all but the persistent requests, which TARE_MODE=datatype refuses. */
int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    if (level != MPI_THREAD_MULTIPLE)
        puts("no MPI_THREAD_MULTIPLE");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    one_way();
    two_places();
    nonblocking();
    if (argc == 2 && strcmp(argv[1], "persistent") == 0)
        persistent();
    shapes();
    polling();
    collective();
    wrong();
    in_threads();
    many_places();
    MPI_Finalize();
    return 0;
}
