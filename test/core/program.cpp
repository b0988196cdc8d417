// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include <algorithm>
#include <deque>
#include <ostream>

namespace program {

namespace {

class runner {
  public:
    explicit runner(bool instrumented) : instrumented_(instrumented) {}

    void execute(const step &s)
    {
        switch (s.what) {
        case action::work:
            work(s);
            break;
        case action::send:
            send(s.process, s.peer);
            break;
        case action::receive:
            receive(s.process, s.count);
            break;
        case action::barrier:
            barrier();
            break;
        }
    }

    timeline result() { return std::move(line_); }

  private:
    void work(const step &s)
    {
        const std::int64_t overhead = instrumented_ ? s.overhead_ns : 0;
        const std::int64_t start = clocks_[s.process];
        clocks_[s.process] += s.work_ns + overhead;
        line_.events.push_back({s.what, s.process, 0, start, clocks_[s.process], overhead, 0, {}});
    }

    void send(unsigned from, unsigned to)
    {
        const std::int64_t now = clocks_[from];
        inboxes_[to].push_back({line_.senders.size(), now + latency_ns});
        line_.events.push_back({action::send, from, to, now, now, 0, line_.senders.size(), {}});
        line_.senders.push_back(from);
    }

    void receive(unsigned p, std::size_t count)
    {
        std::deque<arrival> &inbox = inboxes_[p];
        const auto end = inbox.begin() + static_cast<std::ptrdiff_t>(std::min(count, inbox.size()));
        if (end == inbox.begin())
            return;
        event e{action::receive, p, 0, clocks_[p], clocks_[p], 0, 0, {inbox.begin(), end}};
        inbox.erase(inbox.begin(), end);
        for (const arrival &a : e.arrivals)
            e.end_ns = std::max(e.end_ns, a.ready_ns);
        clocks_[p] = e.end_ns;
        line_.events.push_back(std::move(e));
    }

    // Behind what is still there for them, so everybody first takes all of it.
    void barrier()
    {
        for (unsigned p = 0; p < processes; ++p)
            for (unsigned q = 0; q < processes; ++q)
                if (p != q)
                    send(p, q);
        for (unsigned p = 0; p < processes; ++p)
            receive(p, inboxes_[p].size());
    }

    bool instrumented_;
    std::array<std::int64_t, processes> clocks_{};
    std::array<std::deque<arrival>, processes> inboxes_;
    timeline line_;
};

std::vector<arrival> reordered(std::vector<arrival> edges, unsigned order)
{
    std::rotate(edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(order % edges.size()), edges.end());
    if (order % 2 == 1)
        std::reverse(edges.begin(), edges.end());
    return edges;
}

}  // namespace

std::ostream &operator<<(std::ostream &out, const step &s)
{
    switch (s.what) {
    case action::work:
        return out << s.process << ": work " << s.work_ns << " overhead " << s.overhead_ns;
    case action::send:
        return out << s.process << ": send to " << s.peer;
    case action::receive:
        return out << s.process << ": receive " << s.count;
    case action::barrier:
        break;
    }
    return out << "barrier";
}

timeline run(const std::vector<step> &steps, bool instrumented)
{
    runner r(instrumented);
    for (const step &s : steps)
        r.execute(s);
    return r.result();
}

estimate estimate_delays(const timeline &t, const settings &s)
{
    estimate result;
    result.messages.resize(t.senders.size());
    delays now = s.initial;
    for (const event &e : t.events) {
        std::int64_t &delay = now[e.process];
        const std::int64_t before = delay;
        tare::join j({e.start_ns, delay});
        if (e.what == action::work) {
            delay += e.overhead_ns + e.overhead_ns * s.bias_permille / 1000;
            j.at_least(e.end_ns);
        } else if (e.what == action::send) {
            result.messages[e.message] = delay;
        } else {
            for (unsigned i = 0; i < s.times; ++i)
                for (const arrival &a : reordered(e.arrivals, s.order))
                    j.apply(s.rule, {a.ready_ns, result.messages[a.message]});
            delay = j.delay_ns();
        }
        result.changes.push_back({before, delay});
        result.event_ends.push_back(j.event_ns());
    }
    return result;
}

}  // namespace program
