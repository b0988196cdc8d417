// SPDX-License-Identifier: BSD-3-Clause
#include "gaps.hpp"

#include "layer.hpp"

namespace {

int comm_get_parent(MPI_Comm *parent)
{
    *parent = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

// A status holds the bytes.
int get_elements_x(const MPI_Status *status, MPI_Datatype type, MPI_Count *elements)
{
    int n = 0;
    const int rc = tare::pmpi::real.Get_count(status, type, &n);
    *elements = n;
    return rc;
}

int status_set_elements_x(MPI_Status *status, MPI_Datatype type, MPI_Count elements)
{
    int bytes = 0;
    const int rc = tare::pmpi::real.Type_size(type, &bytes);
    status->count = static_cast<int>(elements * bytes);
    return rc;
}

// A probed message: each rank has one thread, so nobody else receives it.
struct probed_message {
    int source, tag;
    MPI_Comm comm;
};

int improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)
{
    MPI_Status own = {};
    MPI_Status *known = status == MPI_STATUS_IGNORE ? &own : status;
    const int rc = tare::pmpi::real.Iprobe(source, tag, comm, flag, known);
    if (rc == MPI_SUCCESS && *flag)
        *message = new probed_message{known->MPI_SOURCE, known->MPI_TAG, comm};
    return rc;
}

int mrecv(void *buffer, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status)
{
    const auto *m = static_cast<probed_message *>(*message);
    const int rc = tare::pmpi::real.Recv(buffer, count, type, m->source, m->tag, m->comm, status);
    delete m;
    *message = MPI_MESSAGE_NULL;
    return rc;
}

}  // namespace

void fill_gaps()
{
    if (!tare::pmpi::bind())
        tare::pmpi::die("SMPI is not there");
    tare::pmpi::real.Comm_get_parent = comm_get_parent;
    tare::pmpi::real.Get_elements_x = get_elements_x;
    tare::pmpi::real.Improbe = improbe;
    tare::pmpi::real.Mrecv = mrecv;
    tare::pmpi::real.Status_set_elements_x = status_set_elements_x;
}
