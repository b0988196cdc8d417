/* SPDX-License-Identifier: BSD-3-Clause */
/* Two processes that never call MPI_Init: one keeps the other waiting for 20 ms of overhead. Each prints its delay. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#include "tare_transport.h"

int main(void)
{
    const tare_transport_v1_table_t *core = dlsym(RTLD_DEFAULT, "tare_transport_v1");
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int rank;
    char word = 0;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "tare", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) {
        usleep(50000);
        core->overhead_add(20000000, 0);
        MPI_Send(&word, 1, MPI_BYTE, 1, 0, comm);
    } else {
        MPI_Recv(&word, 1, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE);
    }
    printf("%lld\n", (long long) core->thread()->delay_ns);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    return 0;
}
