// SPDX-License-Identifier: BSD-3-Clause
// Variables of a function that lie on its stack, by what the compiler has left of them in the module (-g).
#ifndef TARE_TOOL_LOCAL_VARIABLES_HPP
#define TARE_TOOL_LOCAL_VARIABLES_HPP

#include <cstdint>
#include <string>

#ifdef HAVE_LIBDW
#include <elfutils/libdwfl.h>
#endif

namespace tare::tool {

// Its name, those of several that have the place in turn as "a or b"; and where it begins and ends from the canonical frame
// address of its function on. Without a name: none is known.
struct local_variable {
    std::string name;
    std::int64_t begin = 0, end = 0;
};

#ifdef HAVE_LIBDW
// Of the function that the module's symbol table gives this value. What is in registers, or has no constant place, is not found.
local_variable find_local(Dwfl_Module *module, std::uint64_t value, std::int64_t offset);
#endif

}  // namespace tare::tool

#endif
