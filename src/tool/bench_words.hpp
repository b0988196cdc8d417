// SPDX-License-Identifier: BSD-3-Clause
// What `tare bench` and `tare bench --accuracy` make of the words of their command lines, and refuse.
#ifndef TARE_TOOL_BENCH_WORDS_HPP
#define TARE_TOOL_BENCH_WORDS_HPP

#include "program.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tare::tool {

bool contains(const std::vector<std::string> &list, const std::string &word);

std::vector<std::string> split_at_commas(const std::string &text);

// Each takes the value of an option. Gives back a status where it is refused, else -1.
int set_list(const char *option, const std::string &text, std::vector<std::string> &list);
int set_whole(const char *option, const std::string &text, double least, double most, int &number);
int set_seed(const std::string &text, std::optional<int> &seed);
int set_plot(const std::string &file, std::string &plot);

refusal refuse_unknown(const char *option, const std::vector<std::string> &wished,
                       const std::vector<std::string> &known);
refusal refuse_few_cores();

// What selects carriers, transports and algorithms must be the same for all runs: it goes from the environment, and is
// given where it is not.
void forget_settings();

}  // namespace tare::tool

#endif
