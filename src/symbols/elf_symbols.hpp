// SPDX-License-Identifier: BSD-3-Clause
// The functions in the symbol table (.symtab) of a program or library on disk.
#ifndef TARE_SYMBOLS_ELF_SYMBOLS_HPP
#define TARE_SYMBOLS_ELF_SYMBOLS_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tare::symbols {

// What the functions of a file are called. Of several names for one function the global one counts, then the one that
// comes first in the alphabet. None if the file cannot be read, is not of this machine, is damaged, or was stripped.
class function_symbols {
  public:
    explicit function_symbols(const std::string &path);

    // By the value that the symbol table gives the function; nullptr: it has no name.
    const char *find(std::uint64_t value) const;

  private:
    struct entry {
        std::uint64_t value;
        std::size_t name;            // where it begins in names_
        bool is_global;
    };

    std::string names_;              // each ends with its zero
    std::vector<entry> entries_;     // by value, and the one that counts first
};

// The functions whose size the table tells, by value.
struct sized_function {
    std::uint64_t value;
    std::uint64_t size;
    std::string name;
};
std::vector<sized_function> read_sized_functions(const std::string &path);

}  // namespace tare::symbols

#endif
