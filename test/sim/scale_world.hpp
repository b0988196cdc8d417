// SPDX-License-Identifier: BSD-3-Clause
// Up to 2^20 processes that exchange messages through the real core, each with a thread block, a clock and a latency
// table of its own, beside the same program without probes, which is the truth.
//
// There is no heap of events: a pattern has no wildcard, so it plays its messages in any order in which each is sent
// before it is received. True time is whole nanoseconds since the start. Every process of a host has the host's
// clock, which the core reads (fake_clock); in the plain program all draws (work, jitter, late polls) are the same.
#ifndef TARE_SIM_SCALE_WORLD_HPP
#define TARE_SIM_SCALE_WORLD_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "scale_tables.hpp"
#include "tare_transport.h"

namespace scale {

enum class clocks { common, synced, unknown };  // of two hosts: one clock, compared in MPI_Init, never compared
enum class stamps { full, brief, timeless };    // of messages between hosts
// What latency tables know: what comes while the program runs; each process has once waited for each of its peers;
// all is forgotten at once, as with far more peers than slots.
enum class lessons { during, before, never };
template <typename choice> constexpr std::int64_t of(choice c) { return static_cast<std::int64_t>(c); }
enum class who { all, some, odd, one };         // some: each process has 0, 1 or 2 times the probes in each step

constexpr std::int64_t most_short_ranks = INT64_C(1) << 18;  // netmod/ofi

struct experiment {
    std::string pattern = "dissemination";
    std::int64_t processes = 4096;
    std::int64_t steps = 4;
    std::int64_t rule = TARE_RULE_EXACT;
    std::int64_t who = of(who::some);
    double work_us = 50;         // of each process and step, and an exponential part of this mean
    double spread_us = 25;
    double probes = 100;         // of each process and step; beside them each MPI call has one
    double probe_ns = 200;
    double call_ns = 200;        // what a call costs without probes
    double latency_ns = 2000;    // between hosts; a tenth of it inside one
    double jitter_ns = 0;        // the mean of what a message takes longer
    double poll_ns = 0;          // a message that is waited for is seen up to this late
    double calibration = 0;      // percent of each probe that are not declared
    double spread = 0;           // the same, another for each process: the standard deviation
    double noise = 0;            // the same, another for each process and step
    std::int64_t per_host = 16;
    std::int64_t clock = of(clocks::common);
    double offset_us = 0;        // of hosts' clocks, up to this
    double drift_ppm = 0;        // the same
    double sync_ns = 2000;       // half a round trip of the comparison in MPI_Init, as often as the tree is high
    std::int64_t stamp = of(stamps::full);
    std::int64_t learned = of(lessons::before);
    std::int64_t waits = 1;      // a tool reads the waits, so every join knows its time
    std::int64_t seed = 1;
};

constexpr std::int64_t program_start_ns = 20'000'000;  // true time; the lessons are before

struct message {
    tare_wire_t wire;
    std::int64_t arrives_ns;        // true time
    std::int64_t plain_arrives_ns;  // in the program without probes
    std::int64_t late_ns;           // of the poll that sees it
    std::int32_t from;
    bool is_brief;

    std::int64_t seen_ns(std::int64_t entry_ns) const;
    std::int64_t plain_seen_ns(std::int64_t entry_ns) const;
};

constexpr std::size_t most_incoming = 6;  // of one wait

// What is received, and which of the receiver's peers sent it.
struct incoming {
    const message *what;
    std::uint32_t peer;
};

struct process {
    tare_thread_t thread;
    std::int64_t now_ns;          // true time
    std::int64_t plain_ns;        // the same moment of the program without probes
    std::int64_t polled_ns;       // what had come by then has been found
    std::int64_t plain_wait_ns;
    double spare_ns;              // of probes, less than 1 ns: spent with the next
    std::uint32_t step;
};

struct totals {
    std::int64_t plain_ns = 0;          // run time of the plain program: the truth
    std::int64_t measured_ns = 0;
    std::int64_t compensated_ns = 0;
    double mean_error_ns = 0;           // signed, of the processes' compensated ends
    double mean_abs_error_ns = 0;
    double worst_error_ns = 0;          // of the largest size
    double plain_wait_ns = 0;           // waits are means over the processes
    double measured_wait_ns = 0;
    double compensated_wait_ns = 0;
    double wait_abs_error_ns = 0;
    double held = 0;                    // part of the processes whose true delay is within the bounds
    double beyond_ns = 0;               // how far the others' are out of them, at most
    double sharp = 0;                   // part of them whose bounds are one value
    double width_ns = 0;                // between the bounds, where there are any: the median
    std::int64_t joins = 0;
    std::int64_t unknown = 0;           // messages whose arrival was a guess
    std::int64_t saturated = 0;
};

class world {
  public:
    // peers[p]: how many others process p receives from.
    world(const experiment &x, const std::vector<std::uint32_t> &peers);

    // As if `p` had once waited for a message of its peer number `peer`.
    void teach(std::int32_t p, std::uint32_t peer, std::int32_t from);
    void compute(std::int32_t p);
    message send(std::int32_t p, std::int32_t to);
    void receive(std::int32_t p, const incoming *in, std::size_t count);

    totals result() const;
    const process &at(std::int32_t p) const { return processes_[static_cast<std::size_t>(p)]; }

  private:
    struct host {
        std::int64_t offset_ns;
        double drift;
        tare_clock_t clock;
    };

    void compare_clocks();
    message lesson(std::int32_t from, std::int32_t to);
    bool has_tool(std::int32_t p) const;
    std::uint32_t clock_flags(bool is_near) const;
    void receive_plainly(process &own, const incoming *in, std::size_t count) const;
    void watch(process &own, std::int32_t p, const incoming *in, tare_edge_t *edges, std::size_t count);
    const host &host_of(std::int32_t p) const { return hosts_[static_cast<std::size_t>(p / x_.per_host)]; }
    bool is_near(std::int32_t p, std::int32_t q) const { return p / x_.per_host == q / x_.per_host; }
    std::int64_t local_ns(const host &h, std::int64_t true_ns) const;
    void look_at_clock(std::int32_t p, std::int64_t true_ns) const;
    void enter(process &own, std::int32_t p);
    void spend_on_probes(process &own, std::int32_t p, double count);
    double probes_of(std::int32_t p, std::uint32_t step) const;
    tare_wire_t on_the_way(tare_wire_t wire, bool is_near, bool &is_brief) const;
    void join_all(std::int32_t p, tare_edge_t *edges, const incoming *in, std::size_t count);
    tare_edge_t arrived(const process &own, std::int32_t p, const incoming &in) const;
    std::int64_t latency_ns(std::int32_t p, std::int32_t q) const;

    const experiment x_;
    std::vector<process> processes_;
    std::vector<host> hosts_;
    std::vector<double> bias_;  // part of a probe that process p does not declare
    latency_tables tables_;
    std::uint64_t drawn_ = 0;
};

// Plays an experiment from the beginning to the end. Throws std::runtime_error with a sentence where that cannot be.
totals play(const experiment &x);
std::vector<std::string> pattern_names();

}  // namespace scale

#endif
