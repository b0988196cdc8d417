// SPDX-License-Identifier: BSD-3-Clause
// Where a profile's files are, and whose they are.
#ifndef TARE_PROFILE_PLACE_HPP
#define TARE_PROFILE_PLACE_HPP

#include "profile.hpp"
#include "safe_file.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tare::profile {

// In this order they are written. The first is put in place last: a thread without it is not there for a reader.
enum metric { time, compensated_time, wait_time, compensated_wait_time, metric_count };
constexpr const char *metric_names[metric_count] = {"TIME", "COMPENSATED_TIME", "MPI_WAIT_TIME",
                                                     "COMPENSATED_MPI_WAIT_TIME"};

struct thread_id {
    int rank;
    int number;
};

std::string folder(const std::string &directory, int metric);
std::string file_name(thread_id id);                 // profile.N.0.T
std::string temporary_name(thread_id id);
std::string live_name(int rank);                     // .tare-live.N

// The threads that have a file in this metric's folder, by rank, then number.
std::vector<thread_id> threads_in(const std::string &directory, int metric);

bool holds_profile(const std::string &directory);    // of any rank, written or left behind

constexpr const char *hidden_suffix = ".new";        // of a live file that nobody is to read yet

// The ranks that have a live file.
std::vector<int> live_ranks(const std::string &directory);
// Something else has its name.
bool is_foreign_live_file(const std::string &path);

std::string read_text(const std::string &path);
bool is_tare_file(const std::string &name, int folder = AT_FDCWD);
bool is_foreign(const std::string &name, int folder = AT_FDCWD);
[[noreturn]] void refuse_foreign(const std::string &path);

}  // namespace tare::profile

#endif
