// SPDX-License-Identifier: BSD-3-Clause
// What the hot path looks at: the core in use, the switches and the constants of the process, the calling thread.
#ifndef TARE_LIB_STATE_HPP
#define TARE_LIB_STATE_HPP

#include "recorder.hpp"
#include "sum_table.hpp"
#include "tare_measure.h"

#include <atomic>
#include <cmath>
#include <cstdint>
#include <ctime>

namespace tare {

class thread_trace;

inline std::int64_t clock_ns() noexcept
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

// A time with a fraction in 2^-32 ns, as the core takes it.
struct fine_ns {
    std::int64_t ns;
    std::uint32_t fraction;
};

// In 2^-32 ns.
inline std::int64_t to_units(double ns) noexcept { return std::llround(ns * 4294967296.0); }

// What one way into regions costs beyond what its clock reads see. `outside` is spent by the region around, before
// the first read of enter and after the last of leave; `inside` by the region itself, between the other two.
struct way_cost {
    fine_ns enter;               // outside and inside together, as they are declared
    fine_ns leave;
    std::int64_t enter_inside_ns;        // of those, inside the region
    std::int64_t leave_inside_ns;
};

// How fast the hooks of one thread are now (cost.hpp).
struct pace {
    static constexpr std::uint32_t pairs = 128;      // whose cost sets the constants anew

    std::int64_t seen_ns = 0;            // by the pairs since the constants were last set
    std::int64_t limit_ns = 0;           // no pair counts more
    std::int64_t enter_ns = 0;           // seen by the latest enter
    std::uint32_t pairs_left = pairs;
    way_cost cost{};                     // what is declared: the latest constants, at this pace
};

// Bits of thread_state::special: a poll is held open; call paths are recorded; a trace is.
constexpr std::uint32_t special_held = 1, special_paths = 2, special_trace = 4;

// One thread that has entered a region. Lives until the process ends.
struct thread_state {
    explicit thread_state(bool kept = false) noexcept : record(kept) { excluded.measured_calls = 1; }

    recorder record;
    const tare_transport_v1_table_t *core = nullptr;     // whose block it is
    tare_thread_t *block = nullptr;                      // nullptr: the thread has ended
    // A poll that failed stays open, because the next may follow at once: then both are one wait. Its end otherwise.
    const void *held = nullptr;
    sample held_end{};
    std::uint32_t spin_depth = 0;                        // where a poll goes on that ended at held_end; 0: nowhere
    std::uint32_t special = 0;                           // what enter and leave have to look at; mostly nothing
    thread_trace *trace = nullptr;                       // TARE_TRACE
    sample last{};                                       // the counters when it ended
    pace paces[TARE_WAYS];
    bool repeats = false;                                // TARE_REPEAT_PROBES, and none of the pairs is under way
    std::int64_t throttle_calls = INT64_MAX;             // TARE_THROTTLE
    std::int64_t throttle_ns = 0;
    accumulator excluded{};                              // TARE_FILTER: what the calls of all excluded regions go to
    std::int64_t counted_calls = 0;                      // that were not measured
    std::int64_t refused_calls = 0;                      // that came inside a hook
    int number = 0;
    const char *name = nullptr;                          // in the arena; nullptr: it has none
    thread_state *next = nullptr;

    void record_paths(int depth) noexcept
    {
        record.record_paths(depth);
        special |= record.records_paths() ? special_paths : 0;
    }
    void record_trace(thread_trace *to) noexcept
    {
        trace = to;
        special |= to != nullptr ? special_trace : 0;
    }
    void hold(const void *poll, const sample &end) noexcept
    {
        held = poll;
        held_end = end;
        special |= special_held;
    }
    void let_go() noexcept
    {
        held = nullptr;
        special &= ~special_held;
    }
};

using hooks = tare_measure_hooks_t;
extern const hooks unrecorded_hooks;
// Selective: TARE_FILTER or TARE_THROTTLE. Repeated: TARE_REPEAT_PROBES.
const hooks &recorded_hooks(bool measured, bool selective, bool repeated) noexcept;
inline void no_hook(const void *) noexcept {}
constexpr hooks no_hooks = {no_hook, no_hook, no_hook, no_hook};

struct process_switches {
    tare_measure_state_t shared;                         // what probes see; measured: and recording
    bool recording;                                      // TARE_PROFILE=1
    std::atomic<bool> paused;
    std::atomic<const tare_transport_v1_table_t *> core;
    // What a thread's `quick` must be for the quick way: the core. While all threads have to look closer: nobody's.
    std::atomic<const void *> quick;
    std::atomic<std::int64_t> note_costs[TARE_NOTE_COSTS];       // in 2^-32 ns, of notes that are not measured
    std::atomic<std::int64_t> counted_costs[TARE_WAYS];          // in 2^-32 ns, of calls that are only counted
};

extern process_switches switches;

// The calling thread, and what enters and leaves of regions need of it most of the time, as near as can be.
struct calling_thread {
    thread_state *state;         // nullptr: it has entered no region, or it has ended
    // The core, while nothing is to be looked at but the thread's regions: its state is not special, the innermost
    // region is recorded, and the core knows that somebody measures. Else nullptr.
    const void *quick;
    frame *top;                  // of the innermost region
    sum_table known;             // the regions that it has entered so

    // After a slow enter or leave of a region. Hooks of MPI only take the quick way away.
    void choose_way() noexcept
    {
        const tare_transport_v1_table_t *core = state->core;
        const bool is_active = __atomic_load_n(&core->global->active, __ATOMIC_RELAXED) != 0;
        const bool is_quick = state->special == 0 && state->record.is_recorded() && is_active && known.is_ready();
        quick = is_quick ? core : nullptr;
    }
};
extern __thread calling_thread self __attribute__((tls_model("initial-exec")));

// The counters of a thread at a time; `ahead_ns` is overhead that belongs before this moment and is declared later.
inline void set_counters(sample &s, const thread_state &t, std::int64_t time_ns, std::int64_t ahead_ns) noexcept
{
    const tare_thread_t &b = *t.block;
    s.v[c_time] = time_ns;
    s.v[c_delay] = b.delay_ns + ahead_ns;
    s.v[c_delay_lo] = b.delay_lo_ns + ahead_ns;
    s.v[c_delay_hi] = b.delay_hi_ns + ahead_ns;
    s.v[c_wait] = b.wait_ns;
    s.v[c_wait_comp] = b.wait_compensated_ns;
    s.v[c_residue] = b.residue_ns;
}

inline sample counters(const thread_state &t, std::int64_t time_ns, std::int64_t ahead_ns) noexcept
{
    sample s;
    set_counters(s, t, time_ns, ahead_ns);
    return s;
}

// After one of the switches has changed.
void choose_way() noexcept;

// The slow ways of the hot path: the thread's first region; a core that was adopted since.
// attach: nullptr if this thread is not recorded. Declares what it costs.
thread_state *attach_thread() noexcept;
void bind_core(thread_state &t) noexcept;
// The latest constants that were calibrated, and at the pace of the latest hooks.
void start_pace(thread_state &t) noexcept;
void set_pace(pace &p, tare_measure_way way) noexcept;
// TARE_REPEAT_PROBES, after the enter of a region or function, which is complete.
void repeat_probes(const void *of, tare_measure_way way) noexcept;

// For a region that is entered where nothing is recorded: a value of the environment that is not allowed ends a
// process without MPI.
void complain_without_mpi() noexcept;

}  // namespace tare

#endif
