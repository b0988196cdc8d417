// SPDX-License-Identifier: BSD-3-Clause
#include "ledger.hpp"

#include <algorithm>

namespace tare::match {

end_index ledger::add(side s, const message_end &what)
{
    end_index i = static_cast<end_index>(ends_[s].size());
    if (free_[s].empty()) {
        ends_[s].push_back(what);
    } else {
        i = free_[s].back();
        free_[s].pop_back();
        ends_[s][i] = what;
    }
    ends_[s][i].number = ++numbers_[s];
    return i;
}

void ledger::pair(method m, end_index send, end_index receive)
{
    message_end &s = at(side_send, send), &r = at(side_receive, receive);
    s.by[m] = {r.number, r.location, r.has_sequence};
    r.by[m] = {s.number, s.location, s.has_sequence};
    note(tallies_[m], s, r);
    if (with_threads_)
        threads_[{s.location, r.location}][m]++;
    if (listener_ != nullptr)
        listener_->paired(m, s.number, r.number);
}

void ledger::note(tally &t, const message_end &send, const message_end &receive)
{
    t.cut += send.length > receive.length ? 1 : 0;
    if (receive.time_ns >= send.time_ns)
        return;
    t.before_send++;
    t.most_before_ns = std::max(t.most_before_ns, send.time_ns - receive.time_ns);
}

void ledger::leave(side s, end_index i, party p)
{
    message_end &e = at(s, i);
    e.parties &= ~static_cast<unsigned>(p);
    if (e.parties != 0)
        return;
    close(s, e);
    e.number = 0;
    free_[s].push_back(i);
}

namespace {

// The side that a method pairs from: where its pairs are counted.
side side_of(int m) { return m == method_backward ? side_receive : side_send; }

bool pairs_one_to_one(int m) { return m != method_forward && m != method_backward; }

}  // namespace

void ledger::close(side s, const message_end &e)
{
    for (int i = 0; i < method_count; i++) {
        const auto m = static_cast<method>(i);
        tally &t = tallies_[m];
        if (e.by[m].number == 0) {
            if (!e.is_cancelled)
                (s == side_send ? t.sends_left : t.receives_left)++;
            continue;
        }
        if (s == side_of(m))
            t.pairs++;
        else if (!pairs_one_to_one(m))
            continue;
        if (e.has_sequence && e.by[m].has_sequence)
            compare(s, m, e, method_sequence, t.from_sequence);
        compare(s, m, e, method_fifo, t.from_fifo);
    }
}

void ledger::compare(side s, method m, const message_end &e, method truth, difference &d)
{
    const message_end::partner &found = e.by[m], &right = e.by[truth];
    const bool is_wrong = found.number != right.number;
    if (s == side_of(m)) {
        d.compared++;
        d.wrong += is_wrong ? 1 : 0;
    }
    if (is_wrong && right.number != 0 && found.location != right.location)
        (s == side_send ? d.wrong_receiver_thread : d.wrong_sender_thread)++;
}

}  // namespace tare::match
