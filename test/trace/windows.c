/* SPDX-License-Identifier: BSD-3-Clause */
/* windows: every operation on windows and every way to synchronise them. did.RANK has a line for each event of OTF2's that
 * the rank's trace must have, in that order, as windows.py prints them of a trace. Operations are numbered in the order in
 * which the process begins them. Tests that fail one behind the other are one line. With an argument rank 1 is killed at the
 * end. */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { cells = 64, cell = sizeof(int) };
static FILE *out;
static int rank, size;           /* in MPI_COMM_WORLD */
static int operations;

static void did(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void did(const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    vfprintf(out, format, rest);
    va_end(rest);
    putc('\n', out);
}

static void did_make(const char *name, const char *operation)
{
    did("begin");
    did("create %s", name);
    did("end %s PROCESS %s", operation, name);
}

static void fence(int assertion, const char *name, MPI_Win win, int first)
{
    MPI_Win_fence(assertion, win);
    did("begin");
    for (int i = first; i <= operations; i++) {
        did("local %s %d", name, i);
        did("remote %s %d", name, i);
    }
    did("end BARRIER PROCESS|MEMORY %s", name);
}

static void free_window(const char *name, MPI_Win *win, const char *operation)
{
    MPI_Win_free(win);
    did("begin");
    did("destroy %s", name);
    did("end %s PROCESS %s", operation, name);
}

static void did_put(const char *name, int target, int bytes) { did("put %s %d %d %d", name, target, bytes, ++operations); }

static void did_get(const char *name, int target, int bytes) { did("get %s %d %d %d", name, target, bytes, ++operations); }

static void did_atomic(const char *name, int target, const char *kind, int sent, int received)
{
    did("atomic %s %d %s %d %d %d", name, target, kind, sent, received, ++operations);
}

static void completed(const char *name, int number, int at_origin, int everywhere)
{
    if (at_origin)
        did("local %s %d", name, number);
    if (everywhere)
        did("remote %s %d", name, number);
}

/* A window of one process, so that the numbers of the others are unlike in each. */
static void alone(void)
{
    int *memory, value = 1;
    MPI_Win win;
    if (rank != 0)
        return;
    MPI_Win_allocate(4 * cell, cell, MPI_INFO_NULL, MPI_COMM_SELF, &memory, &win);
    MPI_Win_set_name(win, "alone");
    did_make("alone", "CREATE_HANDLE_AND_ALLOCATE");
    fence(0, "alone", win, operations + 1);
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    did_put("alone", 0, cell);
    fence(0, "alone", win, operations);
    free_window("alone", &win, "DESTROY_HANDLE_AND_DEALLOCATE");
}

static void every_operation(MPI_Win win, const char *name, int target)
{
    static int values[cells], results[cells], compared;
    const int first = operations + 1;
    fence(MPI_MODE_NOPRECEDE, name, win, first);
    MPI_Put(values, 3, MPI_INT, target, 0, 3, MPI_INT, win);
    did_put(name, target, 3 * cell);
    MPI_Get(results, 2, MPI_INT, target, 8, 2, MPI_INT, win);
    did_get(name, target, 2 * cell);
    MPI_Accumulate(values, 5, MPI_INT, target, 16, 5, MPI_INT, MPI_SUM, win);
    did_atomic(name, target, "ACCUMULATE", 5 * cell, 0);
    MPI_Get_accumulate(values, 4, MPI_INT, results + 8, 4, MPI_INT, target, 24, 4, MPI_INT, MPI_MAX, win);
    did_atomic(name, target, "FETCH_AND_ACCUMULATE", 4 * cell, 4 * cell);
    MPI_Get_accumulate(NULL, 0, MPI_INT, results + 16, 6, MPI_INT, target, 32, 6, MPI_INT, MPI_NO_OP, win);
    did_atomic(name, target, "FETCH_AND_ACCUMULATE", 0, 6 * cell);
    MPI_Fetch_and_op(values, results + 24, MPI_INT, target, 40, MPI_SUM, win);
    did_atomic(name, target, "FETCH_AND_ADD", cell, cell);
    MPI_Fetch_and_op(values, results + 25, MPI_INT, target, 41, MPI_REPLACE, win);
    did_atomic(name, target, "SWAP", cell, cell);
    MPI_Compare_and_swap(values, &compared, results + 26, MPI_INT, target, 42, win);
    did_atomic(name, target, "COMPARE_AND_SWAP", 2 * cell, cell);
    MPI_Put(values, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
    fence(MPI_MODE_NOSUCCEED, name, win, first);
}

/* Rings: a rank's access is to the next one, and the one before has access to it. */
static void groups(MPI_Comm comm, MPI_Win win, const char *name, int is_tested)
{
    int own, count, value = 3, flag = 0;
    MPI_Group all, next, previous;
    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &count);
    const int to = (own + 1) % count, from = (own + count - 1) % count;
    MPI_Comm_group(comm, &all);
    MPI_Group_incl(all, 1, &to, &next);
    MPI_Group_incl(all, 1, &from, &previous);
    MPI_Win_post(previous, 0, win);
    did("group NONE %s %d", name, size - 1 - from);
    MPI_Win_start(next, 0, win);
    did("group NONE %s %d", name, size - 1 - to);
    MPI_Put(&value, 1, MPI_INT, to, 1, 1, MPI_INT, win);
    did_put(name, to, cell);
    MPI_Get(&value, 1, MPI_INT, to, 2, 1, MPI_INT, win);
    did_get(name, to, cell);
    MPI_Win_complete(win);
    completed(name, operations - 1, 1, 0);
    completed(name, operations, 1, 1);
    did("group MEMORY %s %d", name, size - 1 - to);
    if (is_tested)
        while (!flag)
            MPI_Win_test(win, &flag);
    else
        MPI_Win_wait(win);
    did("group MEMORY %s %d", name, size - 1 - from);
    MPI_Group_free(&all);
    MPI_Group_free(&next);
    MPI_Group_free(&previous);
}

static void locks(MPI_Win win, const char *name, int target)
{
    int value = 4, got = 0;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    did("lock %s %d EXCLUSIVE", name, target);
    MPI_Put(&value, 1, MPI_INT, target, 3, 1, MPI_INT, win);
    did_put(name, target, cell);
    MPI_Win_flush_local(target, win);
    completed(name, operations, 1, 0);
    MPI_Win_flush_local(target, win);
    MPI_Get(&got, 1, MPI_INT, target, 3, 1, MPI_INT, win);
    did_get(name, target, cell);
    MPI_Win_flush(target, win);
    completed(name, operations - 1, 0, 1);
    completed(name, operations, 1, 1);
    MPI_Win_flush(target, win);
    MPI_Put(&value, 1, MPI_INT, target, 3, 1, MPI_INT, win);
    did_put(name, target, cell);
    MPI_Win_unlock(target, win);
    completed(name, operations, 1, 1);
    did("unlock %s %d", name, target);
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    did("lock %s %d SHARED", name, target);
    MPI_Win_unlock(target, win);
    did("unlock %s %d", name, target);
}

static void wait_for(MPI_Request *request, const char *name, int number)
{
    int flag = 0, failed = 0;
    MPI_Test(request, &flag, MPI_STATUS_IGNORE);
    while (!flag) {
        failed = 1;
        MPI_Test(request, &flag, MPI_STATUS_IGNORE);
    }
    if (failed)
        did("test %s %d", name, number);
}

static void requests(MPI_Comm comm, MPI_Win win, const char *name, int own, int target)
{
    int values[8] = {0}, results[8];
    MPI_Request r[4];
    MPI_Win_lock_all(0, win);
    did("lock %s all SHARED", name);
    MPI_Rput(values, 2, MPI_INT, target, 0, 2, MPI_INT, win, &r[0]);
    did_put(name, target, 2 * cell);
    MPI_Rget(results, 3, MPI_INT, target, 8, 3, MPI_INT, win, &r[1]);
    did_get(name, target, 3 * cell);
    MPI_Raccumulate(values, 4, MPI_INT, own, 16, 4, MPI_INT, MPI_SUM, win, &r[2]);
    did_atomic(name, own, "ACCUMULATE", 4 * cell, 0);
    MPI_Rget_accumulate(values, 1, MPI_INT, results, 1, MPI_INT, target, 24, 1, MPI_INT, MPI_SUM, win, &r[3]);
    did_atomic(name, target, "FETCH_AND_ADD", cell, cell);
    const int first = operations - 3;
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    completed(name, first, 1, 0);
    wait_for(&r[1], name, first + 1);
    completed(name, first + 1, 1, 1);
    MPI_Waitall(2, &r[2], MPI_STATUSES_IGNORE);
    completed(name, first + 2, 1, 0);
    completed(name, first + 3, 1, 1);
    MPI_Win_flush_local_all(win);
    MPI_Win_sync(win);
    did("sync %s %d MEMORY", name, own);
    MPI_Win_flush_all(win);
    completed(name, first, 0, 1);
    completed(name, first + 2, 0, 1);
    /* A request that ends behind the flush that has completed its operation. */
    MPI_Rput(values, 1, MPI_INT, target, 0, 1, MPI_INT, win, &r[0]);
    did_put(name, target, cell);
    MPI_Win_flush_all(win);
    completed(name, operations, 1, 1);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
    did("unlock %s all", name);
    MPI_Barrier(comm);
}

/* Of all processes the last one comes first. */
static void reversed(void)
{
    MPI_Comm comm;
    MPI_Win win;
    int *memory, own;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    MPI_Comm_rank(comm, &own);
    MPI_Win_allocate(cells * cell, cell, MPI_INFO_NULL, comm, &memory, &win);
    MPI_Win_set_name(win, "reversed");
    did_make("reversed", "CREATE_HANDLE_AND_ALLOCATE");
    every_operation(win, "reversed", (own + 1) % size);
    groups(comm, win, "reversed", 0);
    groups(comm, win, "reversed", 1);
    MPI_Barrier(comm);
    locks(win, "reversed", (own + 1) % size);
    MPI_Barrier(comm);
    requests(comm, win, "reversed", own, (own + 1) % size);
    free_window("reversed", &win, "DESTROY_HANDLE_AND_DEALLOCATE");
    MPI_Comm_free(&comm);
}

/* Open MPI 4.1 refuses such windows on one node. */
static void created(void)
{
#ifndef OPEN_MPI
    MPI_Win win;
    int memory[4] = {0}, value = 7;
    const int target = (rank + 1) % size;
    MPI_Win_create(memory, sizeof memory, cell, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_name(win, "created");
    did_make("created", "CREATE_HANDLE");
    fence(0, "created", win, operations + 1);
    MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win);
    did_put("created", target, cell);
    fence(0, "created", win, operations);
    free_window("created", &win, "DESTROY_HANDLE");
#endif
}

static void shared(void)
{
    MPI_Win win;
    int *memory, value = 5;
    const int target = (rank + 1) % size;
    MPI_Win_allocate_shared(cells * cell, cell, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_set_name(win, "shared");
    did_make("shared", "CREATE_HANDLE_AND_ALLOCATE");
    fence(0, "shared", win, operations + 1);
    MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win);
    did_put("shared", target, cell);
    fence(0, "shared", win, operations);
    free_window("shared", &win, "DESTROY_HANDLE_AND_DEALLOCATE");
}

static void dynamic(void)
{
    MPI_Win win;
    int memory[cells] = {0}, value = 6;
    MPI_Aint here, *there = malloc((size_t) size * sizeof *there);
    const int target = (rank + 1) % size;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_name(win, "dynamic");
    did_make("dynamic", "CREATE_HANDLE");
    MPI_Win_attach(win, memory, sizeof memory);
    MPI_Get_address(memory, &here);
    MPI_Allgather(&here, 1, MPI_AINT, there, 1, MPI_AINT, MPI_COMM_WORLD);
    fence(0, "dynamic", win, operations + 1);
    MPI_Put(&value, 1, MPI_INT, target, there[target], 1, MPI_INT, win);
    did_put("dynamic", target, cell);
    fence(0, "dynamic", win, operations);
    MPI_Win_detach(win, memory);
    free_window("dynamic", &win, "DESTROY_HANDLE");
    free(there);
}

int main(int argc, char **argv)
{
    char name[32];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(name, sizeof name, "did.%d", rank);
    out = fopen(name, "w");
    if (out == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    alone();
    reversed();
    created();
    shared();
    dynamic();
    fclose(out);
    if (argc > 1) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1)
            raise(SIGKILL);
        return 0;
    }
    MPI_Finalize();
    return 0;
}
