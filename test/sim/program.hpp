// SPDX-License-Identifier: BSD-3-Clause
// Reading the parts of a scenario that name processes: sets and statements.
#ifndef TARE_SIM_PROGRAM_HPP
#define TARE_SIM_PROGRAM_HPP

#include <string>
#include <vector>

#include "scenario.hpp"
#include "text.hpp"

namespace sim {

constexpr std::int64_t most_events = 1000000000;

// The processes of a SET, ascending or as listed; never empty. Fails when `processes` is 0, that is, not yet given.
std::vector<std::int32_t> parse_set(const place& at, const std::string& text, std::int32_t processes);

// `STATEMENT, STATEMENT, ...`. A send to several peers becomes as many statements, one call each.
std::vector<statement> parse_statements(const place& at, const std::string& text, std::int32_t processes);

bool uses(const program& prog, op what);

}  // namespace sim

#endif
