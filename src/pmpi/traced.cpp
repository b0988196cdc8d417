// SPDX-License-Identifier: BSD-3-Clause
#include "traced.hpp"

#include "found_uses.hpp"
#include "handle_hash.hpp"
#include "traced_requests.hpp"
#include "traced_windows.hpp"

namespace tare::pmpi::traced {
namespace {

constexpr std::uint32_t message_parts = 1, sent_parts = 2, received_parts = 3, collective_parts = 2;
static_assert(received_parts == TARE_TRACE_MOST_PARTS);

struct matched_messages {
    std::mutex changing;
    handle_table<MPI_Message, std::uint64_t> comms;      // one more than the communicator's number
};
matched_messages &matched()
{
    static auto *m = new matched_messages;
    return *m;
}

// parts: of one whose origin is known.
void write(std::uint32_t kind, std::uint32_t comm, const tare_trace_message_t &message, const tare_trace_origin_t &origin,
           std::uint32_t parts, enum tare_measure_moment when)
{
    tare_trace_record_t record;          // no more of it than the parts is looked at
    record.event = {0, 0, comm, kind | TARE_TRACE_PARTS(origin.known == 0 ? message_parts : parts)};
    record.message = message;
    if (origin.known != 0)
        record.more.origin = origin;
    tare_measure_trace(&record, when);
}

tare_trace_message_t message_of(const followed_request &r, std::int64_t bytes)
{
    return {static_cast<std::uint64_t>(bytes), r.number, r.peer, r.tag};
}

}  // namespace

int class_of(int rc)
{
    int found = rc;
    real.Error_class(rc, &found);
    return found;
}

const MPI_Status *nothing_came()
{
    static const MPI_Status status = [] {
        MPI_Status s{};
        s.MPI_SOURCE = MPI_PROC_NULL;
        return s;
    }();
    return &status;
}

tare_trace_origin_t origin_of_send(std::uint64_t number)
{
    tare_trace_origin_t origin{};
    if (state.traces_header) {
        origin.known = TARE_TRACE_KNOWS_DELAY;
        origin.delay_ns = self.carried_delay_ns;
    }
    if (number != 0) {
        origin.known |= TARE_TRACE_KNOWS_SEQUENCE;
        origin.sequence = tare_origin_sequence(number);
    }
    return origin;
}

void write_send(std::uint32_t comm, const tare_trace_message_t &message, const tare_trace_origin_t &origin,
                bool has_request)
{
    if (comm == TARE_TRACE_NONE)
        return;
    const std::uint32_t kind = has_request ? TARE_TRACE_ISEND : TARE_TRACE_SEND;
    if (origin.known == 0)
        return write(kind, comm, message, origin, sent_parts, TARE_MOMENT_ENTER);
    tare_trace_origin_t carried = origin;
    carried.known &= TARE_TRACE_KNOWS_DELAY | TARE_TRACE_KNOWS_SEQUENCE;         // its time is the event's
    write(kind, comm, message, carried, sent_parts, TARE_MOMENT_ENTER);
}

void write_receive(std::uint32_t comm, std::uint64_t number, const MPI_Status *status, std::int64_t bytes,
                   const tare_trace_origin_t &origin, bool has_request)
{
    if (comm == TARE_TRACE_NONE || status->MPI_SOURCE == MPI_PROC_NULL)
        return;
    write(has_request ? TARE_TRACE_IRECV : TARE_TRACE_RECV, comm,
          {static_cast<std::uint64_t>(bytes), number, status->MPI_SOURCE, status->MPI_TAG}, origin, received_parts,
          TARE_MOMENT_LEAVE);
    if (are_uses_looked_for() && !has_request)
        note_received(receives_where(), bytes);
}

void write_request(std::uint32_t kind, std::uint64_t number, enum tare_measure_moment when)
{
    tare_trace_record_t record;
    record.event = {0, 0, 0, kind | TARE_TRACE_PARTS(message_parts)};
    record.message = {0, number, 0, 0};
    tare_measure_trace(&record, when);
}

void write_started(const followed_request &r, const tare_trace_origin_t &origin)
{
    if (r.comm == TARE_TRACE_NONE)
        return;
    if (r.is_collective)
        write_request(TARE_TRACE_COLLECTIVE_REQUEST, r.number, TARE_MOMENT_ENTER);
    else if (r.is_send())
        write_send(r.comm, message_of(r, r.sent_bytes), origin, true);
    else
        write_request(TARE_TRACE_IRECV_REQUEST, r.number, TARE_MOMENT_ENTER);
}

void keep_place(followed_request &r)
{
    if (!are_uses_looked_for())
        return;
    r.address = receives_where().address;
    r.span_bytes = receives_where().span_bytes;
}

namespace {

void note_received(const followed_request &r, std::int64_t bytes)
{
    if (are_uses_looked_for())
        pmpi::note_received({r.address, r.span_bytes, 0}, bytes);
}

// As its call says, because its status does not.
void write_received(const followed_request &r, int source, int tag, std::uint64_t number)
{
    write(TARE_TRACE_IRECV, r.comm, {static_cast<std::uint64_t>(r.received_bytes), number, source, tag}, {}, received_parts,
          TARE_MOMENT_LEAVE);
    note_received(r, r.received_bytes);
}

void write_pair(const followed_request &r, bool has_ended)
{
    if (r.peer != MPI_PROC_NULL)
        has_ended ? write_request(TARE_TRACE_ISEND_COMPLETE, r.number, TARE_MOMENT_LEAVE)
                  : write_send(r.comm, message_of(r, r.sent_bytes), {}, true);
    if (r.source == MPI_PROC_NULL)
        return;
    if (has_ended)
        write_received(r, r.source, r.received_tag, r.operation);
    else
        write_request(TARE_TRACE_IRECV_REQUEST, r.operation, TARE_MOMENT_ENTER);
}

bool was_cancelled(const followed_request &r, const MPI_Status *status)
{
    int flag = 0;
    return r.cancelled && real.Test_cancelled(status, &flag) == MPI_SUCCESS && flag != 0;
}

void end_receive(const followed_request &r, const MPI_Status *status, const tare_trace_origin_t &origin)
{
    const std::int64_t bytes = bytes::received(status);
    write_receive(r.comm, r.number, status, bytes, origin, true);
    note_received(r, bytes);
}

// MPI_Comm_idup has made its communicator.
void end_collective(const followed_request &r)
{
    if (r.made != TARE_TRACE_NONE)
        write_plain(TARE_TRACE_COMM_CREATE, r.made, TARE_MOMENT_LEAVE);
    write_collective(TARE_TRACE_COLLECTIVE_COMPLETE, r);
    note_received(r, r.received_bytes);
}

}  // namespace

void write_ended(const followed_request &r, const MPI_Status *status, const tare_trace_origin_t &origin)
{
    if (r.is_on_window())
        return complete_operation(r.window, r.operation);
    if (r.comm == TARE_TRACE_NONE)
        return;
    if (r.is_collective)
        end_collective(r);
    else if (r.is_pair)
        write_pair(r, true);
    else if (r.is_partitioned && !r.is_send())
        write_received(r, r.peer, r.tag, r.number);
    else if (was_cancelled(r, status))
        write_request(TARE_TRACE_REQUEST_CANCELLED, r.number, TARE_MOMENT_LEAVE);
    else if (r.is_send())
        write_request(TARE_TRACE_ISEND_COMPLETE, r.number, TARE_MOMENT_LEAVE);
    else
        end_receive(r, status, origin);
}

void write_test(const followed_request &r)
{
    if (r.is_on_window())
        return test_operation(r.window, r.operation);
    if (!r.is_pair || r.peer != MPI_PROC_NULL)
        write_request(TARE_TRACE_REQUEST_TEST, r.number, TARE_MOMENT_LEAVE);
}

void write_collective(std::uint32_t kind, const followed_request &r)
{
    tare_trace_record_t record;
    record.event = {0, 0, r.comm, kind | TARE_TRACE_PARTS(collective_parts)};
    record.message = message_of(r, r.sent_bytes);
    record.more.received = {static_cast<std::uint64_t>(r.received_bytes), {0, 0}};
    tare_measure_trace(&record, TARE_MOMENT_LEAVE);
}

void write_plain(std::uint32_t kind, std::uint32_t comm, enum tare_measure_moment when)
{
    tare_trace_record_t record{};
    record.event.of = comm;
    record.event.kind = kind;
    tare_measure_trace(&record, when);
}

void message_call::ask()
{
    sent_ = received_ = {};
    if (state.numbered) {
        sent_before_ = latest_sent();
        log_.emplace(&entry_, 1);
        return;
    }
    asks_ = true;
    self.sending = &sent_;
    self.arriving = &received_;
}

void message_call::follow_send(int dest, int tag, MPI_Comm comm, std::int64_t bytes, MPI_Request request) const
{
    if (dest == MPI_PROC_NULL)
        return;
    followed_request r = sent_to(dest, tag, comm, bytes);
    r.number = requests::follow(request, r);
    write_started(r, sent());
}

void message_call::follow_receive(int source, int tag, std::uint32_t comm, MPI_Request request) const
{
    if (source == MPI_PROC_NULL)
        return;
    followed_request r = received_from(source, tag, comm);
    keep_place(r);
    r.number = requests::follow(request, r);
    write_started(r, {});
}

void isendrecv::follow(const moved_bytes &moved) const
{
    const bool is_known = from_.rank != MPI_ANY_SOURCE && from_.tag != MPI_ANY_TAG;
    followed_request r = sent_to(to_.rank, to_.tag, to_.comm, moved.sent);
    r.received_bytes = moved.received;
    r.is_pair = true;
    r.source = is_known ? from_.rank : MPI_PROC_NULL;
    r.received_tag = from_.tag;
    keep_place(r);
    if (r.comm == TARE_TRACE_NONE)
        return;
    r.operation = requests::next_number();
    r.number = requests::follow(*request_, r);
    write_pair(r, false);
}

void partitioned_init::describe() const
{
    followed_request r = sent_to(with_.rank, with_.tag, with_.comm, -1);
    (sends_ ? r.sent_bytes : r.received_bytes) = bytes::size_of(count_, type_);
    r.is_partitioned = r.persistent = true;
    keep_place(r);
    requests::follow(*request_, r);
    keep_buffers(*request_);
}

void mprobe::note_matched() const
{
    if (*message_ == MPI_MESSAGE_NULL || *message_ == MPI_MESSAGE_NO_PROC)
        return;
    const std::uint64_t comm = comm_number(comm_);
    const std::lock_guard<std::mutex> lock(matched().changing);
    matched().comms.take(*message_);
    matched().comms.put(*message_, comm + 1);
}

std::uint32_t matched_call::take_matched(MPI_Message message)
{
    const std::lock_guard<std::mutex> lock(matched().changing);
    const std::uint64_t found = matched().comms.take(message);
    return found == 0 ? TARE_TRACE_NONE : static_cast<std::uint32_t>(found - 1);
}

void startall::begin(int count, const MPI_Request *requests)
{
    requests_ = requests;
    before_.emplace(count);
    for (int i = 0; i < count; i++) {
        before_->before.data()[i] = requests[i];
        before_->origins.data()[i] = {};
    }
    before_->sent = latest_sent();
    self.sending = state.carrier ? before_->origins.data() : nullptr;
}

// What carriers have told of comes in the order of the sends, and so do the transport's numbers.
void startall::write_all() const
{
    const tare_trace_origin_t *told = before_->origins.data();
    const std::uint64_t latest = latest_sent();
    std::uint64_t number = before_->sent;
    for (int i = 0; i < before_->count; i++) {
        const followed_request r = requests::start(before_->before.data()[i], requests_[i]);
        if (!r.is_traced)
            continue;
        tare_trace_origin_t origin{};
        if (r.is_send() && !r.is_partitioned)
            origin = state.carrier ? *told++ : origin_of_send(number != latest ? ++number : 0);
        record_buffers(before_->before.data()[i], requests_[i]);
        write_started(r, origin);
    }
}

}  // namespace tare::pmpi::traced
