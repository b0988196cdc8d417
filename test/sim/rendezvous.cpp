// SPDX-License-Identifier: BSD-3-Clause
// Rendezvous, in two forms.
//
// ssend/srecv: both block and the times of all packets are known to both, as for a carrier that sits below the
// progress engine. The match needs the receive and the RTS, the sender the CTS, the receiver the DATA.
//
// isend/irecv/wait: nothing moves unless its process polls. A packet that progress sends in reaction to an event
// carries (R) of {who polled, since when} and the edges of that event only.
#include <algorithm>

#include "engine.hpp"

namespace sim {

namespace {

// The delay that the receiver joins with when DATA arrives.
delays data_delay(const delays& at_isend, const delays& of_match, const delays& at_departure)
{
    delays d;
    for (std::size_t e = 0; e < columns; ++e) {
        switch (estimators[e].data) {
        case data_carries::delay_at_isend: d[e] = at_isend[e]; break;
        case data_carries::delay_of_match: d[e] = of_match[e]; break;
        case data_carries::delay_at_departure: d[e] = at_departure[e]; break;
        }
    }
    return d;
}

}  // namespace

void engine::meet(process& p, std::int32_t partner, bool sends)
{
    enter(p, state::in_rendezvous);
    p.partner = partner;
    p.sends_rendezvous = sends;
    process& other = processes_[static_cast<std::size_t>(partner)];
    if (other.doing != state::in_rendezvous || other.partner != p.number || other.sends_rendezvous == sends)
        return;
    exchange(sends ? p : other, sends ? other : p);
}

void engine::exchange(process& sender, process& receiver)
{
    const ps latency = scenario_.latency;
    const ps rts = sender.entry + latency;
    const ps cts = std::max(rts, receiver.entry) + latency;
    const ps data = cts + latency;

    joins matched = receiver.waiting;
    matched.apply({rts, rts, sender.delay});
    const delays of_match = matched.result();
    sender.waiting.apply({cts, cts, of_match, true});
    receiver.waiting.apply({data, data, data_delay(sender.delay, of_match, sender.waiting.result())});
    leave(sender, cts, sender.waiting, scenario_.call);
    leave(receiver, data, receiver.waiting, scenario_.call);
}

void engine::send_control(packet_kind kind, std::int32_t transfer_id, const delays& stamp)
{
    const transfer& t = transfers_[transfer_id];
    const bool back = kind == packet_kind::cts;
    const std::int32_t id = packets_.take();
    const ps at = now_ + scenario_.latency;
    packets_[id] = {kind, back ? t.receiver : t.sender, back ? t.sender : t.receiver, 0, transfer_id, false,
                    {at, at, stamp, back}};
    push(at, 0, id);
}

void engine::isend(process& p, std::int32_t to)
{
    poll(p);
    const std::int32_t id = transfers_.take();
    transfers_[id].sender = p.number;
    transfers_[id].receiver = to;
    send_control(packet_kind::rts, id, p.delay);
    ++p.outstanding;
    spend(p, scenario_.call);
    schedule(p);
}

void engine::irecv(process& p, std::int32_t from)
{
    poll(p);
    channel& c = channel_of(p.number, from);
    const posted_receive posted{now_, p.delay};
    if (c.rts.empty()) {
        const std::int32_t id = posted_.take();
        posted_[id] = posted;
        c.posted.push(id);
    } else {
        match_transfer(p, c.rts.pop(), posted);
    }
    ++p.outstanding;
    spend(p, scenario_.call);
    schedule(p);
}

void engine::wait(process& p)
{
    enter(p, state::in_wait);
    try_leave_wait(p);
}

void engine::try_leave_wait(process& p)
{
    if (p.doing != state::in_wait || p.outstanding > 0)
        return;
    for (const arrival& edge : p.completed)
        p.waiting.apply(edge);
    p.completed.clear();
    leave(p, now_, p.waiting, scenario_.call);
}

// A poll of `p`, in the call that it entered at p.entry with p.delay, finds this packet.
void engine::progress(process& p, std::int32_t id, ps seen)
{
    packet found = packets_[id];
    packets_.release(id);
    found.stamp.seen = seen;
    transfer& t = transfers_[found.transfer];
    if (found.kind == packet_kind::cts) {
        send_data(p, found);
        complete(p, found.stamp);
    } else if (found.kind == packet_kind::data) {
        transfers_.release(found.transfer);
        complete(p, found.stamp);
    } else {
        t.rts = found.stamp;
        channel& c = channel_of(p.number, t.sender);
        if (c.posted.empty()) {
            c.rts.push(found.transfer);
            return;
        }
        const std::int32_t receive_id = c.posted.pop();
        const posted_receive posted = posted_[receive_id];
        posted_.release(receive_id);
        match_transfer(p, found.transfer, posted);
    }
}

// An event with three edges: receive posted, RTS arrived, and who polls, since when. (The first adds nothing as long
// as the thread that polls is the one that posted: its compensated clock has moved on since. It belongs to the rule.)
void engine::match_transfer(process& p, std::int32_t transfer_id, const posted_receive& posted)
{
    transfer& t = transfers_[transfer_id];
    joins polled(p.entry, p.delay);
    polled.apply({posted.at, posted.at, posted.delay});
    polled.apply(t.rts);
    joins without_poll(posted.at, posted.delay);
    without_poll.apply(t.rts);
    without_poll.at_least(now_);
    const delays with = polled.result();
    const delays without = without_poll.result();
    for (std::size_t e = 0; e < columns; ++e)
        t.match_delay[e] = estimators[e].poll_edge ? with[e] : without[e];
    send_control(packet_kind::cts, transfer_id, t.match_delay);
}

void engine::send_data(process& p, const packet& cts)
{
    transfer& t = transfers_[cts.transfer];
    joins departure(p.entry, p.delay);
    departure.apply(cts.stamp);
    send_control(packet_kind::data, cts.transfer, data_delay(t.rts.delay, t.match_delay, departure.result()));
}

void engine::complete(process& p, const arrival& edge)
{
    p.completed.push_back(edge);
    --p.outstanding;
    try_leave_wait(p);
}

}  // namespace sim
