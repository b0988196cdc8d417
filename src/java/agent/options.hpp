// SPDX-License-Identifier: BSD-3-Clause
// What stands behind -agentpath:libtare-jvmti.so=
#ifndef TARE_JAVA_OPTIONS_HPP
#define TARE_JAVA_OPTIONS_HPP

#include <string>

namespace tare::java {

// Events of the virtual machine turn its compiler off, and need no change of classes.
enum class methods_by { nobody, hooks, events };

struct agent_options {
    methods_by methods = methods_by::hooks;
    bool gc = true;                      // garbage collection is a region
};

// methods=hooks|events|off,gc=on|off; nullptr and "": the defaults. Gives back an empty string if all is allowed,
// else one sentence.
std::string read_options(const char *text, agent_options &options);

}  // namespace tare::java

#endif
