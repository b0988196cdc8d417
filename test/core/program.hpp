// SPDX-License-Identifier: BSD-3-Clause
// Random programs of several processes, for properties: what they do, when it happens with and without overhead, and
// which delays come out of it. All clocks are one clock; times are nanoseconds.
#ifndef TARE_TEST_PROGRAM_HPP
#define TARE_TEST_PROGRAM_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <vector>

#include "rule.hpp"

namespace program {

constexpr unsigned processes = 4;
constexpr std::int64_t latency_ns = 100;

using delays = std::array<std::int64_t, processes>;

enum class action { work, send, receive, barrier };

// One line of a program. Each process does its own lines in their order. Any list of steps is a program that ends:
// a receive takes messages that earlier lines have sent, and does nothing if there are none.
struct step {
    action what;
    unsigned process;
    unsigned peer;             // send: to whom
    unsigned count;            // receive: how many messages at once (Waitall), at most
    std::int64_t work_ns;
    std::int64_t overhead_ns;  // work: spent on measurement besides
};

std::ostream &operator<<(std::ostream &out, const step &s);

struct arrival {
    std::size_t message;
    std::int64_t ready_ns;
};

// What one step is in time; a barrier is messages from all to all.
struct event {
    action what;
    unsigned process;
    unsigned peer;  // send: to whom
    std::int64_t start_ns;
    std::int64_t end_ns;
    std::int64_t overhead_ns;
    std::size_t message;           // send: its number
    std::vector<arrival> arrivals;  // receive: what it waits for
};

struct timeline {
    std::vector<event> events;
    std::vector<unsigned> senders;  // of every message
};

// Runs the steps. Two runs of the same steps have the same events at different times.
timeline run(const std::vector<step> &steps, bool instrumented);

// The delay of the event's process before and after it.
struct change {
    std::int64_t before_ns;
    std::int64_t after_ns;
};

struct estimate {
    std::vector<change> changes;           // of every event
    std::vector<std::int64_t> messages;    // the delay that each message carried
    std::vector<std::int64_t> event_ends;  // when the joins say that each event was
};

struct settings {
    tare::rule rule = tare::rule::exact;
    delays initial{};
    std::int64_t bias_permille = 0;  // of declared overhead
    unsigned order = 0;              // edges of a wait are rotated by that many, odd: and reversed
    unsigned times = 1;              // each edge is applied so often
};

// The delays by tare::join alone.
estimate estimate_delays(const timeline &t, const settings &s = {});

}  // namespace program

#endif
