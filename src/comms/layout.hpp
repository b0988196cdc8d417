// SPDX-License-Identifier: BSD-3-Clause
// Which bytes a datatype is made of, from the text that a trace has of it: vector(3,2,4;;MPI_DOUBLE).
#ifndef TARE_COMMS_LAYOUT_HPP
#define TARE_COMMS_LAYOUT_HPP

#include "interval_map.hpp"

#include <string>
#include <vector>

namespace tare::comms {

// Of one element; offsets from the lowest byte on, in the order of the type map, with neighbours joined.
struct layout {
    static constexpr std::size_t most_pieces = 4096;

    std::vector<interval> pieces;        // empty: not known
    std::int64_t extent = 0;             // from an element to the next one; below 0: downwards
    std::uint64_t true_extent = 0;       // from the lowest byte to behind the highest one

    bool is_known() const { return !pieces.empty(); }
    bool is_one_piece() const { return pieces.size() == 1 && extent == static_cast<std::int64_t>(pieces[0].end); }
};

layout layout_of(const std::string &type);

// The bytes in [address, address + span) that elements of this type have, no more than `most_bytes` of them, as they are
// sent. All of the span in one piece where the layout is not known, does not fit, or has too many pieces: is_whole.
struct placed {
    std::vector<interval> pieces;
    bool is_whole = false;               // although the type has holes, or nobody knows
};
placed place(const layout &of, std::uint64_t address, std::uint64_t span_bytes, std::uint64_t most_bytes);

}  // namespace tare::comms

#endif
