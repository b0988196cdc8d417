// SPDX-License-Identifier: BSD-3-Clause
// Which send belongs to which receive: by what the message carried, else by MPI's order.
#ifndef TARE_WAITS_PAIRING_HPP
#define TARE_WAITS_PAIRING_HPP

#include "matcher.hpp"
#include "replay.hpp"

#include <memory>
#include <unordered_map>

namespace tare::waits {

class pairing : private match::pair_listener {
  public:
    pairing(std::vector<match::place> places, replay &to);

    // All that has to do with messages; others are ignored. Of a send or receive gives back its end, or nullptr if the
    // trace does not say who is the other one; of what begins a receive or completes a send its end, too.
    // begun_ns: when its call was entered.
    std::shared_ptr<message_end> add(const tare_archive_event_t &event, std::int64_t begun_ns);
    void finish();

  private:
    using end_pointer = std::shared_ptr<message_end>;
    struct request {
        std::uint32_t process;
        std::uint64_t number;
        bool operator==(const request &other) const { return process == other.process && number == other.number; }
    };
    struct hash_of_request {
        std::size_t operator()(const request &r) const { return match::hash_of_key()({r.process, r.number, 0}); }
    };

    void paired(match::method m, const match::message_end &send, const match::message_end &receive) override;
    end_pointer end_of(const tare_archive_event_t &event, std::int64_t begun_ns);
    end_pointer post(const request &r, std::int64_t begun_ns);
    end_pointer take_request(const request &r);

    const std::vector<match::place> places_;
    replay &to_;
    match::matcher matcher_;
    std::array<std::uint64_t, 2> numbers_ = {0, 0};  // as the matcher counts ends, by side
    std::array<std::unordered_map<std::uint64_t, end_pointer>, 2> open_;
    std::unordered_map<request, end_pointer, hash_of_request> requests_;
};

}  // namespace tare::waits

#endif
