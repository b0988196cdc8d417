// SPDX-License-Identifier: BSD-3-Clause
// anchor.xml: what a Cube file holds.
#ifndef TARE_TOOL_CUBE_XML_HPP
#define TARE_TOOL_CUBE_XML_HPP

#include "cube_calltree.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tare::tool {

struct cube_metric {
    std::string name;                    // unique
    std::string shown_name;
    const char *type;                    // Cube's
    const char *unit;
    std::string description;
    bool is_ghost;                       // not shown
    std::function<std::uint64_t(const cube_cell &)> value;   // as bits of the type; 0 without any
    waits::state state = waits::state_count;                 // only of regions that wait so; state_count: of all
};

std::string anchor_text(const std::vector<cube_metric> &metrics, const cube_calltree &tree);

}  // namespace tare::tool

#endif
