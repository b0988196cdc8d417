// SPDX-License-Identifier: BSD-3-Clause
#include "calls.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace tare::waits {
namespace {

// What the names of calls that may wait begin with, behind "mpi_".
constexpr std::array<std::string_view, 34> waiting = {
    "allgather",      "allreduce",    "alltoall",     "barrier",      "bcast",         "comm_accept", "comm_connect",
    "comm_create",    "comm_disconnect", "comm_dup",  "comm_spawn",   "comm_split",    "exscan",      "finalize",
    "gather",         "intercomm_",   "mprobe",       "mrecv",        "neighbor_",     "parrived",    "probe",
    "recv",           "reduce",       "scan",         "scatter",      "sendrecv",      "ssend",       "test",
    "wait",           "win_",         "cart_create",  "graph_create", "dist_graph_create", "file_"};

// Of which the names begin alike.
constexpr std::array<std::string_view, 7> never_waiting = {
    "reduce_local", "test_cancelled", "win_get_", "win_set_", "comm_create_keyval", "win_create_keyval",
    "comm_create_errhandler"};

// What makes a persistent request.
bool ends_with_init(std::string_view name)
{
    constexpr std::string_view end = "_init";
    return name.size() >= end.size() && name.substr(name.size() - end.size()) == end;
}

template <typename Words> bool begins_with_one(std::string_view name, const Words &words)
{
    return std::any_of(words.begin(), words.end(),
                       [name](std::string_view word) { return name.substr(0, word.size()) == word; });
}

}  // namespace

call_kind call_named(std::string_view region)
{
    std::string name(region.substr(0, region.find('(')));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::string_view prefix = "mpi_";
    if (name.compare(0, prefix.size(), prefix) != 0)
        return {};
    const std::string_view rest = std::string_view(name).substr(prefix.size());
    const bool begins = rest == "init" || rest == "init_thread";
    return {true, begins, begins_with_one(rest, waiting) && !begins_with_one(rest, never_waiting) && !ends_with_init(rest)};
}

}  // namespace tare::waits
