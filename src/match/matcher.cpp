// SPDX-License-Identifier: BSD-3-Clause
#include "matcher.hpp"

#include <algorithm>

namespace tare::match {
namespace {

constexpr std::uint64_t two(std::uint32_t high, std::uint32_t low) { return std::uint64_t{high} << 32 | low; }

}  // namespace

matcher::matcher(std::vector<place> places, bool with_threads, std::size_t most_waiting, pair_listener *listener)
    : places_(std::move(places)), all_(with_threads, listener), search_(all_), fifo_(all_), posted_(fifo_, most_waiting),
      sequence_(all_)
{
}

void matcher::add(const tare_archive_event_t &event)
{
    const std::uint32_t process = places_[event.location].process;
    switch (event.kind) {
    case TARE_ARCHIVE_SEND:
    case TARE_ARCHIVE_ISEND: return send(event);
    case TARE_ARCHIVE_RECV:
    case TARE_ARCHIVE_IRECV: return receive(event);
    case TARE_ARCHIVE_IRECV_REQUEST: return posted_.post(process, event.request);
    case TARE_ARCHIVE_ISEND_COMPLETE: open_sends_.erase({process, event.request}); return;
    case TARE_ARCHIVE_REQUEST_CANCELLED: return cancel(process, event.request);
    default: return;
    }
}

matcher::message matcher::keys_of(const tare_archive_event_t &event, std::uint32_t from, std::uint32_t to,
                                  std::uint32_t thread) const
{
    const std::uint64_t ends = two(from, to);
    return {{ends, event.tag, event.length},
            {ends, two(event.communicator, event.tag), 0},
            {two(from, thread), event.sequence, 0}};
}

end_index matcher::end_of(side s, const tare_archive_event_t &event)
{
    message_end e;
    e.time_ns = event.time_ns;
    e.length = event.length;
    e.location = event.location;
    const bool knows_thread = s == side_send || (event.known & TARE_ARCHIVE_PEER_THREAD) != 0;
    e.has_sequence = knows_thread && (event.known & TARE_ARCHIVE_SEQUENCE) != 0;
    if (!e.has_sequence)
        e.parties &= ~static_cast<unsigned>(party_sequence);
    result_.with_sequence += e.has_sequence ? 1 : 0;
    return all_.add(s, e);
}

bool matcher::leave_out(const tare_archive_event_t &event)
{
    if (event.peer != TARE_ARCHIVE_UNKNOWN)
        return false;
    result_.of_unknown_process++;
    return true;
}

void matcher::send(const tare_archive_event_t &event)
{
    result_.sends++;
    if (leave_out(event))
        return;
    const place &own = places_[event.location];
    const message keys = keys_of(event, own.process, event.peer, own.thread);
    const end_index end = end_of(side_send, event);
    const message_end &e = all_.at(side_send, end);
    if (event.kind == TARE_ARCHIVE_ISEND)
        open_sends_[{own.process, event.request}] = {end, e.number, keys};
    // The last to be asked may forget the end.
    const bool has_sequence = e.has_sequence;
    search_.send(end, keys.like);
    if (has_sequence)
        sequence_.send(end, keys.id);
    fifo_.send(end, keys.stream);
}

void matcher::receive(const tare_archive_event_t &event)
{
    result_.receives++;
    const place &own = places_[event.location];
    if (leave_out(event)) {
        if (event.kind == TARE_ARCHIVE_IRECV)
            posted_.cancel(own.process, event.request);
        return;
    }
    const message keys = keys_of(event, event.peer, own.process, event.peer_thread);
    const end_index end = end_of(side_receive, event);
    const bool has_sequence = all_.at(side_receive, end).has_sequence;
    search_.receive(end, keys.like);
    if (has_sequence)
        sequence_.receive(end, keys.id);
    if (event.kind == TARE_ARCHIVE_IRECV)
        posted_.complete(own.process, event.request, end, keys.stream);
    else
        posted_.receive(own.process, end, keys.stream);
}

void matcher::cancel(std::uint32_t process, std::uint64_t request)
{
    const auto found = open_sends_.find({process, request});
    if (found == open_sends_.end()) {
        result_.cancelled_receives += posted_.cancel(process, request) ? 1 : 0;
        return;
    }
    const open_send send = found->second;
    open_sends_.erase(found);
    result_.cancelled_sends++;
    // All methods may have paired it, wrongly, and its place be another's.
    if (all_.at(side_send, send.end).number != send.number)
        return;
    all_.cancel(send.end);
    search_.cancel(send.end, send.keys.like);
    sequence_.cancel(send.end, send.keys.id);
    fifo_.cancel(send.end, send.keys.stream);
}

match_result matcher::finish()
{
    posted_.finish();
    search_.finish();
    sequence_.finish();
    fifo_.finish();
    result_.methods = all_.tallies();
    result_.threads = all_.threads();
    result_.passed_over = posted_.passed_over();
    result_.never_completed = posted_.never_completed();
    result_.repeated = sequence_.repeated();
    result_.most_open = all_.most_open();
    return result_;
}

}  // namespace tare::match
