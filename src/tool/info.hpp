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
    std::string preset;   // what holds where it is not set
    std::string unit;     // of its numbers; empty: there are none
    std::string readers;
    std::string meaning;
    bool is_set = false;
    std::string value;
};

struct variable_fact {
    const char *name;
    std::string value;
};

std::vector<info_item> installed_items();
std::vector<variable_item> variable_items();

// What is told of a variable beside its meaning, in order.
std::vector<variable_fact> facts_of(const variable_item &item);

// What tare(7) says of each variable, as roff. Does not depend on the environment.
std::string variables_roff();

}  // namespace tare::tool

#endif
