// SPDX-License-Identifier: BSD-3-Clause
// The event loop, local time, polls, barriers and eager messages. Rendezvous is in rendezvous.cpp.
#include "engine.hpp"

#include <algorithm>
#include <string>

#include "program.hpp"
#include "random.hpp"

namespace sim {

namespace {

constexpr std::uint64_t arrives = 0;
constexpr std::uint64_t resumes = UINT64_C(1) << 63;

// Who joins with nobody has been ready for ever.
constexpr ps long_ago = -(INT64_C(1) << 60);

}  // namespace

cost_table draw_costs(const scenario& s, std::uint32_t seed)
{
    const auto drawn = [](const program& p) { return uses(p, op::compute) || uses(p, op::compute_received); };
    if (std::none_of(s.programs.begin(), s.programs.end(), drawn))
        return {};
    random_source random(seed);
    cost_table costs(static_cast<std::size_t>(s.processes) * static_cast<std::size_t>(s.steps));
    for (ps& cost : costs) {
        const double drawn_us = s.cost.mean_us > 0 ? random.exponential(s.cost.mean_us) : 0;
        cost = ps_from_us(drawn_us + s.cost.plus_us);
    }
    return costs;
}

outcome simulate(const scenario& s, const cost_table& costs, bool instrumented)
{
    return engine(s, costs, instrumented).run();
}

engine::engine(const scenario& s, const cost_table& costs, bool instrumented)
    : scenario_(s), costs_(costs), overhead_(instrumented ? s.overhead : 0),
      processes_(static_cast<std::size_t>(s.processes)), barrier_(long_ago, delays{})
{
    std::int32_t number = 0;
    for (process& p : processes_) {
        p.number = number++;
        p.prog = &s.program_for(p.number);
        p.wildcard = uses(*p.prog, op::recvany);
    }
}

outcome engine::run()
{
    for (const process& p : processes_)
        schedule(p);
    while (!events_.empty()) {
        const event e = events_.top();
        events_.pop();
        ++handled_;
        now_ = e.at;
        if (e.order < resumes)
            arrive(e.id);
        else
            resume(processes_[static_cast<std::size_t>(e.id)]);
    }
    outcome result;
    for (process& p : processes_) {
        if (p.doing != state::done)
            deadlocked();
        p.account.end = p.now;
        p.account.delay = p.delay;
        result.processes.push_back(p.account);
    }
    result.inversions = inversions_;
    result.events = handled_;
    return result;
}

void engine::deadlocked() const
{
    const auto stuck = std::find_if(processes_.begin(), processes_.end(),
                                    [](const process& p) { return p.doing != state::done; });
    throw simulation_error("scenario '" + scenario_.name + "': process " + std::to_string(stuck->number) +
                           " waits for ever in step " + std::to_string(stuck->step) +
                           "; the programs must let every wait end");
}

void engine::push(ps at, std::uint64_t kind, std::int32_t id)
{
    if (at > last_ps)
        throw simulation_error("scenario '" + scenario_.name + "' runs longer than 26 days of simulated time");
    events_.push({at, kind | sequence_++, id});
}

void engine::schedule(const process& p) { push(p.now, resumes, p.number); }

void engine::resume(process& p)
{
    if (p.exit_poll) {
        for (const std::int32_t id : p.unseen)
            packets_[id].stamp.seen = now_;
        p.unseen.clear();
        p.exit_poll = false;
    }
    const statement* s = p.stopping ? nullptr : next_statement(p);
    if (s == nullptr)
        p.doing = state::done;
    else
        execute(p, *s);
}

const statement* engine::next_statement(process& p)
{
    const program& prog = *p.prog;
    if (p.next == prog.body.size() && (prog.forever || p.step < scenario_.steps)) {
        ++p.step;
        p.next = 0;
    }
    const bool last_words = !prog.forever && p.step == scenario_.steps;
    const std::vector<statement>& from = last_words ? prog.after : prog.body;
    return p.next < from.size() ? &from[p.next++] : nullptr;
}

void engine::execute(process& p, const statement& s)
{
    const auto first_peer = [&] { return peer_of(p, s.peers.front()); };
    const std::int64_t events = scenario_.events[static_cast<std::size_t>(p.number)];
    switch (s.what) {
    case op::compute: return compute(p, cost_of(p.number, p.step), events);
    case op::compute_received: return compute(p, cost_of(p.source, p.source_step), events);
    case op::work: return compute(p, s.cost, s.events);
    case op::send: return send(p, first_peer(), false);
    case op::stop: return send(p, first_peer(), true);
    case op::recv: return receive(p, s.peers);
    case op::recvany: return receive_any(p);
    case op::barrier: return barrier(p, s.cost);
    case op::ssend: return meet(p, first_peer(), true);
    case op::srecv: return meet(p, first_peer(), false);
    case op::isend: return isend(p, first_peer());
    case op::irecv: return irecv(p, first_peer());
    case op::wait: return wait(p);
    }
}

std::int32_t engine::peer_of(const process& p, const peer& who) const
{
    const std::int32_t n = scenario_.processes;
    switch (who.how) {
    case peer::kind::absolute: return who.number;
    case peer::kind::relative: return (p.number + who.number + n) % n;
    case peer::kind::source: break;
    }
    if (p.source < 0)
        throw simulation_error("scenario '" + scenario_.name + "': process " + std::to_string(p.number) +
                               " speaks of 'source' before it has received anything");
    return p.source;
}

ps engine::cost_of(std::int32_t number, std::int32_t step) const
{
    if (number < 0 || step >= scenario_.steps)
        throw simulation_error("scenario '" + scenario_.name + "': a cost is asked for that was not drawn: process " +
                               std::to_string(number) + ", step " + std::to_string(step));
    return costs_[static_cast<std::size_t>(number) * static_cast<std::size_t>(scenario_.steps) +
                  static_cast<std::size_t>(step)];
}

void engine::compute(process& p, ps cost, std::int64_t events)
{
    const ps added = events * overhead_;
    spend(p, cost + added);
    p.account.busy -= added;
    p.account.overhead += added;
    for (ps& d : p.delay)
        d += added;
    schedule(p);
}

void engine::spend(process& p, ps cost)
{
    p.now += cost;
    p.account.busy += cost;
}

// What the entry of every call does: it sees what has arrived, and acts upon rendezvous packets.
void engine::poll(process& p)
{
    p.entry = now_;
    for (const std::int32_t id : p.unseen)
        packets_[id].stamp.seen = now_;
    p.unseen.clear();
    std::vector<std::int32_t> found;
    found.swap(p.control);
    for (const std::int32_t id : found)
        progress(p, id, now_);
}

void engine::enter(process& p, state doing)
{
    poll(p);
    p.doing = doing;
    p.waiting = joins(now_, p.delay);
}

// The wait is over at `at`; the cost of the call after that belongs to no edge.
void engine::leave(process& p, ps at, const joins& waited, ps cost)
{
    const ps wait = at - p.entry;
    const delays after = waited.result();
    p.account.waited += wait;
    for (std::size_t e = 0; e < columns; ++e)
        p.account.wait[e] += p.delay[e] + wait - after[e];
    p.delay = after;
    p.now = at;
    spend(p, cost);
    p.doing = state::running;
    p.exit_poll = true;
    schedule(p);
}

// The last to enter lets all go. They join with one edge that stands for everybody: all of them, joined.
void engine::barrier(process& p, ps cost)
{
    enter(p, state::in_barrier);
    barrier_.apply({now_, now_, p.delay});
    if (++in_barrier_ < scenario_.processes)
        return;
    const arrival everybody{now_, now_, barrier_.result()};
    for (process& q : processes_) {
        q.waiting.apply(everybody);
        leave(q, now_, q.waiting, cost);
    }
    in_barrier_ = 0;
    barrier_ = joins(long_ago, delays{});
}

channel& engine::channel_of(std::int32_t to, std::int32_t from)
{
    return channels_[static_cast<std::uint64_t>(to) << 32 | static_cast<std::uint64_t>(from)];
}

void engine::send(process& p, std::int32_t to, bool stop)
{
    poll(p);
    const std::int32_t id = packets_.take();
    const ps at = now_ + scenario_.latency;
    packets_[id] = {packet_kind::eager, p.number, to, p.step, -1, stop, {at, at, p.delay}};
    push(at, arrives, id);
    spend(p, scenario_.call);
    schedule(p);
}

void engine::arrive(std::int32_t id)
{
    const packet& m = packets_[id];
    process& p = processes_[static_cast<std::size_t>(m.to)];
    if (m.kind == packet_kind::eager)
        arrive_eager(id);
    else if (p.doing == state::running || p.doing == state::done)
        p.control.push_back(id);
    else
        progress(p, id, now_);
}

void engine::arrive_eager(std::int32_t id)
{
    const packet& m = packets_[id];
    process& p = processes_[static_cast<std::size_t>(m.to)];
    if (p.doing == state::in_recvany) {
        match_any(p, id);
        return;
    }
    const auto wanted = std::find(p.wanted.begin(), p.wanted.end(), m.from);
    if (p.doing == state::in_recv && wanted != p.wanted.end()) {
        p.wanted.erase(wanted);
        match(p, id);
        return;
    }
    channel_of(m.to, m.from).eager.push(id);
    p.unseen.push_back(id);
    if (p.wildcard)
        p.arrived.push(id);
}

void engine::receive(process& p, const std::vector<peer>& sources)
{
    enter(p, state::in_recv);
    p.wanted.clear();
    for (const peer& source : sources)
        p.wanted.push_back(peer_of(p, source));
    const std::vector<std::int32_t> all = p.wanted;
    for (const std::int32_t from : all) {
        fifo& waiting = channel_of(p.number, from).eager;
        if (waiting.empty())
            continue;
        p.wanted.erase(std::find(p.wanted.begin(), p.wanted.end(), from));
        match(p, waiting.pop());
    }
}

// Takes the packet; the call is over when it was the last one.
void engine::match(process& p, std::int32_t id)
{
    const packet& m = packets_[id];
    p.waiting.apply(m.stamp);
    p.source = m.from;
    p.source_step = m.step;
    p.stopping = p.stopping || m.stop;
    packets_.release(id);
    if (p.wanted.empty())
        leave(p, now_, p.waiting, scenario_.call);
}

// What has arrived comes out in the order of arrival; the earliest of all is the earliest of its sender.
void engine::receive_any(process& p)
{
    enter(p, state::in_recvany);
    p.wanted.clear();
    if (p.arrived.empty())
        return;
    const std::int32_t id = p.arrived.pop();
    channel_of(p.number, packets_[id].from).eager.pop();
    match_any(p, id);
}

void engine::match_any(process& p, std::int32_t id)
{
    count_inversion(p, packets_[id].stamp);
    match(p, id);
}

void engine::count_inversion(process& p, const arrival& a)
{
    const ps compensated = a.at - a.delay[exact];
    if (compensated < p.latest_match) {
        ++inversions_.count;
        inversions_.largest = std::max(inversions_.largest, p.latest_match - compensated);
    }
    p.latest_match = std::max(p.latest_match, compensated);
}

}  // namespace sim
