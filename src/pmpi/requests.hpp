// SPDX-License-Identifier: BSD-3-Clause
// What is known of requests from the call that makes them to the one that ends them: persistent ones, whose bytes are
// counted each time that they are started, and for a trace all of point to point.
//
// The MPI library may give sends that are complete at once one handle: those are a queue behind it, the oldest first.
//
// Threads: a lock of its own, where several threads may be in MPI. Memory: never given back, and used again.
#ifndef TARE_PMPI_REQUESTS_HPP
#define TARE_PMPI_REQUESTS_HPP

#include "layer.hpp"

#include <cstdint>

namespace tare::pmpi {

struct followed_request {
    std::int64_t sent_bytes = -1, received_bytes = -1;   // -1: it has no such message
    int to = -1;                 // rank in MPI_COMM_WORLD of who gets it: the communicator may be freed
    bool persistent = false;
    // For a trace; without communicator none is written.
    bool is_traced = false;
    bool active = false;         // of a persistent one: it was started
    bool cancelled = false;      // MPI_Cancel was called for it
    bool is_partitioned = false; // its bytes are those of all partitions, and counted nowhere else
    // MPI_Isendrecv: what is received, under the number `operation`; the rest is the send's. MPI_PROC_NULL: nothing.
    bool is_pair = false;
    int source = 0, received_tag = 0;
    bool is_collective = false;  // both have bytes; its peer is the root, its tag the operation
    std::uint32_t comm = TARE_TRACE_NONE;
    int peer = 0, tag = 0;
    std::uint32_t made = TARE_TRACE_NONE;        // MPI_Comm_idup: the communicator that it makes
    std::uint32_t window = TARE_TRACE_NONE;      // of an operation on one, and the operation's number (traced_windows.hpp)
    std::uint64_t operation = 0;
    std::uint64_t address = 0, span_bytes = 0;   // where it receives, if its users are looked for
    std::uint64_t number = 0;    // no other request that the process has started has it

    followed_request *next = nullptr;    // of those with the same handle
    followed_request *last = nullptr;    // of the first: the end of its queue

    bool is_on_window() const { return window != TARE_TRACE_NONE; }
    bool is_send() const { return sent_bytes >= 0 && !is_collective && !is_on_window(); }
};

// What a call has taken, and may end.
struct taken_request {
    followed_request *followed;          // nullptr: nothing is known of it, or it is not active
    const MPI_Status *ended;             // nullptr: it is not complete
};

namespace requests {

// A request that the MPI library has just made. Gives back its number.
std::uint64_t follow(MPI_Request request, const followed_request &what);
void forget(MPI_Request request);
// A copy of what is known of it; sent_bytes and received_bytes -1: nothing.
followed_request find(MPI_Request request);
// For what has no handle of its own.
std::uint64_t next_number();
// MPI_Start of a persistent one, which may have put another handle in the place of the one before. A copy, with its
// number from now on.
followed_request start(MPI_Request before, MPI_Request request);
void cancel(MPI_Request request);
// For a trace, of one that is followed already: whose message it is for, and where it receives.
void describe(MPI_Request request, const followed_request &as);

// Before a call that may complete them: the MPI library may give their handles away again before it returns.
void take(int count, const MPI_Request *requests, taken_request *taken);
// Behind it, with the handles as the call has left them: those that are not complete, or persistent, are followed on.
void put_back(int count, const MPI_Request *requests, const taken_request *taken);

}  // namespace requests

}  // namespace tare::pmpi

#endif
