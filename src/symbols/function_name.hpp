// SPDX-License-Identifier: BSD-3-Clause
// What a function is called: its symbol, static functions included; C++ names and those of Fortran modules as in the
// source; without a symbol module+offset. The same on all ranks, wherever the loader has put things: never an address.
#ifndef TARE_SYMBOLS_FUNCTION_NAME_HPP
#define TARE_SYMBOLS_FUNCTION_NAME_HPP

#include <cstdint>
#include <string>

namespace tare::symbols {

// Where a function is. The process that called it knows; the name can be found later and by others.
struct place {
    std::string module;              // path; empty: not in any
    std::uint64_t offset;            // the value that the module's symbol table gives it
    std::string symbol;              // if the dynamic symbol table has it
};

std::string name_of(const place &p);

// As the linker knows it, or as above where it has no symbol.
std::string symbol_of(const place &p);

// "name+0x1f"; and the same with the file's name of a module, or with "unknown".
std::string with_offset(const std::string &name, std::uint64_t offset);
std::string module_and_offset(const std::string &module, std::uint64_t offset);

}  // namespace tare::symbols

#endif
