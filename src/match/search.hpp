// SPDX-License-Identifier: BSD-3-Clause
// The search in the merged trace: sends and receives of one pair of processes with equal tag and length are alike.
//
// As published, each event looks for its partner alone and marks nothing: a send looks forward to the first receive that
// is like it, a receive backward to the latest such send. So two sends may find the same receive. method_open marks: a
// receive takes the first send that has none. A group of alike sends is forgotten when as many receives have come.
#ifndef TARE_MATCH_SEARCH_HPP
#define TARE_MATCH_SEARCH_HPP

#include "ledger.hpp"

#include <unordered_map>

namespace tare::match {

class search {
  public:
    explicit search(ledger &all) : all_(all) {}

    void send(end_index send, const key &like);
    void receive(end_index receive, const key &like);
    // Of a send that nobody has received.
    void cancel(end_index send, const key &like);
    // The trace is over.
    void finish();

  private:
    // Sends that no receive has taken yet; those from `fresh` on came behind the latest receive.
    struct group {
        end_index first = no_end, last = no_end, fresh = no_end;
    };

    ledger &all_;
    std::unordered_map<key, group, hash_of_key> groups_;
};

}  // namespace tare::match

#endif
