// SPDX-License-Identifier: BSD-3-Clause
// From the address of a function to its region. Without lock or allocation once the function is known. Hooks ask for it
// where a thread has not entered the function yet, or something is unusual.
#ifndef TARE_PROBE_FUNCTIONS_HPP
#define TARE_PROBE_FUNCTIONS_HPP

#include "tare_measure.h"

namespace tare::probe {

// From now on calls of the function are those of the region.
void make_known(const void *function, tare_region_t *region);

// Makes the region if there is none. nullptr: called from inside itself (an instrumented allocator).
tare_region_t *region_of(const void *function) noexcept;

}  // namespace tare::probe

#endif
