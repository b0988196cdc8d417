// SPDX-License-Identifier: BSD-3-Clause
// Whose call it is: libraries that keep their own threads, and their own memory, in order are not the program.
#ifndef TARE_SYMBOLS_CALLER_HPP
#define TARE_SYMBOLS_CALLER_HPP

namespace tare::symbols {

// The code at this address is of the MPI library, a network library, the C library, the OpenMP runtime or Tare itself.
// Any thread; nothing is allocated.
bool is_of_a_library(const void *address) noexcept;

}  // namespace tare::symbols

#define TARE_IS_OF_THE_PROGRAM() (!tare::symbols::is_of_a_library(__builtin_return_address(0)))

#endif
