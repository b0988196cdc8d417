// SPDX-License-Identifier: BSD-3-Clause
// What the analysis has found.
#ifndef TARE_COMMS_TRANSFER_CLASS_HPP
#define TARE_COMMS_TRANSFER_CLASS_HPP

#include "transfer.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tare::comms {

// Addresses of one side, of the transfers of a pair of processes.
struct address_range {
    std::uint64_t lowest = 0, highest = 0;       // highest: behind the last byte
    std::uint64_t first = 0, latest = 0;         // where the first and the latest one begin
    std::int64_t step = 0;                       // from each to the next one
    bool is_regular = true;                      // that is always the same
    bool is_empty = true;

    void add(const interval &memory);
};

struct pair_sum {
    std::uint64_t transfers = 0, bytes = 0;
    std::uint64_t follow = 0;            // that could have gone with the one before
    address_range sent, received;
};

struct unchanged_sum {
    std::uint64_t transfers = 0, bytes = 0;
    std::uint64_t proved = 0;            // transfers whose contents say so

    void add(std::uint64_t more_bytes, bool is_proved)
    {
        transfers++;
        bytes += more_bytes;
        proved += is_proved ? 1 : 0;
    }
};

using process_pair = std::pair<std::uint32_t, std::uint32_t>;    // from, to

// Transfers of the same data between the same calls, with the same history.
struct transfer_class {
    std::uint32_t operation = transfer::message;
    spot from, to;
    std::map<std::uint32_t, std::uint64_t> previous;     // transfers by their previous one's class; unknown: they have none
    std::uint64_t transfers = 0, bytes = 0;
    std::uint64_t previous_bytes = 0;    // that the previous ones have brought
    // All of it was brought by the previous one, from a third process or from the receiver itself, and as far as is known it
    // has not changed.
    unchanged_sum relayed, returned;
    unchanged_sum repeated;              // the same bytes from the same place to the same process again
    std::uint64_t with_contents = 0;     // transfers whose contents the trace has
    std::int64_t sender_ns = 0, receiver_ns = 0;         // in its calls
    std::map<process_pair, pair_sum> pairs;
    std::set<std::uint32_t> users;       // texts: parts of the program that use what is received, as it says
};

struct result {
    std::vector<transfer_class> classes;
    std::vector<std::string> variables;  // texts of their own, numbered behind those of the archive
    std::uint64_t transfers = 0, bytes = 0;
    std::uint64_t sends = 0, receives = 0;               // of messages
    std::uint64_t collectives = 0;                       // ends of collective operations that move data
    // Of what the trace does not tell all: how much, and the time of its ends in their calls.
    std::uint64_t without_memory = 0;    // transfers of which not both ends' memory is in the trace
    std::int64_t without_memory_ns = 0;  // of ends whose own is not
    std::uint64_t without_site = 0;      // ends
    std::uint64_t taken_whole = 0;       // ends whose type has holes, or is not understood: all from the first byte to the last
    std::int64_t taken_whole_ns = 0;
    std::uint64_t unnamed_bytes = 0;     // of transfers whose sender's data have no name
    std::int64_t without_contents_ns = 0;        // of those that send messages
    // In no class; with the time of the classes that is communicating_ns.
    std::uint64_t unpaired = 0;          // ends whose other one is not in the trace
    std::int64_t unpaired_ns = 0;
    std::uint64_t of_neighbours = 0;     // ends of collective operations whose members are not in the trace
    std::int64_t of_neighbours_ns = 0;
    std::uint64_t not_ended = 0;         // nonblocking ones that do not begin, or not end, in the trace
    std::int64_t not_ended_ns = 0;
    std::uint64_t outside = 0;           // messages and collective operations that are in no call
    std::int64_t communicating_ns = 0;   // in all calls of MPI that move data
    std::int64_t total_ns = 0;           // of all threads, from their first event on
};

}  // namespace tare::comms

#endif
