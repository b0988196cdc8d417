// SPDX-License-Identifier: BSD-3-Clause
// TARE_MODE=datatype: stamp and payload are one message, because one MPI datatype describes both (stamped.hpp).
#include "carrier.hpp"
#include "stamped.hpp"

namespace tare::pmpi {

namespace {

constexpr MPI_Count stamp_bytes = sizeof(tare_wire_t);

class datatype_carrier : public carrier {
  public:
    parcel *outgoing(const user_data &data, const envelope &e, bool) override
    {
        return acquire(data, e, direction::send);
    }
    parcel *incoming(const user_data &data, const envelope &e, bool) override
    {
        return acquire(data, e, direction::receive);
    }
    // One buffer, one type: the slot is sent from, then received into.
    parcels replacing(const user_data &data, const envelope &out, const envelope &in) override
    {
        if (out.peer == MPI_PROC_NULL && in.peer == MPI_PROC_NULL)
            return {};
        parcel *both = acquire(data, in.peer == MPI_PROC_NULL ? envelope{0, in.tag, in.comm} : in, direction::replace);
        return {both, both};
    }
    void release(parcel *p) override
    {
        shared_lock lock;
        let_go(p->comm);
        types_.release(static_cast<stamped *>(p));
    }

    bool arrive(parcel *p, MPI_Status *status, MPI_Count *payload_bytes) override
    {
        const MPI_Count bytes = received_bytes(status);
        if (!has_come(p, status, bytes))
            return false;
        *payload_bytes = bytes - stamp_bytes;
        set_received_bytes(status, *payload_bytes);
        return true;
    }

    void correct_probed(MPI_Status *status) override
    {
        const MPI_Count bytes = received_bytes(status);
        if (status->MPI_SOURCE != MPI_PROC_NULL && bytes >= stamp_bytes)
            set_received_bytes(status, bytes - stamp_bytes);
    }
    void drop_type(MPI_Datatype type) override
    {
        shared_lock lock;
        types_.drop(type);
    }
    MPI_Count more_bytes() const override { return stamp_bytes; }
    void stop() override { types_.clear(); }

  private:
    parcel *acquire(const user_data &data, const envelope &e, direction role)
    {
        if (e.peer == MPI_PROC_NULL || e.comm == MPI_COMM_NULL)
            return nullptr;
        shared_lock lock;
        comm_record *comm = comm_of(e.comm);
        stamped *s = comm == nullptr ? nullptr : types_.acquire(data.buffer, data.count, data.type);
        if (s == nullptr)
            return nullptr;
        s->comm = comm;
        hold(comm);
        s->peer = e.peer;
        s->role = role;
        s->persistent = s->active = s->seen = false;
        s->request = MPI_REQUEST_NULL;
        return s;
    }

    // A receive's slot was filled if it no longer holds what it was given. The slot of a replaced buffer held the stamp
    // that was sent, so there the status tells.
    static bool has_come(const parcel *p, const MPI_Status *status, MPI_Count bytes)
    {
        if (bytes < stamp_bytes)
            return false;
        return p->role == direction::receive ? came(p->stamp) : status->MPI_SOURCE != MPI_PROC_NULL;
    }

    stamped_types types_;
};

}  // namespace

std::unique_ptr<carrier> make_datatype_carrier() { return std::make_unique<datatype_carrier>(); }

}  // namespace tare::pmpi
