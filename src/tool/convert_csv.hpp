// SPDX-License-Identifier: BSD-3-Clause
#ifndef TARE_TOOL_CONVERT_CSV_HPP
#define TARE_TOOL_CONVERT_CSV_HPP

#include <string>

namespace tare::tool {

// The first line, without its end.
std::string csv_header(bool is_path);

}  // namespace tare::tool

#endif
