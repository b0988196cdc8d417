// SPDX-License-Identifier: BSD-3-Clause
// Regions over ranks and threads, and ranks that left nothing: what report and compare share.
#ifndef TARE_TOOL_REGIONS_HPP
#define TARE_TOOL_REGIONS_HPP

#include "profile.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tare::tool {

// MPI regions are called MPI_Recv(), which shells make awkward to write: MPI_Recv names them, too.
bool is_named(const std::string &region, const std::string &wanted);

// One row a region: the sum over all threads, or over those of one rank. Regions in the order of their first row.
std::vector<profile::row> summed_rows(const profile::run &run, std::optional<int> rank);

// The same of call paths, over all threads.
std::vector<profile::row> summed_paths(const profile::run &run);

std::vector<std::string> region_names(const profile::run &run);

bool has_rank(const profile::run &run, int rank);

// Why nothing of this rank and region is in the profile, as a sentence; empty if something is.
std::string absence_sentence(const profile::run &run, const std::string &directory, std::optional<int> rank,
                             const std::string &region);

// "0", "0, 2", "1 to 5, 7, 8"; the list is in order.
std::string number_list(const std::vector<int> &numbers);

// "rank 3" and `one`, or "ranks 1, 3" and `several`.
std::string sentence_of(const std::vector<int> &ranks, const char *one, const char *several);

// What is to be said of ranks that did not end well: those that left nothing, and those that left no profile but what
// can be read all the same (profile::recovered). A sentence each.
std::vector<std::string> warnings_of(const profile::run &run);

// Of these only what is to be said of ranks that have left something.
std::vector<std::string> fates_of(const profile::run &run);

// The value of an attribute on every thread if they agree, else the first ones.
std::string values_of(const profile::run &run, const std::string &name);

// What is readable at once. Without a limit (0) all of `count` lines are shown.
constexpr int default_limit = 25;
std::size_t shown_of(std::size_t count, int limit);

// "1 rank", "2 ranks"
std::string count_text(std::size_t count, const char *what);

}  // namespace tare::tool

#endif
