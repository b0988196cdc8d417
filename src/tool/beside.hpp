// SPDX-License-Identifier: BSD-3-Clause
// Output files that replace another only when they are whole.
#ifndef TARE_TOOL_BESIDE_HPP
#define TARE_TOOL_BESIDE_HPP

#include <cstdio>
#include <string>

namespace tare::tool {

// Where a name's links lead to; the name itself where it has none, or one that leads nowhere, which is replaced. Any
// other stays: what it leads to is replaced, but only if nobody else can have put it there. Errors: profile::error.
std::string link_target(const std::string &path);

// A new file beside `target`, of which nobody knows the name before; nullptr and errno.
std::FILE *open_beside(const std::string &target, std::string &name);

// What is there and is no plain file, a pipe or a device, is written as it is; nullptr and errno.
std::FILE *open_special(const std::string &path);

}  // namespace tare::tool

#endif
