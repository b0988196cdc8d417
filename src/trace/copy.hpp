// SPDX-License-Identifier: BSD-3-Clause
// Archives of Tare are copied event by event: a part of one, or several into one.
#ifndef TARE_TRACE_COPY_HPP
#define TARE_TRACE_COPY_HPP

#include "trace_module.h"

namespace tare::trace {

// Throws error; what has been written is removed then.
void copy(const tare_trace_copy_t &wish);

}  // namespace tare::trace

#endif
