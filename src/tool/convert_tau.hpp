// SPDX-License-Identifier: BSD-3-Clause
#ifndef TARE_TOOL_CONVERT_TAU_HPP
#define TARE_TOOL_CONVERT_TAU_HPP

#include "convert.hpp"

namespace tare::tool {

// Writes the files of a profile, all or none. Refuses a directory that has a profile, and what does not hold all that
// there is in one; `source` names it. Errors: profile::error.
void write_tau_directory(const content &c, const std::string &directory, const std::string &source);

}  // namespace tare::tool

#endif
