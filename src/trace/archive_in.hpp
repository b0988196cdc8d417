// SPDX-License-Identifier: BSD-3-Clause
// What a rank's archive defines, read again.
#ifndef TARE_TRACE_ARCHIVE_IN_HPP
#define TARE_TRACE_ARCHIVE_IN_HPP

#include "definitions.hpp"

namespace tare::trace {

struct rank_definitions {
    definitions all;
    std::string run_id, program, clock;
    int ranks = 0;
};

// Throws error.
rank_definitions read_rank(const std::string &dir, int rank);

}  // namespace tare::trace

#endif
