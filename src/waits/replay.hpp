// SPDX-License-Identifier: BSD-3-Clause
// Each location goes through its events as far as it can: where a call may have waited for another process, that one has
// to have come there first, whatever the clocks say. What is in memory is the events that wait, a path of each location
// and of each message that is under way.
#ifndef TARE_WAITS_REPLAY_HPP
#define TARE_WAITS_REPLAY_HPP

#include "archive.h"
#include "calls.hpp"
#include "meeting.hpp"
#include "result.hpp"

#include <deque>

namespace tare::waits {

struct item {
    enum kind {
        enter,                           // region
        leave,
        begin_end,                       // a message's end comes there
        finish_send,                     // the call ends when the message is received, or before
        finish_receive,
        gather,
        miss_message,                    // the call has waited for what is not known
        miss_collective,
        release,                         // between threads
        acquire,
        begin
    };

    kind what;
    std::uint32_t region;
    std::int64_t ns;
    std::shared_ptr<message_end> end;
    std::shared_ptr<gathering> meeting;
    std::uint32_t site = TARE_ARCHIVE_UNKNOWN;   // of a leave: where the call is made
    std::shared_ptr<const reading> counters = nullptr;   // of an enter or leave; nullptr: it has none
    std::shared_ptr<assembly> threads = nullptr;
    std::uint32_t arrivals = 0;          // of an acquisition: for how many it has waited; 0: nobody knows
};

class replay {
  public:
    // process: of each location. kinds: by region.
    replay(std::vector<std::uint32_t> process, std::size_t processes, std::vector<call_kind> kinds, std::size_t most_queued);

    void push(std::uint32_t location, item what);
    void pair(const std::shared_ptr<message_end> &send, const std::shared_ptr<message_end> &receive);
    // Nothing more comes: what has no partner by now has none.
    result finish();

  private:
    // A call of MPI, or one that waits for a thread, that has been entered.
    struct call {
        std::uint32_t depth = 0;         // of regions since then; 0: there is none
        std::uint32_t region = 0;
        std::uint32_t site = TARE_ARCHIVE_UNKNOWN;       // when it has ended
        std::shared_ptr<const path> how; // the path until then, if somebody needs it
        std::vector<std::pair<bool, std::shared_ptr<message_end>>> ends;     // whether it is a send
        std::vector<std::shared_ptr<gathering>> meetings;
        std::vector<std::pair<std::shared_ptr<assembly>, std::uint32_t>> threads;  // and for how many
        bool misses_message = false, misses_collective = false, has_record = false;
    };
    struct line {
        std::uint32_t process = 0;
        std::deque<item> queue;
        bool has_begun = false, is_blocked = false;
        std::int64_t now_ns = 0;         // in a call when it was entered
        path now;
        std::shared_ptr<const reading> counters;     // the latest
        std::vector<std::uint32_t> open; // regions that are no calls: their steps
        call in;
    };
    // Of those that a call has waited for, the one that came last.
    struct wait {
        const arrival *until = nullptr;
        state why = state_count;
        int missing = gap_count;         // what else it may have waited for

        // It has waited for this one if that came behind it.
        void take(const line &l, const arrival &other, state reason)
        {
            if (other.ns <= l.now_ns || (until != nullptr && until->ns >= other.ns))
                return;
            until = &other;
            why = reason;
        }
    };

    void run();
    void go_on(std::uint32_t location);
    bool step_over(std::uint32_t location, const item &what);
    void wake(std::uint32_t location);
    void advance(line &l, std::int64_t ns, std::uint32_t step);
    void count(line &l, const item &what, std::uint32_t step);
    std::uint32_t step_of(const line &l, nature what);
    void enter(line &l, const item &what);
    void begin_end(line &l, const item &what);
    arrival arrive(line &l, assembly &at);
    void gather(line &l, const item &what);
    void finish_end(line &l, const item &what);
    void acquire(line &l, const item &what);
    bool begin(std::uint32_t location, line &l, const item &what);
    bool leave(std::uint32_t location, line &l, const item &what);

    static bool may_be_waited_for(const line &l, bool is_send, const message_end &end, std::int64_t left_ns);
    bool is_ready(const line &l, bool is_send, const message_end &end, std::int64_t left_ns) const;
    bool is_ready(const line &l, const gathering &g) const;
    bool has_all(std::uint32_t location, std::int64_t left_ns);
    void consider(wait &w, const line &l, std::int64_t left_ns) const;
    void consider_end(wait &w, const line &l, bool is_send, const message_end &end, std::int64_t left_ns) const;
    void consider_gathering(wait &w, const line &l, const gathering &g) const;
    void consider_threads(wait &w, const line &l, const assembly &m, std::uint32_t arrivals) const;
    void end_call(line &l, const item &what);
    void explain(line &l, const wait &w, std::int64_t left_ns);
    void depart(gathering &g, const departure &own);
    static void forget_ends(line &l);
    void restart(line &l);
    std::shared_ptr<const path> path_of(line &l);
    void give_up();

    const std::vector<call_kind> kinds_;
    const std::size_t most_queued_;
    std::vector<line> lines_;            // by location
    std::vector<std::uint32_t> ready_;
    step_table steps_;
    std::size_t queued_ = 0;
    bool is_over_ = false, is_forced_ = false;
    result result_;
};

}  // namespace tare::waits

#endif
