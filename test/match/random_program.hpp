// SPDX-License-Identifier: BSD-3-Clause
// Random programs: threads send, post receives with and without wildcards and wait for them in any order, and messages
// arrive as in MPI. So it is known which receive has got which send.
#ifndef TARE_TEST_MATCH_RANDOM_PROGRAM_HPP
#define TARE_TEST_MATCH_RANDOM_PROGRAM_HPP

#include "scenario.hpp"

namespace matching {

struct program_wish {
    std::uint32_t processes = 3, threads = 1;
    std::uint32_t steps = 300;
    std::uint32_t tags = 2, lengths = 2, communicators = 2;
    unsigned wildcard_percent = 30;
    // So often a send's event is written behind those that its process writes next: threads overtake each other
    // between a call of MPI and its event.
    unsigned overtaking_percent = 0;
    std::uint64_t most_skew_ns = 0;      // a process's clock is ahead by up to this
};

scenario random_program(const program_wish &wish, std::uint32_t seed);

}  // namespace matching

#endif
