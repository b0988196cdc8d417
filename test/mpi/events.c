/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ranks. Rank 0 waits for rank 1, which comes 20 ms later with a delay of 5 ms, in the way that the argument names;
 * its own is 9 s. A tool listens by MPI_T, or not (argument 2: silent), and prints what it was told, as
 * `RANK NAME VALUE...`: values are the elements of the event, times from the begin of the exchange on, in ms. */
#define _GNU_SOURCE
#include <mpi.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tare_transport.h"

static const tare_transport_v1_table_t *core;
static int rank;
static int64_t start_ns;
static int stamps, waits;
static tare_stamp_event_t last_stamp;
static tare_wait_event_t last_wait;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Inside MPI: nothing but notes. */
static void note_stamp(MPI_T_event_instance event, MPI_T_event_registration handle, MPI_T_cb_safety safety, void *data)
{
    (void) handle, (void) safety, (void) data;
    stamps++;
    MPI_T_event_copy(event, &last_stamp);
}

static void note_wait(MPI_T_event_instance event, MPI_T_event_registration handle, MPI_T_cb_safety safety, void *data)
{
    (void) handle, (void) safety, (void) data;
    waits++;
    for (int i = 0; i < 10; i++)
        MPI_T_event_read(event, i, (int64_t *) &last_wait + i);
}

static MPI_T_event_registration listen_to(const char *name, MPI_T_event_cb_function callback)
{
    MPI_T_event_registration handle = NULL;
    int place;
    if (MPI_T_event_get_index(name, &place) != MPI_SUCCESS ||
        MPI_T_event_handle_alloc(place, NULL, MPI_INFO_NULL, &handle) != MPI_SUCCESS ||
        MPI_T_event_register_callback(handle, MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_INFO_NULL, NULL, callback) !=
        MPI_SUCCESS) {
        printf("%d %s cannot be listened to\n", rank, name);
        exit(1);
    }
    return handle;
}

static void message(void)
{
    int word = 0;
    if (rank == 1)
        MPI_Send(&word, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    else
        MPI_Recv(&word, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static void allreduce(void)
{
    int in = 1, out;
    MPI_Request request;
    MPI_Iallreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* mutex: NULL, or what the program locks for each of its calls. */
static void spin(pthread_mutex_t * mutex)
{
    int word = 0, done = 0;
    MPI_Request request;
    if (rank == 1) {
        message();
        return;
    }
    MPI_Irecv(&word, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
    while (!done) {
        if (mutex != NULL)
            pthread_mutex_lock(mutex);
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (mutex != NULL)
            pthread_mutex_unlock(mutex);
    }
}

static void test(void)
{
    spin(NULL);
}

static void locked_test(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    spin(&mutex);
}

static MPI_Win window;

static void fence(void)
{
    MPI_Win_fence(0, window);
}

/* Rank 1 polls for it in a barrier of the tool's own. */
static void lock(void)
{
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
        MPI_Win_unlock(1, window);
    }
    core->thread()->muted++;
    MPI_Barrier(MPI_COMM_WORLD);
    core->thread()->muted--;
}

static const struct {
    const char *name;
    void (*exchange)(void);
} ways[] = { {"message", message}, {"test", test}, {"locked_test", locked_test}, {"barrier", barrier}, {"allreduce", allreduce}, {"fence", fence},
    {"lock", lock} };

static void exchange(const char *name)
{
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (strcmp(ways[i].name, name) == 0) {
            ways[i].exchange();
            return;
        }
    fprintf(stderr, "events: there is no way '%s'\n", name);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

static double ms(int64_t ns)
{
    return (double) ns / 1e6;
}

int main(int argc, char **argv)
{
    static int memory[4];
    const int is_silent = argc > 2;
    MPI_T_event_registration handles[2] = { NULL, NULL };
    int level;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    core = (const tare_transport_v1_table_t *) dlsym(RTLD_DEFAULT, "tare_transport_v1");
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (!is_silent) {
        handles[0] = listen_to("tare_stamp_arrived", note_stamp);
        handles[1] = listen_to("tare_wait_adjusted", note_wait);
    }
    core->test_set_delay(rank == 0 ? 9000000000 : 5000000);
    core->thread()->muted++;
    MPI_Barrier(MPI_COMM_WORLD);
    core->thread()->muted--;
    stamps = waits = 0;
    start_ns = now_ns();
    if (rank == 1)
        usleep(20000);
    exchange(argc > 1 ? argv[1] : "message");
    printf("%d stamps %d\n%d waits %d\n%d delay %.0f\n", rank, stamps, rank, waits, rank, ms(core->thread()->delay_ns));
    if (stamps > 0)
        printf("%d stamp %.0f sent %.0f\n", rank, ms(last_stamp.delay_ns), ms(last_stamp.sent_ns - start_ns));
    if (waits > 0)
        printf("%d wait from %.0f to %.0f of %.0f then %.0f by %.0f\n", rank, ms(last_wait.entered_ns - start_ns),
               ms(last_wait.ended_ns - start_ns), ms(last_wait.delay_before_ns), ms(last_wait.delay_ns),
               ms(last_wait.edge.delay_ns));
    fflush(stdout);
    for (int i = 0; i < 2 && !is_silent; i++)
        MPI_T_event_handle_free(handles[i], NULL, NULL);
    MPI_Win_free(&window);
    MPI_Finalize();
    MPI_T_finalize();
    return 0;
}
