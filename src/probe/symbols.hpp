// SPDX-License-Identifier: BSD-3-Clause
// What a function is called: its symbol, static functions included; C++ names and those of Fortran modules as in the
// source; without a symbol module+offset. The same on all ranks, wherever the loader has put things: never an address.
#ifndef TARE_PROBE_SYMBOLS_HPP
#define TARE_PROBE_SYMBOLS_HPP

#include <cstddef>
#include <cstdint>
#include <string>

namespace tare::probe {

// Where a function is, found when it is first called: its module may be unloaded before the name is asked for.
struct place {
    std::string module;              // path; empty: not in any
    std::uintptr_t offset;           // the value that the module's symbol table gives it
    std::string symbol;              // if the dynamic symbol table has it
};

place place_of(const void *function);

// The name of a place, cut to size: a tare_measure_resolve_t.
void write_name(const void *place, char *name, std::size_t size);

}  // namespace tare::probe

#endif
