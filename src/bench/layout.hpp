// SPDX-License-Identifier: BSD-3-Clause
// Where the bytes of a message lie in its buffer (-D), and the datatype that says so to MPI.
#ifndef TARE_BENCH_LAYOUT_HPP
#define TARE_BENCH_LAYOUT_HPP

#include <cstddef>
#include <string>

#include <mpi.h>

namespace tare::bench {

constexpr int most_stride_bytes = 1000000;

struct layout {
    enum class kind { cont, vect, indx };

    kind how = kind::cont;
    int stride_bytes = 64;
    int block_bytes = 32;

    bool is_plain() const { return how == kind::cont; }
    // Of messages of `size` bytes: the greatest common divisor, so that every block is a whole one.
    int block_of(int size) const;
    // Byte `place` of a message.
    std::size_t offset_of(int size, std::size_t place) const;
    // What a message takes in a buffer.
    std::size_t extent_of(int size) const;
    // Committed; MPI_Type_free it, unless is_plain().
    MPI_Datatype make_type(int size) const;
};

// cont, vect[:STRIDE:BLOCK] or indx[:STRIDE:BLOCK]. False: not of that form.
bool parse_layout(const std::string &text, layout &placing);

}  // namespace tare::bench

#endif
