// SPDX-License-Identifier: BSD-3-Clause
#include "symbols.hpp"

#include "loaded_place.hpp"

#include <string>

namespace tare::probe {

place place_of(const void *function)
{
    const symbols::loaded_place p = symbols::place_of_code(function);
    return {p.module, p.offset, p.symbol_offset == p.offset ? p.symbol : ""};
}

void write_name(const void *what, tare_measure_name which, char *name, std::size_t size)
{
    const place &p = *static_cast<const place *>(what);
    const std::string found = which == TARE_NAME_MANGLED ? symbols::symbol_of(p) : symbols::name_of(p);
    name[found.copy(name, size - 1)] = '\0';
}

}  // namespace tare::probe
