// SPDX-License-Identifier: BSD-3-Clause
// `tare waits`: what the analysis of a trace has found, as its tables, JSON and the page show it.
#ifndef TARE_TOOL_WAITS_HPP
#define TARE_TOOL_WAITS_HPP

#include "analysis_options.hpp"
#include "archive.h"
#include "result.hpp"
#include "source_lines.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tare::tool {

struct cause_row {
    std::string step;
    source_place place;              // of a call, where the trace says where it is made
    std::int64_t explained_ns = 0, would_go_ns = 0;
    std::optional<std::uint32_t> most_rank;      // the rank that has taken the most time there
    std::int64_t most_ns = 0, mean_ns = 0;       // that, and the mean of all ranks
    std::optional<waits::counted> more;  // what the explained time is, by the counters of the trace: of the program's own work
};

struct wait_row {
    std::string step;
    source_place place;
    std::string state;
    std::uint64_t waits = 0;
    std::int64_t waiting_ns = 0;
    std::vector<cause_row> causes;   // what explains the most first
};

// What calls took behind the first process that left the same operation.
struct completion_row {
    std::string step;
    source_place place;
    std::string state, metric;
    std::uint64_t calls = 0;
    std::int64_t ns = 0;
};

// Calls of which nobody knows what they have waited for.
struct gap_row {
    std::string call, reason;
    std::uint64_t calls = 0;
    std::int64_t ns = 0;
};

struct rank_waits {
    std::uint32_t rank;
    std::int64_t waiting_ns, own_ns;
};

struct waits_view {
    std::string file, clock;         // clock: empty if the archive does not say
    std::int64_t total_ns = 0, waiting_ns = 0, unknown_ns = 0;
    std::uint64_t calls = 0, outside = 0, before_send = 0, given_up = 0, most_queued = 0;
    std::uint32_t counters = 0;      // that the trace has, a bit for each
    std::vector<wait_row> waits;     // the longest first
    std::vector<cause_row> causes;   // of all of them
    std::vector<completion_row> completions;     // the longest first
    std::vector<gap_row> gaps;
    std::vector<rank_waits> ranks;   // that have left something
    std::vector<std::uint32_t> silent_ranks;     // that have left no event
};

// A step and where it is: "main > MPI_Recv at solve.c:12".
std::string step_at(const std::string &step, const source_place &place);

waits_view view_of(const tare_archive_t &archive, const waits::result &found, const std::string &clock);

// A column of causes that counters tell: a time, or how often.
struct counted_column {
    const char *heading, *member;
    std::uint32_t needs;             // counters, a bit for each
    bool is_time;
    std::int64_t (*of)(const cause_row &cause);     // of one that has them
};
// Those that the trace tells.
std::vector<counted_column> counted_columns(const waits_view &view);

// What is to be said of what the trace does not tell, a sentence each.
std::vector<std::string> waits_notes(const waits_view &view);

void print_waits_text(const waits_view &view, const analysis_wish &wish);
void print_waits_json(const waits_view &view);
// Throws profile::error.
void write_waits_page(const waits_view &view, const std::string &file);

}  // namespace tare::tool

#endif
