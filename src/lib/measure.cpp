// SPDX-License-Identifier: BSD-3-Clause
// Entering and leaving regions: the hot path. No lock, no allocation but for a thread's first regions, no system call
// but the clock.
//
//   enter   | outside | t0 ........ t1 | inside |   the region's own code
//   leave                                       | inside | t0 ........ t1 | outside |
//
// Between t0 and t1 the cost is measured (TARE_OVERHEAD=measured); what lies outside and inside is a calibrated
// constant, at the pace of the thread's latest hooks. TARE_OVERHEAD=calibrated reads the clock once in each hook, so
// all of the cost is constant. The region's times begin at t1 of enter and end at t0 of leave.
#include "overhead.hpp"
#include "process.hpp"
#include "region.hpp"
#include "state.hpp"
#include "trace.hpp"

namespace tare {
namespace {

#define TARE_RARE __attribute__((noinline, cold))
#define TARE_APART __attribute__((noinline))
#define TARE_PART __attribute__((always_inline)) inline

// What a hook looks at beside the thread's regions: nothing, a trace, or whatever there may be (held polls, call paths).
enum class looks { at_regions, at_trace, at_all };

const tare_transport_v1_table_t &core() noexcept { return *switches.core.load(std::memory_order_acquire); }

// Declares overhead. The core's own function but for the call, where the core knows already that somebody measures.
TARE_PART void declare(const thread_state &t, std::int64_t ns, std::uint32_t fraction) noexcept
{
    if (__builtin_expect(__atomic_load_n(&t.core->global->active, __ATOMIC_RELAXED) == 0, 0))
        return t.core->overhead_add(ns, fraction);
    declare_overhead(*t.block, ns, fraction);
}

// Spins for TARE_INJECT; gives back what was really spent.
TARE_RARE std::int64_t spin(std::int64_t ns) noexcept
{
    const std::int64_t start = clock_ns();
    std::int64_t now = start;
    while (now - start < ns)
        now = clock_ns();
    return now - start;
}

TARE_RARE void enter_unrecorded(tare_region_t *region) noexcept
{
    complain_without_mpi();
    if (const std::int64_t ns = region->inject_ns.load(std::memory_order_relaxed); ns > 0)
        core().overhead_add(spin(ns), 0);
}

// The calling thread's state, made ready for a change. Nullptr: nothing to record.
inline thread_state *begin_change(thread_state *t) noexcept
{
    if (__builtin_expect(!t->record.begin(), 0))
        return nullptr;
    if (__builtin_expect(t->core != switches.core.load(std::memory_order_acquire), 0))
        bind_core(*t);
    return t;
}

// A handler of a signal has interrupted a hook of this thread, or has left one by a jump: the record is in the middle of
// a change.
TARE_RARE void refuse() noexcept { self.state->refused_calls++; }

// After a change that was not quick.
inline void end_change(thread_state *t) noexcept
{
    self.top = t->record.top_frame();
    if (__builtin_expect(!t->record.is_recorded(), 0))
        self.quick = nullptr;
    t->record.end();
}

TARE_RARE thread_state *first_of_thread(std::int64_t &t0_ns) noexcept
{
    thread_state *t = attach_thread();
    t0_ns = clock_ns();
    return t;
}

// Waiting for memory was overhead. Seen: between two clock reads of the hook, if it has two.
TARE_PART void declare_waited(const thread_state &t, bool seen) noexcept
{
    if (__builtin_expect(!t.trace->has_waited(), 1))
        return;
    const std::int64_t ns = t.trace->take_waited_ns();
    if (!(seen && switches.shared.measured))
        declare(t, ns, 0);
}

// The innermost region has been entered, or is left. Again: a poll that goes on.
TARE_PART void trace_enter(thread_state &t, std::uint32_t region, bool again) noexcept
{
    if (t.trace == nullptr || again || !t.record.is_recorded())
        return;
    t.trace->enter(t.record.top().start, region);
    declare_waited(t, false);
}

template <void (thread_trace::*how)(const sample &) noexcept = &thread_trace::leave>
TARE_PART void trace_leave(thread_state &t, const sample &end) noexcept
{
    if (t.trace == nullptr || !t.record.is_recorded())
        return;
    (t.trace->*how)(end);
    declare_waited(t, true);
}

// The innermost region ends.
template <looks at> TARE_PART void close_top(thread_state &t, const sample &end) noexcept
{
    if (at != looks::at_regions)
        trace_leave(t, end);
    at == looks::at_all ? t.record.pop(end) : t.record.pop_flat(end);
}

// A failed poll that was held open ends after all: something else happened.
TARE_RARE void close_held(thread_state &t) noexcept
{
    t.let_go();
    trace_leave<&thread_trace::leave_before>(t, t.held_end);
    t.record.pop(t.held_end);
}

// The same poll again, and nothing in between but the tool's own overhead: model.md's spin, one wait. Else the held one
// is closed.
TARE_RARE bool goes_on(thread_state &t, const tare_region_t *region, bool may_spin) noexcept
{
    constexpr std::int64_t apart_ns = 1000;
    const std::int64_t overhead_ns = t.block->delay_ns - t.held_end.v[c_delay];
    if (may_spin && t.held == region && clock_ns() - t.held_end.v[c_time] - overhead_ns < apart_ns) {
        t.let_go();
        t.spin_depth = t.record.depth();
        t.record.call_again();
        return true;
    }
    close_held(t);
    return false;
}

// Enter has seen this of its own cost. It is counted with the next leave, mostly its own.
template <tare_measure_way way> inline void remember_enter(thread_state &t, std::int64_t seen_ns) noexcept
{
    t.paces[way].enter_ns = seen_ns;
}

// Leave has seen this. What hit the two from outside (an interrupt) tells nothing of the pace: it is limited.
template <tare_measure_way way> inline void keep_pace(thread_state &t, std::int64_t seen_ns) noexcept
{
    pace &p = t.paces[way];
    seen_ns += p.enter_ns;
    p.seen_ns += seen_ns < p.limit_ns ? seen_ns : p.limit_ns;
    if (__builtin_expect(--p.pairs_left == 0, 0))
        set_pace(p, way);
}

// Of a note that is not measured.
TARE_APART void declare_note(const thread_state &t, unsigned what) noexcept
{
    const std::int64_t cost = switches.note_costs[what].load(std::memory_order_relaxed);
    declare(t, cost >> 32, static_cast<std::uint32_t>(cost));
}

// Where nothing is seen. The thread looks now and then whether another one has calibrated again.
template <tare_measure_way way> inline void keep_constants(thread_state &t) noexcept
{
    if (__builtin_expect(--t.paces[way].pairs_left == 0, 0))
        set_pace(t.paces[way], way);
}

// After begin_change. `of` is what the leave will name the region by.
template <tare_measure_way way, looks at>
TARE_PART void enter_region(thread_state *t, const void *of, tare_region_t *region, std::int64_t t0_ns) noexcept
{
    const bool paused = switches.paused.load(std::memory_order_relaxed);
    const bool again = at == looks::at_all && t->held != nullptr && goes_on(*t, region, way == TARE_WAY_MPI && !paused);
    if (__builtin_expect(paused, 0)) {
        t->record.push_unrecorded(of);
        return end_change(t);
    }
    if (way != TARE_WAY_MPI)
        t->block->regions++;
    if (!again)
        at == looks::at_all ? t->record.push(of, region->number) : t->record.push_flat(of, region->number);
    // The spin that was here was left by a jump.
    if (way == TARE_WAY_MPI && !again && __builtin_expect(t->spin_depth == t->record.depth(), 0))
        t->spin_depth = 0;
    if (way != TARE_WAY_MPI && t->record.is_recorded())
        self.known.add(of, t->record.top().sum);
    std::int64_t spun_ns = 0;
    if (const std::int64_t ns = region->inject_ns.load(std::memory_order_relaxed); __builtin_expect(ns > 0, 0))
        spun_ns = spin(ns);
    const std::int64_t t1_ns = clock_ns();
    const std::int64_t spent_ns = switches.shared.measured ? t1_ns - t0_ns : spun_ns;
    const way_cost &cost = t->paces[way].cost;
    declare(*t, spent_ns + cost.enter.ns, cost.enter.fraction);
    // The call starts after the rest of this hook.
    if (way == TARE_WAY_MPI)
        t->core->event(t1_ns + cost.enter_inside_ns);
    if (!again)
        set_counters(t->record.start_of_top(), *t, t1_ns, -cost.enter_inside_ns);
    if (at != looks::at_regions)
        trace_enter(*t, region->number, again);
    if (switches.shared.measured)
        remember_enter<way>(*t, spent_ns - spun_ns);
    end_change(t);
}

template <looks at> TARE_APART void enter_mpi(thread_state *t, tare_region_t *region, std::int64_t t0_ns) noexcept
{
    enter_region<TARE_WAY_MPI, at>(t, region, region, t0_ns);
}

inline void enter_mpi(tare_region_t *region, std::int64_t t0_ns) noexcept
{
    if (__builtin_expect(!switches.recording, 0))
        return enter_unrecorded(region);
    thread_state *t = self.state;
    if (__builtin_expect(t == nullptr, 0) && (t = first_of_thread(t0_ns)) == nullptr)
        return;
    if (begin_change(t) == nullptr)
        return refuse();
    if (__builtin_expect(t->special != 0, 0))
        return t->special == special_trace ? enter_mpi<looks::at_trace>(t, region, t0_ns)
                                           : enter_mpi<looks::at_all>(t, region, t0_ns);
    enter_region<TARE_WAY_MPI, looks::at_regions>(t, region, region, t0_ns);
}

// Nothing is to be looked at but the thread's regions.
inline bool is_quick() noexcept
{
    return __builtin_expect(self.quick == switches.quick.load(std::memory_order_relaxed), 1);
}

tare_region_t *(*region_of_function)(const void *function) = nullptr;

// Of a region that is not measured: where its calls are counted. nullptr: it is measured, or the thread does not know it.
TARE_PART accumulator *counted(const void *of) noexcept
{
    accumulator *sum;
    const bool is_known = __builtin_expect(self.known.is_ready(), 1) && self.known.find(of, sum);
    return is_known && sum->measured_calls != 0 ? sum : nullptr;
}

// What both hooks of such a call cost is declared at once. False: it is to be measured.
template <tare_measure_way way> TARE_PART bool count_call(const void *of) noexcept
{
    accumulator *sum = counted(of);
    if (sum == nullptr)
        return false;
    thread_state *t = self.state;
    const int is_counted = !switches.paused.load(std::memory_order_relaxed);
    sum->calls += is_counted;
    t->counted_calls += is_counted;
    const std::int64_t cost = switches.counted_costs[way].load(std::memory_order_relaxed);
    declare_overhead(*t->block, cost >> 32, static_cast<std::uint32_t>(cost));
    return true;
}

// The thread comes to an excluded region for the first time.
TARE_RARE void exclude(const void *of, std::int64_t t0_ns) noexcept
{
    thread_state *t = self.state;
    if ((t == nullptr && (t = first_of_thread(t0_ns)) == nullptr) || begin_change(t) == nullptr)
        return;
    self.known.add(of, &t->excluded);
    t->excluded.calls += !switches.paused.load(std::memory_order_relaxed);
    if (switches.shared.measured)
        declare(*t, clock_ns() - t0_ns, 0);
    t->record.end();
}

// A call of a region that is counted from now on. Its leave was the outermost: none of its frames is left.
template <tare_measure_way way> TARE_RARE void stop_measuring(const void *of, accumulator &sum) noexcept
{
    const tare_region_t *region = way == TARE_WAY_PROBE ? region_of_function(of) : static_cast<const tare_region_t *>(of);
    if (region != nullptr && region->selected != selection::always && self.known.knows(of))
        sum.measured_calls = sum.calls;
}

// TARE_THROTTLE, when a call of a region has ended. In floating point, where nothing overflows.
template <tare_measure_way way>
TARE_PART void throttle(const thread_state &t, const void *of, accumulator &sum) noexcept
{
    if (__builtin_expect(sum.calls <= t.throttle_calls, 1) || sum.open != 0)
        return;
    const auto limit_ns = static_cast<double>(t.throttle_ns) * static_cast<double>(sum.calls);
    if (static_cast<double>(sum.inclusive.v[c_time]) < limit_ns)
        stop_measuring<way>(of, sum);
}

// What the quick way cannot do.
template <tare_measure_way way> TARE_APART void enter_slowly(const void *of, std::int64_t t0_ns) noexcept
{
    tare_region_t *region = way == TARE_WAY_PROBE ? region_of_function(of)
                                                  : static_cast<tare_region_t *>(const_cast<void *>(of));
    if (region == nullptr)
        return;
    if (!switches.recording)
        return enter_unrecorded(region);
    if (region->selected == selection::excluded)
        return exclude(of, t0_ns);
    thread_state *t = self.state;
    if (t == nullptr && (t = first_of_thread(t0_ns)) == nullptr)
        return;
    if (begin_change(t) == nullptr)
        return refuse();
    enter_region<way, looks::at_all>(t, of, region, t0_ns);
    self.choose_way();
}

// A thread enters a region again that it knows, inside another one, and nothing is unusual: no branch here is taken, and
// no call is made but for the clock.
template <tare_measure_way way, bool measured> void enter(const void *of) noexcept
{
    const std::int64_t t0_ns = measured ? clock_ns() : 0;
    if (!is_quick())
        return enter_slowly<way>(of, t0_ns);
    thread_state *t = self.state;
    if (!t->record.begin())
        return refuse();
    accumulator *sum;
    if (__builtin_expect(!self.known.find(of, sum), 0) || __builtin_expect(!t->record.has_room(), 0)) {
        t->record.end();
        return enter_slowly<way>(of, t0_ns);
    }
    t->block->regions++;
    frame *const top = self.top = t->record.push_known(self.top, of, sum);
    const std::int64_t t1_ns = clock_ns();
    const way_cost &cost = t->paces[way].cost;
    declare_overhead(*t->block, (measured ? t1_ns - t0_ns : 0) + cost.enter.ns, cost.enter.fraction);
    packed_sample(*t->block, t1_ns, -cost.enter_inside_ns).store(top->start);
    if (measured)
        remember_enter<way>(*t, t1_ns - t0_ns);
    t->record.end();
}

template <tare_measure_way way> void enter_unmeasured(const void *of) noexcept { enter_slowly<way>(of, 0); }

// Brings the region to the top of the stack: regions that were never left (a longjmp) end with it. False: it was not
// entered.
TARE_RARE bool unwind_to(thread_state &t, const void *of, std::int64_t t0_ns, std::int64_t leave_inside_ns) noexcept
{
    if (!t.record.is_open(of)) {
        t.record.ignore_leave();
        return false;
    }
    while (!t.record.is_top(of)) {
        const sample end = counters(t, t0_ns, leave_inside_ns);
        trace_leave(t, end);
        t.record.pop(end);
    }
    return true;
}

// Without a carrier (TARE_MODE=off) nobody sees the wait inside a call that waits: all of the call counts. The core
// leaves these two alone then.
void count_whole_call(thread_state &t, const sample &end) noexcept
{
    const sample spent = end - t.record.top().start;
    t.block->wait_ns += spent.v[c_time];
    t.block->wait_compensated_ns += spent.v[c_time] - spent.v[c_delay];
}

// The innermost region is a poll that went on.
inline bool is_in_spin(const thread_state &t) noexcept
{
    return __builtin_expect(t.spin_depth != 0, 0) && t.spin_depth == t.record.depth();
}

// Before the region is closed. A poll that went on gets what came after the one before.
inline tare_measure_spent_t spent_in_call(thread_state &t, const sample &end) noexcept
{
    const bool went_on = is_in_spin(t);
    const sample spent = end - (went_on ? t.held_end : t.record.top().start);
    if (went_on)
        t.spin_depth = 0;
    return {spent.v[c_time], spent.v[c_delay],  spent.v[c_wait], spent.v[c_wait_comp],
            end.v[c_time],   end.v[c_delay]};
}

// Who takes a note of the call; the measured parts of the call are its own.
struct note_taker {
    tare_measure_note_t note = nullptr;
    void *call = nullptr;
};

// In a trace what the note finds out comes before the leave of its call.
TARE_PART tare_measure_spent_t take_note_first(thread_state &t, const note_taker &taker, const sample &end) noexcept
{
    if (t.trace != nullptr)
        t.trace->begin_call(t.record.top().start, end, is_in_spin(t));
    const tare_measure_spent_t spent = spent_in_call(t, end);
    taker.note(taker.call, &spent, t.block);
    if (t.trace != nullptr) {
        t.trace->end_call();
        declare_waited(t, true);
    }
    return spent;
}

// The overhead of leave, once all else is done. `noted`: what the note of the call has found out.
template <tare_measure_way way>
TARE_PART void end_leave(thread_state &t, std::int64_t spent_ns, unsigned noted) noexcept
{
    const way_cost &cost = t.paces[way].cost;
    declare(t, spent_ns + cost.leave.ns, cost.leave.fraction);
    if (switches.shared.measured)
        return keep_pace<way>(t, spent_ns);
    if (way == TARE_WAY_MPI && noted != 0)
        declare_note(t, noted);
    keep_constants<way>(t);
}

// After begin_change.
template <tare_measure_way way, looks at>
TARE_PART void leave_region(thread_state *t, const void *of, std::int64_t t0_ns, unsigned end_and_note = TARE_END_RETURNS,
                            note_taker taker = {}) noexcept
{
    const auto kind = static_cast<std::uint8_t>(end_and_note);
    if (at == looks::at_all && t->held != nullptr)
        close_held(*t);
    if (way != TARE_WAY_MPI)
        t->block->regions++;
    const way_cost &cost = t->paces[way].cost;
    if (__builtin_expect(!t->record.is_top(of), 0) && !unwind_to(*t, of, t0_ns, cost.leave_inside_ns))
        return end_change(t);
    const bool recorded = t->record.is_recorded();
    sample end = counters(*t, t0_ns, cost.leave_inside_ns);
    if (way == TARE_WAY_MPI && kind == TARE_END_BLOCKS && recorded && t->core->global->mode == TARE_MODE_OFF) {
        count_whole_call(*t, end);
        end = counters(*t, t0_ns, cost.leave_inside_ns);
    }
    accumulator *const sum = t->record.top().sum;
    const bool noted = way == TARE_WAY_MPI && taker.note != nullptr && recorded;
    tare_measure_spent_t spent{};
    if (noted)
        spent = at != looks::at_regions ? take_note_first(*t, taker, end) : spent_in_call(*t, end);
    if (way == TARE_WAY_MPI && kind == TARE_END_FAILED_POLL && recorded) {
        t->hold(of, end);
        self.quick = nullptr;
    } else {
        close_top<at>(*t, end);
    }
    if (at == looks::at_regions && noted)
        taker.note(taker.call, &spent, t->block);
    if (way != TARE_WAY_MPI && recorded)
        throttle<way>(*t, of, *sum);
    if (__builtin_expect(recorded, 1))
        end_leave<way>(*t, switches.shared.measured ? clock_ns() - t0_ns : 0, end_and_note >> 8);
    end_change(t);
}

template <looks at>
TARE_APART void leave_mpi(thread_state *t, tare_region_t *region, std::int64_t t0_ns, unsigned kind, note_taker taker) noexcept
{
    leave_region<TARE_WAY_MPI, at>(t, region, t0_ns, kind, taker);
}

inline void leave_mpi(tare_region_t *region, std::int64_t t0_ns, unsigned kind = TARE_END_RETURNS,
                      note_taker taker = {}) noexcept
{
    thread_state *t = self.state;
    if (__builtin_expect(t == nullptr, 0) || begin_change(t) == nullptr)
        return;
    if (__builtin_expect(t->special != 0, 0))
        return t->special == special_trace ? leave_mpi<looks::at_trace>(t, region, t0_ns, kind, taker)
                                           : leave_mpi<looks::at_all>(t, region, t0_ns, kind, taker);
    leave_region<TARE_WAY_MPI, looks::at_regions>(t, region, t0_ns, kind, taker);
}

bool is_excluded(const void *region) noexcept
{
    return region != nullptr && static_cast<const tare_region_t *>(region)->selected == selection::excluded;
}

template <tare_measure_way way> TARE_APART void leave_slowly(const void *of, std::int64_t t0_ns) noexcept
{
    thread_state *t = self.state;
    // A function that the thread has not entered is one of a hook's own: its enter was refused, too.
    if (t == nullptr || (way == TARE_WAY_PROBE && !self.known.knows(of) && !t->record.is_open(of)))
        return;
    if (way == TARE_WAY_REGION && is_excluded(of))
        return;
    if (begin_change(t) == nullptr)
        return;
    leave_region<way, looks::at_all>(t, of, t0_ns);
    self.choose_way();
}

// The innermost region, inside another one, and nothing is unusual.
template <tare_measure_way way, bool measured, bool selective = false> TARE_PART void leave_known(const void *of) noexcept
{
    const std::int64_t t0_ns = clock_ns();
    if (!is_quick())
        return leave_slowly<way>(of, t0_ns);
    thread_state *t = self.state;
    if (!t->record.begin())
        return;
    frame *const top = self.top;
    if (__builtin_expect(top->of != of, 0) || __builtin_expect(!recorder::is_inside(top), 0)) {
        t->record.end();
        return leave_slowly<way>(of, t0_ns);
    }
    t->block->regions++;
    const way_cost &cost = t->paces[way].cost;
    self.top = t->record.pop_known(top, packed_sample(*t->block, t0_ns, cost.leave_inside_ns));
    if (selective)
        throttle<way>(*t, of, *top->sum);
    const std::int64_t spent_ns = measured ? clock_ns() - t0_ns : 0;
    declare_overhead(*t->block, spent_ns + cost.leave.ns, cost.leave.fraction);
    if (measured)
        keep_pace<way>(*t, spent_ns);
    else
        keep_constants<way>(*t);
    t->record.end();
}

template <tare_measure_way way, bool measured> void leave(const void *of) noexcept { leave_known<way, measured>(of); }

// The first clock read of enter, which TARE_OVERHEAD=calibrated does without.
inline std::int64_t first_read_ns() noexcept { return switches.shared.measured ? clock_ns() : 0; }

// TARE_FILTER and TARE_THROTTLE, and TARE_REPEAT_PROBES: hooks of their own, so that others do not look for it. The
// calibration goes through them, too. MPI calls are not repeated: an enter of one more tells the core of a call that
// there is not, which would move waits and polls. And what a wrapper costs is little beside its call.
template <tare_measure_way way, bool measured, bool selective, bool repeated> void enter_with(const void *of) noexcept
{
    if (selective && count_call<way>(of))
        return;
    enter<way, measured>(of);
    if (repeated)
        repeat_probes(of, way);
}

template <tare_measure_way way, bool measured> void leave_selected(const void *of) noexcept
{
    if (counted(of) == nullptr)
        leave_known<way, measured, true>(of);
}

template <bool measured>
constexpr hooks usual = {enter<TARE_WAY_REGION, measured>, leave<TARE_WAY_REGION, measured>,
                         enter<TARE_WAY_PROBE, measured>, leave<TARE_WAY_PROBE, measured>};

template <bool measured>
constexpr hooks with_repeats = {
    enter_with<TARE_WAY_REGION, measured, false, true>, leave<TARE_WAY_REGION, measured>,
    enter_with<TARE_WAY_PROBE, measured, false, true>, leave<TARE_WAY_PROBE, measured>};

template <bool measured, bool repeated>
constexpr hooks selected = {
    enter_with<TARE_WAY_REGION, measured, true, repeated>, leave_selected<TARE_WAY_REGION, measured>,
    enter_with<TARE_WAY_PROBE, measured, true, repeated>, leave_selected<TARE_WAY_PROBE, measured>};

template <bool measured> const hooks &hooks_that(bool selective, bool repeated) noexcept
{
    if (selective)
        return repeated ? selected<measured, true> : selected<measured, false>;
    return repeated ? with_repeats<measured> : usual<measured>;
}

}  // namespace

const hooks unrecorded_hooks = {enter_unmeasured<TARE_WAY_REGION>, no_hook, enter_unmeasured<TARE_WAY_PROBE>, no_hook};

const hooks &recorded_hooks(bool measured, bool selective, bool repeated) noexcept
{
    return measured ? hooks_that<true>(selective, repeated) : hooks_that<false>(selective, repeated);
}

}  // namespace tare

using namespace tare;

extern "C" {

void tare_enter(tare_region_t *region) { switches.shared.hooks.enter_region(region); }

void tare_leave(tare_region_t *region) { switches.shared.hooks.leave_region(region); }

void tare_measure_enter_mpi(tare_region_t *region) { enter_mpi(region, first_read_ns()); }

void tare_measure_leave_mpi(tare_region_t *region, int blocking)
{
    if (__builtin_expect(self.state != nullptr, 1))
        leave_mpi(region, clock_ns(), blocking != 0 ? TARE_END_BLOCKS : TARE_END_RETURNS);
}

void tare_measure_leave_poll(tare_region_t *region, int failed)
{
    if (__builtin_expect(self.state != nullptr, 1))
        leave_mpi(region, clock_ns(), failed != 0 ? TARE_END_FAILED_POLL : TARE_END_RETURNS);
}

void tare_measure_leave_noted(tare_region_t *region, unsigned end, tare_measure_note_t note, void *call)
{
    if (__builtin_expect(self.state != nullptr, 1))
        leave_mpi(region, clock_ns(), end, {note, call});
}

void tare_measure_trace_now(const tare_trace_record_t *record)
{
    std::int64_t t0_ns = clock_ns();
    thread_state *t = self.state;
    if (!switches.recording || switches.paused.load(std::memory_order_relaxed) ||
        (t == nullptr && (t = first_of_thread(t0_ns)) == nullptr) || t->trace == nullptr || begin_change(t) == nullptr)
        return;
    if (t->held != nullptr)
        close_held(*t);
    t->trace->add_at(*record, counters(*t, t0_ns, 0));
    declare_waited(*t, true);
    declare(*t, clock_ns() - t0_ns, 0);
    end_change(t);
}

void tare_measure_functions_from(tare_measure_function_t region_of) { region_of_function = region_of; }

void tare_measure_overhead(int64_t ns) { core().overhead_add(ns, 0); }

void tare_measure_pause(int paused) { pause_measuring(paused != 0); }

}  // extern "C"
