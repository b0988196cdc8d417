// SPDX-License-Identifier: BSD-3-Clause
// What the carriers know of each communicator, and its twin: a private communicator of the same group or groups, for
// the tool's own messages.
//
// A twin is made collectively by all members, right after the MPI library has made the communicator. It is split from
// it, or duplicated from another twin, so no attribute function of the program runs for it. It returns errors. The
// calls that make communicators have the word `makes` in calls.tab.
//
// MPI_Comm_idup may not wait for other members, so its twin begins as a nonblocking duplicate of the parent's twin,
// before the program's own, and is completed when the new communicator is used first. All members have begun theirs
// by then.
//
// The MPI library has a limited number of communicators (2048 in MPICH), and each of the program's takes two.
//
// Threads: comm_of, hold and let_go with shared_lock held; the others take it themselves and do not hold it while
// they wait for other processes.
#ifndef TARE_PMPI_COMMS_HPP
#define TARE_PMPI_COMMS_HPP

#include "mpi_api.hpp"

#include <cstddef>
#include <cstdint>

namespace tare::pmpi {

struct comm_twins;

struct comm_record {
    std::uint32_t number;  // no other communicator has it, alive or freed; 1 is MPI_COMM_WORLD
    MPI_Comm twin;
    int rank, size;
    int remote_size;           // of the other group; 0 without one
    bool inter;
    bool freed;                // by the program; users keep it
    unsigned users;
    std::size_t place;         // among all records
    comm_twins *twins;         // what the message carrier keeps for it
    unsigned persistent_edges; // persistent collective calls with messages of their own (collective.cpp)
    MPI_Request twin_request;  // not null: the twin is being made
};

// The one that was asked for last, with a twin that is complete: most messages go by the communicator of the one
// before.
struct known_comm {
    MPI_Comm handle;
    comm_record *record;       // null: none
};
extern known_comm last_comm;

comm_record *look_up_comm(MPI_Comm comm);
void end_record(comm_record *c);

// Null: no communicator that the MPI library has made, so it will say what is wrong.
inline comm_record *comm_of(MPI_Comm comm)
{
    return comm == last_comm.handle && last_comm.record != nullptr ? last_comm.record : look_up_comm(comm);
}

// Keeps a record and its twin beyond MPI_Comm_free.
inline void hold(comm_record *c) { c->users++; }

// The last user of a freed communicator frees the twin.
inline void let_go(comm_record *c)
{
    if (--c->users == 0 && c->freed)
        end_record(c);
}

// The MPI library has just made this communicator, and all members come here. Nothing for MPI_COMM_NULL.
void made_comm(MPI_Comm comm);

// What the message carrier has kept for one (twin.cpp); may be null.
void drop_twins(comm_twins *twins);

// After MPI_Init and before MPI_Finalize, by all ranks.
void start_comms();
void stop_comms();

namespace carried {

int comm_idup(decltype(&MPI_Comm_idup) library, MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request);
#if MPI_VERSION >= 4
int comm_idup_with_info(decltype(&MPI_Comm_idup_with_info) library, MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm,
                        MPI_Request *request);
#endif
int comm_free(decltype(&MPI_Comm_free) library, MPI_Comm *comm);

}  // namespace carried

}  // namespace tare::pmpi

#endif
