// SPDX-License-Identifier: BSD-3-Clause
// The datatype carrier's messages: struct{stamp, payload} as one MPI datatype over MPI_BOTTOM.
//
// The stamp comes first. Behind the payload (as it was published) it would land in the user's buffer whenever a
// receive has room for more than was sent.
//
// Making a type costs more than sending a small message, so committed types are kept: one `stamped` per buffer, count
// and element type, holding the type and the slot that the stamp is sent from or received into. One that is in use
// belongs to its message; a second message from the same buffer gets another. Idle ones are found by what they
// describe and the least recently used are dropped beyond a limit. MPI_Type_free drops those made of that type, since
// its handle may come back as another type.
//
// TARE_CARRIER_FORM=published keeps nothing: a new type per message, as the papers did.
//
// Threads: callers hold shared_lock.
#ifndef TARE_PMPI_STAMPED_HPP
#define TARE_PMPI_STAMPED_HPP

#include "item_pool.hpp"
#include "parcel.hpp"

#include <cstddef>

namespace tare::pmpi {

// `stamp` is a part of its type, so it stays where it is. The library is called with MPI_BOTTOM, one, and the type.
struct stamped : parcel {
    // --- what it describes ---
    MPI_Datatype type;  // committed; displacements are addresses
    const void *buffer;
    MPI_Count count;
    MPI_Datatype element;
    bool stale;  // its element type was freed: not to be kept
    // --- lists of the cache ---
    stamped *next, *previous;
    stamped **bucket;
    stamped *next_in_bucket;
};

// A ring of stamped, by next and previous.
class stamped_list {
  public:
    stamped_list() { head_.next = head_.previous = &head_; }
    stamped_list(const stamped_list &) = delete;
    stamped_list &operator=(const stamped_list &) = delete;
    bool empty() const { return head_.next == &head_; }
    stamped *oldest() { return head_.previous; }
    stamped *first() { return head_.next; }
    const stamped *end() const { return &head_; }

    void push(stamped *s)
    {
        s->next = head_.next;
        s->previous = &head_;
        head_.next->previous = s;
        head_.next = s;
    }
    static void remove(stamped *s)
    {
        s->previous->next = s->next;
        s->next->previous = s->previous;
    }

  private:
    stamped head_{};
};

class stamped_types {
  public:
    static constexpr std::size_t kept_at_most = 4096;

    // A type for this message, from the kept ones if there is one. Null: the arguments cannot be described (the MPI
    // library will say why).
    stamped *acquire(const void *buffer, MPI_Count count, MPI_Datatype element);
    void release(stamped *s);
    // MPI_Type_free(element) is about to be called.
    void drop(MPI_Datatype element);
    // Frees every idle type, before MPI_Finalize.
    void clear();
    std::size_t idle() const { return idle_count_; }

  private:
    static constexpr std::size_t buckets = 4096;

    struct part {
        MPI_Datatype type;
        MPI_Count count;
    };

    MPI_Datatype of_two_sizes();
    part stamp_beside(MPI_Datatype element);
    stamped **bucket(const void *buffer, MPI_Count count, MPI_Datatype element);
    stamped *make(const void *buffer, MPI_Count count, MPI_Datatype element);
    stamped *take_out(stamped **link);
    void forget(stamped *s);
    void evict(stamped *s);
    unsigned &uses(MPI_Datatype element);

    stamped *bucket_[buckets] = {};
    stamped_list idle_, busy_;
    std::size_t idle_count_ = 0;
    item_pool<stamped> slots_;
    MPI_Datatype of_two_sizes_ = MPI_DATATYPE_NULL;
    unsigned uses_[256] = {};  // stamped of the element types that hash there
};

}  // namespace tare::pmpi

#endif
