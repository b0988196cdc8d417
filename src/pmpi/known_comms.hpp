// SPDX-License-Identifier: BSD-3-Clause
// Communicators as all of their processes know them: for the events of a trace, and for what these do together.
//
// All processes that a communicator has must come to the same identity, and no message is sent for it. What they know
// alike is how it was made: from which communicator, the how manyth of it, and of which processes. Where only some
// members of a communicator make one of it (MPI_Comm_create_group), or two groups that have none in common do, they
// count those that were made of the same processes with the same tag. A communicator with processes that are not in
// MPI_COMM_WORLD is not known.
//
// Threads: a lock of its own, not held while the MPI library is called. Each thread remembers some communicators.
#ifndef TARE_PMPI_KNOWN_COMMS_HPP
#define TARE_PMPI_KNOWN_COMMS_HPP

#include "layer.hpp"

namespace tare::pmpi {

struct exits_of_comm;
struct site;
struct thread_notes;

namespace known {

// After begin_peers. `traced`: with numbers by which events name them.
void begin_comms(bool traced);

// An operation that this process has left (exits.hpp), and what is counted of it.
struct left_operation {
    site *at = nullptr;                  // nullptr: there is none
    thread_notes *by = nullptr;          // the thread's
    std::uint64_t number = 0;
    std::int64_t left_ns = 0, left_compensated_ns = 0;
    std::int64_t most_ns = 0, most_compensated_ns = 0;           // all of the call
    std::int64_t counted_ns = 0, counted_compensated_ns = 0;
};

// What its processes do in which all wait for all.
struct operations {
    std::uint64_t begun = 0;
    exits_of_comm *exits = nullptr;      // where they tell when they leave; nullptr: not known
    bool is_sought = false;
    left_operation latest{};
};

struct comm_summary {
    std::uint32_t number;                // TARE_TRACE_NONE: no event can name it
    int rank, size, remote_size;         // remote_size: of an intercommunicator
    std::uint64_t identity;
    operations *together;                // nullptr: it is not known
};
constexpr comm_summary unknown_comm{TARE_TRACE_NONE, 0, 0, 0, 0, nullptr};
const comm_summary &summary_of(MPI_Comm comm);
inline std::uint32_t comm_number(MPI_Comm comm) { return summary_of(comm).number; }

// A communicator was made of `parent` by all of its processes; MPI_COMM_NULL: this one is not in it. The members of
// one that may not be complete yet are its parent's.
void made_of(MPI_Comm parent, MPI_Comm comm);
void made_like(MPI_Comm parent, MPI_Comm comm);
// Only by those that are in it.
void made_by_some(MPI_Comm parent, int tag, MPI_Comm comm);
void made_by_two(int tag, MPI_Comm comm);

// The identity of a window that is made on a communicator next, the same on all of its processes. False: it is not known.
bool identity_of_window_on(MPI_Comm comm, std::uint64_t &identity);

void named(MPI_Comm comm, const char *name);
// The MPI library has freed the one that had this identity; its handle may be another one's by now.
void freed(MPI_Comm comm, std::uint64_t identity);

}  // namespace known
}  // namespace tare::pmpi

#endif
