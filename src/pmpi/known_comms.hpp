// SPDX-License-Identifier: BSD-3-Clause
// Communicators as the events of a trace name them.
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

namespace tare::pmpi::traced {

// After begin_peers.
void begin_comms();

struct comm_summary {
    std::uint32_t number;
    int rank, size, remote_size;         // remote_size: of an intercommunicator
};
constexpr comm_summary unknown_comm{TARE_TRACE_NONE, 0, 0, 0};
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
// The MPI library has freed the one that had this number; its handle may be another one's by now.
void freed(MPI_Comm comm, std::uint32_t number);

}  // namespace tare::pmpi::traced

#endif
