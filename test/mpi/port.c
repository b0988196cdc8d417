/* SPDX-License-Identifier: BSD-3-Clause */
/* Two jobs that meet by a port: `port accept FILE` opens one, leaves its name in FILE and waits; `port connect FILE`
 * comes, after 20 ms of overhead that it says it had. Each prints the delay that it has at the end. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tare_transport.h"

static const tare_transport_v1_table_t *core;

static void meet(MPI_Comm other, int is_connecting)
{
    char word = 0;
    if (is_connecting) {
        core->overhead_add(20000000, 0);
        MPI_Send(&word, 1, MPI_BYTE, 0, 0, other);
    } else {
        MPI_Recv(&word, 1, MPI_BYTE, 0, 0, other, MPI_STATUS_IGNORE);
    }
    printf("%lld\n", (long long) core->thread()->delay_ns);
}

static void leave_name(const char *file, const char *name)
{
    char temporary[4096];
    snprintf(temporary, sizeof temporary, "%s.new", file);
    FILE *f = fopen(temporary, "w");
    fputs(name, f);
    fclose(f);
    rename(temporary, file);
}

static void find_name(const char *file, char *name)
{
    FILE *f;
    while ((f = fopen(file, "r")) == NULL)
        usleep(10000);
    if (fgets(name, MPI_MAX_PORT_NAME, f) == NULL)
        abort();
    fclose(f);
}

int main(int argc, char **argv)
{
    char name[MPI_MAX_PORT_NAME] = "";
    MPI_Comm other;
    int is_connecting = argc == 3 && strcmp(argv[1], "connect") == 0;

    MPI_Init(&argc, &argv);
    core = dlsym(RTLD_DEFAULT, "tare_transport_v1");
    if (is_connecting) {
        find_name(argv[2], name);
        MPI_Comm_connect(name, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
        usleep(50000);
    } else {
        MPI_Open_port(MPI_INFO_NULL, name);
        leave_name(argv[2], name);
        MPI_Comm_accept(name, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
        MPI_Close_port(name);
    }
    if (core)
        meet(other, is_connecting);
    MPI_Comm_disconnect(&other);
    MPI_Finalize();
    return 0;
}
