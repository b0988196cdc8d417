// SPDX-License-Identifier: BSD-3-Clause
// `tare comms`: what the analysis of a trace has found, as its tables, JSON and the page show it.
#ifndef TARE_TOOL_COMMS_HPP
#define TARE_TOOL_COMMS_HPP

#include "analysis_options.hpp"
#include "archive.h"
#include "patterns.hpp"
#include "transfer_class.hpp"
#include "source_lines.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tare::tool {

// One side of the transfers of a class.
struct spot_row {
    std::string step;                // "solve > MPI_Send"
    source_place place;
    std::string data, type;          // empty: not known
};

struct class_row {
    std::uint32_t number = 0;        // from 1 on, by time
    std::string operation;           // "message", "broadcast", ...
    spot_row from, to;
    comms::pattern pattern;
    std::vector<comms::finding> findings;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> previous;   // classes by number, 0: the sender's own data; transfers
    std::uint64_t transfers = 0, bytes = 0, previous_bytes = 0;
    std::int64_t sender_ns = 0, receiver_ns = 0;
    struct pair {
        std::uint32_t from, to;      // ranks
        std::uint64_t transfers, bytes;
    };
    std::vector<pair> pairs;
    std::vector<std::string> users;  // parts of the program that use what is received

    std::int64_t ns() const { return sender_ns + receiver_ns; }
};

// What the trace does not tell of classes, and the time of their ends in their calls.
struct unknown_part {
    std::int64_t site_ns = 0;
    std::int64_t name_ns = 0;        // of those that send data without a name
    std::uint64_t lifetimes = 0;     // transfers of such data that have a previous one
    std::int64_t lifetime_ns = 0;    // of the classes that they are in
    std::uint64_t contents = 0;      // messages without a hash
    std::uint64_t users = 0;         // classes whose data nobody uses, as far as is known
    std::int64_t users_ns = 0;
};

struct comms_view {
    std::string file, clock;         // clock: empty if the archive does not say
    comms::result found;             // without its classes
    std::uint64_t ranks = 0, messages = 0;
    unknown_part unknown;
    std::vector<class_row> classes;  // what takes the most time first
};

comms_view view_of(const tare_archive_t &archive, comms::result found, const std::string &clock);

// "class 2 of 30, own data of 10": where what is sent comes from.
std::string previous_text(const class_row &c);
// "class 3, from class 1, from the sender's own data": by the most of each.
std::string chain_text(const comms_view &view, const class_row &c);
std::string pattern_text(const class_row &c);
std::string data_text(const class_row &c);
std::string finding_text(const class_row &c, const comms::finding &f);
const char *problem_name(comms::problem what);

// What is to be said of what the trace does not tell, a sentence each.
std::vector<std::string> comms_notes(const comms_view &view);

void print_comms_text(const comms_view &view, const analysis_wish &wish);
void print_comms_json(const comms_view &view);
// Throws profile::error.
void write_comms_page(const comms_view &view, const std::string &file);

}  // namespace tare::tool

#endif
