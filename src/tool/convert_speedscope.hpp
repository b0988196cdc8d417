// SPDX-License-Identifier: BSD-3-Clause
// The names in a speedscope file, which has no other place for what they say:
//   "Tare profile, CLOCK time: widths, not a time line; mode MODE, rule RULE"
//   "rank N, thread N"
#ifndef TARE_TOOL_CONVERT_SPEEDSCOPE_HPP
#define TARE_TOOL_CONVERT_SPEEDSCOPE_HPP

#include <string>

namespace tare::tool {

inline const std::string speedscope_name_note = " time: widths, not a time line; mode ";
inline const std::string speedscope_name_rule = ", rule ";
inline const std::string speedscope_thread_prefix = "rank ";
inline const std::string speedscope_thread_middle = ", thread ";

}  // namespace tare::tool

#endif
