// SPDX-License-Identifier: BSD-3-Clause
// Memory that is never given back, all zeros. Not the C library's: a handler of a signal that has hooks may have
// interrupted malloc, which would wait for itself. Its owner has a lock for it.
#ifndef TARE_LIB_OWN_MEMORY_HPP
#define TARE_LIB_OWN_MEMORY_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace tare {

// nullptr: there is none.
inline void *map_memory(std::size_t bytes) noexcept
{
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

// Memory that has never been touched costs a fault a page, and a fault takes longer than to copy what the page holds.
// Asked for at once, the pages take half of that. False: the system does not know how (before Linux 5.14), and gives them
// one by one.
inline bool fault_in(void *memory, std::size_t bytes) noexcept
{
#ifdef MADV_POPULATE_WRITE
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t skipped = (page - reinterpret_cast<std::uintptr_t>(memory) % page) % page;
    return bytes < skipped + page ||
           madvise(static_cast<char *>(memory) + skipped, (bytes - skipped) / page * page, MADV_POPULATE_WRITE) == 0;
#else
    (void) memory, (void) bytes;
    return false;
#endif
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
