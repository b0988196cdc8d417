// SPDX-License-Identifier: BSD-3-Clause
// The MPI functions that the datatype carrier takes part in. Each gets the MPI library's own function (or its
// large-count form) and the user's arguments; the wrappers that call them are generated.
#ifndef TARE_PMPI_CARRIED_HPP
#define TARE_PMPI_CARRIED_HPP

#include "carrier.hpp"
#include "comms.hpp"

namespace tare::pmpi::carried {

template <typename Count>
int send(int (*library)(const void *, Count, MPI_Datatype, int, int, MPI_Comm), const void *buf, Count count,
         MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    carrier_cost cost;
    stamped *s = prepare_send(buf, count, type, dest);
    if (s == nullptr)
        return library(buf, count, type, dest, tag, comm);
    cost.library_called();
    put_stamp(s);
    const int rc = library(MPI_BOTTOM, 1, s->type, dest, tag, comm);
    cost.library_returned();
    finish_send(s);
    cost.done();
    return rc;
}

template <typename Count>
int isend(int (*library)(const void *, Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *), const void *buf,
          Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
    carrier_cost cost;
    stamped *s = prepare_send(buf, count, type, dest);
    if (s == nullptr)
        return library(buf, count, type, dest, tag, comm, request);
    cost.library_called();
    put_stamp(s);
    const int rc = library(MPI_BOTTOM, 1, s->type, dest, tag, comm, request);
    cost.library_returned();
    follow(rc == MPI_SUCCESS ? *request : MPI_REQUEST_NULL, s);
    cost.done();
    return rc;
}

template <typename Count>
int recv(int (*library)(void *, Count, MPI_Datatype, int, int, MPI_Comm, MPI_Status *), void *buf, Count count,
         MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    carrier_cost cost;
    stamped *s = prepare_receive(buf, count, type, source, comm);
    if (s == nullptr)
        return library(buf, count, type, source, tag, comm, status);
    MPI_Status own = {};
    MPI_Status *known = status == MPI_STATUS_IGNORE ? &own : status;
    cost.library_called();
    const int rc = library(MPI_BOTTOM, 1, s->type, source, tag, comm, known);
    cost.library_returned();
    finish_receive(s, known, cost.returned_ns());
    cost.done();
    return rc;
}

template <typename Count>
int irecv(int (*library)(void *, Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *), void *buf, Count count,
          MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
    carrier_cost cost;
    stamped *s = prepare_receive(buf, count, type, source, comm);
    if (s == nullptr)
        return library(buf, count, type, source, tag, comm, request);
    cost.library_called();
    const int rc = library(MPI_BOTTOM, 1, s->type, source, tag, comm, request);
    cost.library_returned();
    follow(rc == MPI_SUCCESS ? *request : MPI_REQUEST_NULL, s);
    cost.done();
    return rc;
}

// Calls that complete one request leave MPI_ERROR alone.
inline void give_status(MPI_Status &own, MPI_Status *users)
{
    if (users == MPI_STATUS_IGNORE)
        return;
    own.MPI_ERROR = users->MPI_ERROR;
    *users = own;
}

// The buffer of one half of a call that sends and receives: the stamped one, or the user's own if it passes
// unchanged.
template <typename Count, typename Pointer> struct half {
    half(stamped *s, Pointer buf, Count n, MPI_Datatype t)
        : buffer(s ? MPI_BOTTOM : buf), count(s ? Count(1) : n), type(s ? s->type : t)
    {
    }
    Pointer buffer;
    Count count;
    MPI_Datatype type;
};

template <typename Count>
int sendrecv(int (*library)(const void *, Count, MPI_Datatype, int, int, void *, Count, MPI_Datatype, int, int,
                            MPI_Comm, MPI_Status *),
             const void *sendbuf, Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,
             Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    carrier_cost cost;
    stamped *s = prepare_send(sendbuf, sendcount, sendtype, dest);
    stamped *r = prepare_receive(recvbuf, recvcount, recvtype, source, comm);
    const half<Count, const void *> out(s, sendbuf, sendcount, sendtype);
    const half<Count, void *> in(r, recvbuf, recvcount, recvtype);
    MPI_Status own = {};
    MPI_Status *known = status == MPI_STATUS_IGNORE ? &own : status;
    cost.library_called();
    if (s != nullptr)
        put_stamp(s);
    const int rc = library(out.buffer, out.count, out.type, dest, sendtag, in.buffer, in.count, in.type, source,
                           recvtag, comm, known);
    cost.library_returned();
    finish_request(s, known, 0);
    finish_request(r, known, cost.returned_ns());
    cost.done();
    return rc;
}

template <typename Count>
int sendrecv_replace(int (*library)(void *, Count, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Status *),
                     void *buf, Count count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag,
                     MPI_Comm comm, MPI_Status *status)
{
    carrier_cost cost;
    stamped *s = prepare_replace(buf, count, type, dest, source, comm);
    if (s == nullptr)
        return library(buf, count, type, dest, sendtag, source, recvtag, comm, status);
    MPI_Status own = {};  // what the user's may hold must not look like a message
    cost.library_called();
    put_stamp(s);
    const int rc = library(MPI_BOTTOM, 1, s->type, dest, sendtag, source, recvtag, comm, &own);
    cost.library_returned();
    finish_receive(s, &own, cost.returned_ns());
    give_status(own, status);
    cost.done();
    return rc;
}

template <typename Count>
int mrecv(int (*library)(void *, Count, MPI_Datatype, MPI_Message *, MPI_Status *), void *buf, Count count,
          MPI_Datatype type, MPI_Message *message, MPI_Status *status)
{
    carrier_cost cost;
    stamped *s = prepare_matched(buf, count, type, *message);
    if (s == nullptr)
        return library(buf, count, type, message, status);
    MPI_Status own = {};
    MPI_Status *known = status == MPI_STATUS_IGNORE ? &own : status;
    cost.library_called();
    const int rc = library(MPI_BOTTOM, 1, s->type, message, known);
    cost.library_returned();
    finish_receive(s, known, cost.returned_ns());
    cost.done();
    return rc;
}

template <typename Count>
int imrecv(int (*library)(void *, Count, MPI_Datatype, MPI_Message *, MPI_Request *), void *buf, Count count,
           MPI_Datatype type, MPI_Message *message, MPI_Request *request)
{
    carrier_cost cost;
    stamped *s = prepare_matched(buf, count, type, *message);
    if (s == nullptr)
        return library(buf, count, type, message, request);
    cost.library_called();
    const int rc = library(MPI_BOTTOM, 1, s->type, message, request);
    cost.library_returned();
    follow(rc == MPI_SUCCESS ? *request : MPI_REQUEST_NULL, s);
    cost.done();
    return rc;
}

// --- completion.cpp: the types of the MPI library's functions are those of mpi.h ---

int probe(decltype(&MPI_Probe) library, int source, int tag, MPI_Comm comm, MPI_Status *status);
int iprobe(decltype(&MPI_Iprobe) library, int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status);
int mprobe(decltype(&MPI_Mprobe) library, int source, int tag, MPI_Comm comm, MPI_Message *message,
           MPI_Status *status);
int improbe(decltype(&MPI_Improbe) library, int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
            MPI_Status *status);
int wait(decltype(&MPI_Wait) library, MPI_Request *request, MPI_Status *status);
int waitall(decltype(&MPI_Waitall) library, int count, MPI_Request *requests, MPI_Status *statuses);
int waitany(decltype(&MPI_Waitany) library, int count, MPI_Request *requests, int *index, MPI_Status *status);
int waitsome(decltype(&MPI_Waitsome) library, int count, MPI_Request *requests, int *done, int *indices,
             MPI_Status *statuses);
int test(decltype(&MPI_Test) library, MPI_Request *request, int *flag, MPI_Status *status);
int testall(decltype(&MPI_Testall) library, int count, MPI_Request *requests, int *flag, MPI_Status *statuses);
int testany(decltype(&MPI_Testany) library, int count, MPI_Request *requests, int *index, int *flag,
            MPI_Status *status);
int testsome(decltype(&MPI_Testsome) library, int count, MPI_Request *requests, int *done, int *indices,
             MPI_Status *statuses);
int request_free(decltype(&MPI_Request_free) library, MPI_Request *request);
int request_get_status(decltype(&MPI_Request_get_status) library, MPI_Request request, int *flag, MPI_Status *status);
int type_free(decltype(&MPI_Type_free) library, MPI_Datatype *type);

}  // namespace tare::pmpi::carried

#endif
