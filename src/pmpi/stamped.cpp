// SPDX-License-Identifier: BSD-3-Clause
#include "stamped.hpp"

#include "handle_hash.hpp"
#include "layer.hpp"
#include "type_envelope.hpp"

#include <climits>
#include <cstdint>

namespace tare::pmpi {

namespace {

// int and MPI_Count variants of the same call, where the MPI library has both.
int create_struct(const MPI_Count (&lengths)[2], const MPI_Aint (&where)[2], const MPI_Datatype (&what)[2],
                  MPI_Datatype *type)
{
    if (lengths[1] <= INT_MAX) {
        const int few[2] = {static_cast<int>(lengths[0]), static_cast<int>(lengths[1])};
        return real.Type_create_struct(2, few, where, what, type);
    }
#if MPI_VERSION >= 4
    const MPI_Count places[2] = {where[0], where[1]};
    return real.Type_create_struct_c(2, lengths, places, what, type);
#else
    return MPI_ERR_COUNT;
#endif
}

// Arguments that the MPI library will refuse are left for it to refuse. An address of 0 is MPI_BOTTOM, which only
// derived types can be relative to.
bool is_describable(const void *buffer, MPI_Count count, MPI_Datatype element)
{
    if (count < 0 || element == MPI_DATATYPE_NULL)
        return false;
    return buffer != MPI_BOTTOM || count == 0 || !is_predefined(element);
}

}  // namespace

stamped **stamped_types::bucket(const void *buffer, MPI_Count count, MPI_Datatype element)
{
    std::uint64_t h = hash_handle(buffer);
    h = (h ^ static_cast<std::uint64_t>(count)) * hash_factor;
    h = (h ^ handle_bits(element)) * hash_factor;
    return &bucket_[h >> 32 & (buckets - 1)];
}

unsigned &stamped_types::uses(MPI_Datatype element) { return uses_[hash_handle(element) >> 40 & 255]; }

namespace {

bool describes(const stamped *s, const void *buffer, MPI_Count count, MPI_Datatype element)
{
    return s->buffer == buffer && s->count == count && s->element == element;
}

}  // namespace

// Takes an idle one out of its bucket, where `link` points to it, and out of its list.
stamped *stamped_types::take_out(stamped **link)
{
    stamped *s = *link;
    *link = s->next_in_bucket;
    stamped_list::remove(s);
    idle_count_--;
    return s;
}

constexpr MPI_Count word_bytes = sizeof(std::int64_t);
static_assert(sizeof(tare_wire_t) % word_bytes == 0);

// The stamp of a derived type, whose elements may be of any size.
MPI_Datatype stamped_types::of_two_sizes()
{
    if (of_two_sizes_ == MPI_DATATYPE_NULL &&
        create_struct({1, carried_bytes() - word_bytes}, {0, word_bytes}, {MPI_INT64_T, MPI_BYTE}, &of_two_sizes_) ==
            MPI_SUCCESS)
        real.Type_commit(&of_two_sizes_);
    return of_two_sizes_;
}

// MPICH 4.0.2 divides by zero over libfabric where the elements of a received type are all of one size, but not of one
// type (MPIR_Type_get_basic_type_elements): the stamp's are of another size than the payload's.
stamped_types::part stamped_types::stamp_beside(MPI_Datatype element)
{
    MPI_Count size = 0;
    if (!is_predefined(element))
        return {of_two_sizes(), 1};
    real.Type_size_x(element, &size);
    return size == 1 ? part{MPI_INT64_T, carried_bytes() / word_bytes} : part{MPI_BYTE, carried_bytes()};
}

// None of a type without size: its buffer may be NULL, which MPICH would take for the message's beginning, and refuse.
static MPI_Count count_of_data(MPI_Count count, MPI_Datatype element)
{
    MPI_Count size = 1;
    if (count > 0 && !is_predefined(element))
        real.Type_size_x(element, &size);
    return size > 0 ? count : 0;
}

stamped *stamped_types::make(const void *buffer, MPI_Count count, MPI_Datatype element)
{
    if (!is_describable(buffer, count, element))
        return nullptr;
    stamped *s = slots_.take();
    MPI_Aint where[2];
    real.Get_address(&s->stamp, &where[0]);
    real.Get_address(const_cast<void *>(buffer), &where[1]);
    const part stamp = stamp_beside(element);
    if (create_struct({stamp.count, count_of_data(count, element)}, where, {stamp.type, element}, &s->type) !=
        MPI_SUCCESS) {
        slots_.give_back(s);
        return nullptr;
    }
    real.Type_commit(&s->type);
    s->library = {MPI_BOTTOM, 1, s->type};
    s->buffer = buffer;
    s->count = count;
    s->element = element;
    uses(element)++;
    return s;
}

stamped *stamped_types::acquire(const void *buffer, MPI_Count count, MPI_Datatype element)
{
    stamped **home = bucket(buffer, count, element);
    stamped **link = home;
    while (*link != nullptr && !describes(*link, buffer, count, element))
        link = &(*link)->next_in_bucket;
    stamped *s = *link != nullptr ? take_out(link) : make(buffer, count, element);
    if (s == nullptr)
        return nullptr;
    s->bucket = home;
    s->stale = false;
    busy_.push(s);
    return s;
}

// Frees the type; the slot may be used for another. Not in any list.
void stamped_types::forget(stamped *s)
{
    real.Type_free(&s->type);
    uses(s->element)--;
    slots_.give_back(s);
}

void stamped_types::evict(stamped *s)
{
    stamped **link = s->bucket;
    while (*link != s)
        link = &(*link)->next_in_bucket;
    forget(take_out(link));
}

void stamped_types::release(stamped *s)
{
    stamped_list::remove(s);
    if (s->stale || state.published)
        return forget(s);
    if (idle_count_ >= kept_at_most)
        evict(idle_.oldest());
    s->next_in_bucket = *s->bucket;
    *s->bucket = s;
    idle_.push(s);
    idle_count_++;
}

void stamped_types::drop(MPI_Datatype element)
{
    if (uses(element) == 0)
        return;
    for (stamped *s = busy_.first(); s != busy_.end(); s = s->next)
        s->stale |= s->element == element;
    for (stamped *s = idle_.first(), *next; s != idle_.end(); s = next) {
        next = s->next;
        if (s->element == element)
            evict(s);
    }
}

void stamped_types::clear()
{
    while (!idle_.empty())
        evict(idle_.oldest());
    if (of_two_sizes_ != MPI_DATATYPE_NULL)
        real.Type_free(&of_two_sizes_);
}

}  // namespace tare::pmpi
