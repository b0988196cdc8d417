// SPDX-License-Identifier: BSD-3-Clause
// MPI's order: of messages from one process to another with equal tag in one communicator, the first that is sent is
// received by the first receive that is posted.
#ifndef TARE_MATCH_FIFO_HPP
#define TARE_MATCH_FIFO_HPP

#include "ledger.hpp"

#include <deque>
#include <unordered_map>

namespace tare::match {

// Streams of messages. Who comes first waits for the other side, whatever the clocks say.
class fifo {
  public:
    explicit fifo(ledger &all) : all_(all) {}

    void send(end_index send, const key &stream) { add(side_send, send, stream); }
    void receive(end_index receive, const key &stream) { add(side_receive, receive, stream); }
    // Of a send that nobody has received.
    void cancel(end_index send, const key &stream);
    void finish();

  private:
    // Ends of one side that wait.
    struct queue {
        side of = side_send;
        end_index first = no_end, last = no_end;
    };

    void add(side s, end_index i, const key &stream);

    ledger &all_;
    std::unordered_map<key, queue, hash_of_key> queues_;
};

// Receives in the order in which they were posted, each when all before it are known: a nonblocking one is posted by its
// request, and known when it completes.
class posted_receives {
  public:
    // So many of a process may wait for one that is still open, which is passed over then: it takes its place when it
    // completes.
    static constexpr std::size_t most_waiting = 1 << 16;

    posted_receives(fifo &to, std::size_t most = most_waiting) : to_(to), most_(most) {}

    void post(std::uint32_t process, std::uint64_t request);
    void receive(std::uint32_t process, end_index receive, const key &stream);
    // Not posted, as far as is known: as receive.
    void complete(std::uint32_t process, std::uint64_t request, end_index receive, const key &stream);
    // Gives back false if it is not there.
    bool cancel(std::uint32_t process, std::uint64_t request);
    void finish();

    std::uint64_t passed_over() const { return passed_over_; }
    std::uint64_t never_completed() const { return never_completed_; }

  private:
    struct posted {
        bool is_open;
        std::uint64_t request;
        end_index receive;               // no_end: cancelled
        key stream;
    };
    struct line {
        std::deque<posted> all;
        std::uint64_t first = 0;         // number of the first one
        std::unordered_map<std::uint64_t, std::uint64_t> open;      // requests, and their numbers
    };

    void release(line &l);
    posted *find(line &l, std::uint64_t request);

    fifo &to_;
    const std::size_t most_;
    std::unordered_map<std::uint32_t, line> lines_;     // by process
    std::uint64_t passed_over_ = 0, never_completed_ = 0;
};

}  // namespace tare::match

#endif
