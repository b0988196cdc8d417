// SPDX-License-Identifier: BSD-3-Clause
// Names of methods as people write them.
#ifndef TARE_JAVA_NAMES_HPP
#define TARE_JAVA_NAMES_HPP

#include <string>

namespace tare::java {

// Java's texts come in a UTF-8 of their own, with surrogates that are written one by one: as everybody else has them.
std::string from_java(const std::string &text);

// "a/B$C", "f", "([ILjava/lang/String;)V": a.B$C.f(int[], String)
std::string name_of_method(const std::string &class_name, const std::string &method, const std::string &descriptor);

// Classes of the platform and the agent's own: whatever TARE_FILTER says, they are not measured. Names as class files
// have them.
bool is_platform(const std::string &class_name);

}  // namespace tare::java

#endif
