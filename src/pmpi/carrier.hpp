// SPDX-License-Identifier: BSD-3-Clause
// The datatype carrier: what happens to one message before and after the MPI library's own call. carried.hpp has the
// MPI functions, in terms of this.
//
// Every send that can match a carried receive is carried: the functions of calls.tab that cannot (`refuse`) end the
// run. So a receive knows that a stamp comes first, and a probed or received count is always too large by a stamp.
// Messages to and from MPI_PROC_NULL are none and pass unchanged.
//
// A request that carries is found again by its handle. MPICH gives all sends that are complete at once the same
// handle: such a handle is known already when it comes back from MPI_Isend, and its message needs no further care.
//
// What a carrier above MPI cannot see, or this one does not yet: the way back of a rendezvous or a synchronous send;
// a wait inside MPI_Probe, or in a loop of MPI_Test or MPI_Iprobe, which counts as the program's own time.
//
// Threads: each function takes shared_lock itself, and may call the MPI library with it. So with MPI_THREAD_MULTIPLE
// a callback that the MPI library calls with its own lock held must not send while another thread does.
#ifndef TARE_PMPI_CARRIER_HPP
#define TARE_PMPI_CARRIER_HPP

#include "layer.hpp"
#include "stamped.hpp"

namespace tare::pmpi {

// Declares what the carrier itself costs, while there is measurement: from the entry of the call to the MPI library's
// call, and from its return to the end. By clock reads with TARE_OVERHEAD=calibrated, too: what it costs depends on
// whether a committed type is there (doc/results/probes.md).
class carrier_cost {
  public:
    carrier_cost();
    void library_called();    // the carrier's work before the MPI library's call is done
    void library_returned();  // its work after that call begins
    void done();
    // When the MPI library returned; 0 while there is no measurement.
    std::int64_t returned_ns() const { return returned_ns_; }

  private:
    bool measured_;
    std::int64_t started_ns_ = 0;
    std::int64_t returned_ns_ = 0;
};

// --- one message ---

// Null: it passes unchanged.
stamped *prepare_send(const void *buffer, MPI_Count count, MPI_Datatype type, int dest);
stamped *prepare_receive(void *buffer, MPI_Count count, MPI_Datatype type, int source, MPI_Comm comm);
stamped *prepare_replace(void *buffer, MPI_Count count, MPI_Datatype type, int dest, int source, MPI_Comm comm);
// Right before the MPI library sends: the carrier's own cost must have been declared.
void put_stamp(stamped *s);
void finish_send(stamped *s);
// `status` as the MPI library left it, never MPI_STATUS_IGNORE: its count is corrected, the delay joined.
void finish_receive(stamped *s, MPI_Status *status, std::int64_t returned_ns);
// The same for a request that MPI_Request_get_status found complete: it is still there afterwards.
void look_at_receive(stamped *s, MPI_Status *status, std::int64_t returned_ns);
// Of a probed message.
void correct_count(MPI_Status *status);

// --- requests ---

// Follows a request that the MPI library has just made; s may be null.
void follow(MPI_Request request, stamped *s);
// Gives s back to its request; it was taken, and the request is not complete.
void take_requests(int count, const MPI_Request *requests, stamped **taken);
void put_back(MPI_Request request, stamped *s);
// Of the request's parts, whatever they are; nothing for null.
void finish_request(stamped *s, MPI_Status *status, std::int64_t returned_ns);
inline bool receives(const stamped *s) { return s != nullptr && s->role != direction::send; }
// MPI_Request_free: the message goes on, nobody will see its end. Takes the request over.
void abandon(MPI_Request request, stamped *s);

// --- other handles ---

void note_matched(MPI_Message message, MPI_Comm comm);
// The receive of a matched message; null: it passes unchanged.
stamped *prepare_matched(void *buffer, MPI_Count count, MPI_Datatype type, MPI_Message message);
void drop_type(MPI_Datatype type);

// --- the carrier as a whole: MPI_Init, MPI_Finalize ---

void start_carrier();
void stop_carrier();

}  // namespace tare::pmpi

#endif
