// SPDX-License-Identifier: BSD-3-Clause
#include "carrier.hpp"

#include "comms.hpp"
#include "handle_hash.hpp"

#include <algorithm>
#include <deque>
#include <utility>

namespace tare::pmpi {

namespace {

// Everything that the threads share. Made in MPI_Init, so that a process without the carrier pays nothing.
struct tables {
    stamped_types types;
    handle_table<MPI_Request, stamped *> requests;
    handle_table<MPI_Message, std::uint32_t> messages;
    std::deque<std::pair<MPI_Request, stamped *>> abandoned;
};
tables *shared;

// The bytes that the MPI library received, stamp included.
MPI_Count received_bytes(const MPI_Status *status)
{
    MPI_Count bytes = 0;
    real.Get_elements_x(status, MPI_BYTE, &bytes);
    return bytes;
}

void join(stamped *s, const MPI_Status *status, MPI_Count bytes, std::int64_t returned_ns)
{
    tare_edge_t edge{};
    edge.wire = s->stamp;
    edge.seen_ns = returned_ns;
    edge.peer = tare_peer(s->context, static_cast<std::uint32_t>(status->MPI_SOURCE));
    edge.size_class = tare_size_class(TARE_CLASS_EAGER, static_cast<std::uint64_t>(bytes));
    edge.flags = TARE_EDGE_SET;
    if (state.one_node)
        edge.flags |= TARE_EDGE_SAME_CLOCK;
    if (s->any_source)
        edge.flags |= TARE_EDGE_ANY_SOURCE;
    state.core->join(&edge);
    s->joined = true;
}

// A receive's slot was filled if it no longer holds what it was given. The slot of a replaced buffer held the stamp
// that was sent, so there the status tells.
bool has_come(const stamped *s, const MPI_Status *status, MPI_Count bytes)
{
    if (bytes < static_cast<MPI_Count>(sizeof(tare_wire_t)))
        return false;
    return s->role == direction::receive ? came(s->stamp) : status->MPI_SOURCE != MPI_PROC_NULL;
}

// With the lock held.
void look(stamped *s, MPI_Status *status, std::int64_t returned_ns)
{
    const MPI_Count bytes = received_bytes(status);
    if (!has_come(s, status, bytes))
        return;
    const MPI_Count payload = bytes - static_cast<MPI_Count>(sizeof(tare_wire_t));
    real.Status_set_elements_x(status, MPI_BYTE, payload);
    if (!s->joined)
        join(s, status, payload, returned_ns);
}

stamped *prepare(const void *buffer, MPI_Count count, MPI_Datatype type, direction role)
{
    stamped *s = shared->types.acquire(buffer, count, type);
    if (s != nullptr) {
        s->role = role;
        s->stamp = nothing_came;
    }
    return s;
}

// The oldest first, a few at a time: most are complete when the next one is abandoned.
void look_at_abandoned(std::size_t at_most)
{
    for (; at_most > 0 && !shared->abandoned.empty(); at_most--) {
        auto [request, s] = shared->abandoned.front();
        int complete = 0;
        real.Test(&request, &complete, MPI_STATUS_IGNORE);
        shared->abandoned.pop_front();
        if (complete)
            shared->types.release(s);
        else
            shared->abandoned.emplace_back(request, s);
    }
}

}  // namespace

// The wrapper has just given the core the time at which the call was entered.
carrier_cost::carrier_cost() : measured_(tare_measure_is_on())
{
    if (!measured_)
        return;
    const tare_thread_t *th = state.core->thread();
    started_ns_ = th->event_source == TARE_EVENT_TOOL ? th->event_ns : clock_ns();
}

void carrier_cost::library_called()
{
    if (!measured_)
        return;
    const std::int64_t now = clock_ns();
    tare_measure_overhead(now - started_ns_);
    state.core->event(now);
}

void carrier_cost::library_returned()
{
    if (measured_)
        returned_ns_ = clock_ns();
}

void carrier_cost::done()
{
    if (measured_)
        tare_measure_overhead(clock_ns() - returned_ns_);
}

stamped *prepare_send(const void *buffer, MPI_Count count, MPI_Datatype type, int dest)
{
    if (dest == MPI_PROC_NULL)
        return nullptr;
    shared_lock lock;
    return prepare(buffer, count, type, direction::send);
}

stamped *prepare_receive(void *buffer, MPI_Count count, MPI_Datatype type, int source, MPI_Comm comm)
{
    if (source == MPI_PROC_NULL)
        return nullptr;
    shared_lock lock;
    const comm_record *c = comm_of(comm);
    stamped *s = c == nullptr ? nullptr : prepare(buffer, count, type, direction::receive);
    if (s != nullptr) {
        s->context = c->number;
        s->any_source = source == MPI_ANY_SOURCE;
    }
    return s;
}

stamped *prepare_replace(void *buffer, MPI_Count count, MPI_Datatype type, int dest, int source, MPI_Comm comm)
{
    if (dest == MPI_PROC_NULL && source == MPI_PROC_NULL)
        return nullptr;
    stamped *s = prepare_receive(buffer, count, type, source == MPI_PROC_NULL ? 0 : source, comm);
    if (s != nullptr)
        s->role = direction::replace;
    return s;
}

void put_stamp(stamped *s) { s->stamp = state.core->stamp(); }

void finish_send(stamped *s)
{
    shared_lock lock;
    shared->types.release(s);
}

void finish_receive(stamped *s, MPI_Status *status, std::int64_t returned_ns)
{
    shared_lock lock;
    look(s, status, returned_ns);
    shared->types.release(s);
}

void look_at_receive(stamped *s, MPI_Status *status, std::int64_t returned_ns)
{
    shared_lock lock;
    look(s, status, returned_ns);
}

void correct_count(MPI_Status *status)
{
    const MPI_Count stamp = sizeof(tare_wire_t);
    const MPI_Count bytes = received_bytes(status);
    if (status->MPI_SOURCE != MPI_PROC_NULL && bytes >= stamp)
        real.Status_set_elements_x(status, MPI_BYTE, bytes - stamp);
}

void follow(MPI_Request request, stamped *s)
{
    if (s == nullptr)
        return;
    shared_lock lock;
    if (request == MPI_REQUEST_NULL || shared->requests.find(request) != nullptr)
        shared->types.release(s);
    else
        shared->requests.put(request, s);
}

void take_requests(int count, const MPI_Request *requests, stamped **taken)
{
    shared_lock lock;
    for (int i = 0; i < count; i++)
        taken[i] = requests[i] == MPI_REQUEST_NULL ? nullptr : shared->requests.take(requests[i]);
}

void put_back(MPI_Request request, stamped *s)
{
    if (s == nullptr)
        return;
    shared_lock lock;
    shared->requests.put(request, s);
}

void finish_request(stamped *s, MPI_Status *status, std::int64_t returned_ns)
{
    if (receives(s))
        finish_receive(s, status, returned_ns);
    else if (s != nullptr)
        finish_send(s);
}

void abandon(MPI_Request request, stamped *s)
{
    shared_lock lock;
    shared->abandoned.emplace_back(request, s);
    look_at_abandoned(2);
}

void note_matched(MPI_Message message, MPI_Comm comm)
{
    if (message == MPI_MESSAGE_NULL || message == MPI_MESSAGE_NO_PROC)
        return;
    shared_lock lock;
    if (const comm_record *c = comm_of(comm))
        shared->messages.put(message, c->number);
}

stamped *prepare_matched(void *buffer, MPI_Count count, MPI_Datatype type, MPI_Message message)
{
    if (message == MPI_MESSAGE_NULL || message == MPI_MESSAGE_NO_PROC)
        return nullptr;
    shared_lock lock;
    const std::uint32_t context = shared->messages.take(message);
    stamped *s = prepare(buffer, count, type, direction::receive);
    if (s != nullptr)
        s->context = context;
    return s;
}

void drop_type(MPI_Datatype type)
{
    shared_lock lock;
    shared->types.drop(type);
}

void start_carrier()
{
    shared = new tables;
    start_comms();
    state.carrier = true;
}

// Messages that were abandoned and never matched are left to the MPI library, which holds their types.
void stop_carrier()
{
    look_at_abandoned(shared->abandoned.size());
    for (auto &[request, s] : shared->abandoned)
        real.Request_free(&request);
    shared->abandoned.clear();
    shared->types.clear();
    stop_comms();
    state.carrier = false;
}

}  // namespace tare::pmpi
