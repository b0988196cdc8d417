// SPDX-License-Identifier: BSD-3-Clause
// Probing with a carrier above MPI.
#include "carried.hpp"

namespace tare::pmpi::carried {

int probe(decltype(&MPI_Probe) library, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    const int rc = library(source, tag, comm, status);
    if (rc == MPI_SUCCESS && status != MPI_STATUS_IGNORE)
        in_use->correct_probed(status);
    return rc;
}

int iprobe(decltype(&MPI_Iprobe) library, int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    const int rc = library(source, tag, comm, flag, status);
    look_at_abandoned();
    if (rc == MPI_SUCCESS && *flag && status != MPI_STATUS_IGNORE)
        in_use->correct_probed(status);
    return rc;
}

int mprobe(decltype(&MPI_Mprobe) library, int source, int tag, MPI_Comm comm, MPI_Message *message,
           MPI_Status *status)
{
    if (is_ordered())
        return wait_in_order([&](int *flag) {
            return improbe(real.Improbe, source, tag, comm, flag, message, status);
        });
    MPI_Status own = {};
    MPI_Status *known = status == MPI_STATUS_IGNORE ? &own : status;
    const int rc = library(source, tag, comm, message, known);
    if (rc != MPI_SUCCESS)
        return rc;
    note_matched(*message, known, comm);
    in_use->correct_probed(known);
    return rc;
}

int improbe(decltype(&MPI_Improbe) library, int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
            MPI_Status *status)
{
    MPI_Status own = {};
    MPI_Status *known = status == MPI_STATUS_IGNORE ? &own : status;
    look_at_abandoned();
    order_lock order;
    const int rc = library(source, tag, comm, flag, message, known);
    if (rc != MPI_SUCCESS || !*flag)
        return rc;
    note_matched(*message, known, comm);
    in_use->correct_probed(known);
    return rc;
}

}  // namespace tare::pmpi::carried
