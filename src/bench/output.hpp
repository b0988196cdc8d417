// SPDX-License-Identifier: BSD-3-Clause
// The two forms of output: OSU's table, byte for byte, and one JSON object.
#ifndef TARE_BENCH_OUTPUT_HPP
#define TARE_BENCH_OUTPUT_HPP

#include <vector>

#include "engine.hpp"

namespace tare::bench {

void print_table_header(const bench_case &bench, const options &wanted, int ranks);
void print_table_row(const bench_case &bench, const options &wanted, const row &line);
void print_json(const bench_case &bench, const options &wanted, const std::vector<row> &rows);

}  // namespace tare::bench

#endif
