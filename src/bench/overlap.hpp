// SPDX-License-Identifier: BSD-3-Clause
// How much of a nonblocking call goes on while the ranks compute, as OSU measures it: the same iterations once more,
// with a computation between start and wait that takes as long as the communication alone took.
#ifndef TARE_BENCH_OVERLAP_HPP
#define TARE_BENCH_OVERLAP_HPP

#include <functional>

#include "engine.hpp"

namespace tare::bench {

// `line` has the communication alone. By all ranks; `start(i)` gives the request of iteration i.
overlapped overlap(const side &self, const row &line, const std::function<MPI_Request(int)> &start);

}  // namespace tare::bench

#endif
