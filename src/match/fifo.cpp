// SPDX-License-Identifier: BSD-3-Clause
#include "fifo.hpp"

namespace tare::match {

void fifo::add(side s, end_index i, const key &stream)
{
    const auto [found, is_new] = queues_.try_emplace(stream);
    queue &q = found->second;
    if (is_new || q.of == s) {
        (is_new ? q.first : all_.at(s, q.last).next_in_order) = i;
        q.last = i;
        q.of = s;
        return;
    }
    const end_index other = q.first;
    const end_index send = s == side_send ? i : other, receive = s == side_send ? other : i;
    q.first = all_.at(q.of, other).next_in_order;
    if (q.first == no_end)
        queues_.erase(found);
    all_.pair(method_fifo, send, receive);
    all_.leave(side_send, send, party_fifo);
    all_.leave(side_receive, receive, party_fifo);
}

void fifo::cancel(end_index send, const key &stream)
{
    const auto found = queues_.find(stream);
    if (found == queues_.end() || found->second.of != side_send)
        return;
    queue &q = found->second;
    end_index before = no_end, i = q.first;
    for (; i != no_end && i != send; i = all_.at(side_send, i).next_in_order)
        before = i;
    if (i == no_end)
        return;
    (before == no_end ? q.first : all_.at(side_send, before).next_in_order) = all_.at(side_send, send).next_in_order;
    if (q.last == send)
        q.last = before;
    if (q.first == no_end)
        queues_.erase(found);
    all_.leave(side_send, send, party_fifo);
}

void fifo::finish()
{
    for (const auto &[stream, q] : queues_)
        for (end_index i = q.first, next = no_end; i != no_end; i = next) {
            next = all_.at(q.of, i).next_in_order;
            all_.leave(q.of, i, party_fifo);
        }
    queues_.clear();
}

// A request whose number is posted again before it has completed is the newer one.
void posted_receives::post(std::uint32_t process, std::uint64_t request)
{
    line &l = lines_[process];
    if (posted *old = find(l, request))
        old->is_open = false;
    l.all.push_back({true, request, no_end, {}});
    l.open[request] = l.first + l.all.size() - 1;
    release(l);
}

void posted_receives::receive(std::uint32_t process, end_index receive, const key &stream)
{
    line &l = lines_[process];
    if (l.all.empty())
        return to_.receive(receive, stream);
    l.all.push_back({false, 0, receive, stream});
    release(l);
}

void posted_receives::complete(std::uint32_t process, std::uint64_t request, end_index receive, const key &stream)
{
    line &l = lines_[process];
    posted *found = find(l, request);
    if (found == nullptr)
        return this->receive(process, receive, stream);
    *found = {false, request, receive, stream};
    l.open.erase(request);
    release(l);
}

bool posted_receives::cancel(std::uint32_t process, std::uint64_t request)
{
    line &l = lines_[process];
    posted *found = find(l, request);
    if (found == nullptr)
        return false;
    found->is_open = false;
    l.open.erase(request);
    release(l);
    return true;
}

posted_receives::posted *posted_receives::find(line &l, std::uint64_t request)
{
    const auto found = l.open.find(request);
    return found == l.open.end() ? nullptr : &l.all[found->second - l.first];
}

void posted_receives::release(line &l)
{
    while (!l.all.empty() && (!l.all.front().is_open || l.all.size() > most_)) {
        const posted front = l.all.front();
        l.all.pop_front();
        l.first++;
        if (front.is_open) {
            l.open.erase(front.request);
            passed_over_++;
        } else if (front.receive != no_end) {
            to_.receive(front.receive, front.stream);
        }
    }
}

void posted_receives::finish()
{
    for (auto &[process, l] : lines_) {
        never_completed_ += l.open.size();
        for (const posted &p : l.all)
            if (!p.is_open && p.receive != no_end)
                to_.receive(p.receive, p.stream);
    }
    lines_.clear();
}

}  // namespace tare::match
