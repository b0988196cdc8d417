// SPDX-License-Identifier: BSD-3-Clause
// What each option does with its value.
#ifndef TARE_BENCH_OPTION_VALUES_HPP
#define TARE_BENCH_OPTION_VALUES_HPP

#include <string>

#include "engine.hpp"

namespace tare::bench {

// Options without a letter of their own. -t is OSU's letter for two of them.
enum : int {
    json_option = 1000, declare_option, turn_option, by_hand_option, threads_option, test_calls_option, ssend_option,
    nonblocking_option, any_source_option, partitions_option, growth_option
};

// `word` as it stood on the command line; the value is getopt's optarg. ':' and '?' are getopt's, too.
void apply_option(const bench_case &bench, int option, const std::string &word, options &result);

}  // namespace tare::bench

#endif
