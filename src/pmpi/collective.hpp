// SPDX-License-Identifier: BSD-3-Clause
// Collective calls with a carrier above MPI. The program's data pass unchanged; beside each call the tool has a small
// operation of its own on the twin communicator, which takes stamps along where the data flow and nowhere else.
//
//   from the root        Bcast of the root's stamp
//   to the root          Reduce of what decides (R): the latest readiness, on the clock and on the compensated one
//   from all to all      the delay after it is min_i (D_i + d_i) - min_i d_i, with d_i the time that process i spent
//                        in the call: one Allreduce after it. Nonblocking: as to the root
//   to later ranks       Exscan, as to the root
//   as counts say        a message along each edge with data: the v and w forms, and neighbourhoods; and all calls
//                        between two groups
//
// Processes on several nodes have no common clock: there stamps are gathered instead of reduced, and each is joined
// with the latency that was learned of its sender. collect.hpp tells from a call's arguments how its data flow.
//
// Nobody may wait in the tool's operation who did not wait in the call. Behind a blocking call that is so where all
// who send stamps have left it by then; else (messages along edges, long data from the root) and beside nonblocking
// calls it begins before the program's and is completed after it: whoever lets the program's go on lets the tool's.
//
// Edges inside the MPI library's algorithm (a tree's inner nodes) are not seen.
//
// Threads: a collective_op belongs to one thread at a time; the table of requests takes shared_lock.
#ifndef TARE_PMPI_COLLECTIVE_HPP
#define TARE_PMPI_COLLECTIVE_HPP

#include "carrier.hpp"
#include "comms.hpp"

#include <vector>

namespace tare::pmpi {

enum class flow : std::uint8_t { nowhere, from_root, to_root, to_all, to_later, listed };

// How data flow in one call, as this process knows it.
struct collective_call {
    comm_record *comm = nullptr;
    flow how = flow::nowhere;
    int root = 0;
    std::int64_t bytes = 0;     // for the latency table
    bool is_long = false;       // a send in it may wait for its receiver
    std::vector<int> from, to;  // with flow::listed: each rank once, and never this one
};

// When this thread was ready, and its delay then.
struct readiness {
    std::int64_t time_ns;
    std::int64_t delay_ns, lo_ns, hi_ns;
    tare_wire_t stamp;
};
readiness ready_now();

// begun: the tool's operation of a blocking call, begun before it.
enum class form : std::uint8_t { blocking, begun, nonblocking, persistent };

// Must the tool's operation begin before the blocking call?
bool begins_first(const collective_call &call);
// Behind a blocking call that went well.
void follow_blocking(const collective_call &call, const readiness &own, std::int64_t returned_ns);

// --- nonblocking and persistent calls ---

// Null: no data. The parcel is a collective_op, and its request is found again as those of messages are.
parcel *begin_collective(const collective_call &call, form as);
// MPI_Start: about to be called.
void start_collective(parcel *p);
// Whether the tool's operation is complete.
bool is_whole_collective(parcel *p);
// The program's is complete: joins, once.
void finish_collective(parcel *p, std::int64_t returned_ns);
void release_collective(parcel *p);

// --- around the MPI library's calls; `describe` gives a collective_call ---

template <typename Library, typename Describe> int collected(const Library &library, const Describe &describe)
{
    carrier_cost cost;
    const collective_call call = describe();
    if (call.how == flow::nowhere)
        return library();
    parcel *begun = begins_first(call) ? begin_collective(call, form::begun) : nullptr;
    cost.library_called();
    const readiness own = begun != nullptr ? readiness{} : ready_now();
    const int rc = library();
    const std::int64_t returned_ns = clock_ns();
    cost.library_returned();
    // What was begun beside a call that went wrong is left to the MPI library, which may still write there.
    if (rc == MPI_SUCCESS && begun != nullptr) {
        finish_collective(begun, returned_ns);
        release_collective(begun);
    } else if (rc == MPI_SUCCESS) {
        follow_blocking(call, own, returned_ns);
    }
    cost.done();
    return rc;
}

template <form as, typename Library, typename Describe>
int collected_later(const Library &library, const Describe &describe, const MPI_Request *request)
{
    carrier_cost cost;
    parcel *p = begin_collective(describe(), as);
    cost.library_called();
    const int rc = library();
    cost.library_returned();
    if (p != nullptr && rc == MPI_SUCCESS)
        follow(*request, p);
    cost.done();
    return rc;
}

}  // namespace tare::pmpi

#endif
