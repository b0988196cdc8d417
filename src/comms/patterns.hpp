// SPDX-License-Identifier: BSD-3-Clause
// What the transfers of a class look like together: who sends to whom, how the memory on each side is divided among the
// partners, and what of that does not fit.
#ifndef TARE_COMMS_PATTERNS_HPP
#define TARE_COMMS_PATTERNS_HPP

#include "layout.hpp"
#include "transfer_class.hpp"

#include <vector>

namespace tare::comms {

// Who sends to whom.
enum class shape { one_pair, from_one, to_one, neighbours, ring, all_pairs, other };

// How a process's memory is divided among those that it sends to or receives from.
enum class division {
    unknown,
    one,                                 // there is one partner
    same,                                // all have the same part
    blocks,                              // each has one of its own
    cyclic,                              // each has elements, in turn with those of the others
    block_cyclic                         // and so pieces that are larger than an element
};

struct divided {
    division how = division::unknown;
    std::uint64_t piece_bytes = 0, step_bytes = 0;       // of the last two: a piece, and from one to the partner's next
};

struct pattern {
    shape who = shape::other;
    std::vector<int> distances;          // of neighbours and rings: from the sender's rank to the receiver's
    divided sent, received;
    bool is_halo = false;                // neighbours have each other's own data, next to their own
    bool is_transpose = false;           // all divide what they have among all, and put it together from all
};

// What could be better.
enum class problem {
    relayed,                             // comes through a third process that does not change it
    returned,                            // goes back to where it came from, unchanged
    repeated,                            // the same bytes again
    small,                               // messages that could go together
    misfit                               // held in blocks and used in turn
};
struct finding {
    problem what;
    std::uint64_t transfers, bytes;      // that it is about
    bool is_proved;                      // else it is so as far as the trace tells
};

// from, to: layouts of the types on both sides. rank: of each process.
pattern pattern_of(const transfer_class &c, const std::vector<std::uint32_t> &ranks, const layout &from, const layout &to);
std::vector<finding> findings_in(const transfer_class &c, const pattern &p);

}  // namespace tare::comms

#endif
