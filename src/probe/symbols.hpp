// SPDX-License-Identifier: BSD-3-Clause
// From the address of a function in this process to its place and its name.
#ifndef TARE_PROBE_SYMBOLS_HPP
#define TARE_PROBE_SYMBOLS_HPP

#include "own_memory.hpp"
#include "tare_measure.h"

#include <cstddef>
#include <cstdint>

namespace tare::probe {

// As symbols::place; the texts stay.
struct kept_place {
    const char *module;
    std::uint64_t offset;
    const char *symbol;
};

// Found when the function is first called: its module may be unloaded before the name is asked for. One thread at a
// time.
const kept_place *keep_place_of(const void *function, own_memory &memory) noexcept;

// A name of such a place, cut to size: a tare_measure_resolve_t.
void write_name(const void *place, tare_measure_name which, char *name, std::size_t size);

}  // namespace tare::probe

#endif
