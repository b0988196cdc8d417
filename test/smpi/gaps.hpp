// SPDX-License-Identifier: BSD-3-Clause
// What SimGrid 3.32's MPI declares and ends the program for ("Not yet implemented"), as far as the layer calls it.
#ifndef TARE_TEST_SMPI_GAPS_HPP
#define TARE_TEST_SMPI_GAPS_HPP

// Before MPI_Init: binds the layer to SMPI and puts other functions in their places.
void fill_gaps();

#endif
