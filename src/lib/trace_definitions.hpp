// SPDX-License-Identifier: BSD-3-Clause
// What the events of a trace name by numbers beside regions: groups of processes, communicators, and windows. In memory of
// the live file, so that the events of a killed process have them, too.
//
// Threads: a lock, taken where something is defined, never for an event. Memory: a communicator or window takes 64 bytes
// and stays after it is freed, since events name it; groups of the same ranks are one.
#ifndef TARE_LIB_TRACE_DEFINITIONS_HPP
#define TARE_LIB_TRACE_DEFINITIONS_HPP

#include "trace_event.h"

#include <vector>

namespace tare {

// All of them, of each kind in the order of their numbers. What they point to stays.
std::vector<tare_trace_definition_t> trace_definitions();

}  // namespace tare

#endif
