// SPDX-License-Identifier: BSD-3-Clause
// A carrier above MPI: what happens to one message before and after the MPI library's own call. carried.hpp, and the
// files that it names, have the MPI functions, in terms of this.
//
//   datatype   typed.cpp    struct{stamp, payload} as one MPI datatype
//   message    twin.cpp     the payload as it is, and a message of the tool's beside it
//   copy       packed.cpp   stamp and payload in one buffer
//
// Every message that can match a carried receive is carried, so a receive knows what to expect. Messages to and from
// MPI_PROC_NULL are none and pass unchanged; so does what the MPI library will refuse.
//
// A request that carries is found again by its handle. MPICH and Open MPI give all sends that are complete at once
// the same handle: such a handle is known already when it comes back from MPI_Isend, and its message needs no further
// care.
//
// `post`, `departed` and the MPI library's call between them are one, with the lock held where needs_order() says so
// and several threads are there (carried::order_lock).
//
// What a carrier above MPI cannot see: the way back of a rendezvous or a synchronous send; a wait inside MPI_Probe;
// the inner nodes of a collective call; waits for anything but messages and collective data. There the delay is what
// is known, and its bounds become as wide as it may have changed (waited_unseen). A wait in a loop of MPI_Test or
// MPI_Iprobe counts as the program's own time.
//
// Threads: the functions below that are no members take shared_lock themselves, and may call the MPI library with it.
// So with MPI_THREAD_MULTIPLE a callback that the MPI library calls with its own lock held must not send while
// another thread does. Members do the same where they share something; `describe` and `take_back` are called with it.
#ifndef TARE_PMPI_CARRIER_HPP
#define TARE_PMPI_CARRIER_HPP

#include "comms.hpp"
#include "layer.hpp"
#include "parcel.hpp"

#include <atomic>
#include <memory>

namespace tare::pmpi {

// Some of the requests that MPI_Request_free left to us, if there are any: their data may have come.
extern std::atomic<bool> any_abandoned;       // since the carrier was started
void look_at_some_abandoned();
inline void look_at_abandoned()
{
    if (__builtin_expect(any_abandoned.load(std::memory_order_relaxed), 0))
        look_at_some_abandoned();
}

// Declares what the carrier itself costs, while there is measurement: from the entry of the call to the MPI library's
// call, and from its return to the end. By clock reads with TARE_OVERHEAD=calibrated, too: what it costs depends on
// whether a committed type is there (doc/results/probes.md).
class carrier_cost {
  public:
    carrier_cost() : measured_(tare_measure_is_on())
    {
        if (__builtin_expect(measured_, 0))
            begin();
    }
    // The carrier's work before the MPI library's call is done.
    void library_called()
    {
        if (__builtin_expect(measured_, 0))
            declare_before();
    }
    // Its work after that call begins. What was abandoned goes on while others are waited for.
    void library_returned()
    {
        if (__builtin_expect(measured_, 0))
            returned_ns_ = clock_ns();
        look_at_abandoned();
    }
    void done()
    {
        if (__builtin_expect(measured_, 0))
            declare_after();
    }
    // When the MPI library returned; 0 while there is no measurement.
    std::int64_t returned_ns() const { return returned_ns_; }

  private:
    void begin();
    void declare_before();
    void declare_after();

    const bool measured_;
    std::int64_t started_ns_ = 0;
    std::int64_t returned_ns_ = 0;
};

class carrier {
  public:
    virtual ~carrier() = default;
    carrier(const carrier &) = delete;
    carrier &operator=(const carrier &) = delete;

    // --- from call to call; null: the message passes unchanged ---
    // kept: the request's, so that it may outlive the handles that the user has given.
    parcel *outgoing(const user_data &data, const envelope &e, bool kept)
    {
        return prepare(data, e, direction::send, kept);
    }
    parcel *incoming(const user_data &data, const envelope &e, bool kept)
    {
        return prepare(data, e, direction::receive, kept);
    }
    // Both in one: of a carrier that neither splits MPI_Sendrecv_replace nor needs an order.
    parcel *replacing(const user_data &data, const envelope &e)
    {
        return prepare(data, e, direction::replace, false);
    }
    void release(parcel *p);

    // --- sends ---
    // Takes the user's data, each time that it is sent.
    virtual void load(parcel *) {}
    // Right before the MPI library sends: the carrier's own cost must have been declared.
    virtual void depart(parcel *p);
    // After it has begun to.
    virtual void departed(parcel *) {}
    // Whether a send that has begun needs anything at its end.
    virtual bool follows_sends() const { return true; }

    // --- receives ---
    // Before the MPI library looks for it, or, of a matched message, right after it was matched.
    virtual void post(parcel *p);
    // A message that was matched by a probe: what stands for it until it is received. Null: nothing has to.
    virtual parcel *matched(const envelope &) { return nullptr; }
    // It was cancelled.
    virtual void withdraw(parcel *) {}
    // The MPI library has completed its request, whose handle means nothing any more. Before any of those that the
    // same call has completed arrives.
    virtual void completed(parcel *p, const MPI_Status *) { p->request = MPI_REQUEST_NULL; }
    // False: what belongs to this message has not come yet, and does without waiting soon.
    virtual bool is_whole(parcel *, const MPI_Status *) { return true; }
    // The MPI library has received it: gives the data to the user and the stamp to the parcel, if that has not been
    // done yet. False: nothing was received.
    virtual bool arrive(parcel *p, const MPI_Status *status) = 0;
    // Of a message that has arrived: without what the carrier adds. `status` is the MPI library's still.
    MPI_Count payload_of(parcel *p, const MPI_Status *status) const
    {
        return p->payload_bytes >= 0 ? p->payload_bytes : ask_for_payload(p, status);
    }
    void correct_received(parcel *p, MPI_Status *status) const;

    // --- others ---
    // Of a message that was probed: without what the carrier adds.
    void correct_probed(MPI_Status *status) const;
    virtual void drop_type(MPI_Datatype) {}
    // How much room a message takes beyond what the user has reckoned with: the stamp's, if that is a part of it.
    MPI_Count more_bytes() const { return more_bytes_; }
    // A message is more than one of the MPI library's. So a call that sends and receives begins both before it waits;
    // and with MPI_THREAD_MULTIPLE a send and a receive are begun under the lock, so that they are in one order.
    virtual bool needs_order() const { return false; }
    // MPI_Sendrecv_replace becomes MPI_Sendrecv with two buffers.
    virtual bool splits_replace() const { return false; }
    // Before MPI_Finalize.
    virtual void stop() {}

  protected:
    explicit carrier(MPI_Count more_bytes) : more_bytes_(more_bytes) {}

  private:
    MPI_Count ask_for_payload(parcel *p, const MPI_Status *status) const;
    parcel *prepare(const user_data &data, const envelope &e, direction role, bool kept);
    // A parcel of the carrier's own for this data, without what `prepare` notes of each. Null: it passes unchanged.
    virtual parcel *describe(const user_data &data, const envelope &e, direction role, bool kept,
                             const comm_record &comm) = 0;
    // Takes over what `describe` has made. Its communicator is there still.
    virtual void take_back(parcel *p) = 0;

    const MPI_Count more_bytes_;
};

std::unique_ptr<carrier> make_datatype_carrier();
std::unique_ptr<carrier> make_message_carrier();
std::unique_ptr<carrier> make_copy_carrier();

// The one that this process uses, while carrier_is_on(). It is there to the end: a library's own thread may call exit, from a
// handler of a signal, while another is in a call.
extern carrier *in_use;

// What bytes::received tells of it then.
void set_received_bytes(MPI_Status *status, MPI_Count bytes);

// --- one message ---

// For returned_ns: the call has completed several messages, so each came at some time before it returned.
constexpr std::int64_t among_several_ns = -1;

// `status` as the MPI library left it, never MPI_STATUS_IGNORE; its source is MPI_PROC_NULL if nothing came. Joins.
// is_asked: the user gets the status.
void receive_parcel(parcel *p, MPI_Status *status, std::int64_t returned_ns, bool is_asked = true);
// The same, and it is over.
void finish_parcel(parcel *p, MPI_Status *status, std::int64_t returned_ns, bool is_asked = true);
// It is over, whatever has come.
void release_parcel(parcel *p);

// --- what no stamp tells of ---

// Widens the bounds of this thread's delay by these.
void widen_bounds(std::int64_t lo_ns, std::int64_t hi_ns);
// So long this thread may have waited for a process of which nothing is known. By rule (R) the delay is anything
// then: from none, if that process has none and this one came just in time for it, to what it can be and all of the
// wait.
void waited_unseen(std::int64_t elapsed_ns);
// The same of the call in progress.
void waited_unseen();

// What an MPI library may send before its receiver is there.
constexpr std::int64_t short_bytes = 4096;

// --- requests ---

// Follows a request that the MPI library has just made.
void follow(MPI_Request request, parcel *p);
// Persistent requests that are not active stay in the table.
void take_requests(int count, const MPI_Request *requests, parcel **taken);
parcel *find_request(MPI_Request request);
// What was taken and is not over; null: the MPI library has freed the request, though it was persistent.
void put_back(MPI_Request request, parcel *p);
// MPI_Request_free: the message goes on, nobody will see its end. Takes the request over.
void abandon(MPI_Request request, parcel *p);
void forget_request(MPI_Request request);

// --- matched messages ---

void note_matched(MPI_Message message, const MPI_Status *status, MPI_Comm comm);
// The receive of a matched message; null: it passes unchanged.
parcel *incoming_matched(const user_data &data, MPI_Message message, bool kept);

// --- the carrier as a whole: MPI_Init, MPI_Finalize ---

void start_carrier(int mode);
void stop_carrier();

}  // namespace tare::pmpi

#endif
