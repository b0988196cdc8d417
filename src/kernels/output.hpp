// SPDX-License-Identifier: BSD-3-Clause
#ifndef TARE_KERNELS_OUTPUT_HPP
#define TARE_KERNELS_OUTPUT_HPP

#include <vector>

#include "options.hpp"

namespace tare::kernels {

struct finding {
    std::vector<std::vector<outcome>> laps;  // of each the ranks
    std::uint64_t hash = 0;  // of the whole result
};

void print_list();
void print_table(const options &wanted, const finding &found);
void print_json(const options &wanted, const finding &found);

}  // namespace tare::kernels

#endif
