// SPDX-License-Identifier: BSD-3-Clause
// What a live file holds of the process's calls of MPI.
#ifndef TARE_PROFILE_LIVE_CALLS_HPP
#define TARE_PROFILE_LIVE_CALLS_HPP

#include "mpi_calls.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tare::profile {

// Nothing: the process has noted none. While it runs the numbers may be a call apart.
std::optional<rank_calls> read_live_calls(const std::string &path);
std::vector<sent_messages> read_live_sent(const std::string &path);

}  // namespace tare::profile

#endif
