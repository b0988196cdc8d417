// SPDX-License-Identifier: BSD-3-Clause
// From an address of code in this process to where its module has it. The same on all ranks, wherever the loader has
// put the module.
#ifndef TARE_SYMBOLS_LOADED_PLACE_HPP
#define TARE_SYMBOLS_LOADED_PLACE_HPP

#include <climits>
#include <cstdint>
#include <string>

namespace tare::symbols {

struct loaded_place {
    std::string module;                  // path; empty: not in any
    std::uint64_t offset = 0;            // as the module's symbol table would give it
    std::string symbol;                  // the dynamic symbol that it lies behind; empty: none
    std::uint64_t symbol_offset = 0;     // that symbol's value
};

// The same in texts of the loader's, which are there as long as the module is. Nothing is allocated.
struct code_place {
    const char *module = nullptr;        // nullptr: not in any; empty: the program
    std::uint64_t offset = 0;
    const char *symbol = nullptr;        // nullptr: none
    std::uint64_t symbol_offset = 0;
};

code_place find_code(const void *address) noexcept;
// The path of the program, put there; "program" if it is not known.
const char *program_path(char (&path)[PATH_MAX]) noexcept;

// To be asked for when the code runs: its module may be unloaded later.
loaded_place place_of_code(const void *address);
// Where a call returns to belongs to the function that calls, even if that ends with the call.
loaded_place place_of_return(const void *address);

}  // namespace tare::symbols

#endif
