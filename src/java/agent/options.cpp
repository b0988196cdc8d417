// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <sstream>

namespace tare::java {
namespace {

bool read_option(const std::string &option, agent_options &options)
{
    if (option == "methods=hooks")
        options.methods = methods_by::hooks;
    else if (option == "methods=events")
        options.methods = methods_by::events;
    else if (option == "methods=off")
        options.methods = methods_by::nobody;
    else if (option == "gc=on" || option == "gc=off")
        options.gc = option == "gc=on";
    else
        return false;
    return true;
}

}  // namespace

std::string read_options(const char *text, agent_options &options)
{
    std::istringstream all(text == nullptr ? "" : text);
    for (std::string option; std::getline(all, option, ',');)
        if (!read_option(option, options))
            return "the Java agent's option " + option +
                   " is not one of methods=hooks, methods=events, methods=off, gc=on and gc=off";
    return "";
}

}  // namespace tare::java
