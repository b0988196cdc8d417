// SPDX-License-Identifier: BSD-3-Clause
// The functions in the symbol table (.symtab) of a program or library on disk.
#ifndef TARE_SYMBOLS_ELF_SYMBOLS_HPP
#define TARE_SYMBOLS_ELF_SYMBOLS_HPP

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace tare::symbols {

// By value. Of several names for one function the global one is kept, then the one that comes first in the alphabet.
using function_symbols = std::unordered_map<std::uintptr_t, std::string>;

// Empty if the file cannot be read, is not of this machine, is damaged, or has been stripped.
function_symbols read_function_symbols(const std::string &path);

// The functions whose size the table tells, by value.
struct sized_function {
    std::uint64_t value;
    std::uint64_t size;
    std::string name;
};
std::vector<sized_function> read_sized_functions(const std::string &path);

}  // namespace tare::symbols

#endif
