// SPDX-License-Identifier: BSD-3-Clause
// What the message itself says: its sending process and thread, and its number among those of that thread.
#ifndef TARE_MATCH_SEQUENCE_HPP
#define TARE_MATCH_SEQUENCE_HPP

#include "ledger.hpp"

#include <unordered_map>

namespace tare::match {

class by_sequence {
  public:
    explicit by_sequence(ledger &all) : all_(all) {}

    void send(end_index send, const key &id) { add(side_send, send, id); }
    void receive(end_index receive, const key &id) { add(side_receive, receive, id); }
    // Of a send that nobody has received.
    void cancel(end_index send, const key &id);
    void finish();

    // Ends of one side with one number: only the first is believed.
    std::uint64_t repeated() const { return repeated_; }

  private:
    struct waiting {
        side of;
        end_index end;
    };

    void add(side s, end_index i, const key &id);

    ledger &all_;
    std::unordered_map<key, waiting, hash_of_key> waiting_;
    std::uint64_t repeated_ = 0;
};

}  // namespace tare::match

#endif
