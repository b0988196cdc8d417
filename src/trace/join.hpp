// SPDX-License-Identifier: BSD-3-Clause
// The archives of all ranks become one.
#ifndef TARE_TRACE_JOIN_HPP
#define TARE_TRACE_JOIN_HPP

#include <string>

namespace tare::trace {

struct joined {
    bool is_joined = false;              // else: not all ranks are there yet, or somebody else joins them
    std::string left_out;                // a sentence; empty: no rank was
};

// ranks 0: as many as any archive of a rank says. Throws error.
joined join(const std::string &dir, int ranks, bool force);

}  // namespace tare::trace

#endif
