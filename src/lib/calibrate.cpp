// SPDX-License-Identifier: BSD-3-Clause
// What a pair of hooks costs beyond what its own clock reads see.
//
// Many short batches of calls that go through the hooks, and of the same calls without, on the thread that enters the
// first region, with the hooks that the program uses. The fastest batch counts: interrupts only ever make one slower.
// Of its cost per pair, in ns:
//
//     total     fastest with hooks - fastest without
//     seen      between the two clock reads of each hook (TARE_OVERHEAD=calibrated: 0)
//     inside    between the last read of enter and the first of leave: falls into the region
//     outside   the rest: falls into the region around
//
// Nothing is clamped. All of it takes some 15 ms, which are declared as overhead.
//
// The called function takes a few ns, as any function does that is worth a region: the processor overlaps it with the
// hooks, so that a pair costs less around it than around an empty one.
#include "cost.hpp"
#include "process.hpp"
#include "region.hpp"

#include <cmath>
#include <cstdio>
#include <utility>

namespace tare {
namespace {

constexpr int batch_calls = 100;
constexpr int rounds = 5;                            // ways take turns, so that a bad moment does not hit one only
constexpr std::int64_t round_ns = 1'000'000;         // for each way
constexpr std::int64_t warm_up_ns = 1'000'000;

pair_cost calibrated[TARE_WAYS];        // until then nothing is seen, so nothing is scaled

struct way {
    const char *name;
    tare_measure_calls_t instrumented;
    tare_measure_calls_t plain;
};

// Calls through pointers, so that neither is inlined.
int short_call(const void *, int, int, int, int, int, void *)
{
    tare_measure_short_work();
    return 0;
}
int (*volatile call)(const void *, int, int, int, int, int, void *) = short_call;
void short_region() { tare_measure_short_work(); }
void (*volatile region_code)() = short_region;
void (*volatile enter_region)(tare_region_t *) = tare_enter;
void (*volatile leave_region)(tare_region_t *) = tare_leave;
void (*volatile enter_mpi)(tare_region_t *) = tare_measure_enter_mpi;
void (*volatile leave_mpi)(tare_region_t *, int) = tare_measure_leave_mpi;
tare_region_t *trial_region = nullptr;

// TARE_REPEAT_PROBES
int repeats = 0;
fine_ns cost_of_repeating[TARE_WAYS];

void plain_regions(int n)
{
    for (int i = 0; i < n; i++)
        region_code();
}

void instrumented_regions(int n)
{
    for (int i = 0; i < n; i++) {
        enter_region(trial_region);
        region_code();
        leave_region(trial_region);
    }
}

// What the PMPI layer's wrappers do with a call of seven arguments.
__attribute__((noinline)) int wrapper(const void *a, int b, int c, int d, int e, int f, void *g)
{
    enter_mpi(trial_region);
    const int result = call(a, b, c, d, e, f, g);
    leave_mpi(trial_region, 1);
    return result;
}
int (*volatile wrapped_call)(const void *, int, int, int, int, int, void *) = wrapper;

void plain_calls(int n)
{
    for (int i = 0; i < n; i++)
        call(&trial_region, i, 2, 3, 4, 5, nullptr);
}

void instrumented_calls(int n)
{
    for (int i = 0; i < n; i++)
        wrapped_call(&trial_region, i, 2, 3, 4, 5, nullptr);
}

way ways[TARE_WAYS] = {{"region", instrumented_regions, plain_regions},
                       {"mpi", instrumented_calls, plain_calls},
                       {"probe", nullptr, nullptr}};

// Stands in for the calling thread's record, and gives the core's block back as it was.
class trial {
  public:
    trial() : real_(self), saved_(*real_.state->block)
    {
        bind_core(state_);
        state_.record_paths(this_process().settings.callpath_depth);
        tare_region_t *around = find_or_make_region(profile::root_region, TARE_GROUP_FUNCTION);
        state_.record.push(around, around->number).start = sample{};
        self = {&state_, nullptr, nullptr, {}};
    }
    ~trial()
    {
        *real_.state->block = saved_;
        self.known.drop();
        self = real_;
    }
    trial(const trial &) = delete;
    trial &operator=(const trial &) = delete;

    thread_state &state() { return state_; }
    std::int64_t delay_ns() const { return state_.block->delay_ns; }
    // Time spent inside regions so far: what the open one around them lacks.
    std::int64_t inside_ns() const { return -state_.record.top().sum->exclusive.v[c_time]; }

  private:
    calling_thread real_;
    tare_thread_t saved_;
    thread_state state_;
};

std::int64_t time_of(tare_measure_calls_t calls)
{
    const std::int64_t start_ns = clock_ns();
    calls(batch_calls);
    return clock_ns() - start_ns;
}

void run_batch(const way &w, const trial &t, pair_cost &best)
{
    const double plain_ns = static_cast<double>(time_of(w.plain)) / batch_calls;
    best.plain_ns = std::fmin(best.plain_ns, plain_ns);
    const std::int64_t delay_ns = t.delay_ns();
    const std::int64_t inside_ns = t.inside_ns();
    const double with_hooks_ns = static_cast<double>(time_of(w.instrumented)) / batch_calls;
    if (with_hooks_ns >= best.with_hooks_ns)
        return;
    best.with_hooks_ns = with_hooks_ns;
    best.seen_ns = static_cast<double>(t.delay_ns() - delay_ns) / batch_calls;
    best.inside_ns = static_cast<double>(t.inside_ns() - inside_ns) / batch_calls;
}

void run_batches(const way &w, const trial &t, std::int64_t for_ns, pair_cost &best)
{
    const std::int64_t end_ns = clock_ns() + for_ns;
    while (clock_ns() < end_ns)
        run_batch(w, t, best);
}

// The calls are not repeated themselves.
void repeat(thread_state &t, tare_measure_way w, tare_measure_calls_t calls) noexcept
{
    t.repeats = false;
    calls(repeats);
    t.repeats = true;
    t.core->overhead_add(cost_of_repeating[w].ns, cost_of_repeating[w].fraction);
}

// All of it without the hooks: what they declare is theirs alone.
double cost_without_hooks_ns(tare_measure_way w, const void *around)
{
    double best_ns = 1e300;
    const std::int64_t end_ns = clock_ns() + round_ns;
    while (clock_ns() < end_ns) {
        const std::int64_t start_ns = clock_ns();
        for (int i = 0; i < batch_calls; i++)
            repeat_probes(around, w);
        best_ns = std::fmin(best_ns, static_cast<double>(clock_ns() - start_ns) / batch_calls);
    }
    return best_ns;
}

void find_costs_of_repeating(trial &t)
{
    t.state().repeats = true;
    for (const tare_measure_way w : {TARE_WAY_REGION, TARE_WAY_PROBE}) {
        const tare_measure_calls_t instrumented = std::exchange(ways[w].instrumented, ways[w].plain);
        if (repeats > 0 && instrumented != nullptr)
            cost_of_repeating[w] = to_fine(cost_without_hooks_ns(w, t.state().record.top().of));
        ways[w].instrumented = instrumented;
    }
}

void describe(const std::string &name, const pair_cost &c)
{
    const std::pair<const char *, double> values[] = {
        {"pair", c.total_ns()}, {"seen", c.seen_ns}, {"inside", c.inside_ns}, {"outside", c.outside_ns()}};
    for (const auto &[what, ns] : values) {
        char text[40];
        std::snprintf(text, sizeof text, "%.3f", ns);
        set_metadata("tare cost " + name + " " + what + " ns", text);
    }
}

void find_costs(pair_cost (&costs)[TARE_WAYS])
{
    trial t;
    pair_cost unused;
    run_batches(ways[TARE_WAY_REGION], t, warm_up_ns, unused);
    for (int round = 0; round < rounds; round++)
        for (int w = 0; w < TARE_WAYS; w++)
            if (ways[w].instrumented != nullptr)
                run_batches(ways[w], t, round_ns, costs[w]);
    find_costs_of_repeating(t);
}

}  // namespace

void calibrate()
{
    trial_region = find_or_make_region("tare calibration", TARE_GROUP_USER);
    pair_cost costs[TARE_WAYS];
    repeats = this_process().repeat_probes;
    find_costs(costs);
    for (int w = 0; w < TARE_WAYS; w++) {
        if (ways[w].instrumented == nullptr)
            continue;
        calibrated[w] = costs[w];
        switches.seen_limit_ns[w] = std::llround(most_pace * calibrated[w].seen_ns / 2);
        describe(ways[w].name, calibrated[w]);
    }
    if (repeats > 0) {
        trial_region = repeated_region();
        set_metadata(profile::repeated_region, std::to_string(repeats));
    }
}

tare_region_t *repeated_region() noexcept { return find_or_make_region(profile::repeated_region, TARE_GROUP_USER); }

// Behind the enter, which is complete by then, and not in front of it: there the hook has read the clock already, and
// would have to read it twice more, which is some 20 ns that nobody declares. So the pairs are in the region that is
// entered, and what they leave undeclared is, too. Each pair declares what it takes, by the constants of its way: it
// stands around the same few ns of work as those of the calibration. That work, and all that is done here, are declared
// as the calibration has found them, with plain calls instead. Left over are some ns that the processor overlaps there
// and not between the clock reads of hooks. The pairs find their code and data in the cache.
void repeat_probes(const void *of, tare_measure_way way) noexcept
{
    thread_state *t = self.state;
    if (t == nullptr || !t->repeats || ways[way].instrumented == nullptr)
        return;
    if (t->record.is_top(of) && t->record.is_recorded())
        repeat(*t, way, ways[way].instrumented);
}

void start_pace(thread_state &t) noexcept
{
    for (int w = 0; w < TARE_WAYS; w++)
        t.paces[w].cost = ways[w].instrumented != nullptr ? to_cost(calibrated[w]) : way_cost{};
    t.repeats = repeats > 0;
}

void set_pace(pace &p, tare_measure_way way) noexcept
{
    p.cost = to_cost(at_pace(calibrated[way], static_cast<double>(p.seen_ns) * 2 / pace::hooks));
    p.seen_ns = 0;
    p.hooks_left = pace::hooks;
}

}  // namespace tare

extern "C" void tare_measure_calibrate(enum tare_measure_way way, tare_measure_calls_t instrumented,
                                       tare_measure_calls_t plain)
{
    tare::ways[way] = {tare::ways[way].name, instrumented, plain};
}
