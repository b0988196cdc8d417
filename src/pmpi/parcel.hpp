// SPDX-License-Identifier: BSD-3-Clause
// One message that a carrier takes care of, from the call that begins it to the one that ends it. What else a carrier
// knows of it is its own: each carrier has a struct made of this one.
#ifndef TARE_PMPI_PARCEL_HPP
#define TARE_PMPI_PARCEL_HPP

#include "mpi_api.hpp"
#include "tare_wire.h"

#include <cstddef>
#include <cstdint>

namespace tare::pmpi {

struct comm_record;

// What a call sends or receives.
struct user_data {
    void *buffer;
    MPI_Count count;
    MPI_Datatype type;
};

// What stands before is not made one wide load with what comes behind. A caller has just written two members one by
// one, and a load of both waits until they are in the cache: longer than all else that a carrier does for a message.
inline void one_by_one() { __asm__("" ::: "memory"); }

inline void keep_data(user_data *to, const user_data &from)
{
    to->buffer = from.buffer;
    one_by_one();
    to->count = from.count;
    to->type = from.type;
}

// With whom. Source and tag of a receive may be wildcards.
struct envelope {
    int peer;
    int tag;
    MPI_Comm comm;
};

// collective: a collective_op (collective.hpp), which no carrier sees.
enum class direction : std::uint8_t { send, receive, replace, collective };

struct parcel {
    tare_wire_t stamp;       // that is sent, or was received
    std::uint64_t origin;    // the same, where the trace is written: tare_origin.h
    user_data library;       // what the MPI library is called with
    comm_record *comm;
    int peer, tag;           // as in the envelope
    direction role;
    bool persistent;         // its request is started again and again
    bool active;             // of those: it was started, and its end has not been seen
    bool seen;               // a receive: its data is with the user, and what it carried has been joined
    bool cancelled;          // a receive: MPI_Cancel was called for it, so the status has to tell whether it was
    bool waits_unseen;       // a send: its end may wait for its receiver, and no stamp comes back
    MPI_Count payload_bytes; // of a receive that has come; -1: nobody has asked yet
    MPI_Request request;     // null: none stands for it (yet)
};

// Where they are a part of the message that the MPI library sends, they come first, and as they lie here.
static_assert(offsetof(parcel, stamp) == 0 && offsetof(parcel, origin) == sizeof(tare_wire_t));

inline bool receives(const parcel *p) { return p->role == direction::receive || p->role == direction::replace; }
inline bool is_collective(const parcel *p) { return p->role == direction::collective; }

// What a slot holds before anything was received into it; no sender makes it.
constexpr tare_wire_t nothing_came{~UINT64_C(0), ~UINT64_C(0)};
inline bool came(const tare_wire_t &w) { return w.w0 != nothing_came.w0 || w.w1 != nothing_came.w1; }

}  // namespace tare::pmpi

#endif
