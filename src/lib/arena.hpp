// SPDX-License-Identifier: BSD-3-Clause
// Memory for what must outlive the process: one range of addresses, anonymous memory at first and a mapped file as soon
// as there is a place for one. What has an address keeps it, so nobody who writes there notices.
//
// The range begins with the header of a live file (live.hpp). Nothing is ever given back. Where the range or the file's
// place is full, memory comes from elsewhere: everything goes on, but is lost when the process is killed.
//
// Threads: every function may be called by any thread; arena_move_to only while nobody writes to what was taken.
#ifndef TARE_LIB_ARENA_HPP
#define TARE_LIB_ARENA_HPP

#include "live.hpp"

#include <cstddef>

namespace tare {

// Zeroed memory, aligned to a cache line. nullptr: there is none.
void *arena_take(std::size_t bytes) noexcept;
// A copy of a text. nullptr: there is no memory.
const char *arena_copy(const char *text) noexcept;

// nullptr: there is no range.
live_header *arena_header() noexcept;
// Whether this is in the file, or will be as soon as there is one.
bool arena_keeps(const void *p) noexcept;

struct arena_file {
    int (*open_again)();                 // when more room is needed; -1: it is gone
    void (*cannot_grow)(int reason);     // an errno; called once
};

// From now on a file is behind the range: everything that was taken so far, and what will be. False, with errno: it
// cannot be, and everything stays as it is.
bool arena_move_to(int descriptor, const arena_file &file) noexcept;

// Around a fork nobody is taking memory. In the child: the parent's file is no business of its own.
void arena_hold() noexcept;
void arena_let_go() noexcept;
void arena_leave_file() noexcept;

}  // namespace tare

#endif
