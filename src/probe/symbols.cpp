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

void write_name(const void *what, char *name, std::size_t size)
{
    const std::string found = symbols::name_of(*static_cast<const place *>(what));
    name[found.copy(name, size - 1)] = '\0';
}

}  // namespace tare::probe
