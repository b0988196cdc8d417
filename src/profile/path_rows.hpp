// SPDX-License-Identifier: BSD-3-Clause
// From call paths as they were recorded to the rows of a profile.
#ifndef TARE_PROFILE_PATH_ROWS_HPP
#define TARE_PROFILE_PATH_ROWS_HPP

#include "record.hpp"

#include <string>
#include <vector>

namespace tare {

// A region by its number; without a name: there is none.
struct region_text {
    std::string name;
    std::string group;
};

// By name, so that a path comes before those that it is the beginning of. Paths of one region are left out: the flat
// profile has them. Paths of one name (their functions turned out to have the same) share a row.
//
// A name that is too long for a line of the file loses its outermost regions: "(12 outer regions, HASH) => B => C".
// The hash is of the whole name, so that such paths stay apart and are the same on all ranks. Names are cut to half and
// half again until all of a thread's take at most 32 MiB.
std::vector<profile::row> path_rows(const recorded &record, const std::vector<region_text> &regions);

// These rows, and the attribute of calls that found no room on a path, for a thread.
void add_paths(profile::thread &to, const recorded &record, const std::vector<region_text> &regions);

}  // namespace tare

#endif
