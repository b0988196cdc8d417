// SPDX-License-Identifier: BSD-3-Clause
#include "gatherings.hpp"

namespace tare::comms {

struct gatherings::turn {
    queue *in;
    beginning how;
    bool has_ended;
    contribution what;
};

gatherings::turn_pointer gatherings::begin(std::uint32_t process, beginning how)
{
    queue &q = queues_[{process, how}];
    return q.emplace_back(std::make_shared<turn>(turn{&q, how, false, {}}));
}

void gatherings::end(const turn_pointer &t, contribution what)
{
    t->what = std::move(what);
    t->has_ended = true;
    for (queue &q = *t->in; !q.empty() && q.front()->has_ended; q.pop_front())
        if (q.front()->what.communicator != unknown)
            join(q.front()->how, q.front()->what);
}

// In a trace that is not whole calls may meet that are of different operations.
void gatherings::join(beginning how, contribution &c)
{
    const auto g = meetings_[static_cast<std::size_t>(how)].join(
        c.communicator, c.process, c.size, std::make_shared<gathering>(gathering{c.operation, std::vector<slot>(c.size)}));
    slot &own = g->slots[c.rank];
    if (g->operation != c.operation || own.sender) {
        mismatched_ += c.wanting.size();
        return;
    }
    if (!c.parts.empty())
        own.sender = c.sender;
    own.parts = std::move(c.parts);
    for (wanted &w : c.wanting)
        if (g->slots[w.from].sender)
            connect(g->slots[w.from], w);
        else
            g->slots[w.from].wanting.push_back(std::move(w));
    for (const wanted &w : own.wanting)
        connect(own, w);
    own.wanting.clear();
}

void gatherings::connect(const slot &from, const wanted &w)
{
    const sent_part &part = from.parts[from.parts.size() > 1 ? w.to : 0];
    if (w.what->bytes == 0)
        w.what->bytes = part.bytes;
    to_(w.what, from.sender, part);
}

std::uint64_t gatherings::unpaired() const
{
    std::uint64_t sum = mismatched_;
    for (const auto &m : meetings_)
        m.each_open([&sum](const gathering &g) {
            for (const slot &s : g.slots)
                sum += s.wanting.size();
        });
    for (const auto &[whose, q] : queues_)
        for (const turn_pointer &t : q)
            sum += t->what.wanting.size();
    return sum;
}

}  // namespace tare::comms
