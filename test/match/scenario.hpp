// SPDX-License-Identifier: BSD-3-Clause
// A scenario: what the threads of some processes send and receive, and what each method makes of it.
//
// Text form, one directive a line, `#` starts a comment. Times in ns; a location is RANK.THREAD.
//
//     scenario NAME                 starts a scenario; it ends at the next one or at the end of the file
//     processes N [threads T]       before all that follows; T in each process (default: 1)
//     communicator NAME RANK...     beside world, and self, which each process has for itself
//     intercommunicator NAME RANK... / RANK...
//     TIME LOCATION send PEER TAG BYTES [in COMMUNICATOR] [number N] [request R]
//     TIME LOCATION recv PEER TAG BYTES [in COMMUNICATOR] [of THREAD N] [request R]
//     TIME LOCATION post R          a nonblocking receive is posted
//     TIME LOCATION done R          a nonblocking send completes
//     TIME LOCATION cancel R        a request is cancelled
//     expect METHOD pairs=N left=SENDS/RECEIVES wrong=N threads=SENDERS/RECEIVERS
//     expect all cancelled=SENDS/RECEIVES never=N cut=N before=N unknown=N repeated=N passed=N
//                                   (default: 0 everywhere)
//
// PEER is a rank in the communicator. `number` and `of` are what the message carried: the sending thread and its number.
#ifndef TARE_TEST_MATCH_SCENARIO_HPP
#define TARE_TEST_MATCH_SCENARIO_HPP

#include "matcher.hpp"

#include <istream>
#include <map>
#include <string>
#include <vector>

namespace matching {

struct communicator {
    std::string name;
    std::vector<std::uint32_t> first, second;    // second: of an intercommunicator
    bool is_inter = false;
};

struct scenario {
    std::string name;
    std::uint32_t processes = 0, threads = 1;
    std::vector<communicator> communicators;     // world, self and others
    std::vector<tare_archive_event_t> events;    // in the order of time
    std::map<std::string, std::string> expected; // by method, and "all"

    std::uint32_t location(std::uint32_t rank, std::uint32_t thread) const { return rank * threads + thread; }
    void start(std::uint32_t process_count, std::uint32_t thread_count);
    void sort();
};

constexpr std::uint32_t world = 0, self = 1;

// Throws std::runtime_error: a sentence with the line's number.
std::vector<scenario> read_scenarios(std::istream &in);
std::vector<scenario> read_scenarios(const std::string &file);

tare::match::match_result match(const scenario &s, std::size_t most_waiting = tare::match::posted_receives::most_waiting);

// As an expect line has it.
std::string text_of(const tare::match::match_result &result, int method);
std::string text_of_all(const tare::match::match_result &result);

}  // namespace matching

#endif
