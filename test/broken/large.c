/* SPDX-License-Identifier: BSD-3-Clause */
/* large count|type: a message of more than 4 GiB from rank 0 to rank 1, by a large count or of a large type. Rank 1
 * prints what came and how late it is for it. The memory of each rank is 64 MiB that are mapped over and over again. */
#include "tare.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { piece = 64 << 20, mebi = 1 << 20, mebis = 4097, beyond = 12345 };

static const MPI_Count bytes = ((MPI_Count) 1 << 32) + beyond;
static int rank;

static void fail(const char *what)
{
    perror(what);
    exit(2);
}

static char *map_memory(void)
{
    const size_t all = (size_t) 65 * piece;
    const int file = memfd_create("large", 0);
    char *memory = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (file < 0 || ftruncate(file, piece) != 0 || memory == MAP_FAILED)
        fail("large: memory");
    for (size_t at = 0; at < all; at += piece)
        if (mmap(memory + at, piece, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
            fail("large: mapping");
    return memory;
}

/* The length of a message is no multiple of the piece: its last bytes lie over its first. */
static uint32_t value_at(size_t i, uint32_t seed)
{
    return (uint32_t) i * 2654435761u + seed;
}

static void fill(char *memory, uint32_t seed)
{
    uint32_t *values = (uint32_t *) memory;
    for (size_t i = 0; i < piece / sizeof *values; i++)
        values[i] = value_at(i, seed);
}

static size_t count_wrong(const char *memory, uint32_t seed)
{
    const uint32_t *values = (const uint32_t *) memory;
    size_t wrong = 0;
    for (size_t i = 0; i < piece / sizeof *values; i++)
        wrong += values[i] != value_at(i, seed);
    return wrong;
}

static void tell(const char *memory, uint32_t seed, int64_t before, const MPI_Status *status)
{
    MPI_Count count;
    MPI_Get_elements_x(status, MPI_BYTE, &count);
    printf("%lld bytes, %zu wrong, delay %lld\n", (long long) count, count_wrong(memory, seed),
           (long long) (tare_delay_ns() - before));
}

static void declare_20_ms(void)
{
    usleep(60000);
    tare_overhead_add(20000000);
}

static void pass_large_count(char *memory)
{
    const int64_t before = tare_delay_ns();
    MPI_Status status;
    if (rank == 0) {
        fill(memory, 7);
        declare_20_ms();
        MPI_Send_c(memory, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    } else {
        MPI_Recv_c(memory, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
        tell(memory, 7, before, &status);
    }
}

static void pass_large_type(char *memory)
{
    const int64_t before = tare_delay_ns();
    MPI_Status status;
    MPI_Datatype type;
    MPI_Type_contiguous(mebi, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    if (rank == 0) {
        fill(memory, 8);
        declare_20_ms();
        MPI_Send(memory, mebis, type, 1, 2, MPI_COMM_WORLD);
    } else {
        MPI_Recv(memory, mebis, type, 0, 2, MPI_COMM_WORLD, &status);
        tell(memory, 8, before, &status);
    }
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *memory = map_memory();
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc == 2 && strcmp(argv[1], "type") == 0)
        pass_large_type(memory);
    else
        pass_large_count(memory);
    MPI_Finalize();
    return 0;
}
