// SPDX-License-Identifier: BSD-3-Clause
// A row of the table: a scenario run with and without instrumentation, once per seed, and what came of it.
#ifndef TARE_SIM_ROW_HPP
#define TARE_SIM_ROW_HPP

#include <array>
#include <string>

#include "simulation.hpp"

namespace sim {

// In percent, the mean over all seeds. The run time is that of the last process to end.
struct error {
    double run_time = 0;     // signed, of the run time
    double per_process = 0;  // mean absolute error of the processes' end times
};

struct row {
    error measured;
    std::array<error, columns> estimated;
    double worst_exact = 0;  // largest relative error of the exact rule: any process, any seed, and the run time
    inversion_count inversions;
    std::int64_t events = 0;
};

row run_scenario(const scenario& s);

// Empty when the row is as the scenario expects, else one sentence per deviation, separated by newlines.
std::string deviations(const scenario& s, const row& r);

}  // namespace sim

#endif
