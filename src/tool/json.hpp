// SPDX-License-Identifier: BSD-3-Clause
// The machine-readable form of every table: one object, times integers in ns. See tare(1).
#ifndef TARE_TOOL_JSON_HPP
#define TARE_TOOL_JSON_HPP

#include "info.hpp"
#include "report.hpp"
#include "validate.hpp"

#include <string>
#include <vector>

namespace tare::tool {

std::string report_json(const profile::run &run, const std::vector<report_line> &lines);
std::string validate_json(const validation &result);
std::string items_json(const std::vector<info_item> &items);
std::string variables_json(const std::vector<variable_item> &items);

}  // namespace tare::tool

#endif
