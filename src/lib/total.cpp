// SPDX-License-Identifier: BSD-3-Clause
// The program's own time: from the return of MPI_Init to the call of MPI_Finalize, where a run without Tare can be
// timed, too. The root region also holds what lies around.
#include "process.hpp"

#include <algorithm>

namespace tare {
namespace {

// MPI is begun and ended by one thread.
struct {
    const thread_state *of = nullptr;
    sample start{};
} total;

void describe_total(const sample &spent)
{
    namespace key = profile::key;
    const std::int64_t time = spent.v[c_time];
    const std::int64_t compensated = time - spent.v[c_delay];
    const std::int64_t lo = time - spent.v[c_delay_hi];
    const std::int64_t hi = time - spent.v[c_delay_lo];
    set_metadata(key::total, std::to_string(time));
    set_metadata(key::total_compensated, std::to_string(compensated));
    set_metadata(key::total_lo, std::to_string(std::min({lo, compensated, hi})));
    set_metadata(key::total_hi, std::to_string(std::max({lo, compensated, hi})));
    set_metadata(key::total_residue, std::to_string(spent.v[c_residue]));
}

}  // namespace
}  // namespace tare

using namespace tare;

extern "C" {

void tare_measure_total_begin(void)
{
    if (!switches.recording || self.state == nullptr || self.state->block == nullptr)
        return;
    total.of = self.state;
    total.start = counters(*self.state, clock_ns(), 0);
}

void tare_measure_total_end(void)
{
    if (!switches.recording || self.state == nullptr || total.of != self.state)
        return;
    const sample end = counters(*self.state, clock_ns(), 0);
    describe_total(end - total.start);
    total.of = nullptr;
    declare_since(end.v[c_time]);
}

}  // extern "C"
