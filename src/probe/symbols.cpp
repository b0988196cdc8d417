// SPDX-License-Identifier: BSD-3-Clause
#include "symbols.hpp"

#include "loaded_place.hpp"

#include <cstdio>

namespace tare::probe {

place place_of(const void *function)
{
    const symbols::loaded_place p = symbols::place_of_code(function);
    return {p.module, p.offset, p.symbol_offset == p.offset ? p.symbol : ""};
}

void write_name(const void *what, char *name, std::size_t size)
{
    std::snprintf(name, size, "%s", symbols::name_of(*static_cast<const place *>(what)).c_str());
}

}  // namespace tare::probe
