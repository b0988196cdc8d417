/* SPDX-License-Identifier: BSD-3-Clause */
/* sends KIND: ranks whose communication is known. Prints nothing.
 *
 *     halo        neighbours exchange the edges of a field, which changes in each round
 *     resent      the same, but the field changes in the first round alone
 *     transpose   a matrix of rows becomes one of columns
 *     worker      rank 0 gives out tasks to who asks, and gets results
 *     chain       a table goes from each rank to the next one
 *     cyclic      data held in blocks, of which rank r needs each element i with i % ranks == r
 *     copied      rank 1 copies what it has received, packs it into a variable that it does not name, and sends it back
 *     heap        rank 0 sends a block to rank 1, which puts it into a longer one and sends it back; then a block in the
 *                 place of one that is gone
 *     stack       rank 0 sends a variable of an outer frame to rank 1, which has it in an inner one and sends it back; then
 *                 one of a frame in the place of the inner one
 *     used        rank 0 sends blocks to rank 1, where functions add them up, copy them, give them to the kernel and touch
 *                 them with others, and not at all
 *     overlapping rank 0 sends windows of three elements, each one element on, and gets back windows of what rank 1 has
 *     puts        as halo, and by resent_puts as resent: into windows, between fences
 *     window      rank 0 puts a table into rank 1's window, which sends it to rank 2, which gets it from there, too; then
 *                 all add to every second element of rank 0's, fetch a number, and swap another
 *     attached    rank 0 puts into memory that rank 1 has attached to a window
 *     collective  a broadcast, a scatter whose parts are gathered by all, a transpose by blocks, and sums
 *     nonblocking a broadcast, a scatter and a transpose under way at once, which ranks complete in unlike orders, around a
 *                 blocking broadcast; then all gather what was scattered, add it up, and root 0 sends on the sum
 *     persistent  a transpose made once of what one rank has broadcast, and started in five rounds; before that its empty
 *                 result goes to rank 0, and all meet in a barrier of that kind
 *     neighbours  operations of a ring, blocking, nonblocking and persistent
 *     open        rank 0 waits for a transpose whose other rank is killed behind a broadcast
 *     stopped     rank 1 is killed when it has received, and rank 0 while it waits for an answer
 */
#define _GNU_SOURCE
#include "tare.h"

#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { rounds = 10, length = 64, most_ranks = 8 };

static int rank, ranks;
static double field[length + 2], table[length], copy[length], packed[length + 1];

static void name_field(void) { tare_data("field", field, sizeof field, "double"); }

static void fill(double *data, int count, double seed)
{
    for (int i = 0; i < count; i++)
        data[i] = seed * (i + 1) + rank;
}

static void exchange_edges(void)
{
    const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    MPI_Request all[4];
    MPI_Status done[4];
    MPI_Irecv(&field[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &all[0]);
    MPI_Irecv(&field[length + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &all[1]);
    MPI_Isend(&field[length], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &all[2]);
    MPI_Isend(&field[1], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &all[3]);
    MPI_Waitall(4, all, done);
}

static void halo(int changing_rounds)
{
    name_field();
    tare_uses("stencil", &field[0], sizeof field[0]);
    tare_uses("stencil", &field[length + 1], sizeof field[0]);
    tare_uses("nobody", &table, sizeof table);
    for (int i = 0; i < rounds; i++) {
        if (i < changing_rounds)
            fill(&field[1], length, i + 1);
        exchange_edges();
    }
}

static void put_edges(MPI_Win window)
{
    MPI_Win_fence(0, window);
    if (rank + 1 < ranks)
        MPI_Put(&field[length], 1, MPI_DOUBLE, rank + 1, 0, 1, MPI_DOUBLE, window);
    if (rank > 0)
        MPI_Put(&field[1], 1, MPI_DOUBLE, rank - 1, length + 1, 1, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
}

static void puts_into_windows(int changing_rounds)
{
    MPI_Win window;
    name_field();
    MPI_Win_create(field, sizeof field, sizeof field[0], MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int i = 0; i < rounds; i++) {
        if (i < changing_rounds)
            fill(&field[1], length, i + 1);
        put_edges(window);
    }
    MPI_Win_free(&window);
}

static void transpose(void)
{
    const int columns = length / ranks, rows = length / ranks;
    double *by_rows = malloc(sizeof *by_rows * (size_t) (rows * length)), *by_columns = malloc(sizeof *by_columns * (size_t) (columns * length));
    MPI_Datatype block;
    MPI_Request all[2 * most_ranks];
    MPI_Status done[2 * most_ranks];
    int count = 0;
    tare_data("by_rows", by_rows, sizeof *by_rows * (size_t) (rows * length), "double");
    tare_data("by_columns", by_columns, sizeof *by_columns * (size_t) (columns * length), "double");
    fill(by_rows, rows * length, 1);
    MPI_Type_vector(rows, columns, length, MPI_DOUBLE, &block);
    MPI_Type_commit(&block);
    for (int r = 0; r < ranks; r++)
        if (r != rank)
            MPI_Irecv(&by_columns[r * rows * columns], rows * columns, MPI_DOUBLE, r, 0, MPI_COMM_WORLD, &all[count++]);
    for (int r = 0; r < ranks; r++)
        if (r != rank)
            MPI_Isend(&by_rows[r * columns], 1, block, r, 0, MPI_COMM_WORLD, &all[count++]);
    MPI_Waitall(count, all, done);
    MPI_Type_free(&block);
    tare_data("by_rows", by_rows, 0, NULL);
    tare_data("by_columns", by_columns, 0, NULL);
    free(by_rows);
    free(by_columns);
}

enum { task_tag, result_tag, tasks = 24, end_of_tasks = -1 };

static void give_out(void)
{
    double todo[tasks], results[tasks];
    double last = end_of_tasks;
    tare_data("todo", todo, sizeof todo, "double");
    tare_data("results", results, sizeof results, "double");
    fill(todo, tasks, 2);
    for (int i = 0; i < tasks + ranks - 1; i++) {
        double one;
        MPI_Status status;
        MPI_Recv(&one, 1, MPI_DOUBLE, MPI_ANY_SOURCE, result_tag, MPI_COMM_WORLD, &status);
        if (i < tasks) {
            results[i] = one;
            MPI_Send(&todo[i], 1, MPI_DOUBLE, status.MPI_SOURCE, task_tag, MPI_COMM_WORLD);
        } else {
            MPI_Send(&last, 1, MPI_DOUBLE, status.MPI_SOURCE, task_tag, MPI_COMM_WORLD);
        }
    }
    tare_data("todo", todo, 0, NULL);
    tare_data("results", results, 0, NULL);
}

static void work_off(void)
{
    double task = 0, result = 0;
    tare_data("task", &task, sizeof task, "double");
    tare_data("result", &result, sizeof result, "double");
    while (task != end_of_tasks) {
        /* Asleep, so that each worker asks for some. */
        nanosleep(&(struct timespec){ 0, 1000000L }, NULL);
        result = 2 * task;
        MPI_Send(&result, 1, MPI_DOUBLE, 0, result_tag, MPI_COMM_WORLD);
        MPI_Recv(&task, 1, MPI_DOUBLE, 0, task_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    tare_data("task", &task, 0, NULL);
    tare_data("result", &result, 0, NULL);
}

static void chain(void)
{
    tare_data("table", table, sizeof table, "double");
    if (rank == 0)
        fill(table, length, 3);
    else
        MPI_Recv(table, length, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank + 1 < ranks)
        MPI_Send(table, length, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
}

static void overlapping(void)
{
    enum { windows = 20, sent = 3 * windows };
    MPI_Datatype type;
    MPI_Type_vector(windows, 3, 1, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    tare_data("table", table, sizeof table, "double");
    tare_data("copy", copy, sizeof copy, "double");
    if (rank == 0) {
        fill(table, length, 3);
        MPI_Send(table, 1, type, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(copy, sent, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(copy, sent, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(copy, 1, type, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Type_free(&type);
}

static void cyclic(void)
{
    double held[length], used[length * most_ranks];
    tare_data("held", held, sizeof held, "double");
    tare_data("used", used, sizeof used, "double");
    fill(held, length, 1);
    for (int i = 0; i < length; i++) {
        const int user = (rank * length + i) % ranks;
        if (user != rank)
            MPI_Send(&held[i], 1, MPI_DOUBLE, user, i, MPI_COMM_WORLD);
    }
    for (int i = rank; i < length * ranks; i += ranks)
        if (i / length != rank)
            MPI_Recv(&used[i], 1, MPI_DOUBLE, i / length, i % length, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    tare_data("held", held, 0, NULL);
    tare_data("used", used, 0, NULL);
}

static void copied(void)
{
    int position = 0;
    tare_data("table", table, sizeof table, "double");
    tare_data("copy", copy, sizeof copy, "double");
    if (rank == 0) {
        fill(table, length, 4);
        MPI_Send(table, length, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(copy, length, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(table, length, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        memcpy(copy, table, sizeof copy);
        tare_copied(copy, table, sizeof copy);
        MPI_Pack(copy, length, MPI_DOUBLE, packed, sizeof packed, &position, MPI_COMM_WORLD);
        MPI_Send(packed, position, MPI_PACKED, 0, 0, MPI_COMM_WORLD);
    }
}

static void lock_and_put(MPI_Win window)
{
    fill(table, length, 1);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    MPI_Put(table, length, MPI_DOUBLE, 1, 1, length, MPI_DOUBLE, window);
    MPI_Win_unlock(1, window);
}

static void pass_on(MPI_Win window)
{
    if (rank == 1)
        MPI_Send(&field[1], length, MPI_DOUBLE, 2, 0, MPI_COMM_WORLD);
    if (rank != 2)
        return;
    MPI_Recv(copy, length, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    MPI_Get(packed, length, MPI_DOUBLE, 1, 1, length, MPI_DOUBLE, window);
    MPI_Win_unlock(1, window);
}

static void add_and_fetch(MPI_Win window)
{
    MPI_Datatype every_second;
    double one = 1, before = 0;
    long long mine = rank, expected = 0, found = 0;
    MPI_Type_vector(length / 2, 1, 2, MPI_DOUBLE, &every_second);
    MPI_Type_commit(&every_second);
    MPI_Win_lock_all(0, window);
    MPI_Accumulate(copy, length / 2, MPI_DOUBLE, 0, 0, 1, every_second, MPI_SUM, window);
    MPI_Fetch_and_op(&one, &before, MPI_DOUBLE, 0, length, MPI_SUM, window);
    MPI_Win_flush_local(0, window);
    MPI_Compare_and_swap(&mine, &expected, &found, MPI_LONG_LONG, 0, length + 1, window);
    MPI_Win_unlock_all(window);
    MPI_Type_free(&every_second);
}

static void on_window(void)
{
    MPI_Win window;
    name_field();
    tare_data("table", table, sizeof table, "double");
    tare_data("copy", copy, sizeof copy, "double");
    tare_data("got", packed, sizeof packed, "double");
    MPI_Win_create(field, sizeof field, sizeof field[0], MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (rank == 0)
        lock_and_put(window);
    MPI_Barrier(MPI_COMM_WORLD);
    pass_on(window);
    MPI_Barrier(MPI_COMM_WORLD);
    add_and_fetch(window);
    MPI_Win_free(&window);
}

static void attached(void)
{
    MPI_Win window;
    MPI_Aint where = 0;
    name_field();
    tare_data("table", table, sizeof table, "double");
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_attach(window, field, sizeof field);
    MPI_Get_address(&field[1], &where);
    MPI_Bcast(&where, 1, MPI_AINT, 1, MPI_COMM_WORLD);
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Put(table, length, MPI_DOUBLE, 1, where, length, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    MPI_Win_detach(window, field);
    MPI_Win_free(&window);
}

static double spread[length], part[length], gathered[length], rows_of[length], columns_of[length], own[length], sum[length];

static void collective(void)
{
    const int count = length / ranks;
    MPI_Bcast(table, length, MPI_DOUBLE, ranks - 1, MPI_COMM_WORLD);
    MPI_Scatter(spread, count, MPI_DOUBLE, part, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Allgather(part, count, MPI_DOUBLE, gathered, count, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Alltoall(rows_of, count, MPI_DOUBLE, columns_of, count, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Allreduce(own, sum, length, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce(sum, own, length, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
}

static void complete(MPI_Request *request)
{
    int flag = 0;
    while (!flag)
        MPI_Test(request, &flag, MPI_STATUS_IGNORE);
}

static void nonblocking(void)
{
    const int count = length / ranks;
    MPI_Request all[4];
    MPI_Status done[4];
    MPI_Ibcast(table, length, MPI_DOUBLE, 0, MPI_COMM_WORLD, &all[0]);
    MPI_Ibarrier(MPI_COMM_WORLD, &all[1]);
    MPI_Iscatter(spread, count, MPI_DOUBLE, part, count, MPI_DOUBLE, 1, MPI_COMM_WORLD, &all[2]);
    MPI_Bcast(copy, length, MPI_DOUBLE, ranks - 1, MPI_COMM_WORLD);
    MPI_Ialltoall(rows_of, count, MPI_DOUBLE, columns_of, count, MPI_DOUBLE, MPI_COMM_WORLD, &all[3]);
    if (rank % 2 == 1) {
        MPI_Wait(&all[3], MPI_STATUS_IGNORE);
        complete(&all[2]);
    }
    MPI_Waitall(4, all, done);
    MPI_Iallgather(part, count, MPI_DOUBLE, gathered, count, MPI_DOUBLE, MPI_COMM_WORLD, &all[0]);
    complete(&all[0]);
    MPI_Iallreduce(gathered, sum, length, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &all[0]);
    MPI_Wait(&all[0], MPI_STATUS_IGNORE);
    MPI_Ibcast(sum, length, MPI_DOUBLE, 0, MPI_COMM_WORLD, &all[0]);
    MPI_Wait(&all[0], MPI_STATUS_IGNORE);
}

enum { starts = 5 };

static void persistent(void)
{
    const int count = length / ranks;
    MPI_Request transposed, met;
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &met);
    MPI_Start(&met);
    MPI_Wait(&met, MPI_STATUS_IGNORE);
    MPI_Request_free(&met);
    MPI_Bcast(rows_of, length, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Alltoall_init(rows_of, count, MPI_DOUBLE, columns_of, count, MPI_DOUBLE, MPI_COMM_WORLD, MPI_INFO_NULL, &transposed);
    if (rank == 1)
        MPI_Send(columns_of, length, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    else if (rank == 0)
        MPI_Recv(gathered, length, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < starts; i++) {
        MPI_Start(&transposed);
        MPI_Wait(&transposed, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&transposed);
}

static void neighbours(void)
{
    const int periodic = 1;
    MPI_Comm ring;
    MPI_Request request;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
    MPI_Neighbor_alltoall(rows_of, 1, MPI_DOUBLE, columns_of, 1, MPI_DOUBLE, ring);
    MPI_Ineighbor_alltoall(rows_of, 1, MPI_DOUBLE, columns_of, 1, MPI_DOUBLE, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Neighbor_alltoall_init(rows_of, 1, MPI_DOUBLE, columns_of, 1, MPI_DOUBLE, ring, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Comm_free(&ring);
}

static void pass(double *data, int from)
{
    if (rank == from)
        MPI_Send(data, length, MPI_DOUBLE, 1 - from, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(data, length, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void heap(void)
{
    double *first = malloc(length * sizeof *first);
    double *second = calloc(length, sizeof *second);
    void *behind = malloc(1 << 10);
    fill(first, length, 1);
    pass(rank == 0 ? first : second, 0);
    second = realloc(second, 1 << 20);
    pass(rank == 0 ? first : second, 1);
    free(behind);
    free(second);
    free(first);
    double *third = malloc(length * sizeof *third);
    fill(third, length, 3);
    pass(third, 0);
    free(third);
}

static __attribute__((noinline)) void hand_over(double *outer)
{
    double inner[length];
    pass(rank == 0 ? outer : inner, 0);
    pass(rank == 0 ? outer : inner, 1);
}

static __attribute__((noinline)) void hand_on(void)
{
    double in_its_place[2 * length];
    fill(in_its_place, 2 * length, 5);
    pass(in_its_place + length, 1);
}

static __attribute__((noinline)) void stack(void)
{
    double outer[length];
    fill(outer, length, 4);
    hand_over(outer);
    hand_on();
}

/* Whole pages. */
enum { block = 8192 };
static double blocks[block];

static void pass_block(int tag, MPI_Request *request)
{
    if (rank == 0)
        MPI_Send(blocks, block, MPI_DOUBLE, 1, tag, MPI_COMM_WORLD);
    else if (request == NULL)
        MPI_Recv(blocks, block, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Irecv(blocks, block, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, request);
}

__attribute__((noinline, noclone)) static double add_up(const double *data)
{
    double all = 0;
    for (int i = 0; i < block; i++)
        all += data[i];
    return all;
}

__attribute__((noinline, noclone)) static double take_along(const double *data)
{
    static double kept[block];
    memcpy(kept, data, sizeof kept);
    return kept[block - 1];
}

static sigjmp_buf out;
static void jump_out(int number)
{
    (void) number;
    siglongjmp(out, 1);
}

static char *volatile nowhere;

static int crosses_over(void)
{
    if (sigsetjmp(out, 1) != 0)
        return 1;
    *nowhere = 1;
    return 0;
}

/* Its own handler gets what is its own. */
static int comes_back(void)
{
    struct sigaction own = { 0 };
    own.sa_handler = jump_out;
    sigaction(SIGSEGV, &own, NULL);
    return crosses_over();
}

static void expect(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "sends: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void *wait_to_go(void *go)
{
    pthread_mutex_lock(go);
    pthread_mutex_unlock(go);
    return NULL;
}

/* Nothing may be protected while a fault could not be handled, nor while another thread may go to the kernel with it. */
static void use_unseen(double expected)
{
    sigset_t held, before;
    sigemptyset(&held);
    sigaddset(&held, SIGSEGV);
    sigprocmask(SIG_BLOCK, &held, &before);
    pass_block(6, NULL);
    expect(rank == 0 || add_up(blocks) == expected, "a sum without signals is wrong");
    sigprocmask(SIG_SETMASK, &before, NULL);
    pthread_mutex_t go = PTHREAD_MUTEX_INITIALIZER;
    pthread_t other;
    pthread_mutex_lock(&go);
    pthread_create(&other, NULL, wait_to_go, &go);
    pass_block(7, NULL);
    expect(rank == 0 || add_up(blocks) == expected, "a sum beside a thread is wrong");
    pthread_mutex_unlock(&go);
    pthread_join(other, NULL);
}

static void add_up_behind(MPI_Request *request, double expected)
{
    MPI_Wait(request, MPI_STATUS_IGNORE);
    expect(rank == 0 || add_up(blocks) == expected, "a sum behind a request is wrong");
}

/* A persistent receive, a collective operation, partitions, MPI_Isendrecv: received where the request was made to. */
static void use_requests(double expected)
{
    MPI_Request request;
    const int to = rank == 0 ? 1 : MPI_PROC_NULL, from = rank == 0 ? MPI_PROC_NULL : 0;
    if (rank == 0)
        MPI_Send_init(blocks, block, MPI_DOUBLE, 1, 8, MPI_COMM_WORLD, &request);
    else
        MPI_Recv_init(blocks, block, MPI_DOUBLE, 0, 8, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 2; i++) {
        MPI_Start(&request);
        add_up_behind(&request, expected);
    }
    MPI_Request_free(&request);
    MPI_Ibcast(blocks, block, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
    add_up_behind(&request, expected);
    if (rank == 0)
        MPI_Psend_init(blocks, 1, block, MPI_DOUBLE, 1, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(blocks, 1, block, MPI_DOUBLE, 0, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    if (rank == 0)
        MPI_Pready(0, request);
    add_up_behind(&request, expected);
    MPI_Request_free(&request);
    MPI_Isendrecv(blocks, block, MPI_DOUBLE, to, 10, blocks, block, MPI_DOUBLE, from, 10, MPI_COMM_WORLD, &request);
    add_up_behind(&request, expected);
}

static void used(void)
{
    const double expected = 3. * block * (block + 1) / 2;
    fill(blocks, block, 3);
    pass_block(0, NULL);
    if (rank == 1)
        expect(add_up(blocks) == expected, "a sum is wrong");
    pass_block(1, NULL);
    if (rank == 1)
        expect(take_along(blocks) == 3. * block, "a copy is wrong");
    pass_block(2, NULL);
    if (rank == 1) {
        const int file = memfd_create("blocks", 0);
        expect(write(file, blocks, sizeof blocks) == (ssize_t) sizeof blocks, "the kernel has not got the data");
        close(file);
    }
    MPI_Request request = MPI_REQUEST_NULL;
    pass_block(3, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1)
        expect(add_up(blocks) == expected, "a later sum is wrong");
    pass_block(4, NULL);
    expect(comes_back(), "a handler was not called");
    pass_block(5, NULL);
    if (rank == 1)
        expect(add_up(blocks) == expected, "the last sum is wrong");
    expect(crosses_over(), "a handler was not called for what is its own");
    use_requests(expected);
    use_unseen(expected);
}

static void left_open(void)
{
    MPI_Request request;
    MPI_Ibcast(table, length, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0) {
        MPI_Ialltoall(rows_of, 1, MPI_DOUBLE, columns_of, 1, MPI_DOUBLE, MPI_COMM_WORLD, &request);
        MPI_Send(own, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Recv(own, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    raise(SIGKILL);
}

static void stopped(void)
{
    tare_data("table", table, sizeof table, "double");
    if (rank == 0)
        MPI_Send(table, length, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(table, length, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    raise(SIGKILL);
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (strcmp(kind, "halo") == 0)
        halo(rounds);
    else if (strcmp(kind, "resent") == 0)
        halo(1);
    else if (strcmp(kind, "transpose") == 0)
        transpose();
    else if (strcmp(kind, "worker") == 0)
        rank == 0 ? give_out() : work_off();
    else if (strcmp(kind, "chain") == 0)
        chain();
    else if (strcmp(kind, "overlapping") == 0)
        overlapping();
    else if (strcmp(kind, "cyclic") == 0)
        cyclic();
    else if (strcmp(kind, "copied") == 0)
        copied();
    else if (strcmp(kind, "puts") == 0)
        puts_into_windows(rounds);
    else if (strcmp(kind, "resent_puts") == 0)
        puts_into_windows(1);
    else if (strcmp(kind, "window") == 0)
        on_window();
    else if (strcmp(kind, "attached") == 0)
        attached();
    else if (strcmp(kind, "heap") == 0)
        heap();
    else if (strcmp(kind, "stack") == 0)
        stack();
    else if (strcmp(kind, "used") == 0)
        used();
    else if (strcmp(kind, "collective") == 0)
        collective();
    else if (strcmp(kind, "nonblocking") == 0)
        nonblocking();
    else if (strcmp(kind, "persistent") == 0)
        persistent();
    else if (strcmp(kind, "neighbours") == 0)
        neighbours();
    else if (strcmp(kind, "open") == 0)
        left_open();
    else if (strcmp(kind, "stopped") == 0)
        stopped();
    else
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Finalize();
    return 0;
}
