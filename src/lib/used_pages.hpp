// SPDX-License-Identifier: BSD-3-Clause
// TARE_TRACE_RECORDS=pages: on which node the pages are that a region uses (tare_uses), as the kernel tells (move_pages).
//
// Of much memory some pages are looked at, evenly spread, and each stands for those behind it. What has changed since the
// last look, whichever thread's that was, is counted for the thread that sees it.
#ifndef TARE_LIB_USED_PAGES_HPP
#define TARE_LIB_USED_PAGES_HPP

#include "trace_event.h"

#include <cstddef>
#include <cstdint>

namespace tare {

// From now on the region of this name uses this memory. Said again of the same place it is that long; bytes above 0.
void use_pages(const char *region, const void *start, std::size_t bytes) noexcept;
// Whether there is anything to look at.
bool has_used_pages() noexcept;
// Why the kernel has told nothing, an errno; 0: it was not asked, or it has.
int pages_refused() noexcept;

// What a thread has seen, and the regions that it is in.
class thread_pages {
  public:
    void enter(std::uint32_t region) noexcept;
    // The region that was entered last.
    void leave() noexcept;
    // The same, some time ago.
    void leave_unseen() noexcept { depth_ -= depth_ > 0; }
    const tare_trace_pages_t &seen() const noexcept { return seen_; }

  private:
    // Deeper regions are not looked at.
    static constexpr std::uint32_t most_open = 1024;

    tare_trace_pages_t seen_{};
    std::uint32_t depth_ = 0;
    std::uint32_t open_[most_open];
};

}  // namespace tare

#endif
