// SPDX-License-Identifier: BSD-3-Clause
// What the layer costs beyond the hooks of a call without data: constants, for TARE_OVERHEAD=calibrated.
//
// Threads: one at a time calibrates; others may be in MPI calls, and take each constant as it was or as it is.
#ifndef TARE_PMPI_CONSTANTS_HPP
#define TARE_PMPI_CONSTANTS_HPP

namespace tare::pmpi {

// When MPI can be called. Nothing to do with TARE_OVERHEAD=measured, or where nothing is recorded. Declares the time
// that it takes.
void calibrate_constants();
// MPI_Pcontrol(3): these and the constants of the hooks. `in_mpi`: MPI can be called.
void calibrate_again(bool in_mpi);

}  // namespace tare::pmpi

#endif
