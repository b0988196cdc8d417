// SPDX-License-Identifier: BSD-3-Clause
// The MPI functions that a carrier takes part in. Each gets the MPI library's own function (or its large-count form)
// and the user's arguments; the wrappers that call them are generated.
#ifndef TARE_PMPI_CARRIED_HPP
#define TARE_PMPI_CARRIED_HPP

#include "bytes.hpp"
#include "carrier.hpp"
#include "comms.hpp"
#include "packing.hpp"

#include <optional>
#include <sched.h>

namespace tare::pmpi::carried {

// --- the MPI library's functions by what they count in ---

template <typename Count> struct library_for;
template <> struct library_for<int> {
    static constexpr auto isend = &real_calls::Isend, issend = &real_calls::Issend, irsend = &real_calls::Irsend,
                          ibsend = &real_calls::Ibsend;
    static constexpr auto ssend_init = &real_calls::Ssend_init, bsend_init = &real_calls::Bsend_init;
    static constexpr auto irecv = &real_calls::Irecv;
    static constexpr auto sendrecv = &real_calls::Sendrecv;
};
#if MPI_VERSION >= 4
template <> struct library_for<MPI_Count> {
    static constexpr auto isend = &real_calls::Isend_c, issend = &real_calls::Issend_c,
                          irsend = &real_calls::Irsend_c, ibsend = &real_calls::Ibsend_c;
    static constexpr auto ssend_init = &real_calls::Ssend_init_c, bsend_init = &real_calls::Bsend_init_c;
    static constexpr auto irecv = &real_calls::Irecv_c;
    static constexpr auto sendrecv = &real_calls::Sendrecv_c;
};
#endif

template <typename Count>
using send_function = int (*)(const void *, Count, MPI_Datatype, int, int, MPI_Comm);
template <typename Count>
using isend_function = int (*)(const void *, Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
template <typename Count>
using recv_function = int (*)(void *, Count, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
template <typename Count>
using irecv_function = int (*)(void *, Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
template <typename Count>
using sendrecv_function = int (*)(const void *, Count, MPI_Datatype, int, int, void *, Count, MPI_Datatype, int, int,
                                  MPI_Comm, MPI_Status *);

// --- what they have in common ---

// What the MPI library is called with for one message: a parcel's, or the user's own if it passes unchanged.
template <typename Count> struct passed {
    passed(const parcel *p, const void *users, Count n, MPI_Datatype t)
        : buffer(p != nullptr ? p->library.buffer : const_cast<void *>(users)),
          count(p != nullptr ? static_cast<Count>(p->library.count) : n), type(p != nullptr ? p->library.type : t)
    {
    }
    explicit passed(const parcel *p) : passed(p, nullptr, 0, MPI_DATATYPE_NULL) {}
    void *buffer;
    Count count;
    MPI_Datatype type;
};

template <typename Count> user_data data_of(const void *buf, Count count, MPI_Datatype type)
{
    return {const_cast<void *>(buf), static_cast<MPI_Count>(count), type};
}

// Of a send that `begin` begins: its end may wait for its receiver, and no stamp comes back.
template <typename Count> bool waits_unseen(isend_function<Count> begin, Count count, MPI_Datatype type)
{
    using library = library_for<Count>;
    if (begin == real.*library::issend || begin == real.*library::ssend_init)
        return true;
    if (begin == real.*library::ibsend || begin == real.*library::bsend_init)
        return false;
    return count > 0 && bytes::size_of(static_cast<std::int64_t>(count), type) > short_bytes;
}

// Without measurement there are no bounds, and the type is not asked.
template <typename Count> bool waits_unseen_now(isend_function<Count> begin, Count count, MPI_Datatype type)
{
    return is_anybody_measuring() && waits_unseen(begin, count, type);
}

// The same of a send that is over.
template <typename Count> void note_sent(isend_function<Count> begin, Count count, MPI_Datatype type)
{
    if (waits_unseen_now(begin, count, type))
        waited_unseen();
}

// Where several threads send or receive, what belongs together is begun together, and waited for afterwards.
inline bool is_ordered() { return state.concurrent && in_use->needs_order(); }

class order_lock {
  public:
    order_lock()
    {
        if (is_ordered())
            lock_.emplace();
    }

  private:
    std::optional<shared_lock> lock_;
};

// Instead of a call that waits: attempt(&done) tests, with the lock held. So no other thread looks at a request that
// the MPI library is just giving back.
template <typename Attempt> int wait_in_order(const Attempt &attempt)
{
    for (;;) {
        int done = 0;
        int rc;
        {
            order_lock order;
            rc = attempt(&done);
        }
        if (done || rc != MPI_SUCCESS)
            return rc;
        sched_yield();
    }
}

// wait() is the MPI library's call, and test(&done) the one instead. settle(rc) notes what they have completed.
template <typename Wait, typename Test, typename Settle>
int wait_and_settle(const Wait &wait, const Test &test, const Settle &settle)
{
    if (is_ordered())
        return wait_in_order([&](int *done) {
            const int rc = test(done);
            if (*done || rc != MPI_SUCCESS)
                settle(rc);
            return rc;
        });
    const int rc = wait();
    settle(rc);
    return rc;
}

// Of one request, which stands for p; p may be null, or a collective call's, which needs no order.
inline int wait_for(MPI_Request *request, parcel *p, MPI_Status *status)
{
    if (p == nullptr || is_collective(p))
        return real.Wait(request, status);
    return wait_and_settle([&] { return real.Wait(request, status); },
                           [&](int *done) { return real.Test(request, done, status); },
                           [&](int) { in_use->completed(p, status); });
}

// A status that tells whether anything came.
inline MPI_Status *known_status(MPI_Status *users, MPI_Status *own)
{
    MPI_Status *known = users == MPI_STATUS_IGNORE ? own : users;
    known->MPI_SOURCE = MPI_PROC_NULL;
    return known;
}

// Calls that complete one request leave MPI_ERROR alone.
inline void give_status(MPI_Status &own, MPI_Status *users)
{
    if (users == MPI_STATUS_IGNORE)
        return;
    own.MPI_ERROR = users->MPI_ERROR;
    *users = own;
}

inline MPI_Request request_if(int rc, const MPI_Request *request)
{
    return rc == MPI_SUCCESS ? *request : MPI_REQUEST_NULL;
}

template <typename Count>
int begin_send(isend_function<Count> library, parcel *p, const passed<Count> &out, int dest, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    const int rc = library(out.buffer, out.count, out.type, dest, tag, comm, request);
    if (p != nullptr && rc == MPI_SUCCESS)
        in_use->departed(p);
    return rc;
}

template <typename Count>
int begin_receive(irecv_function<Count> library, parcel *p, const passed<Count> &in, int source, int tag,
                  MPI_Comm comm, MPI_Request *request)
{
    if (p != nullptr)
        in_use->post(p);
    return library(in.buffer, in.count, in.type, source, tag, comm, request);
}

// --- blocking sends and receives ---

template <typename Count>
int send_with(send_function<Count> library, isend_function<Count> begin, const void *buf, Count count,
              MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    carrier_cost cost;
    parcel *p = in_use->outgoing(data_of(buf, count, type), {dest, tag, comm}, false);
    if (p == nullptr)
        return library(buf, count, type, dest, tag, comm);
    in_use->load(p);
    const passed<Count> out(p);
    cost.library_called();
    in_use->depart(p);
    int rc;
    if (is_ordered()) {
        MPI_Request request = MPI_REQUEST_NULL;
        {
            order_lock order;
            rc = begin_send(begin, p, out, dest, tag, comm, &request);
        }
        if (rc == MPI_SUCCESS)
            rc = real.Wait(&request, MPI_STATUS_IGNORE);
        cost.library_returned();
    } else {
        rc = library(out.buffer, out.count, out.type, dest, tag, comm);
        cost.library_returned();
        if (rc == MPI_SUCCESS)
            in_use->departed(p);
    }
    note_sent(begin, count, type);
    in_use->release(p);
    cost.done();
    return rc;
}

template <typename Count, typename... Rest>
int send(send_function<Count> library, const void *buf, Count count, Rest... rest)
{
    return send_with(library, real.*library_for<Count>::isend, buf, count, rest...);
}

template <typename Count, typename... Rest>
int ssend(send_function<Count> library, const void *buf, Count count, Rest... rest)
{
    return send_with(library, real.*library_for<Count>::issend, buf, count, rest...);
}

template <typename Count, typename... Rest>
int rsend(send_function<Count> library, const void *buf, Count count, Rest... rest)
{
    return send_with(library, real.*library_for<Count>::irsend, buf, count, rest...);
}

template <typename Count, typename... Rest>
int bsend(send_function<Count> library, const void *buf, Count count, Rest... rest)
{
    return send_with(library, real.*library_for<Count>::ibsend, buf, count, rest...);
}

template <typename Count>
int recv(recv_function<Count> library, void *buf, Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
         MPI_Status *status)
{
    carrier_cost cost;
    parcel *p = in_use->incoming(data_of(buf, count, type), {source, tag, comm}, false);
    if (p == nullptr)
        return library(buf, count, type, source, tag, comm, status);
    MPI_Status own = {};
    MPI_Status *known = known_status(status, &own);
    const passed<Count> in(p);
    cost.library_called();
    int rc;
    if (is_ordered()) {
        MPI_Request request = MPI_REQUEST_NULL;
        {
            order_lock order;
            rc = begin_receive(real.*library_for<Count>::irecv, p, in, source, tag, comm, &request);
            p->request = request_if(rc, &request);
        }
        if (rc == MPI_SUCCESS)
            rc = wait_for(&request, p, known);
    } else {
        in_use->post(p);
        rc = library(in.buffer, in.count, in.type, source, tag, comm, known);
    }
    cost.library_returned();
    receive_parcel(p, known, cost.returned_ns(), status != MPI_STATUS_IGNORE);
    in_use->release(p);
    cost.done();
    return rc;
}

// --- nonblocking ---

template <typename Count>
int isend(isend_function<Count> library, const void *buf, Count count, MPI_Datatype type, int dest, int tag,
          MPI_Comm comm, MPI_Request *request)
{
    carrier_cost cost;
    parcel *p = in_use->outgoing(data_of(buf, count, type), {dest, tag, comm}, true);
    if (p == nullptr)
        return library(buf, count, type, dest, tag, comm, request);
    in_use->load(p);
    const passed<Count> out(p);
    cost.library_called();
    in_use->depart(p);
    int rc;
    {
        order_lock order;
        rc = library(out.buffer, out.count, out.type, dest, tag, comm, request);
        cost.library_returned();
        if (rc == MPI_SUCCESS)
            in_use->departed(p);
    }
    p->waits_unseen = waits_unseen_now(library, count, type);
    if (in_use->follows_sends() || p->waits_unseen)
        follow(request_if(rc, request), p);
    else
        in_use->release(p);
    cost.done();
    return rc;
}

template <typename Count>
int irecv(irecv_function<Count> library, void *buf, Count count, MPI_Datatype type, int source, int tag,
          MPI_Comm comm, MPI_Request *request)
{
    carrier_cost cost;
    parcel *p = in_use->incoming(data_of(buf, count, type), {source, tag, comm}, true);
    if (p == nullptr)
        return library(buf, count, type, source, tag, comm, request);
    const passed<Count> in(p);
    cost.library_called();
    int rc;
    {
        order_lock order;
        rc = begin_receive(library, p, in, source, tag, comm, request);
    }
    cost.library_returned();
    follow(request_if(rc, request), p);
    cost.done();
    return rc;
}

// --- both at once ---

// Both are begun before anything is waited for: so the tool's message that belongs to the one that is sent goes out,
// too, and none of its cost lies between a stamp and its message.
template <typename Count>
int begun_sendrecv(parcel *s, const passed<Count> &out, int dest, int sendtag, parcel *r, const passed<Count> &in,
                   int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Request sending = MPI_REQUEST_NULL, receiving = MPI_REQUEST_NULL;
    int rc = MPI_SUCCESS;
    {
        order_lock order;
        if (source != MPI_PROC_NULL)
            rc = begin_receive(real.*library_for<Count>::irecv, r, in, source, recvtag, comm, &receiving);
        receiving = request_if(rc, &receiving);
        if (r != nullptr)
            r->request = receiving;
        if (s != nullptr)
            in_use->depart(s);
        if (rc == MPI_SUCCESS)
            rc = begin_send(real.*library_for<Count>::isend, s, out, dest, sendtag, comm, &sending);
        sending = request_if(rc, &sending);
    }
    if (rc != MPI_SUCCESS && receiving != MPI_REQUEST_NULL) {
        real.Cancel(&receiving);
        if (r != nullptr)
            r->cancelled = true;
    }
    const int sent = real.Wait(&sending, MPI_STATUS_IGNORE);
    // MPICH 4.0.2 gives no right status for the request of a receive from nobody.
    if (source == MPI_PROC_NULL && rc == MPI_SUCCESS)
        rc = real.Recv(nullptr, 0, MPI_BYTE, source, recvtag, comm, status);
    const int received = receiving != MPI_REQUEST_NULL ? wait_for(&receiving, r, status) : rc;
    if (rc != MPI_SUCCESS)
        return rc;
    return received != MPI_SUCCESS ? received : sent;
}

template <typename Count>
int sendrecv(sendrecv_function<Count> library, const void *sendbuf, Count sendcount, MPI_Datatype sendtype, int dest,
             int sendtag, void *recvbuf, Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
             MPI_Comm comm, MPI_Status *status)
{
    carrier_cost cost;
    parcel *s = in_use->outgoing(data_of(sendbuf, sendcount, sendtype), {dest, sendtag, comm}, false);
    parcel *r = in_use->incoming(data_of(recvbuf, recvcount, recvtype), {source, recvtag, comm}, false);
    if (s != nullptr)
        in_use->load(s);
    const passed<Count> out(s, sendbuf, sendcount, sendtype), in(r, recvbuf, recvcount, recvtype);
    MPI_Status own = {};
    MPI_Status *known = known_status(status, &own);
    cost.library_called();
    // What the MPI library will refuse must not begin the other half: that would take or send a message.
    const bool is_refused = (s == nullptr && dest != MPI_PROC_NULL) || (r == nullptr && source != MPI_PROC_NULL);
    int rc;
    if (in_use->needs_order() && !is_refused) {
        rc = begun_sendrecv(s, out, dest, sendtag, r, in, source, recvtag, comm, known);
    } else {
        if (s != nullptr)
            in_use->depart(s);
        if (r != nullptr)
            in_use->post(r);
        rc = library(out.buffer, out.count, out.type, dest, sendtag, in.buffer, in.count, in.type, source, recvtag,
                     comm, known);
    }
    cost.library_returned();
    if (r != nullptr)
        finish_parcel(r, known, cost.returned_ns(), status != MPI_STATUS_IGNORE);
    if (s != nullptr) {
        note_sent(real.*library_for<Count>::isend, sendcount, sendtype);
        in_use->release(s);
    }
    cost.done();
    return rc;
}

template <typename Count>
int sendrecv_replace(int (*library)(void *, Count, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Status *),
                     void *buf, Count count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag,
                     MPI_Comm comm, MPI_Status *status)
{
    if (dest == MPI_PROC_NULL && source == MPI_PROC_NULL)
        return library(buf, count, type, dest, sendtag, source, recvtag, comm, status);
    if (in_use->splits_replace())
        return sendrecv(real.*library_for<Count>::sendrecv, buf, count, type, dest, sendtag, buf, count, type, source,
                        recvtag, comm, status);
    if (in_use->needs_order()) {
        packed_copy copy(data_of(buf, count, type));
        return sendrecv(real.*library_for<Count>::sendrecv, copy.data(), static_cast<Count>(copy.bytes()), MPI_PACKED,
                        dest, sendtag, buf, count, type, source, recvtag, comm, status);
    }
    carrier_cost cost;
    const int peer = source == MPI_PROC_NULL ? dest : source;
    parcel *p = in_use->replacing(data_of(buf, count, type), {peer, recvtag, comm});
    if (p == nullptr)
        return library(buf, count, type, dest, sendtag, source, recvtag, comm, status);
    const passed<Count> both(p);
    MPI_Status own = {};
    own.MPI_SOURCE = MPI_PROC_NULL;
    cost.library_called();
    in_use->post(p);
    in_use->depart(p);
    const int rc = library(both.buffer, both.count, both.type, dest, sendtag, source, recvtag, comm, &own);
    cost.library_returned();
    finish_parcel(p, &own, cost.returned_ns());
    note_sent(real.*library_for<Count>::isend, count, type);
    give_status(own, status);
    cost.done();
    return rc;
}

// --- matched messages ---

template <typename Count>
int mrecv(int (*library)(void *, Count, MPI_Datatype, MPI_Message *, MPI_Status *), void *buf, Count count,
          MPI_Datatype type, MPI_Message *message, MPI_Status *status)
{
    carrier_cost cost;
    parcel *p = incoming_matched(data_of(buf, count, type), *message, false);
    if (p == nullptr)
        return library(buf, count, type, message, status);
    MPI_Status own = {};
    MPI_Status *known = known_status(status, &own);
    const passed<Count> in(p);
    cost.library_called();
    const int rc = library(in.buffer, in.count, in.type, message, known);
    cost.library_returned();
    finish_parcel(p, known, cost.returned_ns());
    cost.done();
    return rc;
}

template <typename Count>
int imrecv(int (*library)(void *, Count, MPI_Datatype, MPI_Message *, MPI_Request *), void *buf, Count count,
           MPI_Datatype type, MPI_Message *message, MPI_Request *request)
{
    carrier_cost cost;
    parcel *p = incoming_matched(data_of(buf, count, type), *message, true);
    if (p == nullptr)
        return library(buf, count, type, message, request);
    const passed<Count> in(p);
    cost.library_called();
    const int rc = library(in.buffer, in.count, in.type, message, request);
    cost.library_returned();
    follow(request_if(rc, request), p);
    cost.done();
    return rc;
}

// --- persistent requests ---

inline void follow_persistent(MPI_Request request, parcel *p)
{
    p->persistent = true;
    follow(request, p);
}

template <typename Count>
int send_init(isend_function<Count> library, const void *buf, Count count, MPI_Datatype type, int dest, int tag,
              MPI_Comm comm, MPI_Request *request)
{
    parcel *p = in_use->outgoing(data_of(buf, count, type), {dest, tag, comm}, true);
    if (p == nullptr)
        return library(buf, count, type, dest, tag, comm, request);
    in_use->load(p);         // how long it is
    p->waits_unseen = waits_unseen(library, count, type);
    const passed<Count> out(p);
    const int rc = library(out.buffer, out.count, out.type, dest, tag, comm, request);
    follow_persistent(request_if(rc, request), p);
    return rc;
}

template <typename Count>
int recv_init(irecv_function<Count> library, void *buf, Count count, MPI_Datatype type, int source, int tag,
              MPI_Comm comm, MPI_Request *request)
{
    parcel *p = in_use->incoming(data_of(buf, count, type), {source, tag, comm}, true);
    if (p == nullptr)
        return library(buf, count, type, source, tag, comm, request);
    const passed<Count> in(p);
    const int rc = library(in.buffer, in.count, in.type, source, tag, comm, request);
    follow_persistent(request_if(rc, request), p);
    return rc;
}

// --- attached.cpp: MPI_Bsend's buffer, which needs room for what the carrier adds to each message ---

void *larger_buffer(MPI_Count size, MPI_Count *larger_size);
void users_buffer(void *larger, void **users, MPI_Count *size);
void keep_users_buffer(void *larger, void *users, MPI_Count size);

template <typename Count> int buffer_attach(int (*library)(void *, Count), void *buffer, Count size)
{
    if (in_use->more_bytes() == 0 || buffer == nullptr || size <= 0)
        return library(buffer, size);
    MPI_Count larger_size = 0;
    void *larger = larger_buffer(size, &larger_size);
    const int rc = library(larger, static_cast<Count>(larger_size));
    if (rc == MPI_SUCCESS)
        keep_users_buffer(larger, buffer, size);
    return rc;
}

template <typename Count> int buffer_detach(int (*library)(void *, Count *), void *buffer_addr, Count *size)
{
    const int rc = library(buffer_addr, size);
    MPI_Count users_size = *size;
    if (rc == MPI_SUCCESS && in_use->more_bytes() != 0)
        users_buffer(*static_cast<void **>(buffer_addr), static_cast<void **>(buffer_addr), &users_size);
    *size = static_cast<Count>(users_size);
    return rc;
}

// --- probing.cpp, completion.cpp: the types of the MPI library's functions are those of mpi.h ---

int probe(decltype(&MPI_Probe) library, int source, int tag, MPI_Comm comm, MPI_Status *status);
int iprobe(decltype(&MPI_Iprobe) library, int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status);
int mprobe(decltype(&MPI_Mprobe) library, int source, int tag, MPI_Comm comm, MPI_Message *message,
           MPI_Status *status);
int improbe(decltype(&MPI_Improbe) library, int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
            MPI_Status *status);
int start(decltype(&MPI_Start) library, MPI_Request *request);
int startall(decltype(&MPI_Startall) library, int count, MPI_Request *requests);
int cancel(decltype(&MPI_Cancel) library, MPI_Request *request);
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
