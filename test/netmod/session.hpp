// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 leads: it tells rank 1 what comes next, and both do their side of it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fabric.hpp"
#include "layout.hpp"

namespace session {

enum class task { end, ping_pong, window, check };
// posted: the receive is there before the message; unexpected: after it; probed, claimed: after MPI_Iprobe or
// MPI_Improbe has found it; truncated: posted, with half the room.
enum class arrival { posted, unexpected, probed, claimed, truncated };

struct order {
    task what;
    layout::kind layout;
    arrival how;         // check
    std::size_t bytes;
    int messages;        // ping_pong: round trips; window: rounds
    std::uint64_t number;  // of the first message
};

struct verdict {
    char difference[100];  // empty: everything arrived
};

constexpr std::size_t largest_bytes = 1 << 20;
constexpr std::size_t most_in_flight = 64;
constexpr std::size_t memory_bytes = 16 * largest_bytes;
constexpr unsigned order_limit_s = 60;

constexpr int in_flight(std::size_t bytes) { return bytes < largest_bytes / 16 ? 64 : 16; }

struct side {
    int rank;
    fabric::partner other;
    char *out, *in;  // memory_bytes each; out begins with what fill has written
    fabric::request requests[most_in_flight];
    fabric::request sent, received;  // of one message at a time
};

// Round trips, or rounds of a window of messages and an answer. The time on rank 0.
double ping_pong(side& s, const order& o);
double window(side& s, const order& o);

// Rank 0 sends, rank 1 judges; the verdict on rank 0.
verdict check(side& s, const order& o);

// Rank 0: what was asked for, to standard output. Rank 1: until the end.
double lead(side& s, const order& o);
verdict lead_check(side& s, const order& o);
void follow(side& s);

// Data of a message: the same bytes in each, its number at both ends. What arrives looks like what the receiver has
// filled its own memory with.
void fill(char *data, std::size_t bytes);
bool is_filled(const side& s, const char *data, std::size_t bytes, std::uint64_t number);

inline void mark(char *data, std::size_t bytes, std::uint64_t number)
{
    if (bytes >= sizeof number) {
        std::memcpy(data, &number, sizeof number);
        std::memcpy(data + bytes - sizeof number, &number, sizeof number);
    }
}

inline bool is_marked(const char *data, std::size_t bytes, std::uint64_t number)
{
    return bytes < sizeof number || (std::memcmp(data, &number, sizeof number) == 0 &&
                                     std::memcmp(data + bytes - sizeof number, &number, sizeof number) == 0);
}

}  // namespace session
