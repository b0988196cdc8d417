// SPDX-License-Identifier: BSD-3-Clause
// The command line of every benchmark: OSU's options, checked strictly, and what came of them.
#ifndef TARE_BENCH_OPTIONS_HPP
#define TARE_BENCH_OPTIONS_HPP

#include <string>

#include "by_hand.hpp"
#include "declare.hpp"
#include "turns.hpp"

namespace tare::bench {

struct bench_case;

// Messages above this size are "large": they get fewer iterations unless -i or -x says otherwise.
constexpr int large_message_bytes = 8192;

struct counts {
    int small;
    int large;

    int for_size(int size) const { return size > large_message_bytes ? large : small; }
};

struct options {
    int min_bytes;
    int max_bytes;
    counts iterations;
    counts warmup;
    int window;  // messages in flight; 0 where the benchmark has no window
    declaration declared = declaration::none;
    scheme by_hand = scheme::nothing;
    turn_place turn;
    bool full = false;
    bool json = false;
    bool help = false;
    bool version = false;
    std::string error;  // one sentence; empty if the command line is good
};

options parse_options(const bench_case &bench, int argc, char **argv);
void print_help(const bench_case &bench);
void print_version(const bench_case &bench);

}  // namespace tare::bench

#endif
