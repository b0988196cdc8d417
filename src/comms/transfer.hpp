// SPDX-License-Identifier: BSD-3-Clause
// A transfer: bytes that one process's call has sent and another's has received, as a message or as a part of a collective
// operation, or that one process's call has written into or read from another's window. The transfer that had brought its sender the memory that it sends is its previous one.
#ifndef TARE_COMMS_TRANSFER_HPP
#define TARE_COMMS_TRANSFER_HPP

#include "archive.h"
#include "interval_map.hpp"

#include <memory>
#include <tuple>
#include <vector>

namespace tare::comms {

constexpr std::uint32_t unknown = TARE_ARCHIVE_UNKNOWN;

// Where in the program a call is, and what memory it names.
struct spot {
    std::uint32_t region = unknown;      // the innermost one that is not MPI's
    std::uint32_t call = unknown;        // the region of MPI
    std::uint32_t site = unknown;        // a text
    std::uint32_t data = unknown;        // a text: what the program calls the memory
    std::uint32_t type = unknown;        // a text

    bool operator<(const spot &other) const { return key() < other.key(); }
    bool operator==(const spot &other) const { return key() == other.key(); }

  private:
    std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t> key() const
    {
        return {region, call, site, data, type};
    }
};

struct transfer;
using transfer_pointer = std::shared_ptr<transfer>;

// A call of a process that sends or receives; or a part of a window, in which another process's call does.
struct call_end {
    std::uint32_t process = unknown;
    spot at;
    std::vector<interval> memory;        // empty: not known
    std::uint64_t bytes = 0;
    bool is_sender = false;
    bool is_placed = false;              // its call has ended: `at` is known
    bool follows = false;                // the process has sent to the same one just before, and received nothing since
    bool is_repeated = false;            // the same bytes from the same place to the same process as the time before
    bool has_contents = false;
    std::uint64_t contents = 0;          // a hash of what is sent
    bool is_taken_whole = false;         // all from its first byte to its last
    std::int64_t ns = 0;                 // in calls, until there is a class to count it with
    std::int64_t *left_out_ns = nullptr; // it is in none, and this is where its time is counted
    std::uint32_t in_class = unknown;
    std::vector<transfer_pointer> waiting;       // for it to be placed
};
using end_pointer = std::shared_ptr<call_end>;

struct transfer {
    // Of an atomic operation what goes is one, and what comes back another.
    static constexpr std::uint32_t message = UINT32_MAX, put = UINT32_MAX - 1, get = UINT32_MAX - 2,
                                   accumulate = UINT32_MAX - 3, fetch = UINT32_MAX - 4;

    std::uint32_t operation = message;   // of a collective: enum tare_trace_operation
    end_pointer sender, receiver;
    interval sent, received;             // where it begins and ends in their memory; 0 to 0: not known
    std::uint64_t bytes = 0;
    // When its sender is known:
    bool is_whole = false;               // the previous one has brought all that is sent
    bool has_contents = false;
    std::uint64_t contents = 0;
    std::uint32_t source = unknown;      // its sender's process
    transfer_pointer previous;           // nullptr: none, or it is classified
    std::uint64_t previous_bytes = 0;    // of those that are sent
    std::uint32_t in_class = unknown;    // once it is classified
    std::vector<transfer_pointer> waiting;       // whose previous one it is
};

// What a sender's memory has been brought by others, when it sends.
struct origin {
    transfer_pointer previous;           // that has brought the most; nullptr: none
    std::uint64_t previous_bytes = 0;
};

// What a call sends to one process, or to all the same, as it is when it is sent.
struct sent_part {
    interval memory;                     // as in a transfer
    std::uint64_t bytes = 0;
    origin from;
};

}  // namespace tare::comms

#endif
