// SPDX-License-Identifier: BSD-3-Clause
// TARE_MODE=copy: stamp and packed payload in one buffer of the tool's, which is what the MPI library sends and
// receives.
//
// Buffers come in sizes of powers of two and are kept. Data that lies in one piece is copied; other data is packed
// and unpacked by the MPI library. A message that ends inside an element of the receiver's type cannot be unpacked as
// whole elements: the MPI library receives it once more, from this process itself.
#include "carrier.hpp"
#include "handle_hash.hpp"
#include "item_pool.hpp"
#include "packing.hpp"
#include "type_envelope.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>

namespace tare::pmpi {

namespace {

struct packed : parcel {
    user_data users;
    MPI_Count data_bytes;    // what the user's data takes when it is packed
    bool is_one_piece;       // in the user's memory, too
    bool owns_type;          // users.type is ours
    unsigned size_class;
    char *memory;            // for 1 << size_class bytes; null: none yet
};

// What is known of a datatype.
struct type_facts {
    bool is_known;
    bool is_one_piece;       // any number of them, one after the other
    MPI_Count size;          // bytes of one
    bool operator!=(const type_facts &o) const { return is_known != o.is_known; }
};

bool is_one_piece(MPI_Datatype type, MPI_Count size)
{
    if (!is_predefined(type))
        return false;
    MPI_Count lb, extent;
    real.Type_get_extent_x(type, &lb, &extent);
    return lb == 0 && extent == size;
}

class copy_carrier : public carrier {
  public:
    copy_carrier() : carrier(carried_bytes()) {}

    void load(parcel *p) override
    {
        auto *own = static_cast<packed *>(p);
        if (own->is_one_piece) {
            if (own->data_bytes > 0)
                std::memcpy(own->memory + more_bytes(), own->users.buffer, static_cast<std::size_t>(own->data_bytes));
            return;
        }
        int end = 0;
        real.Pack(own->users.buffer, static_cast<int>(own->users.count), own->users.type, own->memory + more_bytes(),
                  static_cast<int>(own->data_bytes), &end, MPI_COMM_SELF);
        own->library.count = more_bytes() + end;
    }

    void depart(parcel *p) override
    {
        carrier::depart(p);
        auto *own = static_cast<packed *>(p);
        std::memcpy(own->memory, &own->stamp, sizeof own->stamp);
        if (__builtin_expect(state.carries_origin, 0))
            std::memcpy(own->memory + sizeof own->stamp, &own->origin, sizeof own->origin);
    }

    void post(parcel *p) override
    {
        carrier::post(p);
        std::memcpy(static_cast<packed *>(p)->memory, &p->stamp, sizeof p->stamp);
    }

    bool arrive(parcel *p, const MPI_Status *status) override
    {
        auto *own = static_cast<packed *>(p);
        std::memcpy(&own->stamp, own->memory, sizeof own->stamp);
        if (!came(own->stamp))
            return false;
        if (__builtin_expect(state.carries_origin, 0))
            std::memcpy(&own->origin, own->memory + sizeof own->stamp, sizeof own->origin);
        if (!p->seen)
            unpack(*own, payload_of(p, status));
        return true;
    }

    void drop_type(MPI_Datatype type) override
    {
        shared_lock lock;
        types_.take(type);
        last_facts_.is_known = false;
    }
    bool splits_replace() const override { return true; }

  private:
    static constexpr unsigned least_class = 7, classes = 48;

    parcel *describe(const user_data &data, const envelope &, direction, bool kept, const comm_record &) override
    {
        if (!is_describable(data))
            return nullptr;
        const type_facts facts = facts_of(data.type);
        MPI_Count bytes = facts.is_one_piece ? data.count * facts.size : 0;
        if (!facts.is_one_piece && !find_packed_size(data, &bytes))
            return nullptr;
        if (bytes > INT_MAX - more_bytes())
            die("TARE_MODE=copy carries messages of at most %d bytes, and this one has %lld: use TARE_MODE=header, "
                "message or datatype", static_cast<int>(INT_MAX - more_bytes()), static_cast<long long>(bytes));
        packed *p = buffer_for(bytes + more_bytes());
        keep_data(&p->users, data);
        p->data_bytes = bytes;
        p->is_one_piece = facts.is_one_piece;
        p->owns_type = !facts.is_one_piece && own_type(kept, &p->users);
        p->library = {p->memory, bytes + more_bytes(), MPI_BYTE};
        return p;
    }

    void take_back(parcel *p) override
    {
        auto *own = static_cast<packed *>(p);
        if (own->owns_type)
            real.Type_free(&own->users.type);
        pools_[own->size_class].give_back(own);
    }

    // Arguments that the MPI library will refuse are left for it to refuse.
    bool is_describable(const user_data &d)
    {
        if (d.count < 0 || d.type == MPI_DATATYPE_NULL)
            return false;
        return d.buffer != MPI_BOTTOM || d.count == 0 || !facts_of(d.type).is_one_piece;
    }

    type_facts facts_of(MPI_Datatype type)
    {
        if (type == last_type_ && last_facts_.is_known)
            return last_facts_;
        last_type_ = type;
        return last_facts_ = look_up(type);
    }

    type_facts look_up(MPI_Datatype type)
    {
        type_facts facts = types_.find(type);
        if (facts.is_known)
            return facts;
        MPI_Count size = 0;
        real.Type_size_x(type, &size);
        facts = {true, is_one_piece(type, size), size};
        types_.put(type, facts);
        return facts;
    }

    // The user may free a type while its message is under way.
    static bool own_type(bool kept, user_data *d)
    {
        if (d->buffer != MPI_BOTTOM)
            return kept && real.Type_dup(d->type, &d->type) == MPI_SUCCESS;
        *d = from_an_address(*d);
        return true;
    }

    packed *buffer_for(MPI_Count bytes)
    {
        const unsigned bits = 64U - static_cast<unsigned>(__builtin_clzll(static_cast<unsigned long long>(bytes)));
        const unsigned size_class = bits < least_class ? least_class : bits;
        packed *p = pools_[size_class].take();
        if (p->memory != nullptr)
            return p;
        p->memory = static_cast<char *>(std::malloc(std::size_t{1} << size_class));
        if (p->memory == nullptr)
            die("no memory for a message of %lld bytes with TARE_MODE=copy", static_cast<long long>(bytes));
        p->size_class = size_class;
        return p;
    }

    // A message that was too long may have its own size in the status.
    void unpack(const packed &p, MPI_Count payload_bytes) const
    {
        const MPI_Count bytes = std::min(payload_bytes, p.data_bytes);
        if (p.is_one_piece) {
            if (bytes > 0)
                std::memcpy(p.users.buffer, p.memory + more_bytes(), static_cast<std::size_t>(bytes));
            return;
        }
        if (bytes == 0)
            return;
        MPI_Count one = 0;
        real.Type_size_x(p.users.type, &one);
        const MPI_Count elements = one > 0 ? bytes / one : 0;
        int at = 0;
        if (elements * one == bytes)
            real.Unpack(p.memory + more_bytes(), static_cast<int>(bytes), &at, p.users.buffer,
                        static_cast<int>(elements), p.users.type, MPI_COMM_SELF);
        else
            real.Sendrecv(p.memory + more_bytes(), static_cast<int>(bytes), MPI_PACKED, 0, 0, p.users.buffer,
                          static_cast<int>(p.users.count), p.users.type, 0, 0, own_twin(), MPI_STATUS_IGNORE);
    }

    static MPI_Comm own_twin()
    {
        shared_lock lock;
        return comm_of(MPI_COMM_SELF)->twin;
    }

    handle_table<MPI_Datatype, type_facts> types_;
    MPI_Datatype last_type_{};   // most messages have the type of the one before
    type_facts last_facts_{};
    item_pool<packed> pools_[classes];
};

}  // namespace

std::unique_ptr<carrier> make_copy_carrier() { return std::make_unique<copy_carrier>(); }

}  // namespace tare::pmpi
