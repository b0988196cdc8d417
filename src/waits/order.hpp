// SPDX-License-Identifier: BSD-3-Clause
// Messages that have been sent and not been received: who receives a later one before them, waits in the wrong order. In a
// communicator each.
#ifndef TARE_WAITS_ORDER_HPP
#define TARE_WAITS_ORDER_HPP

#include "meeting.hpp"

#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

namespace tare::waits {

class order {
  public:
    using end_pointer = std::shared_ptr<message_end>;

    void sent(const end_pointer &send)
    {
        all_[{send->communicator, send->peer, nobody}].emplace(send->begun_ns, send);
        all_[{send->communicator, send->peer, send->source}].emplace(send->begun_ns, send);
    }

    // Its message is under way no more.
    void received(const message_end &receive)
    {
        if (!receive.other)
            return;
        remove(receive.other, nobody);
        remove(receive.other, receive.other->source);
    }

    // When all that its call receives has been.
    state why(const message_end &receive) const
    {
        if (!receive.other)
            return late_sender;
        const message_end &send = *receive.other;
        return is_before(send, send.source) ? wrong_order_same : is_before(send, nobody) ? wrong_order_different : late_sender;
    }

  private:
    using in = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // communicator, receiver, source; nobody: any

    void remove(const end_pointer &send, std::uint32_t source)
    {
        const auto found = all_.find({send->communicator, send->peer, source});
        if (found == all_.end())
            return;
        found->second.erase({send->begun_ns, send});
        if (found->second.empty())
            all_.erase(found);
    }

    // Of those that this source has sent one before it.
    bool is_before(const message_end &send, std::uint32_t source) const
    {
        const auto found = all_.find({send.communicator, send.peer, source});
        return found != all_.end() && found->second.begin()->first < send.begun_ns;
    }

    std::map<in, std::set<std::pair<std::int64_t, end_pointer>>> all_;
};

}  // namespace tare::waits

#endif
