// SPDX-License-Identifier: BSD-3-Clause
// Memory of the C library, which is told of.
#ifndef TARE_HEAP_MEMORY_HPP
#define TARE_HEAP_MEMORY_HPP

#include "blocks.hpp"

#include <cstddef>
#include <malloc.h>

extern "C" {

void *__libc_malloc(std::size_t);
void *__libc_calloc(std::size_t, std::size_t);
void *__libc_realloc(void *, std::size_t);
void *__libc_memalign(std::size_t, std::size_t);
void __libc_free(void *);

}  // extern "C"

// Where the function that stands there returns to.
#define FROM __builtin_return_address(0)

namespace tare::heap {

inline void *made(void *block, std::size_t bytes, const void *from) noexcept
{
    note_made(block, bytes, from);
    return block;
}

inline void given_back(void *block, const void *from) noexcept
{
    if (block != nullptr && malloc_usable_size(block) >= least_bytes)
        note_freed(block, from);
    __libc_free(block);
}

}  // namespace tare::heap

#endif
