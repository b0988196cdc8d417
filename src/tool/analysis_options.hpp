// SPDX-License-Identifier: BSD-3-Clause
// What the commands that analyse a trace have in common: tare waits, tare comms.
#ifndef TARE_TOOL_ANALYSIS_OPTIONS_HPP
#define TARE_TOOL_ANALYSIS_OPTIONS_HPP

#include "archive_clock.hpp"

#include <optional>
#include <string>

namespace tare::tool {

struct analysis_wish {
    bool json = false;
    std::optional<int> limit;
    std::string clock;               // empty: compensated if the archive has it
    std::string html;                // empty: no page
};

// Gives back a status if that is all: help, or the command line is wrong. Else -1, with wish and path.
int read_analysis_arguments(int argc, char **argv, const char *command, void (*print_help)(), analysis_wish &wish,
                            std::string &path);

// Behind what a command says of itself, the options of all.
void print_analysis_options(const char *limit_of);

// Nothing wished: compensated, if the archive has it; else "".
std::string clock_of(const tare_archive_t &archive, const std::string &wish);
// Throws profile::error if the archive does not say which one it has.
clock_change change_to(const std::string &clock, const tare_archive_t &archive);

}  // namespace tare::tool

#endif
