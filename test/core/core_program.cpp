// SPDX-License-Identifier: BSD-3-Clause
#include "core_program.hpp"

#include <algorithm>

#include "core_state.hpp"

namespace core_program {

namespace {

using program::action;
using program::arrival;
using program::event;

// Who receives decides about the table's entry, as if every process had a table of its own.
std::uint64_t peer_of(unsigned from, unsigned to) { return tare_peer(1'000'000 + to, from); }

class transport {
  public:
    transport(const program::timeline &t, const options &o) : time_(t), options_(o), stamps_(t.senders.size())
    {
        new_active_process();
        for (unsigned p = 0; p < program::processes; ++p) {
            threads_.become(p);
            new_active_process();
        }
        learn_latencies();
        tare_global.account_waits = o.account_waits;
    }

    const tare_thread_t &execute(const event &e)
    {
        threads_.become(e.process);
        if (e.what == action::work)
            work(e);
        else if (e.what == action::send)
            send(e);
        else
            receive(e);
        return tare_self;
    }

  private:
    void learn_latencies()
    {
        tare_global.account_waits = 1;
        for (unsigned to = 0; to < program::processes; ++to)
            for (unsigned from = 0; from < program::processes; ++from)
                learn_latency(from, to);
    }

    // In another thread of the process, which has no other message.
    void learn_latency(unsigned from, unsigned to)
    {
        threads_.become(program::processes);
        new_active_process();
        tare_global.account_waits = 1;
        enter_at(-2000);
        join_at(-1000 + program::latency_ns, edge_from(peer_of(from, to), sent_at(-1000, 0)));
    }

    void work(const event &e)
    {
        at(e.end_ns);
        tare_core_overhead_add(e.overhead_ns, 0);
    }

    void start_call(const event &e)
    {
        at(e.start_ns);
        if (options_.tool_gives_events)
            tare_core_event(fake_clock::now_ns);
    }

    void send(const event &e)
    {
        start_call(e);
        stamps_[e.message] = tare_core_stamp();
    }

    // A wait for one request knows whether it was complete before; a wait for several, when each was first seen.
    tare_edge_t edge(const event &e, const arrival &a) const
    {
        tare_edge_t edge = edge_from(peer_of(time_.senders[a.message], e.process), stamps_[a.message]);
        if (e.arrivals.size() > 1)
            edge.seen_ns = origin_ns + std::max(a.ready_ns, e.start_ns);
        else if (a.ready_ns <= e.start_ns)
            edge.flags |= TARE_EDGE_EARLY;
        return edge;
    }

    void receive(const event &e)
    {
        start_call(e);
        tare_core_enter();
        at(e.end_ns);
        const std::size_t n = e.arrivals.size();
        for (std::size_t i = 0; i < n; ++i) {
            tare_edge_t one = edge(e, e.arrivals[options_.reversed ? n - 1 - i : i]);
            tare_core_join(&one);
        }
    }

    const program::timeline &time_;
    options options_;
    std::vector<tare_wire_t> stamps_;
    processes<program::processes + 1> threads_;
};

}  // namespace

std::vector<tare_thread_t> execute(const program::timeline &t, const options &o)
{
    transport all(t, o);
    std::vector<tare_thread_t> after;
    for (const event &e : t.events)
        after.push_back(all.execute(e));
    return after;
}

}  // namespace core_program
