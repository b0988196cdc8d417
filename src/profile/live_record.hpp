// SPDX-License-Identifier: BSD-3-Clause
// What a live file holds of one thread.
#ifndef TARE_PROFILE_LIVE_RECORD_HPP
#define TARE_PROFILE_LIVE_RECORD_HPP

#include "live_file.hpp"
#include "path_rows.hpp"

namespace tare {

struct copied {
    recorded record;             // what was open is closed
    bool torn;                   // a change was going on
    std::int32_t number = 0;     // of the thread
    std::string name{};          // empty: it has none
    std::int64_t excluded_calls = 0;
};

// A process that still runs changes it meanwhile; then it is copied until it has stood still, or often enough.
copied copy_still(const live_file &file, const char *thread, bool runs);

// --- live_read.cpp ---

// What a thread is called; empty: it has no name.
std::string name_of_thread(const live_file &file, const char *thread);

// By region number; a name that is empty: it is not in the file.
std::vector<region_text> read_regions(const live_file &file);

}  // namespace tare

#endif
