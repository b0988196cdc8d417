// SPDX-License-Identifier: BSD-3-Clause
// Memory that is never given back, all zeros. Not the C library's: a handler of a signal that has hooks may have
// interrupted malloc, which would wait for itself. Its owner has a lock for it.
#ifndef TARE_LIB_OWN_MEMORY_HPP
#define TARE_LIB_OWN_MEMORY_HPP

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace tare {

// nullptr: there is none.
inline void *map_memory(std::size_t bytes) noexcept
{
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

class own_memory {
  public:
    // A process that has no memory for so little cannot go on anyway.
    void *take(std::size_t bytes) noexcept
    {
        constexpr std::size_t line = alignof(std::max_align_t);
        bytes = (bytes + line - 1) / line * line;
        if (bytes > left_)
            get_more(std::max(bytes, piece));
        void *memory = at_;
        at_ += bytes;
        left_ -= bytes;
        return memory;
    }
    const char *copy(const char *text) noexcept
    {
        const std::size_t bytes = std::strlen(text) + 1;
        return static_cast<const char *>(std::memcpy(take(bytes), text, bytes));
    }

  private:
    static constexpr std::size_t piece = std::size_t{1} << 16;

    void get_more(std::size_t bytes) noexcept
    {
        at_ = static_cast<char *>(map_memory(bytes));
        left_ = bytes;
        if (at_ == nullptr)
            std::abort();
    }

    char *at_ = nullptr;
    std::size_t left_ = 0;
};

}  // namespace tare

#endif
