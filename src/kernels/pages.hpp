// SPDX-License-Identifier: BSD-3-Clause
// Arrays whose place in the caches is the same in every run. Pages of 4 KiB lie where the kernel finds room, and a work
// set of some hundred KiB is 10 % faster in one process than in the next: more than what is looked for. In a large page
// what is side by side is so in the caches, too.
#ifndef TARE_KERNELS_PAGES_HPP
#define TARE_KERNELS_PAGES_HPP

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#include <sys/mman.h>

namespace tare::kernels {

template <typename T> class large_pages {
  public:
    using value_type = T;

    large_pages() = default;
    template <typename U> large_pages(const large_pages<U> &) {}

    T *allocate(std::size_t count) {
        const std::size_t bytes = (count * sizeof(T) + apart_bytes * places + page_bytes - 1) / page_bytes * page_bytes;
        void *block = std::aligned_alloc(page_bytes, bytes);
        if (block == nullptr)
            throw std::bad_alloc();
        // Where the system has none, small ones do.
        madvise(block, bytes, MADV_HUGEPAGE);
        // Arrays that are read and written together must not begin at the same place of their pages: a store would be
        // taken for one to the address that is loaded next.
        return static_cast<T *>(static_cast<void *>(static_cast<char *>(block) + apart_bytes * (number()++ % places)));
    }

    void deallocate(T *p, std::size_t) {
        const auto at = reinterpret_cast<std::size_t>(p);
        std::free(reinterpret_cast<void *>(at / page_bytes * page_bytes));
    }

    bool operator==(const large_pages &) const { return true; }
    bool operator!=(const large_pages &) const { return false; }

  private:
    static constexpr std::size_t page_bytes = std::size_t{2} << 20, apart_bytes = 17 * 64, places = 8;

    static std::size_t &number() {
        static std::size_t so_far;
        return so_far;
    }
};

template <typename T> using paged = std::vector<T, large_pages<T>>;

}  // namespace tare::kernels

#endif
