// SPDX-License-Identifier: BSD-3-Clause
// A stand-in for libtare: what the PMPI layer calls (tare_measure.h), without a profile. Signals, mapped files and
// calibration, which spins until time has passed, have no place in a simulated process.
//
// The hooks around an MPI call do what libtare's do: they cost time, declare it, and tell the core when the call
// began.
#ifndef TARE_TEST_SMPI_STAND_IN_HPP
#define TARE_TEST_SMPI_STAND_IN_HPP

#include <cstdint>

namespace stand_in {

struct hooks {
    bool on;  // is anything measured
    std::int64_t enter_ns;
    std::int64_t leave_ns;
};
extern hooks around_calls;

// Spends the time and declares it.
void spend_overhead(std::int64_t ns);

}  // namespace stand_in

#endif
