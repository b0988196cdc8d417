// SPDX-License-Identifier: BSD-3-Clause
// Experiments as words and as lines of a table.
#ifndef TARE_SIM_SCALE_EXPERIMENT_HPP
#define TARE_SIM_SCALE_EXPERIMENT_HPP

#include "scale_world.hpp"

namespace scale {

// NAME=VALUE[,VALUE]...: every combination. Throws std::runtime_error with a sentence.
std::vector<experiment> experiments(const std::vector<std::string> &words);

std::string parameter_list();
std::string head();
std::string line(const experiment &x, const totals &t);

}  // namespace scale

#endif
