// SPDX-License-Identifier: BSD-3-Clause
// Types as the records of a trace name them, and what memory so many of one take.
//
// Threads: a lock of its own, not held while the MPI library is called. Memory: grows with the types that are in use.
#ifndef TARE_PMPI_TRACED_TYPES_HPP
#define TARE_PMPI_TRACED_TYPES_HPP

#include "layer.hpp"

namespace tare::pmpi::traced {

// text: how it is made, as a text of the trace: its name, or COMBINER(integers;addresses;types) as MPI_Type_get_contents
// gives them: vector(3,1,4;;MPI_DOUBLE). Lists are cut, and so are types of types of types.
struct known_type {
    std::uint32_t text = TARE_TRACE_NONE;
    std::int64_t extent = 0, true_lb = 0, true_extent = 0;
    bool is_dense = false;               // so many of them are one piece

    bool operator!=(const known_type &other) const { return text != other.text; }
};

// The same each time until it is freed. Not MPI_DATATYPE_NULL.
known_type type_of(MPI_Datatype type);
// MPI_Type_free is about to free it: its handle may be another's afterwards.
void forget_type(MPI_Datatype type);

// From the lowest byte of `count` of them at `buffer` to behind the highest. bytes: 0, there is none.
struct span {
    std::uint64_t address = 0, bytes = 0;

    void join(const span &other);
};
span span_of(const void *buffer, std::int64_t count, const known_type &type);

// Around MPI_Type_free.
class type_free {
  public:
    explicit type_free(const MPI_Datatype *type)
    {
        if (__builtin_expect(state.records != 0, 0) && type != nullptr)
            forget_type(*type);
    }
    void returned(int) {}
    void write(const moved_bytes &) const {}
};

}  // namespace tare::pmpi::traced

#endif
