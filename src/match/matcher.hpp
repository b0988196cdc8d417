// SPDX-License-Identifier: BSD-3-Clause
// Sends and receives of a trace, in the order of time, paired by every method at once.
#ifndef TARE_MATCH_MATCHER_HPP
#define TARE_MATCH_MATCHER_HPP

#include "events.hpp"
#include "fifo.hpp"
#include "search.hpp"
#include "sequence.hpp"

#include <unordered_map>
#include <vector>

namespace tare::match {

struct match_result {
    std::array<tally, method_count> methods = {};
    thread_table threads;                // empty if it was not asked for
    std::uint64_t sends = 0, receives = 0, cancelled_sends = 0, cancelled_receives = 0;
    std::uint64_t with_sequence = 0;     // sends and receives that say who sent the message
    std::uint64_t of_unknown_process = 0;     // sends and receives, which are left out
    std::uint64_t never_completed = 0;   // receives that were posted
    std::uint64_t passed_over = 0;       // that were open for too long: see posted_receives
    std::uint64_t repeated = 0;          // see by_sequence
    std::uint64_t most_open = 0;         // ends that were in memory at once

    // Whether the pairs of `sequence` are there to compare with; else those of `fifo` are.
    bool knows_truth() const { return methods[method_sequence].pairs > 0; }
    const tally &truth() const { return methods[knows_truth() ? method_sequence : method_fifo]; }
    const difference &difference_of(int m) const
    {
        return knows_truth() ? methods[m].from_sequence : methods[m].from_fifo;
    }
};

// Of a listener's pairs: what the message said of its sender, and where one of the two says nothing, MPI's order.
inline bool is_believed(method m, const message_end &send, const message_end &receive)
{
    return m == method_sequence || (m == method_fifo && !(send.has_sequence && receive.has_sequence));
}

class matcher {
  public:
    matcher(std::vector<place> places, bool with_threads, std::size_t most_waiting = posted_receives::most_waiting);

    void listen(pair_listener *listener) { all_.listen(listener); }

    // The label is that of the event's message_end, if it has one.
    void add(const tare_archive_event_t &event, std::uint64_t label = 0);
    match_result finish();

  private:
    struct message {
        key like, stream, id;
    };
    // Of a send that has not completed.
    struct open_send {
        end_index end;
        std::uint64_t number;
        message keys;
    };
    struct request_key {
        std::uint32_t process;
        std::uint64_t request;
        bool operator==(const request_key &other) const { return process == other.process && request == other.request; }
    };
    struct hash_of_request {
        std::size_t operator()(const request_key &r) const { return hash_of_key()({r.process, r.request, 0}); }
    };

    message keys_of(const tare_archive_event_t &event, std::uint32_t from, std::uint32_t to, std::uint32_t thread) const;
    end_index end_of(side s, const tare_archive_event_t &event, std::uint64_t label);
    void send(const tare_archive_event_t &event, std::uint64_t label);
    void receive(const tare_archive_event_t &event, std::uint64_t label);
    void cancel(std::uint32_t process, std::uint64_t request);
    bool leave_out(const tare_archive_event_t &event);

    const std::vector<place> places_;
    ledger all_;
    search search_;
    fifo fifo_;
    posted_receives posted_;
    by_sequence sequence_;
    std::unordered_map<request_key, open_send, hash_of_request> open_sends_;
    match_result result_;
};

}  // namespace tare::match

#endif
