// SPDX-License-Identifier: BSD-3-Clause
// What the analysis has found.
#ifndef TARE_WAITS_RESULT_HPP
#define TARE_WAITS_RESULT_HPP

#include "path.hpp"
#include "states.hpp"
#include "steps.hpp"

#include <map>
#include <utility>
#include <vector>

namespace tare::waits {

struct explanation {
    std::int64_t explained_ns = 0;       // below 0: who was waited for had less of this step than who waited
    std::int64_t would_go_ns = 0;        // of the waiting, if this step took both the same time; below 0: it would grow
    counted more;                        // of which the explained time is, where the trace has counters
};

// All waits in one step of the source for one reason.
struct wait_sum {
    std::uint64_t waits = 0;
    std::int64_t waiting_ns = 0;
    std::map<std::uint32_t, explanation> causes;     // by step; explained_ns adds up to waiting_ns
};

// What calls of one step took behind the first process that left the same operation, of what they have not waited.
struct completion_sum {
    std::uint64_t calls = 0;
    std::int64_t ns = 0;
};

// Why nobody knows what a call has waited for.
enum gap { gap_message, gap_collective, gap_no_record, gap_thread, gap_count };

struct gap_sum {
    std::uint64_t calls = 0;
    std::int64_t ns = 0;                 // that may be waiting
};

struct process_sum {
    path own;                            // time in each step, without what was waited
    std::int64_t waiting_ns = 0;
    std::uint64_t threads = 0;           // that have events
};

struct result {
    std::vector<step> steps;
    std::map<std::pair<std::uint32_t, state>, wait_sum> waits;
    std::vector<process_sum> processes;
    std::map<std::pair<std::uint32_t, state>, completion_sum> completions;      // by what they are behind
    std::map<std::pair<gap, std::uint32_t>, gap_sum> gaps;      // the second is the region of the call
    std::int64_t total_ns = 0;           // of all threads, from their first event on
    std::int64_t waiting_ns = 0;
    std::uint64_t calls = 0;             // of MPI, or that wait for a thread
    std::uint64_t outside = 0;           // messages and collective operations that are in no call
    std::uint64_t before_send = 0;       // calls that ended before who they waited for had come, by the clocks
    std::uint64_t given_up = 0;          // calls that were gone on with because too much came behind them
    std::uint64_t most_queued = 0;       // events in memory at once
    std::uint32_t counters = 0;          // that a thread knew at two events: a bit for each
};

}  // namespace tare::waits

#endif
