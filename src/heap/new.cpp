// SPDX-License-Identifier: BSD-3-Clause
// Those of libstdc++ would call malloc in its own name.
#include "memory.hpp"

#include <new>

using namespace tare::heap;

namespace {

// The loop that the C++ standard has. alignment 0: the usual one.
void *try_again(std::size_t bytes, std::size_t alignment)
{
    for (;;) {
        void *const block = alignment == 0 ? __libc_malloc(bytes == 0 ? 1 : bytes) : __libc_memalign(alignment, bytes);
        if (block != nullptr)
            return block;
        const std::new_handler handler = std::get_new_handler();
        if (handler == nullptr)
            throw std::bad_alloc();
        handler();
    }
}

void *try_quietly(std::size_t bytes, std::size_t alignment) noexcept
{
    try {
        return try_again(bytes, alignment);
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

}  // namespace

void *operator new(std::size_t bytes) { return made(try_again(bytes, 0), bytes, FROM); }
void *operator new[](std::size_t bytes) { return made(try_again(bytes, 0), bytes, FROM); }
void *operator new(std::size_t bytes, const std::nothrow_t &) noexcept { return made(try_quietly(bytes, 0), bytes, FROM); }
void *operator new[](std::size_t bytes, const std::nothrow_t &) noexcept { return made(try_quietly(bytes, 0), bytes, FROM); }

#define ALIGNMENT static_cast<std::size_t>(alignment)

void *operator new(std::size_t bytes, std::align_val_t alignment) { return made(try_again(bytes, ALIGNMENT), bytes, FROM); }
void *operator new[](std::size_t bytes, std::align_val_t alignment) { return made(try_again(bytes, ALIGNMENT), bytes, FROM); }
void *operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t &) noexcept
{
    return made(try_quietly(bytes, ALIGNMENT), bytes, FROM);
}
void *operator new[](std::size_t bytes, std::align_val_t alignment, const std::nothrow_t &) noexcept
{
    return made(try_quietly(bytes, ALIGNMENT), bytes, FROM);
}
