// SPDX-License-Identifier: BSD-3-Clause
// The live file of a rank: its records as they lie in the memory of the running process, which maps the file. A process
// that is killed leaves it behind, and from it its profile.
//
// The file begins with a header. References are addresses in the process; what is at address a is in the file at
// a - base, if a lies in base .. base + kept. What a process had no room for in the file is not there: a reader does
// without. Strings end with a zero byte.
//
// Threads write without a lock and may be killed at any instruction. Lists are only ever put in front of, with their
// head stored last. A thread is described by where its parts are (live_layout), so that the one who writes it keeps
// them where they serve it best. Its change counter is odd while it changes something.
#ifndef TARE_PROFILE_LIVE_HPP
#define TARE_PROFILE_LIVE_HPP

#include "record.hpp"
#include "trace_event.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tare {

using live_address = std::uint64_t;      // 0: nothing

inline live_address address_of(const void *p) noexcept { return reinterpret_cast<std::uintptr_t>(p); }

constexpr char live_magic[8] = {'T', 'A', 'R', 'E', 'L', 'I', 'V', 'E'};
constexpr std::uint32_t live_version = 11;       // increase with every change of this file or of record.hpp

constexpr std::uint32_t deepest_path = 1000;     // regions: TARE_CALLPATH takes no greater depth

// Where the parts of a thread are, in bytes from its beginning.
struct live_layout {
    std::uint32_t size;
    std::uint32_t change;                // uint32_t
    std::uint32_t depth;                 // uint32_t
    std::uint32_t capacity;              // uint32_t: how many frames there is room for
    std::uint32_t frames;                // address of the frames
    std::uint32_t blocks;                // addresses of block_limit blocks of block_size accumulators
    std::uint32_t block_size;
    std::uint32_t block_limit;
    std::uint32_t paths;                 // address of its call paths; 0: none are recorded
    std::uint32_t held;                  // address; not 0: the innermost frame has ended at held_end
    std::uint32_t held_end;              // sample
    std::uint32_t running;               // address; 0: the thread has ended at `last`
    std::uint32_t last;                  // sample
    std::uint32_t number;                // int32_t
    std::uint32_t name;                  // address of a text; 0: it has none
    std::uint32_t excluded_calls;        // int64_t
    std::uint32_t next;                  // address of an older thread
};

// The same of a thread's call paths. Each is made after the one that it is entered from.
struct live_path_layout {
    std::uint32_t size;
    std::uint32_t depth;                 // uint32_t: a path has no more regions
    std::uint32_t open_count;            // uint32_t
    std::uint32_t open_capacity;         // uint32_t
    std::uint32_t open;                  // address of open_path, one for each frame that is recorded
    std::uint32_t count;                 // uint32_t: how many paths there are
    std::uint32_t blocks;                // addresses of block_limit blocks of block_size path_sum
    std::uint32_t block_size;
    std::uint32_t block_limit;
    std::uint32_t lost;                  // int64_t
};

// Where the parts of what a thread has noted of its calls of MPI are, in bytes from the beginning of its notes; and
// those of a site, which is a place that calls one function, of a peer, which gets messages, and of a waiting, which is
// of one function for one process.
struct live_notes_layout {
    std::uint32_t size;
    std::uint32_t messages;              // int64_t for each class of sizes
    std::uint32_t bytes;                 // the same
    std::uint32_t classes;
    std::uint32_t sites;                 // address of the newest site
    std::uint32_t next;                  // address of another thread's notes
    std::uint32_t site_size;
    std::uint32_t site_next;             // address of an older site
    std::uint32_t function;              // addresses of texts: "MPI_Send()", and where it is called
    std::uint32_t module;
    std::uint32_t symbol;
    std::uint32_t offset;                // uint64_t, and the next one
    std::uint32_t symbol_offset;
    std::uint32_t calls;                 // int64_t, and so on
    std::uint32_t sent_bytes;
    std::uint32_t received_bytes;
    std::uint32_t time;
    std::uint32_t least;
    std::uint32_t most;
    std::uint32_t delay;
    std::uint32_t wait;
    std::uint32_t wait_compensated;
    std::uint32_t completed;
    std::uint32_t completion;
    std::uint32_t completion_compensated;
    std::uint32_t peers;                 // address of the newest peer
    std::uint32_t peer_size;
    std::uint32_t peer_next;             // address of an older peer
    std::uint32_t peer_rank;             // int64_t, and so on
    std::uint32_t peer_messages;
    std::uint32_t peer_bytes;
    std::uint32_t peer_least;
    std::uint32_t peer_most;
    std::uint32_t peer_squares;          // double
    std::uint32_t waits;                 // address of the newest waiting
    std::uint32_t wait_size;
    std::uint32_t wait_next;             // address of an older waiting
    std::uint32_t wait_function;         // address of a text
    std::uint32_t wait_whom;             // int64_t, and so on
    std::uint32_t wait_order;
    std::uint32_t wait_calls;
    std::uint32_t wait_measured;
    std::uint32_t wait_without_delay;
};

struct live_header {
    char magic[sizeof live_magic];
    std::uint32_t version;
    std::uint32_t unwritten;             // 1: the process ended by itself, but could not write its profile
    live_address base;                   // of this header
    std::uint64_t kept;                  // bytes of the process's records that are in the file
    std::int32_t rank;
    std::int32_t process;                // its number on its host, and when it was started (field 22 of its stat)
    std::uint64_t started;
    live_address attributes;             // of a live_text: name, zero byte, value, zero byte, ...
    live_address regions;                // the newest live_region
    live_address threads;                // the newest thread
    live_layout layout;
    live_path_layout paths;
    live_notes_layout notes_layout;      // only where there are notes
    std::uint64_t excluded_regions;      // how many TARE_FILTER has left out
    live_address notes;                  // of the thread that was the last to make its first note
    live_address traces;                 // the newest live_trace_chunk; only with TARE_TRACE
    live_address definitions;            // the newest live_definition, likewise
};

// A piece of a thread's trace that is not written yet; its events (trace_event.h) begin events_begin bytes behind its
// beginning. Pieces are used again.
struct live_trace_chunk {
    static constexpr std::uint32_t events_begin = 64;

    live_address next;                   // an older one
    std::uint32_t thread;
    std::uint32_t count;                 // events; stored behind the last
    std::uint64_t number;                // of the thread's pieces, from 0
};

// What events name (tare_trace_definition). Of a group its ranks follow, `group` of them, each a uint32_t.
struct live_definition {
    live_address next;                   // an older one
    live_address name;                   // 0: none was given
    std::uint64_t identity;
    std::uint32_t kind;
    std::uint32_t number;                // among those of its kind
    std::uint32_t group;
    std::uint32_t other_group;
    std::uint32_t parent;
    std::uint32_t is_made;
};

struct live_text {
    std::uint64_t size;                  // the text follows
};

struct live_region {
    live_address next;                   // an older one
    live_address name;                   // 0: a function whose name is to be found by its place
    live_address group;
    live_address module;
    live_address symbol;
    std::uint64_t offset;
    std::uint32_t number;
    std::uint32_t unused;
};

// When this process was started, in the system's ticks. 0: there is no such process.
std::uint64_t start_of_process(int number);

namespace profile {

// The profile that the live file of a rank holds: what was open is closed at its thread's last enter or leave.
std::vector<thread> read_live(const std::string &path);

// The process that a live file is of, and its run.
struct live_owner {
    int process;
    std::string run_id;
};
// Nothing: it does not run on this host, or there is no such file.
std::optional<live_owner> running_owner(const std::string &path);

// What it holds of the rank's trace.
struct live_trace {
    struct piece {
        std::uint32_t thread;
        std::uint64_t number;
        std::vector<tare_trace_event_t> events;
    };
    struct region {
        std::string name, group;
    };
    // As tare_trace_definition.
    struct definition {
        std::uint32_t kind = 0;
        std::vector<std::uint32_t> ranks;
        std::uint64_t identity = 0;
        std::uint32_t group = 0, other_group = 0, parent = 0, is_made = 0;
        std::string name;
    };
    int rank = 0;
    attributes metadata;
    std::map<std::uint32_t, std::string> threads;        // their names, of those that have one
    std::vector<region> regions;         // by number
    std::vector<definition> definitions; // of each kind by number
    std::vector<piece> pieces;           // thread by thread, each in the order of its numbers
};
live_trace read_live_trace(const std::string &path);

// The beginning of a file tells whether it is a live file.
bool is_live_file(const std::string &path);

}  // namespace profile
}  // namespace tare

#endif
