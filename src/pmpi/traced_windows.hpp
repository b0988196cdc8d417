// SPDX-License-Identifier: BSD-3-Clause
// Windows as the events of a trace name them, and the operations on them that are not complete.
//
// An operation is complete here when a call says so: that it is at its origin by MPI_Win_complete, MPI_Win_flush_local and
// the end of its request, and everywhere by MPI_Win_fence, MPI_Win_unlock and MPI_Win_flush. What brings something back
// is complete at its target when it is at its origin. All processes come to one identity of a window as of a communicator
// (known_comms.hpp); one on a communicator that is not known is not known.
//
// Threads: a lock of its own, not held while the MPI library is called. Memory: 24 bytes for each operation that has not
// been completed everywhere, used again.
#ifndef TARE_PMPI_TRACED_WINDOWS_HPP
#define TARE_PMPI_TRACED_WINDOWS_HPP

#include "layer.hpp"

namespace tare::pmpi::traced {

struct window_summary {
    std::uint32_t number = TARE_TRACE_NONE;
    int rank = 0;                        // the own one
    bool is_allocated = false;           // its memory came and goes with it
    std::uint32_t access = TARE_TRACE_NONE, exposure = TARE_TRACE_NONE;  // groups of MPI_Win_start, MPI_Win_post
};
window_summary summary_of_window(MPI_Win win);

void window_made(MPI_Comm comm, MPI_Win win, bool is_allocated);
void window_named(MPI_Win win, const char *name);
// The MPI library has freed the one that had this number.
void window_freed(MPI_Win win, std::uint32_t number);
void window_started(MPI_Win win, MPI_Group group);
void window_posted(MPI_Win win, MPI_Group group);

// --- in the note of a call ---

struct window_operation {
    std::uint32_t kind;                  // TARE_TRACE_RMA_PUT, _GET, _ATOMIC
    int target;
    std::int64_t sent, received;
    int atomic;                          // enum tare_trace_atomic

    bool brings_back() const { return received > 0 || kind == TARE_TRACE_RMA_GET; }
};
// With the request that the call has made; nullptr: it makes none.
void begin_operation(MPI_Win win, const window_operation &operation, const MPI_Request *request);

enum class completed { at_origin, at_origin_for_good, everywhere };
constexpr int all_targets = INT32_MIN;        // no rank, and not MPI_PROC_NULL
void complete_operations(MPI_Win win, int target, completed how);
// By its request: that has ended, or a test of it has failed.
void complete_operation(std::uint32_t window, std::uint64_t number);
void test_operation(std::uint32_t window, std::uint64_t number);

// All else that happens on a window.
void write_on_window(std::uint32_t kind, std::uint32_t window, const tare_trace_message_t &message,
                     enum tare_measure_moment when);

}  // namespace tare::pmpi::traced

#endif
