// SPDX-License-Identifier: BSD-3-Clause
// Whose call it is: libraries that keep their own threads in order are not the program.
#ifndef TARE_THREADS_CALLER_HPP
#define TARE_THREADS_CALLER_HPP

namespace tare::threads {

// The code at this address is of the MPI library, a network library, the OpenMP runtime or Tare itself.
bool is_of_a_library(const void *address) noexcept;

}  // namespace tare::threads

#define TARE_IS_OF_THE_PROGRAM() (!tare::threads::is_of_a_library(__builtin_return_address(0)))

#endif
