// SPDX-License-Identifier: BSD-3-Clause
// Messages that are open: their two ends, sends and receives, and who each method has paired them with. An end is
// forgotten when all methods have done with it, and what they say of it has been compared. So memory grows with the
// messages that are open, not with those that there are.
#ifndef TARE_MATCH_LEDGER_HPP
#define TARE_MATCH_LEDGER_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace tare::match {

// How a send finds its receive; man/tare-trace.1 says it at length.
enum method {
    method_forward,                      // published: a send, the first receive behind it that is like it
    method_backward,                     // published: a receive, the latest send before it that is like it
    method_open,                         // a receive, the first send before it that is like it and not paired yet
    method_fifo,                         // MPI's order in a communicator
    method_sequence,                     // the number that the message carried: who sent it
    method_count
};
constexpr const char *method_names[method_count] = {"forward", "backward", "open", "fifo", "sequence"};

// Who looks for partners. The first three methods are one search.
enum party { party_search = 1, party_fifo = 2, party_sequence = 4, party_all = 7 };

using end_index = std::uint32_t;
constexpr end_index no_end = UINT32_MAX;

// Three words: what ends of one message have in common, for one of the methods.
using key = std::array<std::uint64_t, 3>;

struct hash_of_key {
    std::size_t operator()(const key &k) const
    {
        std::uint64_t hash = 0;
        for (const std::uint64_t word : k) {
            hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
            hash ^= hash >> 32;
        }
        return hash;
    }
};

// A send or a receive.
struct message_end {
    struct partner {
        std::uint64_t number = 0;        // among the ends of the other side, from 1 on; 0: there is none
        std::uint32_t location = 0;
        bool has_sequence = false;
    };

    std::uint64_t number = 0;            // among those of its side
    std::uint64_t time_ns = 0, length = 0;
    std::uint32_t location = 0;
    bool has_sequence = false;
    bool is_cancelled = false;
    unsigned parties = party_all;        // those that may still find its partner
    end_index next_like = no_end, next_in_order = no_end;    // in the lists of the search and of fifo
    std::array<partner, method_count> by;
};

// How the pairs of a method differ from those of another, which is taken for the truth.
struct difference {
    std::uint64_t compared = 0;
    std::uint64_t wrong = 0;             // pairs of two messages
    std::uint64_t wrong_sender_thread = 0, wrong_receiver_thread = 0;    // of those: another thread's end
};

struct tally {
    std::uint64_t pairs = 0, sends_left = 0, receives_left = 0;
    std::uint64_t before_send = 0, most_before_ns = 0;   // pairs whose receive comes before the send, and by how much
    std::uint64_t cut = 0;               // whose send is longer than the receive
    difference from_sequence, from_fifo;
};

// Messages between two locations, by each method.
using thread_pair = std::pair<std::uint32_t, std::uint32_t>;
using thread_table = std::map<thread_pair, std::array<std::uint64_t, method_count>>;

enum side { side_send, side_receive };

// Who wants to know of each pair, by the numbers of its ends among those of their side.
class pair_listener {
  public:
    virtual void paired(method m, std::uint64_t send, std::uint64_t receive) = 0;

  protected:
    ~pair_listener() = default;
};

class ledger {
  public:
    explicit ledger(bool with_threads, pair_listener *listener = nullptr)
        : with_threads_(with_threads), listener_(listener)
    {
    }

    end_index add(side s, const message_end &what);
    message_end &at(side s, end_index i) { return ends_[s][i]; }

    // For forward only the send is asked whether it is right, for backward only the receive.
    void pair(method m, end_index send, end_index receive);
    // This party has done with it: it has its partner, or will get none.
    void leave(side s, end_index i, party p);
    void cancel(end_index send) { at(side_send, send).is_cancelled = true; }

    const std::array<tally, method_count> &tallies() const { return tallies_; }
    const thread_table &threads() const { return threads_; }
    std::size_t open() const { return ends_[0].size() + ends_[1].size() - free_[0].size() - free_[1].size(); }
    std::size_t most_open() const { return ends_[0].size() + ends_[1].size(); }

  private:
    void close(side s, const message_end &e);
    static void note(tally &t, const message_end &send, const message_end &receive);
    static void compare(side s, method m, const message_end &e, method truth, difference &d);

    std::array<std::vector<message_end>, 2> ends_;
    std::array<std::vector<end_index>, 2> free_;
    std::array<std::uint64_t, 2> numbers_ = {0, 0};
    std::array<tally, method_count> tallies_ = {};
    const bool with_threads_;
    pair_listener *const listener_;
    thread_table threads_;
};

}  // namespace tare::match

#endif
