// SPDX-License-Identifier: BSD-3-Clause
// What is said of a block of memory: which call of the program has made it, what it was a copy of, and that it is gone.
//
// Threads: any; no lock is taken, and nothing is allocated but for the name of a place that was not met before. What these
// functions allocate themselves is nobody's business.
#ifndef TARE_HEAP_BLOCKS_HPP
#define TARE_HEAP_BLOCKS_HPP

#include <cstddef>

namespace tare::heap {

// made, freed: nullptr is no block. from: where the call returns to.
void note_made(const void *block, std::size_t bytes, const void *from) noexcept;
void note_freed(const void *block, const void *from) noexcept;
// The first bytes of a block are those of another one, which is gone.
void note_moved(const void *block, std::size_t bytes, const void *before, std::size_t bytes_before, const void *from) noexcept;

// So many bytes at least has a block that is told of.
constexpr std::size_t least_bytes = 256;

}  // namespace tare::heap

#endif
