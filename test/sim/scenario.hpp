// SPDX-License-Identifier: BSD-3-Clause
// A scenario: processes, what each of them does, who is instrumented, and the errors that are expected.
//
// Text form, one directive a line, `#` starts a comment, times in microseconds with decimals:
//
//     scenario NAME                 starts a scenario; it ends at the next one or at the end of the file
//     title TEXT                    name in the table (default: NAME)
//     processes N                   before every line that names a SET
//     steps N                       how often each process repeats its program
//     overhead TIME                 what one event of instrumentation costs
//     latency TIME                  from a send to its arrival
//     call TIME                     what every call costs after its event (matching, copying)
//     seeds N | N..N                one repetition per seed (default: 0)
//     cost constant TIME            the cost of `compute`: drawn once per process and step, process after process
//     cost exponential MEAN plus TIME
//     events SET COUNT              events of instrumentation in each `compute` of these processes (default: 0)
//     program SET: STATEMENT, ...   what these processes do in each step
//     program SET forever: ...      the same, until a stop message is received
//     finally SET: STATEMENT, ...   once, after the last step
//     expect COLUMN=PERCENT[~TOLERANCE] ... inversions=none|some
//                                   signed error of the run time; COLUMN is measured or an estimator. Default
//                                   tolerance: 0.006, for zero in column exact 1e-7 (1e-9 of the run time)
//
// SET is `all`, `even`, `odd`, or a list `0,2..4,last-1..last`. STATEMENT is one of
//
//     compute                       the cost of this process and step, and the process's events
//     compute received              the cost that belongs to the received message's sender and step; events as above
//     work TIME EVENTS              a fixed cost with so many events
//     send PEER ...                 eager: never waits
//     stop PEER ...                 the same, and the receiver's program ends when it receives it
//     recv PEER ...                 waits for one message from each
//     recvany                       waits for the earliest message from anybody
//     barrier TIME                  of all processes; TIME is its cost after the last has entered
//     ssend PEER, srecv PEER        blocking rendezvous of two, the times of all packets known to both
//     isend PEER, irecv PEER, wait  rendezvous by RTS, CTS and DATA that moves only when somebody polls;
//                                   wait completes all that is outstanding
//
// PEER is a process number, `+N` or `-N` (relative, modulo the processes), or `source`: who sent the last message.
#ifndef TARE_SIM_SCENARIO_HPP
#define TARE_SIM_SCENARIO_HPP

#include <cstdint>
#include <istream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "units.hpp"

namespace sim {

enum class op {
    compute, compute_received, work, send, stop, recv, recvany, barrier, ssend, srecv, isend, irecv, wait
};

struct peer {
    enum class kind { absolute, relative, source } how;
    std::int32_t number;
};

struct statement {
    op what;
    std::vector<peer> peers;
    ps cost = 0;
    std::int64_t events = 0;
};

struct program {
    std::vector<statement> body;
    std::vector<statement> after;
    bool forever = false;
};

struct cost_distribution {
    double mean_us = 0;  // of the exponential part; 0: constant
    double plus_us = 0;
};

constexpr std::size_t measured_column = SIZE_MAX;

struct expectation {
    std::size_t column;  // of `estimators`, or measured_column
    double percent;
    double tolerance;
};

struct scenario {
    std::string name;
    std::string title;
    std::int32_t processes = 0;
    std::int32_t steps = 0;
    ps overhead = 0;
    ps latency = 0;
    ps call = 0;
    std::uint32_t first_seed = 0;
    std::uint32_t last_seed = 0;
    cost_distribution cost;
    std::vector<std::int64_t> events;      // per process
    std::vector<program> programs;
    std::vector<std::int32_t> program_of;  // per process, index into programs
    std::vector<expectation> expected;
    std::optional<bool> inversions;        // are there to be any?

    const program& program_for(std::int32_t process) const
    {
        return programs[static_cast<std::size_t>(program_of[static_cast<std::size_t>(process)])];
    }
};

// what(): one sentence, `FILE:LINE: what is wrong and what is allowed`.
struct scenario_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

std::vector<scenario> parse_scenarios(std::istream& in, const std::string& file);
std::vector<scenario> read_scenarios(const std::string& file);

}  // namespace sim

#endif
