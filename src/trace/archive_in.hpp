// SPDX-License-Identifier: BSD-3-Clause
// What an archive of Tare's defines, read again: of a rank, or of all.
#ifndef TARE_TRACE_ARCHIVE_IN_HPP
#define TARE_TRACE_ARCHIVE_IN_HPP

#include "definitions.hpp"
#include "reader_calls.hpp"

namespace tare::trace {

struct rank_definitions {
    definitions all;
    std::string run_id, program, clock;
    int ranks = 0;
};

// Throws error.
rank_definitions read_rank(const std::string &dir, int rank, whose archive);

// Of an archive of all ranks. Throws error, also if it is not Tare's.
rank_definitions read_whole(OTF2_Reader *reader, const std::string &anchor);

}  // namespace tare::trace

#endif
