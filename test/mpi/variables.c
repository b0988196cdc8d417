/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ranks. Rank 0 waits for a message of rank 1, whose delay is 5000 ns; then both print what MPI_T says of them, as
 * `RANK NAME VALUE`, and what the core's own block says. */
#define _GNU_SOURCE
#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include "tare_transport.h"

static const tare_transport_v1_table_t *core;
static int rank;

static int place_of(const char *name, int class)
{
    int place;
    return MPI_T_pvar_get_index(name, class, &place) == MPI_SUCCESS ? place : -1;
}

/* A handle that was made before the message: it tells of what came later. */
static MPI_T_pvar_session session;
static MPI_T_pvar_handle handle_of(const char *name, int class)
{
    MPI_T_pvar_handle handle;
    int count;
    if (MPI_T_pvar_handle_alloc(session, place_of(name, class), NULL, &handle, &count) != MPI_SUCCESS || count != 1)
        printf("%d %s has no handle\n", rank, name);
    return handle;
}

static void print_time(const char *name, MPI_T_pvar_handle handle)
{
    double value = -1;
    MPI_T_pvar_read(session, handle, &value);
    printf("%d %s %.0f\n", rank, name, value);
}

static void print_count(const char *name, MPI_T_pvar_handle handle)
{
    unsigned long long value = 99;
    MPI_T_pvar_read(session, handle, &value);
    printf("%d %s %llu\n", rank, name, value);
}

/* Made before MPI_Init. */
static MPI_T_cvar_handle mode;

static void find_mode(void)
{
    int place, count;
    MPI_T_cvar_get_index("TARE_MODE", &place);
    MPI_T_cvar_handle_alloc(place, NULL, &mode, &count);
}

static void print_mode(void)
{
    char name[64] = "";
    MPI_T_cvar_read(mode, name);
    printf("%d TARE_MODE %s\n", rank, name);
    printf("%d TARE_MODE %s\n", rank,
           MPI_T_cvar_write(mode, "off") == MPI_SUCCESS ? "was written" : "cannot be written");
    MPI_T_cvar_handle_free(&mode);
}

static void exchange(void)
{
    int word = 0;
    if (rank == 1) {
        usleep(20000);
        core->test_set_delay(5000);
        MPI_Send(&word, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    } else {
        core->test_set_delay(9000000);
        MPI_Recv(&word, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    static const char *const times[] = { "tare_delay", "tare_delay_lo", "tare_delay_hi", "tare_residue" };
    static const char *const counts[] =
        { "tare_joins", "tare_adjusted", "tare_inversions", "tare_saturated", "tare_early_unknown", "tare_unseen_waits" };
    MPI_T_pvar_handle time_handles[4], count_handles[6];
    int level;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
    find_mode();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    core = (const tare_transport_v1_table_t *) dlsym(RTLD_DEFAULT, "tare_transport_v1");
    MPI_T_pvar_session_create(&session);
    for (int i = 0; i < 4; i++)
        time_handles[i] = handle_of(times[i], MPI_T_PVAR_CLASS_LEVEL);
    for (int i = 0; i < 6; i++)
        count_handles[i] = handle_of(counts[i], MPI_T_PVAR_CLASS_COUNTER);
    exchange();
    for (int i = 0; i < 4; i++)
        print_time(times[i], time_handles[i]);
    for (int i = 0; i < 6; i++)
        print_count(counts[i], count_handles[i]);
    printf("%d own %lld\n", rank, (long long) core->thread()->delay_ns);
    print_mode();
    fflush(stdout);
    MPI_T_pvar_session_free(&session);
    MPI_Finalize();
    MPI_T_finalize();
    return 0;
}
