// SPDX-License-Identifier: BSD-3-Clause
// The files of a TAU profile in a directory, as a run leaves them: what was converted goes back, and what killed ranks
// left becomes files that TAU's own programs read.
#include "convert_tau.hpp"

#include "command.hpp"
#include "mpi_calls.hpp"
#include "place.hpp"

#include <algorithm>
#include <unistd.h>

namespace tare::tool {
namespace key = profile::key;
namespace {

void check_figures(const content &c, const std::string &source) {
    std::string missing;
    for (std::size_t i = 0; i < figure_count; ++i)
        if (!c.known[i])
            missing += (missing.empty() ? "" : ", ") + std::string(figure_columns[i].name);
    if (!missing.empty())
        throw profile::error(source + " does not hold " + missing + ", which a TAU profile needs");
    for (const profile::thread &t : c.run.threads)
        if (t.rows.empty())
            throw profile::error(source + " has no regions of rank " + std::to_string(t.rank) +
                                 ", which a TAU profile needs beside call paths");
}

// A profile that is there may be the only one of its run.
void check_directory(const std::string &directory) {
    if (profile::holds_profile(directory) || profile::holds_calls(directory))
        throw profile::error("there is a profile in " + directory + " already: another directory is needed");
    profile::check_place(directory);
    profile::check_calls_place(directory);
}

// What tells a file of Tare's comes first.
profile::thread with_version(profile::thread t) {
    const auto is_version = [](const auto &a) { return a.first == key::version; };
    const auto found = std::find_if(t.metadata.begin(), t.metadata.end(), is_version);
    if (found == t.metadata.end())
        t.metadata.emplace(t.metadata.begin(), key::version, TARE_VERSION);
    else
        std::rotate(t.metadata.begin(), found, found + 1);
    return t;
}

// Everything there is ours: check_directory has seen that nothing was. Folders go if they are empty.
void remove_what_was_written(const std::string &directory, bool was_there) {
    profile::remove_older(directory, 0, 0);
    profile::remove_older_calls(directory, 0, 0);
    for (int m = 0; m < profile::metric_count; ++m)
        rmdir(profile::folder(directory, m).c_str());
    if (!was_there)
        rmdir(directory.c_str());
}

void write_all(const content &c, const std::string &directory) {
    for (const profile::thread &t : c.run.threads)
        profile::write_thread(directory, with_version(t));
    for (const profile::rank_calls &calls : c.calls)
        profile::write_calls(directory, calls);
}

}  // namespace

void write_tau_directory(const content &c, const std::string &directory, const std::string &source) {
    check_figures(c, source);
    const bool was_there = profile::is_there(directory);
    check_directory(directory);
    try {
        write_all(c, directory);
    } catch (const profile::error &) {
        remove_what_was_written(directory, was_there);
        throw;
    }
}

}  // namespace tare::tool
