// SPDX-License-Identifier: BSD-3-Clause
// TARE_MODE=datatype: stamp and payload are one message, because one MPI datatype describes both (stamped.hpp).
#include "bytes.hpp"
#include "carrier.hpp"
#include "stamped.hpp"

namespace tare::pmpi {

namespace {

class datatype_carrier : public carrier {
  public:
    datatype_carrier() : carrier(carried_bytes()) {}

    // A receive's slot was filled if it no longer holds what it was given. The slot of a replaced buffer held the
    // stamp that was sent, so there the status tells.
    bool arrive(parcel *p, const MPI_Status *status) override
    {
        if (p->role == direction::receive)
            return came(p->stamp);
        return status->MPI_SOURCE != MPI_PROC_NULL && bytes::received(status) >= more_bytes();
    }

    void drop_type(MPI_Datatype type) override
    {
        shared_lock lock;
        types_.drop(type);
    }
    void stop() override { types_.clear(); }

  private:
    // A buffer that is replaced has one type, too: the slot is sent from, then received into.
    parcel *describe(const user_data &data, const envelope &, direction, bool, const comm_record &) override
    {
        return types_.acquire(data.buffer, data.count, data.type);
    }
    void take_back(parcel *p) override { types_.release(static_cast<stamped *>(p)); }

    stamped_types types_;
};

}  // namespace

std::unique_ptr<carrier> make_datatype_carrier() { return std::make_unique<datatype_carrier>(); }

}  // namespace tare::pmpi
