// SPDX-License-Identifier: BSD-3-Clause
// What the tool asks of the system: other programs' output, and where things are.
#ifndef TARE_TOOL_PROCESS_HPP
#define TARE_TOOL_PROCESS_HPP

#include <optional>
#include <string>
#include <vector>

namespace tare::tool {

// Runs a program to its end without input and gives back what it wrote to stdout; nothing if it could not be started
// or did not end with 0.
std::optional<std::string> output_of(const std::vector<std::string> &argv);

std::vector<std::string> lines_of(const std::string &text);

bool is_directory(const std::string &path);
bool is_file(const std::string &path);

}  // namespace tare::tool

#endif
