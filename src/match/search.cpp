// SPDX-License-Identifier: BSD-3-Clause
#include "search.hpp"

namespace tare::match {

void search::send(end_index send, const key &like)
{
    group &g = groups_[like];
    if (g.first == no_end)
        g.first = send;
    else
        all_.at(side_send, g.last).next_like = send;
    g.last = send;
    if (g.fresh == no_end)
        g.fresh = send;
}

void search::receive(end_index receive, const key &like)
{
    if (const auto found = groups_.find(like); found != groups_.end()) {
        group &g = found->second;
        for (end_index i = g.fresh; i != no_end; i = all_.at(side_send, i).next_like)
            all_.pair(method_forward, i, receive);
        g.fresh = no_end;
        all_.pair(method_backward, g.last, receive);
        const end_index taken = g.first;
        all_.pair(method_open, taken, receive);
        g.first = all_.at(side_send, taken).next_like;
        if (g.first == no_end)
            groups_.erase(found);
        all_.leave(side_send, taken, party_search);
    }
    all_.leave(side_receive, receive, party_search);
}

void search::cancel(end_index send, const key &like)
{
    const auto found = groups_.find(like);
    if (found == groups_.end())
        return;
    group &g = found->second;
    end_index before = no_end, i = g.first;
    for (; i != no_end && i != send; i = all_.at(side_send, i).next_like)
        before = i;
    if (i == no_end)
        return;
    const end_index next = all_.at(side_send, send).next_like;
    (before == no_end ? g.first : all_.at(side_send, before).next_like) = next;
    if (g.last == send)
        g.last = before;
    if (g.fresh == send)
        g.fresh = next;
    if (g.first == no_end)
        groups_.erase(found);
    all_.leave(side_send, send, party_search);
}

void search::finish()
{
    for (const auto &[like, g] : groups_)
        for (end_index i = g.first, next = no_end; i != no_end; i = next) {
            next = all_.at(side_send, i).next_like;
            all_.leave(side_send, i, party_search);
        }
    groups_.clear();
}

}  // namespace tare::match
