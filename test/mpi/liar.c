/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ranks. Rank 1 lies: before each exchange it makes up its delay, their bounds and the time of its call, so that the
 * stamps of its messages hold random values, many of which do not fit. Rank 0 is honest and reads its compensated clock
 * all the time. Prints `RANK WHAT VALUE`; the argument is the seed. */
#define _GNU_SOURCE
#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tare_transport.h"

enum { rounds = 2000, most_bytes = 300000 };

static const tare_transport_v1_table_t *core;
static int rank, other;
static char out[most_bytes], in[most_bytes];
static MPI_Win window;

/* Both ranks draw the same. */
static uint64_t common_state;
static uint64_t own_state;

static uint64_t draw(uint64_t * state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Small and large numbers alike: so many random bits, and a sign. */
static int64_t any_ns(void)
{
    const int64_t ns = (int64_t) (draw(&own_state) >> 4 >> draw(&own_state) % 60);
    return draw(&own_state) & 1 ? ns : -ns;
}

static int64_t real_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* What this rank declares, as if it had been so. */
static void lie(void)
{
    tare_thread_t *th = core->thread();
    const int64_t below = any_ns(), above = any_ns();
    core->test_set_delay(any_ns());
    th->delay_lo_ns -= below < 0 ? 0 : below;
    th->delay_hi_ns += above < 0 ? 0 : above;
    core->event(draw(&own_state) % 4 ? real_now_ns() + any_ns() / 4 : real_now_ns());
}

static int bytes_of(uint64_t drawn)
{
    static const int sizes[] = { 0, 1, 64, 4000, 20000, 100000, most_bytes };
    return sizes[drawn % (sizeof sizes / sizeof sizes[0])];
}

static void send_and_receive(int bytes)
{
    if (rank == 1)
        MPI_Send(out, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    else
        MPI_Recv(in, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void answer(int bytes)
{
    if (rank == 0)
        MPI_Ssend(out, bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
    else
        MPI_Recv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void exchange_both(int bytes)
{
    MPI_Request requests[2];
    MPI_Irecv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, bytes, MPI_BYTE, other, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void poll(int bytes)
{
    MPI_Request request;
    int done = 0;
    if (rank == 1) {
        MPI_Send(out, bytes, MPI_BYTE, 0, 4, MPI_COMM_WORLD);
        return;
    }
    MPI_Irecv(in, bytes, MPI_BYTE, 1, 4, MPI_COMM_WORLD, &request);
    while (!done)
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

static void gather_all(int bytes)
{
    int one = 1, sum;
    MPI_Request request;
    (void) bytes;
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void barrier(int bytes)
{
    (void) bytes;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void fence(int bytes)
{
    MPI_Win_fence(0, window);
    if (rank == 1)
        MPI_Put(out, bytes, MPI_BYTE, 0, 0, bytes, MPI_BYTE, window);
    MPI_Win_fence(0, window);
}

static void (*const ways[]) (int) = { send_and_receive, answer, exchange_both, poll, gather_all, barrier, fence };

/* How often the clock ran backwards, and how often the delay was less or more than any that a stamp can hold: less by as
 * much as its time may be ahead, which is believed up to a second (arrival.hpp), because that clock does not go back. */
static long backwards, beyond;
static const int64_t believed_ns = 1000000000;

static void look(int64_t start_ns)
{
    static int64_t latest_ns = INT64_MIN;
    const int64_t now_ns = core->now_ns();
    const int64_t delay_ns = core->thread()->delay_ns;
    backwards += now_ns < latest_ns;
    latest_ns = now_ns;
    beyond += delay_ns < TARE_WIRE_DELAY_MIN_NS - believed_ns ||
              delay_ns > TARE_WIRE_DELAY_MAX_NS + real_now_ns() - start_ns;
}

static void play(void)
{
    const int64_t start_ns = real_now_ns();
    for (int i = 0; i < rounds; i++) {
        const uint64_t way = draw(&common_state), size = draw(&common_state);
        if (rank == 1)
            lie();
        ways[way % (sizeof ways / sizeof ways[0])] (bytes_of(size));
        if (rank == 0)
            look(start_ns);
    }
}

/* How far the clock is from the real one after 20 ms of both, in ms. */
static double drift_ms(void)
{
    const int64_t real_ns = real_now_ns(), compensated_ns = core->now_ns();
    usleep(20000);
    return (double) (core->now_ns() - compensated_ns - (real_now_ns() - real_ns)) / 1e6;
}

static MPI_T_pvar_session session;

static unsigned long long saturated(void)
{
    unsigned long long value = 0;
    MPI_T_pvar_handle handle;
    int place, count;
    if (MPI_T_pvar_get_index("tare_saturated", MPI_T_PVAR_CLASS_COUNTER, &place) == MPI_SUCCESS &&
        MPI_T_pvar_handle_alloc(session, place, NULL, &handle, &count) == MPI_SUCCESS) {
        MPI_T_pvar_read(session, handle, &value);
        MPI_T_pvar_handle_free(session, &handle);
    }
    return value;
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    int level;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    core = (const tare_transport_v1_table_t *) dlsym(RTLD_DEFAULT, "tare_transport_v1");
    common_state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    own_state = common_state + UINT64_C(0x1234567) * (unsigned) (rank + 1);
    MPI_T_pvar_session_create(&session);
    MPI_Win_create(in, sizeof in, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    core->overhead_add(0, 0);
    play();
    printf("%d rounds %d\n", rank, rounds);
    if (rank == 0)
        printf("0 backwards %ld\n0 beyond %ld\n0 drift %.0f\n", backwards, beyond, drift_ms());
    printf("%d saturated %s\n", rank, saturated() == core->thread()->saturated && saturated() > 0 ? "yes" : "no");
    fflush(stdout);
    core->thread()->muted++;
    MPI_Win_free(&window);
    MPI_Finalize();
    MPI_T_finalize();
    return 0;
}
