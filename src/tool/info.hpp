// SPDX-License-Identifier: BSD-3-Clause
// What `tare info` knows, before it is printed in one form or another.
#ifndef TARE_TOOL_INFO_HPP
#define TARE_TOOL_INFO_HPP

#include <string>
#include <vector>

namespace tare::tool {

struct info_item {
    std::string name;
    std::string value;
};

struct variable_item {
    std::string name;
    std::string values;   // what is allowed, the default first
    std::string meaning;
    bool is_set = false;
    std::string value;
};

std::vector<info_item> installed_items();
std::vector<variable_item> variable_items();

// The environment page of the manual, tare-env(5), as roff. Does not depend on the environment.
std::string environment_page();

}  // namespace tare::tool

#endif
