// SPDX-License-Identifier: BSD-3-Clause
#include "sequence.hpp"

namespace tare::match {

void by_sequence::add(side s, end_index i, const key &id)
{
    const auto [found, is_new] = waiting_.try_emplace(id, waiting{s, i});
    if (is_new)
        return;
    if (found->second.of == s) {
        repeated_++;
        all_.leave(s, i, party_sequence);
        return;
    }
    const end_index other = found->second.end;
    waiting_.erase(found);
    const end_index send = s == side_send ? i : other, receive = s == side_send ? other : i;
    all_.pair(method_sequence, send, receive);
    all_.leave(side_send, send, party_sequence);
    all_.leave(side_receive, receive, party_sequence);
}

void by_sequence::cancel(end_index send, const key &id)
{
    const auto found = waiting_.find(id);
    if (found == waiting_.end() || found->second.of != side_send || found->second.end != send)
        return;
    waiting_.erase(found);
    all_.leave(side_send, send, party_sequence);
}

void by_sequence::finish()
{
    for (const auto &[id, w] : waiting_)
        all_.leave(w.of, w.end, party_sequence);
    waiting_.clear();
}

}  // namespace tare::match
