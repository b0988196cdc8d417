// SPDX-License-Identifier: BSD-3-Clause
// Call paths side by side, for formats that want a time line. A profile has none: only widths mean something.
#ifndef TARE_TOOL_CONVERT_LAYOUT_HPP
#define TARE_TOOL_CONVERT_LAYOUT_HPP

#include "convert.hpp"
#include "convert_tree.hpp"

#include <vector>

namespace tare::tool {

// The exclusive time of a clock, by which widths are laid out.
std::int64_t profile::figures::*width_figure(layout_clock clock);

// Refuses what does not hold that time.
void check_width(const content &c, layout_clock clock, const char *format);

// Those of one level, the widest first, then the alphabet.
std::vector<const call_nodes::value_type *> laid_out(const call_nodes &level, std::int64_t profile::figures::*width);

}  // namespace tare::tool

#endif
