// SPDX-License-Identifier: BSD-3-Clause
// In front of the functions that give memory. Memory is the C library's, by names that it has for this: the next ones of the
// usual names would have to be looked up, which allocates.
#include "memory.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <malloc.h>
#include <unistd.h>

using namespace tare::heap;

namespace {

void *moved(void *before, std::size_t bytes, const void *from) noexcept
{
    const std::size_t bytes_before = before == nullptr ? 0 : malloc_usable_size(before);
    void *const block = __libc_realloc(before, bytes);
    note_moved(block, bytes, before, bytes_before, from);
    return block;
}

bool is_power_of_two(std::size_t n) noexcept { return n != 0 && (n & (n - 1)) == 0; }

std::size_t page_bytes() noexcept { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

extern "C" {

void *malloc(std::size_t bytes) noexcept { return made(__libc_malloc(bytes), bytes, FROM); }

void *calloc(std::size_t count, std::size_t bytes) noexcept
{
    return made(__libc_calloc(count, bytes), count * bytes, FROM);      // where that is too much there is no block
}

void *realloc(void *before, std::size_t bytes) noexcept { return moved(before, bytes, FROM); }

void *reallocarray(void *before, std::size_t count, std::size_t bytes) noexcept
{
    std::size_t all = 0;
    if (!__builtin_mul_overflow(count, bytes, &all))
        return moved(before, all, FROM);
    errno = ENOMEM;
    return nullptr;
}

void free(void *block) noexcept { given_back(block, FROM); }

void *memalign(std::size_t alignment, std::size_t bytes) noexcept
{
    return made(__libc_memalign(alignment, bytes), bytes, FROM);
}

void *aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept
{
    return made(__libc_memalign(alignment, bytes), bytes, FROM);
}

int posix_memalign(void **block, std::size_t alignment, std::size_t bytes) noexcept
{
    if (alignment % sizeof(void *) != 0 || !is_power_of_two(alignment / sizeof(void *)))
        return EINVAL;
    const int saved_errno = errno;
    void *const found = made(__libc_memalign(alignment, bytes), bytes, FROM);
    errno = saved_errno;
    if (found == nullptr)
        return ENOMEM;
    *block = found;
    return 0;
}

void *valloc(std::size_t bytes) noexcept { return made(__libc_memalign(page_bytes(), bytes), bytes, FROM); }

void *pvalloc(std::size_t bytes) noexcept
{
    const std::size_t page = page_bytes(), whole = (bytes + page - 1) / page * page;
    if (whole >= bytes)
        return made(__libc_memalign(page, whole), bytes, FROM);
    errno = ENOMEM;
    return nullptr;
}

}  // extern "C"
