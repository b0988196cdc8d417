// SPDX-License-Identifier: BSD-3-Clause
// What collective operations send: the analysis of communication.hpp.
#include "communication.hpp"

#include <utility>

namespace tare::comms {
namespace {

// Rank of a process in a communicator; unknown: it is none of it, or nobody knows who is.
std::uint32_t rank_in(const tare_archive_communicator_t &c, std::uint32_t process)
{
    if (c.members == nullptr)
        return unknown;
    const auto *end = c.members + c.size, *found = std::find(c.members, end, process);
    return found == end ? unknown : static_cast<std::uint32_t>(found - c.members);
}

}  // namespace

void communication::collective(const tare_archive_event_t &event)
{
    take_part(event, begun(event, beginning::blocking), &communication::note_end);
}

void communication::begin_collective(const tare_archive_event_t &event)
{
    const reader &r = readers_[event.location];
    collective_part part = begun(event, call_of(r).is_start ? beginning::persistent : beginning::nonblocking);
    if (part.is_of_neighbours) {
        leave_out(event, part.sender, result_.of_neighbours_ns);
    } else if (!call_of(r).is_ibarrier) {
        note_end(event, part.sender);
        note_end(event, part.receiver);
    }
    const auto [open, is_new] = collectives_.try_emplace({process_at(event), event.request}, part);
    if (is_new)
        return;
    give_up(open->second);
    gatherings_.give_up(open->second.turn);
    open->second = std::move(part);
}

// The time that it has in the call in progress is counted there.
void communication::leave_out(const tare_archive_event_t &event, const end_pointer &end, std::int64_t &ns)
{
    end->left_out_ns = &ns;
    complete(event, end);
}

// One that does not end in the trace.
void communication::give_up(const collective_part &part)
{
    result_.not_ended++;
    for (call_end *end : {part.sender.get(), part.receiver.get()}) {
        add_up(result_.not_ended_ns, std::exchange(end->ns, 0));
        if (end->left_out_ns == nullptr)
            end->left_out_ns = &result_.not_ended_ns;
    }
}

void communication::complete_collective(const tare_archive_event_t &event)
{
    const auto found = collectives_.find({process_at(event), event.request});
    if (found == collectives_.end()) {
        result_.not_ended++;
        return leave_out(event, std::make_shared<call_end>(), result_.not_ended_ns);
    }
    take_part(event, found->second, &communication::complete);
    collectives_.erase(found);
}

// What is sent is what is there when the operation begins.
communication::collective_part communication::begun(const tare_archive_event_t &event, beginning how)
{
    collective_part part;
    part.sender = end_of(event, true, UINT64_MAX);
    part.receiver = end_of(event, false, UINT64_MAX);
    const std::vector<interval> &sent = part.sender->memory.empty() ? part.receiver->memory : part.sender->memory;
    part.brought = processes_[process_at(event)].known.brought_in(sent);
    part.turn = gatherings_.begin(process_at(event), how);
    part.is_of_neighbours = is_of_neighbours(event, how);
    return part;
}

const region_kind &communication::call_of(const reader &r) const
{
    static const region_kind none;
    return r.depth > 0 ? kinds_[r.call] : none;
}

bool communication::is_of_neighbours(const tare_archive_event_t &event, beginning how) const
{
    if (how != beginning::persistent)
        return call_of(readers_[event.location]).is_of_neighbours;
    return processes_[process_at(event)].near.count({event.sent_buffer.address, event.received_buffer.address}) > 0;
}

// The call that makes a persistent operation names its memory, too.
void communication::note_persistent(const tare_archive_event_t &event)
{
    const std::pair<std::uint64_t, std::uint64_t> where = {event.sent_buffer.address, event.received_buffer.address};
    std::set<std::pair<std::uint64_t, std::uint64_t>> &near = processes_[process_at(event)].near;
    const bool is_known = (event.known & (TARE_ARCHIVE_SEND_ADDRESS | TARE_ARCHIVE_RECEIVE_ADDRESS)) != 0;
    if (kinds_[event.region].is_of_neighbours && is_known)
        near.insert(where);
    else
        near.erase(where);
}

// Of one on a communicator whose members nobody knows, or that has no others: none.
contribution communication::contribution_to(const tare_archive_event_t &event) const
{
    contribution c;
    if (event.communicator >= archive_.communicator_count)
        return c;
    const tare_archive_communicator_t &in = archive_.communicators[event.communicator];
    c.process = process_at(event);
    c.rank = rank_in(in, c.process);
    c.size = in.size;
    c.operation = event.operation;
    c.root = event.peer == unknown ? unknown : rank_in(in, event.peer);
    c.communicator = c.rank == unknown || c.size < 2 ? unknown : event.communicator;
    return c;
}

// call: what the one in progress is to the ends of the operation.
void communication::take_part(const tare_archive_event_t &event, const collective_part &part, note_call call)
{
    contribution c = contribution_to(event);
    if (part.is_of_neighbours) {
        result_.of_neighbours++;
        leave_out(event, part.sender, result_.of_neighbours_ns);
    }
    if (part.is_of_neighbours || c.communicator == unknown) {
        share_time(part, false, false);
        return gatherings_.give_up(part.turn);
    }
    const flow to = movement_of(c.operation).to;
    if (to != flow::none) {
        result_.collectives++;
        move_data(c, part);
        const bool sends = to == flow::from_root ? c.rank == c.root : to != flow::to_root || c.rank != c.root,
                   receives = to == flow::combined || !c.wanting.empty();
        share_time(part, sends, receives);
        if (sends)
            (this->*call)(event, part.sender);
        if (receives)
            (this->*call)(event, part.receiver);
        processes_[c.process].latest_sent.clear();
    } else {
        share_time(part, false, false);
    }
    gatherings_.end(part.turn, std::move(c));
}

// When a nonblocking operation begins nobody knows which of its ends it has: the time of that call is of those that it has.
// Where it has none, of a barrier or since nobody else is there, the call has moved no data.
void communication::share_time(const collective_part &part, bool sends, bool receives)
{
    call_end &sender = *part.sender, &receiver = *part.receiver;
    if (!sends && receives)
        add_up(receiver.ns, std::exchange(sender.ns, 0));
    else if (sends && !receives)
        add_up(sender.ns, std::exchange(receiver.ns, 0));
    else if (!sends)
        result_.communicating_ns =
            minus(result_.communicating_ns, plus(std::exchange(sender.ns, 0), std::exchange(receiver.ns, 0)));
}

// What is made of the data of all is a transfer of each rank to itself.
void communication::move_data(contribution &c, const collective_part &part)
{
    const movement m = movement_of(c.operation);
    call_end &s = *part.sender;
    const std::vector<interval> &into = part.receiver->memory;
    if (m.to == flow::combined) {
        const sent_part all = part_of(s.memory.empty() ? into : s.memory, part.brought);
        return know(received(c.operation, part.receiver, into, part.receiver->bytes), part.sender, all);
    }
    // Data in place: a rank's own share is sent.
    const bool is_share = m.to == flow::to_all && !m.sent_is_divided && m.received_is_divided;
    if (is_share && hull_of(s.memory).begin == hull_of(into).begin)
        s.memory = share_of(into, c.rank, c.size);
    c.sender = part.sender;
    for (std::uint32_t to = 0; to < (m.sent_is_divided ? c.size : 1); to++)
        c.parts.push_back(part_of(m.sent_is_divided ? share_of(s.memory, to, c.size) : s.memory, part.brought));
    for (std::uint32_t from = 0; from < c.size; from++) {
        const bool comes = m.to == flow::to_all || (m.to == flow::from_root ? from == c.root : c.rank == c.root);
        if (from == c.rank || !comes)
            continue;
        const std::vector<interval> there = m.received_is_divided ? share_of(into, from, c.size) : into;
        c.wanting.push_back({received(c.operation, part.receiver, there, bytes_of(there)), from, c.rank});
    }
}

}  // namespace tare::comms
