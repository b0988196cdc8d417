// SPDX-License-Identifier: BSD-3-Clause
// From the address of a function in this process to its place and its name.
#ifndef TARE_PROBE_SYMBOLS_HPP
#define TARE_PROBE_SYMBOLS_HPP

#include "function_name.hpp"
#include "tare_measure.h"

#include <cstddef>

namespace tare::probe {

using symbols::place;

// Found when the function is first called: its module may be unloaded before the name is asked for.
place place_of(const void *function);

// A name of a place, cut to size: a tare_measure_resolve_t.
void write_name(const void *place, tare_measure_name which, char *name, std::size_t size);

}  // namespace tare::probe

#endif
