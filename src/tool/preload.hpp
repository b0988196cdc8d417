// SPDX-License-Identifier: BSD-3-Clause
// Which libraries a run needs in front of the program.
#ifndef TARE_TOOL_PRELOAD_HPP
#define TARE_TOOL_PRELOAD_HPP

#include "program.hpp"
#include "tare_env.h"

#include <string>
#include <vector>

namespace tare::tool {

class installation;

struct preload_plan {
    std::vector<std::string> libraries;  // full paths, in the order of LD_PRELOAD
    std::string java_agent;              // for the virtual machine; empty: none
    refusal refused;
};

// What is followed beside MPI.
struct followed {
    bool threads = false;                // waiting between them
    bool heap = false;                   // where memory is allocated
};

// `family` overrides what the program loads; empty: as the program loads.
preload_plan plan_preload(const program_facts &facts, const tare_settings_t &settings, const installation &place,
                          const std::string &family, const followed &more);

// Why these paths cannot stand in LD_PRELOAD, which separates by colons and blanks and knows no quoting.
refusal refuse_names(const std::vector<std::string> &libraries);

// The value of LD_PRELOAD: the plan's libraries, then what the user already has there, but behind other tools around MPI
// and what stands before them.
std::string preload_value(const std::vector<std::string> &libraries, const char *present);

}  // namespace tare::tool

#endif
