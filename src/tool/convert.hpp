// SPDX-License-Identifier: BSD-3-Clause
// What `tare convert` reads and writes. A format is a reader and a writer of `content`, each in a file of its own:
// convert_FORMAT.cpp, convert_FORMAT_read.cpp.
//
// Errors: profile::error, whose sentence names the file.
#ifndef TARE_TOOL_CONVERT_HPP
#define TARE_TOOL_CONVERT_HPP

#include "figures.hpp"
#include "mpi_calls.hpp"
#include "profile.hpp"

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tare::tool {

// All that a rank's calls of one MPI function have sent and received.
struct message_bytes {
    int rank = 0;
    std::string function;              // the name of its region
    std::int64_t sent_bytes = 0;
    std::int64_t received_bytes = 0;
};

// What a rank's calls of one MPI function have waited for messages that they received in the wrong order.
struct order_waits {
    int rank = 0;
    std::string function;
    profile::message_order order = profile::message_order::kept;
    std::int64_t wait_ns = 0;
    std::int64_t wait_comp_ns = 0;
};

// What a rank's calls of one MPI function took behind the first process that left them.
struct completion_time {
    int rank = 0;
    std::string function;
    std::int64_t time_ns = 0;
    std::int64_t time_comp_ns = 0;
};

struct content {
    profile::run run;
    std::vector<message_bytes> bytes;  // by rank, then function
    std::vector<order_waits> orders;   // only from a directory, with the bytes
    std::vector<completion_time> completions;  // the same
    std::vector<profile::rank_calls> calls;    // only from a directory, where they are wanted
    figure_set known = all_figures();
};

// Which time a layout of call paths shows.
enum class layout_clock { compensated, measured };
constexpr const char *clock_names[] = {"compensated", "measured"};

// What the files say of who wrote them; the version follows.
constexpr std::string_view writer_name = "tare convert ";

// ---- the profile of a directory ----

// With the tables of its MPI calls, or the bytes in them, if they are wanted and there are any.
enum class wanted_calls { none, bytes, tables };
content read_tare_directory(const std::string &directory, wanted_calls wanted);

// ---- writers: whether all could be written is the stream's to say ----

struct write_wish {
    bool callpath = false;             // json and csv: rows of call paths instead of regions
    layout_clock clock = layout_clock::compensated;
};

void write_json(const content &c, const write_wish &wish, std::FILE *to);
void write_csv(const content &c, const write_wish &wish, std::FILE *to);
void write_cube(const content &c, const write_wish &wish, std::FILE *to);
void write_chrome(const content &c, const write_wish &wish, std::FILE *to);
void write_speedscope(const content &c, const write_wish &wish, std::FILE *to);

// ---- readers of what those have written; `where` names the file ----

content read_json(const std::string &text, const std::string &where);
content read_csv(const std::string &text, const std::string &where);
content read_cube(const std::string &text, const std::string &where);
content read_chrome(const std::string &text, const std::string &where);
content read_speedscope(const std::string &text, const std::string &where);

// ---- what readers share ----

// Puts rows together to threads, in any order.
class run_builder {
  public:
    explicit run_builder(const std::string &where) : where_(where) {}

    int rank(std::int64_t rank) const;                   // refused if there is no such rank anywhere
    profile::thread &thread(std::int64_t rank, std::int64_t number);
    // By rank, then thread, the root first. Attributes that every thread must have are added where they are missing.
    // What a thread has twice is refused.
    profile::run finish(const profile::attributes &attributes);

  private:
    const std::string &where_;
    std::map<std::pair<int, int>, profile::thread> threads_;
};

}  // namespace tare::tool

#endif
