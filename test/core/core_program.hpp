// SPDX-License-Identifier: BSD-3-Clause
// A program of program.hpp through the core, as a transport calls it. The latency between all processes is known:
// each has waited for one message of each other one.
#ifndef TARE_TEST_CORE_PROGRAM_HPP
#define TARE_TEST_CORE_PROGRAM_HPP

#include <vector>

#include "program.hpp"
#include "tare_transport.h"

namespace core_program {

struct options {
    bool tool_gives_events = false;  // the time of each call comes from a tool
    bool account_waits = false;
    bool reversed = false;           // messages of one wait are joined last to first
};

// The thread block of each event's process after the event.
std::vector<tare_thread_t> execute(const program::timeline &t, const options &o);

}  // namespace core_program

#endif
