// SPDX-License-Identifier: BSD-3-Clause
// What a pair of hooks costs beyond what its own clock reads see.
//
// Many short batches of calls that go through the hooks, and of the same calls without, on the thread that enters the
// first region, with the hooks that the program uses. Where hooks see their own cost the batch in the middle counts: what
// they do not see is scaled later by what they do, and the fastest has less of it, for what it sees, than most. Else the
// fastest counts: interrupts only ever make one slower.
// Beside it stands the distance of the batches' quartiles, which a few interrupts do not change. Of its cost per
// pair, in ns:
//
//     total     with hooks - without
//     seen      between the two clock reads of each hook (TARE_OVERHEAD=calibrated: 0)
//     inside    between the last read of enter and the first of leave: falls into the region
//     outside   the rest: falls into the region around
//
// Then single calls between clock reads, with one read inside: what is inside and outside of enter, and of leave.
// Only the difference of the two is kept, because hooks one at a time overlap less. doc/results/probes.md has it.
//
// Nothing is clamped. All of it takes some 20 ms, which are declared as overhead.
//
// The called function takes a few ns, as any function does that is worth a region: the processor overlaps it with the
// hooks, so that a pair costs less around it than around an empty one.
#include "cost.hpp"
#include "process.hpp"
#include "region.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <utility>

namespace tare {
namespace {

constexpr int batch_calls = 100;
constexpr int rounds = 5;                            // ways take turns, so that a bad moment does not hit one only
constexpr std::int64_t round_ns = 1'000'000;         // for each way
constexpr std::int64_t sides_ns = 300'000;           // for each way in each round
constexpr int least_batches = 10;                    // of each way in each round, however slow the machine is
constexpr int difference_batches = 101;
constexpr std::int64_t warm_up_ns = 1'000'000;

// What the latest calibration has found; until there is one nothing is seen, so nothing is scaled. Older ones stay,
// because some thread may be reading them.
struct way_constants {
    pair_cost pair;
    way_cost cost{};                     // at the pace of the calibration
    std::int64_t limit_ns = 0;           // 0: nothing is seen, so it is the only pace
};
struct constants {
    way_constants ways[TARE_WAYS];
    const constants *before = nullptr;
};
const constants none{};
std::atomic<const constants *> latest{&none};
std::mutex calibrating;
int calibrations = 0;
// This thread's hooks are being tried: they declare nothing but what they see.
__thread bool is_trying __attribute__((tls_model("initial-exec"))) = false;

struct way {
    const char *name;
    tare_measure_calls_t instrumented;
    tare_measure_calls_t plain;
};

// A clock read inside the called function, and the delay then.
struct look {
    bool wanted;
    std::int64_t at_ns;
    std::int64_t delay_ns;
    std::int64_t start_ns;               // of the region
};
look inside_look;

// Calls through pointers, so that neither is inlined.
int short_call(const void *, int, int, int, int, int, void *)
{
    tare_measure_trial_work();
    return 0;
}
int (*volatile call)(const void *, int, int, int, int, int, void *) = short_call;
void short_region() { tare_measure_trial_work(); }
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

// Stands in for the calling thread's record, and gives the core's block back as it was. Under the lock `calibrating`. While
// measuring is paused hooks do nothing that could be tried, so it goes on meanwhile, for all threads.
class trial {
  public:
    trial() : real_(self), saved_(*real_.state->block)
    {
        bind_core(state_);
        state_.record_paths(this_process().settings.callpath_depth);
        tare_region_t *around = find_or_make_region(profile::root_region, TARE_GROUP_FUNCTION);
        state_.record.push(around, around->number).start = sample{};
        self = {&state_, nullptr, nullptr, {}};
        is_trying = true;
        was_paused_ = switches.paused.exchange(false);
        choose_way();
    }
    ~trial()
    {
        if (was_paused_)
            switches.paused = true;
        choose_way();
        is_trying = false;
        sum_table known = self.known;
        *real_.state->block = saved_;
        self = real_;
        known.drop();
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
    bool was_paused_;
};

std::int64_t time_of(tare_measure_calls_t calls)
{
    const std::int64_t start_ns = clock_ns();
    calls(batch_calls);
    return clock_ns() - start_ns;
}

void run_batch(const way &w, const trial &t, std::vector<batch> &batches)
{
    batch b;
    b.plain_ns = static_cast<double>(time_of(w.plain)) / batch_calls;
    const std::int64_t delay_ns = t.delay_ns();
    const std::int64_t inside_ns = t.inside_ns();
    b.with_hooks_ns = static_cast<double>(time_of(w.instrumented)) / batch_calls;
    b.seen_ns = static_cast<double>(t.delay_ns() - delay_ns) / batch_calls;
    b.inside_ns = static_cast<double>(t.inside_ns() - inside_ns) / batch_calls;
    batches.push_back(b);
}

// What lies before the function's own code and after it, less what the hooks' clock reads see.
sides look_at_sides(tare_measure_calls_t calls, const trial &t)
{
    std::int64_t before_ns = 0, after_ns = 0, enter_inside_ns = 0;
    const std::int64_t inside_ns = t.inside_ns();
    for (int i = 0; i < batch_calls; i++) {
        const std::int64_t delay_ns = t.delay_ns();
        const std::int64_t start_ns = clock_ns();
        calls(1);
        const std::int64_t end_ns = clock_ns();
        before_ns += inside_look.at_ns - start_ns - (inside_look.delay_ns - delay_ns);
        after_ns += end_ns - inside_look.at_ns - (t.delay_ns() - inside_look.delay_ns);
        enter_inside_ns += inside_look.at_ns - inside_look.start_ns;
    }
    const std::int64_t leave_inside_ns = t.inside_ns() - inside_ns - enter_inside_ns;
    constexpr double n = batch_calls;
    return {static_cast<double>(before_ns) / n, static_cast<double>(after_ns) / n,
            static_cast<double>(enter_inside_ns) / n, static_cast<double>(leave_inside_ns) / n};
}

void run_looks(const way &w, const trial &t, std::vector<sides> &batches)
{
    inside_look.wanted = true;
    const std::int64_t end_ns = clock_ns() + sides_ns;
    for (int i = 0; i < least_batches || clock_ns() < end_ns; i++) {
        const sides plain = look_at_sides(w.plain, t);
        sides s = look_at_sides(w.instrumented, t);
        s.enter_ns -= plain.enter_ns;
        s.leave_ns -= plain.leave_ns;
        batches.push_back(s);
    }
    inside_look.wanted = false;
}

void run_batches(const way &w, const trial &t, std::int64_t for_ns, std::vector<batch> &batches)
{
    const std::int64_t end_ns = clock_ns() + for_ns;
    for (int i = 0; i < least_batches || clock_ns() < end_ns; i++)
        run_batch(w, t, batches);
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

struct findings {
    std::vector<batch> pairs;
    std::vector<sides> halves;
    std::vector<double> counted_ns;      // of calls that are only counted
};

std::vector<double> differences_of(tare_measure_calls_t with, tare_measure_calls_t without)
{
    std::vector<double> differences;
    for (int i = 0; i < difference_batches; i++) {
        const std::int64_t without_ns = time_of(without);
        differences.push_back(static_cast<double>(time_of(with) - without_ns) / batch_calls);
    }
    return differences;
}

// TARE_FILTER and TARE_THROTTLE. The region that was left last is the one of the trial.
std::vector<double> costs_of_counting(const way &w)
{
    w.instrumented(1);
    accumulator &sum = *self.top[1].sum;
    sum.measured_calls = 1;
    std::vector<double> found = differences_of(w.instrumented, w.plain);
    sum.measured_calls = 0;
    return found;
}

void find_costs(findings (&found)[TARE_WAYS])
{
    trial t;
    std::vector<batch> unused;
    run_batches(ways[TARE_WAY_REGION], t, warm_up_ns, unused);
    for (int round = 0; round < rounds; round++) {
        for (int w = 0; w < TARE_WAYS; w++) {
            if (ways[w].instrumented == nullptr)
                continue;
            run_batches(ways[w], t, round_ns, found[w].pairs);
            run_looks(ways[w], t, found[w].halves);
        }
    }
    for (const tare_measure_way w : {TARE_WAY_REGION, TARE_WAY_PROBE})
        if (this_process().is_selective() && ways[w].instrumented != nullptr)
            found[w].counted_ns = costs_of_counting(ways[w]);
    find_costs_of_repeating(t);
}

template <typename Batch> double spread_of(const std::vector<Batch> &batches, double (*of)(const Batch &))
{
    std::vector<double> values;
    std::transform(batches.begin(), batches.end(), std::back_inserter(values), of);
    return tare::spread_of(std::move(values));
}

std::string text_of(double ns)
{
    char text[40];
    std::snprintf(text, sizeof text, "%.3f", ns);
    return text;
}

void describe(profile::attributes &to, const std::string &what, double ns, double spread_ns)
{
    to.emplace_back("tare cost " + what + " ns", text_of(ns));
    to.emplace_back("tare cost " + what + " spread ns", text_of(spread_ns));
}

void describe(profile::attributes &to, const std::string &way, const pair_cost &c, const findings &f)
{
    struct part {
        const char *name;
        double (*of)(const batch &);
    };
    constexpr part parts[] = {{" pair", [](const batch &b) { return b.total_ns(); }},
                              {" seen", [](const batch &b) { return b.seen_ns; }},
                              {" inside", [](const batch &b) { return b.inside_ns; }},
                              {" outside", [](const batch &b) { return b.outside_ns(); }}};
    for (const part &p : parts)
        describe(to, way + p.name, p.of(c), spread_of<batch>(f.pairs, p.of));
    describe(to, way + " enter", c.enter_ns(), spread_of<sides>(f.halves, [](const sides &s) { return s.enter_ns; }));
    describe(to, way + " leave", c.leave_ns(), spread_of<sides>(f.halves, [](const sides &s) { return s.leave_ns; }));
    to.emplace_back("tare cost " + way + " batches", std::to_string(f.pairs.size()));
    if (!f.counted_ns.empty())
        describe(to, way + " counted", median_of(f.counted_ns), tare::spread_of(f.counted_ns));
}

void begin_pace(pace &p, const way_constants &c, const way_cost &cost) noexcept
{
    p.cost = cost;
    p.limit_ns = c.limit_ns;
    p.seen_ns = 0;
    p.pairs_left = pace::pairs;
}

}  // namespace

void calibrate()
{
    const std::lock_guard<std::mutex> lock(calibrating);
    trial_region = find_or_make_region(profile::calibrated_region, TARE_GROUP_USER);
    findings found[TARE_WAYS];
    repeats = this_process().repeat_probes;
    find_costs(found);
    auto *result = new constants;
    result->before = latest.load(std::memory_order_relaxed);
    profile::attributes description;
    for (int w = 0; w < TARE_WAYS; w++) {
        if (ways[w].instrumented == nullptr)
            continue;
        pair_cost c = switches.shared.measured ? typical_of(found[w].pairs) : fastest_of(found[w].pairs);
        tell_apart(c, found[w].halves);
        result->ways[w] = {c, to_cost(c), std::llround(most_pace * c.seen_ns)};
        switches.counted_costs[w] = to_units(median_of(found[w].counted_ns));
        describe(description, ways[w].name, c, found[w]);
    }
    latest.store(result, std::memory_order_release);
    description.emplace_back("tare calibrations", std::to_string(++calibrations));
    if (repeats > 0) {
        trial_region = repeated_region();
        description.emplace_back(profile::repeated_region, std::to_string(repeats));
    }
    set_metadata(description);
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

// Waits for who is calibrating.
void pause_measuring(bool paused)
{
    std::unique_lock<std::mutex> lock(calibrating, std::try_to_lock);
    if (!lock.owns_lock()) {
        const std::int64_t start_ns = clock_ns();
        lock.lock();
        declare_since(start_ns);
    }
    switches.paused = paused;
    choose_way();
}

void start_pace(thread_state &t) noexcept
{
    const constants &c = *latest.load(std::memory_order_acquire);
    for (int w = 0; w < TARE_WAYS; w++)
        if (ways[w].instrumented != nullptr)
            begin_pace(t.paces[w], c.ways[w], c.ways[w].cost);
    t.repeats = repeats > 0;
}

void set_pace(pace &p, tare_measure_way way) noexcept
{
    const way_constants &c = (is_trying ? none : *latest.load(std::memory_order_acquire)).ways[way];
    if (c.limit_ns == 0)
        return begin_pace(p, c, c.cost);
    begin_pace(p, c, to_cost(at_pace(c.pair, static_cast<double>(p.seen_ns) / pace::pairs)));
}

}  // namespace tare

extern "C" void tare_measure_trial_work(void)
{
    using namespace tare;
    if (__builtin_expect(!inside_look.wanted, 1))
        return tare_measure_short_work();
    inside_look.at_ns = clock_ns();
    inside_look.delay_ns = self.state->block->delay_ns;
    inside_look.start_ns = self.state->record.top().start.v[c_time];
}

extern "C" double tare_measure_constant(const char *name, tare_measure_calls_t with, tare_measure_calls_t without)
{
    using namespace tare;
    if (self.state == nullptr)
        return 0;
    std::vector<double> differences;
    {
        const std::lock_guard<std::mutex> lock(calibrating);
        const trial t;
        differences = differences_of(with, without);
    }
    const double ns = median_of(differences);
    profile::attributes description;
    describe(description, name, ns, spread_of(differences));
    set_metadata(description);
    return ns;
}

extern "C" int tare_measure_calibrate_again(void)
{
    using namespace tare;
    // Repeated probes of other threads use what is tried.
    if (!switches.recording || switches.paused.load(std::memory_order_relaxed) || repeats > 0)
        return 0;
    if (self.state == nullptr && attach_thread() == nullptr)
        return 0;
    const int saved_errno = errno;
    const std::int64_t start_ns = clock_ns();
    calibrate();
    start_pace(*self.state);
    declare_since(start_ns);
    errno = saved_errno;
    return 1;
}

extern "C" void tare_measure_calibrate(enum tare_measure_way way, tare_measure_calls_t instrumented,
                                       tare_measure_calls_t plain)
{
    tare::ways[way] = {tare::ways[way].name, instrumented, plain};
}
