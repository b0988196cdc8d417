// SPDX-License-Identifier: BSD-3-Clause
#include "carrier.hpp"

#include "bytes.hpp"
#include "collective.hpp"
#include "handle_hash.hpp"

#include <algorithm>
#include <deque>
#include <utility>

namespace tare::pmpi {

carrier *in_use;
std::atomic<bool> any_abandoned;

namespace {

struct matched_message {
    envelope from;
    parcel *waiting;     // of the carrier; may be null
};

// Everything that the threads share. Made in MPI_Init, so that a process without the carrier pays nothing.
struct tables {
    handle_table<MPI_Request, parcel *> requests;
    handle_table<MPI_Message, matched_message *> messages;
    std::deque<std::pair<MPI_Request, parcel *>> abandoned;      // by MPI_Request_free
};
tables *shared;

constexpr std::size_t looked_at_once = 4;

// Of a sender that measures, or to be joined because somebody here does.
bool concerns_us(const tare_wire_t &stamp) { return tare_is_active(&stamp) || is_anybody_measuring(); }

void join(parcel *p, const MPI_Status *status, MPI_Count bytes, std::int64_t returned_ns)
{
    tare_edge_t edge{};
    edge.wire = p->stamp;
    edge.seen_ns = returned_ns == among_several_ns ? 0 : returned_ns;
    edge.peer = tare_peer(p->comm->number, static_cast<std::uint32_t>(status->MPI_SOURCE));
    edge.size_class = tare_size_class(TARE_CLASS_EAGER, static_cast<std::uint64_t>(bytes));
    edge.flags = TARE_EDGE_SET | (returned_ns == among_several_ns ? TARE_EDGE_WATCHED : 0);
    if (state.one_node)
        edge.flags |= TARE_EDGE_SAME_CLOCK;
    if (p->peer == MPI_ANY_SOURCE)
        edge.flags |= TARE_EDGE_ANY_SOURCE;
    state.core->join(&edge);
}

using abandoned_message = std::pair<MPI_Request, parcel *>;

// Whether it is over. What a receive has brought concerns nobody.
bool is_over(abandoned_message &m)
{
    auto &[request, p] = m;
    int complete = 0;
    MPI_Status status{};
    status.MPI_SOURCE = MPI_PROC_NULL;
    real.Request_get_status(request, &complete, &status);
    if (!complete || (receives(p) && !in_use->is_whole(p, &status)))
        return false;
    if (receives(p))
        in_use->arrive(p, &status);
    const bool was_persistent = p->persistent;
    release_parcel(p);
    if (was_persistent)
        real.Request_free(&request);
    else
        real.Wait(&request, MPI_STATUS_IGNORE);
    return true;
}

bool next_abandoned(abandoned_message *m)
{
    shared_lock lock;
    if (shared->abandoned.empty())
        return false;
    *m = shared->abandoned.front();
    shared->abandoned.pop_front();
    return true;
}

void keep_abandoned(const abandoned_message &m)
{
    shared_lock lock;
    shared->abandoned.push_back(m);
}

// The oldest first, a few at a time: most are complete when the next one is abandoned.
void look_at_oldest(std::size_t at_most)
{
    abandoned_message m;
    while (at_most-- > 0 && next_abandoned(&m))
        if (!is_over(m))
            keep_abandoned(m);
}

// A handle that many requests may have at once: that of those that are complete when they are made, and of which
// nobody wants to know more.
bool may_share_handle(const parcel *p) { return !p->persistent && !receives(p); }

// Gives back what is over, if anything is. If the handle stands for one request only, its older one is: the MPI
// library has freed that by itself, as Open MPI does with a persistent receive that failed.
parcel *enter_request(MPI_Request request, parcel *p)
{
    parcel *older = shared->requests.find(request);
    if (older != nullptr && may_share_handle(older) && may_share_handle(p))
        return p;
    if (older != nullptr)
        shared->requests.take(request);
    shared->requests.put(request, p);
    return older;
}

}  // namespace

// The wrapper has just given the core the time at which the call was entered.
void carrier_cost::begin()
{
    const tare_thread_t *th = state.core->thread();
    started_ns_ = th->event_source == TARE_EVENT_TOOL ? th->event_ns : clock_ns();
}

void carrier_cost::declare_before()
{
    const std::int64_t now = clock_ns();
    tare_measure_overhead(now - started_ns_);
    state.core->event(now);
}

// A join may have taken a later time than that of the return for the end of the wait.
void carrier_cost::declare_after()
{
    const tare_thread_t *th = state.core->thread();
    const std::int64_t joined_ns = th->event_source == TARE_EVENT_NONE ? returned_ns_ : th->event_ns;
    const std::int64_t ended_ns = std::max(returned_ns_, joined_ns);
    tare_measure_overhead(clock_ns() - ended_ns);
}

// A message that is none passes unchanged, and so does what the MPI library will refuse.
parcel *carrier::prepare(const user_data &data, const envelope &e, direction role, bool kept)
{
    if (e.peer == MPI_PROC_NULL || e.comm == MPI_COMM_NULL)
        return nullptr;
    shared_lock lock;
    comm_record *comm = comm_of(e.comm);
    parcel *p = comm == nullptr ? nullptr : describe(data, e, role, kept, *comm);
    if (p == nullptr)
        return nullptr;
    p->comm = comm;
    hold(comm);
    p->peer = e.peer;
    one_by_one();
    p->tag = e.tag;
    p->role = role;
    p->persistent = p->active = p->seen = p->cancelled = p->waits_unseen = false;
    p->request = MPI_REQUEST_NULL;
    return p;
}

void carrier::release(parcel *p)
{
    shared_lock lock;
    comm_record *comm = p->comm;
    take_back(p);
    let_go(comm);
}

void carrier::correct_probed(MPI_Status *status) const
{
    if (more_bytes_ == 0 || status->MPI_SOURCE == MPI_PROC_NULL)
        return;
    if (const std::int64_t bytes = bytes::received(status); bytes >= more_bytes_)
        set_received_bytes(status, bytes - more_bytes_);
}

void carrier::correct_received(parcel *p, MPI_Status *status) const
{
    if (more_bytes_ != 0)
        set_received_bytes(status, payload_of(p, status));
}

MPI_Count carrier::ask_for_payload(parcel *p, const MPI_Status *status) const
{
    return p->payload_bytes = std::max(bytes::received(status) - more_bytes_, MPI_Count{0});
}

// As the core numbers messages of header mode: by the thread that sends them, as libtare calls it.
std::uint64_t next_origin()
{
    constexpr std::uint64_t sequence_bits = (std::uint64_t{1} << TARE_ORIGIN_SEQUENCE_BITS) - 1;
    const std::uint64_t thread = std::min<std::uint64_t>(tare_measure_thread_number(), TARE_ORIGIN_THREAD_UNKNOWN);
    return thread << TARE_ORIGIN_SEQUENCE_BITS | (++self.carried_messages & sequence_bits);
}

void tell_origin(tare_trace_origin_t &to, std::uint64_t origin)
{
    to.known |= TARE_TRACE_KNOWS_SEQUENCE;
    to.sequence = tare_origin_sequence(origin);
    to.thread = tare_origin_thread(origin);
    if (to.thread != TARE_ORIGIN_THREAD_UNKNOWN)
        to.known |= TARE_TRACE_KNOWS_THREAD;
}

// What a stamp tells of its message, for a trace. Clocks of other nodes may be any time apart.
tare_trace_origin_t origin_of(const tare_wire_t &stamp, std::uint64_t word)
{
    tare_trace_origin_t origin{};
    if (!came(stamp))
        return origin;
    tell_origin(origin, word);
    if (!tare_is_active(&stamp))
        return origin;
    origin.known |= TARE_TRACE_KNOWS_DELAY;
    origin.delay_ns = tare_wire_delay_ns(stamp);
    if (state.one_node && (tare_wire_flags(stamp) & TARE_WIRE_TIME_VALID)) {
        origin.known |= TARE_TRACE_KNOWS_SENT;
        origin.sent_ns = tare_wire_time_near_ns(stamp, clock_ns());
    }
    return origin;
}

void tell(tare_trace_origin_t *&whom, const parcel *p)
{
    if (__builtin_expect(whom != nullptr, 0))
        *whom++ = origin_of(p->stamp, p->origin);
}

// Each has its number, also one of which nobody asks.
void number_and_tell(parcel *p)
{
    p->origin = next_origin();
    tell(self.sending, p);
}

void carrier::depart(parcel *p)
{
    p->stamp = is_anybody_measuring() ? state.core->stamp() : tare_wire_t{};
    if (__builtin_expect(state.carries_origin, 0))
        number_and_tell(p);
}

void carrier::post(parcel *p)
{
    p->stamp = nothing_came;
    p->seen = p->cancelled = false;
    p->payload_bytes = -1;
}

void set_received_bytes(MPI_Status *status, MPI_Count bytes) { real.Status_set_elements_x(status, MPI_BYTE, bytes); }

void widen_bounds(std::int64_t lo_ns, std::int64_t hi_ns)
{
    tare_thread_t *th = state.core->thread();
    th->delay_lo_ns = std::min(th->delay_lo_ns, lo_ns);
    th->delay_hi_ns = std::max(th->delay_hi_ns, hi_ns);
}

void waited_unseen(std::int64_t elapsed_ns)
{
    if (is_anybody_measuring())
        widen_bounds(0, state.core->thread()->delay_hi_ns + elapsed_ns);
}

void waited_unseen()
{
    const std::int64_t entered_ns = state.core->thread()->call_ns;
    if (entered_ns != 0)
        waited_unseen(clock_ns() - entered_ns);
}

void receive_parcel(parcel *p, MPI_Status *status, std::int64_t returned_ns, bool is_asked)
{
    if (!in_use->arrive(p, status))
        return;
    if (!p->seen && concerns_us(p->stamp))
        join(p, status, in_use->payload_of(p, status), returned_ns);
    p->seen = true;
    tell(self.arriving, p);
    if (is_asked)
        in_use->correct_received(p, status);
}

void finish_parcel(parcel *p, MPI_Status *status, std::int64_t returned_ns, bool is_asked)
{
    if (is_collective(p))
        finish_collective(p, returned_ns);
    else if (receives(p))
        receive_parcel(p, status, returned_ns, is_asked);
    else if (p->waits_unseen)
        waited_unseen();
    if (p->persistent)
        p->active = false;
    else
        release_parcel(p);
}

void release_parcel(parcel *p) { is_collective(p) ? release_collective(p) : in_use->release(p); }

void follow(MPI_Request request, parcel *p)
{
    parcel *over;
    {
        shared_lock lock;
        p->request = request;
        over = request == MPI_REQUEST_NULL ? p : enter_request(request, p);
    }
    if (over != nullptr)
        release_parcel(over);
}

void take_requests(int count, const MPI_Request *requests, parcel **taken)
{
    shared_lock lock;
    for (int i = 0; i < count; i++) {
        taken[i] = nullptr;
        if (requests[i] == MPI_REQUEST_NULL)
            continue;
        parcel *p = shared->requests.find(requests[i]);
        if (p != nullptr && (!p->persistent || p->active))
            taken[i] = shared->requests.take(requests[i]);
    }
}

parcel *find_request(MPI_Request request)
{
    shared_lock lock;
    return request == MPI_REQUEST_NULL ? nullptr : shared->requests.find(request);
}

void put_back(MPI_Request request, parcel *p)
{
    if (request == MPI_REQUEST_NULL)
        return release_parcel(p);
    shared_lock lock;
    shared->requests.put(request, p);
}

void abandon(MPI_Request request, parcel *p)
{
    any_abandoned.store(true, std::memory_order_relaxed);
    keep_abandoned({request, p});
    look_at_abandoned();
}

void look_at_some_abandoned() { look_at_oldest(looked_at_once); }

void forget_request(MPI_Request request)
{
    shared_lock lock;
    shared->requests.take(request);
}

void note_matched(MPI_Message message, const MPI_Status *status, MPI_Comm comm)
{
    if (message == MPI_MESSAGE_NULL || message == MPI_MESSAGE_NO_PROC)
        return;
    const envelope from{status->MPI_SOURCE, status->MPI_TAG, comm};
    auto *m = new matched_message{from, in_use->matched(from)};
    shared_lock lock;
    shared->messages.put(message, m);
}

parcel *incoming_matched(const user_data &data, MPI_Message message, bool kept)
{
    if (message == MPI_MESSAGE_NULL || message == MPI_MESSAGE_NO_PROC)
        return nullptr;
    std::unique_ptr<matched_message> m;
    {
        shared_lock lock;
        m.reset(shared->messages.take(message));
    }
    if (m == nullptr)
        return nullptr;
    if (m->waiting != nullptr) {
        m->waiting->library = data;
        return m->waiting;
    }
    parcel *p = in_use->incoming(data, m->from, kept);
    if (p != nullptr)
        in_use->post(p);
    return p;
}

void start_carrier(int mode)
{
    shared = new tables;
    start_comms();
    in_use = (mode == TARE_MODE_DATATYPE  ? make_datatype_carrier()
              : mode == TARE_MODE_MESSAGE ? make_message_carrier()
                                          : make_copy_carrier()).release();
    state.carrier = true;
}

// Messages that were abandoned and never matched are left to the MPI library, which holds what they need.
void stop_carrier()
{
    look_at_oldest(shared->abandoned.size());
    for (auto &[request, p] : shared->abandoned) {
        if (receives(p))
            in_use->withdraw(p);
        real.Request_free(&request);
    }
    shared->abandoned.clear();
    in_use->stop();
    stop_comms();
    state.carrier = false;
}

}  // namespace tare::pmpi
