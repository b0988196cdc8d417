// SPDX-License-Identifier: BSD-3-Clause
// One run of a scenario, with instrumentation or without (the truth).
#ifndef TARE_SIM_SIMULATION_HPP
#define TARE_SIM_SIMULATION_HPP

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "estimator.hpp"
#include "scenario.hpp"

namespace sim {

// What became of one process. Two books are kept, and both must balance for every estimator:
//     end                     = busy + overhead + waited
//     end - delay[estimator]  = busy + wait[estimator]
struct process_result {
    ps end = 0;         // local clock at the end of the program
    delays delay{};     // D at the end
    ps busy = 0;        // costs of the program and of its calls
    ps overhead = 0;    // what instrumentation added
    ps waited = 0;      // blocked time, as measured
    delays wait{};      // blocked time, as each estimator approximates it
};

// A wildcard receive that the uninstrumented run could have matched otherwise: by the exact estimator, a message
// matched later on the same process would have arrived earlier than one matched before.
struct inversion_count {
    std::int64_t count = 0;
    ps largest = 0;  // how much earlier
};

struct outcome {
    std::vector<process_result> processes;
    inversion_count inversions;
    std::int64_t events = 0;  // that the simulator handled
};

// Costs of `compute`, process after process. Both runs of a comparison use the same table.
using cost_table = std::vector<ps>;
cost_table draw_costs(const scenario& s, std::uint32_t seed);

// A program that cannot go on (all wait for each other) or runs longer than the time base reaches.
struct simulation_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

outcome simulate(const scenario& s, const cost_table& costs, bool instrumented);

}  // namespace sim

#endif
