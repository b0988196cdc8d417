// SPDX-License-Identifier: BSD-3-Clause
// OpenMP as GCC compiles it: fork, join, barriers, critical regions and locks are edges between threads. The entries of
// libgomp (its ABI is fixed: GOMP_1.0 to GOMP_4.5 in libgomp.map) are defined here and call libgomp's behind.
#include "next.hpp"
#include "sync.hpp"
#include "trace_event.h"
#include "waiting.hpp"

#include <atomic>
#include <optional>

using namespace tare::threads;

namespace {

template <typename Function> struct gomp : next_function<Function> {
    constexpr explicit gomp(const char *name, const char *version = nullptr) noexcept
        : next_function<Function>(name, version, "libgomp.so.1")
    {
    }
};

wait_kind parallel_end("omp parallel end", TARE_GROUP_OPENMP), barrier_wait("omp barrier", TARE_GROUP_OPENMP),
    critical_begin("omp critical", TARE_GROUP_OPENMP), atomic_begin("omp atomic", TARE_GROUP_OPENMP),
    lock_set("omp set lock", TARE_GROUP_OPENMP);

using body = void(void *);

// One parallel region. Lives on the stack of who begins it, which outlives the others' part in it.
struct team {
    body *function;
    void *data;
    tare_wire_t fork;
    std::uint32_t number;                // in a trace
    meeting ended;
    barrier meetings;
    // Threads run tasks inside barriers and at the region's end, after they have come there: nobody knows then for whom
    // the others waited.
    std::atomic<bool> has_tasks{false};
    // Of who has begun the region, from the end of its own part on.
    std::optional<waiting> end;
};

struct member {
    team *in = nullptr;  // nullptr: no region, or one that began before anybody had declared anything
    std::uint64_t round = 0;
    bool begins = false;  // who has begun the region, until it takes part
};
thread_local member self __attribute__((tls_model("initial-exec")));

// What each thread of the region runs.
void run(void *argument)
{
    team *const t = static_cast<team *>(argument);
    const member before = self;
    if (!before.begins) {
        inherit(t->fork);
        trace_begin(t->number, TARE_TRACE_ROUND_BEGIN);
    }
    self = {t, 0, false};
    t->function(t->data);
    self = before;
    self.begins = false;
    if (before.begins)
        t->end.emplace(parallel_end);
    trace_release(t->number, TARE_TRACE_ROUND_END);
    t->ended.leave(stamp_now(), TARE_TRACE_ROUND_END);
}

// What a thread has waited for with all of its team, or what it may have worked on there.
void join_team(const team &t, const left &all) noexcept
{
    if (!t.has_tasks)
        join(all.state);
    else
        stamp_now();
    trace_acquire(t.has_tasks ? left{{}, all.number, all.round, 0} : all);
}

// `begin` hands its argument to libgomp: every thread of the region runs it, and it returns when all have.
template <typename Begin> auto in_parallel(body *function, void *data, Begin begin)
{
    if (!is_counting()) {
        struct outside {
            const member before = self;
            outside() { self = {}; }
            ~outside() { self = before; }
        } all_followed_regions;
        return begin(function, data);
    }
    struct region {
        team t;
        ~region()
        {
            self.begins = false;
            // Ready since its own part has ended: that was its latest stamp.
            join_team(t, t.ended.what(t.number));
        }
    } r{{function, data, stamp_now(), next_number(), {}, {}, {}, {}}};
    trace_release(r.t.number, TARE_TRACE_ROUND_BEGIN);
    self.begins = true;
    return begin(run, &r.t);
}

template <typename Wait> auto at_barrier(Wait wait)
{
    struct on_exit {
        std::optional<waiting> region;
        std::uint64_t round = 0;
        ~on_exit()
        {
            if (round == 0)
                return;
            join_team(*self.in, self.in->meetings.what(self.in->number, round));
        }
    } leave;
    if (self.in != nullptr && is_counting()) {
        leave.region.emplace(barrier_wait);
        leave.round = ++self.round;
        trace_release(self.in->number, leave.round);
        self.in->meetings.arrive(leave.round, stamp_now());
    }
    return wait();
}

template <typename Acquire> void acquire(wait_kind &kind, const void *where, Acquire wait)
{
    if (!is_counting())
        return wait();
    const waiting w(kind);
    stamp_now();
    wait();
    const left before = left_at(where);
    join(before.state);
    trace_acquire(before.come != 0 ? before : left_by_nobody);
}

void release(const void *where)
{
    if (is_counting())
        releasing(where);
}

// As acquire, of what may not be had. What `wait` returns is 0 then.
template <typename Try> int try_to_acquire(const void *where, Try wait)
{
    if (!is_counting())
        return wait();
    stamp_now();
    const int result = wait();
    if (result != 0)
        join(left_at(where).state);
    return result;
}

const char unnamed_critical = 0, atomic = 0;

void note_tasks() noexcept
{
    if (self.in != nullptr)
        self.in->has_tasks = true;
}

}  // namespace

extern "C" {

// --- regions ---

void GOMP_parallel(body *function, void *data, unsigned threads, unsigned flags)
{
    static gomp<void(body *, void *, unsigned, unsigned)> real("GOMP_parallel");
    in_parallel(function, data, [=](body *f, void *d) { real(f, d, threads, flags); });
}

unsigned GOMP_parallel_reductions(body *function, void *data, unsigned threads, unsigned flags)
{
    // libgomp reads from `data` what is reduced: it must be the program's. Not followed.
    static gomp<unsigned(body *, void *, unsigned, unsigned)> real("GOMP_parallel_reductions");
    const member before = self;
    self = {};
    const unsigned result = real(function, data, threads, flags);
    self = before;
    return result;
}

void GOMP_parallel_sections(body *function, void *data, unsigned threads, unsigned count, unsigned flags)
{
    static gomp<void(body *, void *, unsigned, unsigned, unsigned)> real("GOMP_parallel_sections");
    in_parallel(function, data, [=](body *f, void *d) { real(f, d, threads, count, flags); });
}

#define TARE_LOOP_WITH_CHUNK(name)                                                                              \
    void name(body *function, void *data, unsigned threads, long start, long end, long step, long chunk,        \
              unsigned flags)                                                                                   \
    {                                                                                                           \
        static gomp<void(body *, void *, unsigned, long, long, long, long, unsigned)> real(#name);              \
        in_parallel(function, data,                                                                             \
                    [=](body *f, void *d) { real(f, d, threads, start, end, step, chunk, flags); });            \
    }

#define TARE_LOOP(name)                                                                                         \
    void name(body *function, void *data, unsigned threads, long start, long end, long step, unsigned flags)    \
    {                                                                                                           \
        static gomp<void(body *, void *, unsigned, long, long, long, unsigned)> real(#name);                    \
        in_parallel(function, data, [=](body *f, void *d) { real(f, d, threads, start, end, step, flags); });   \
    }

TARE_LOOP_WITH_CHUNK(GOMP_parallel_loop_static)
TARE_LOOP_WITH_CHUNK(GOMP_parallel_loop_dynamic)
TARE_LOOP_WITH_CHUNK(GOMP_parallel_loop_guided)
TARE_LOOP_WITH_CHUNK(GOMP_parallel_loop_nonmonotonic_dynamic)
TARE_LOOP_WITH_CHUNK(GOMP_parallel_loop_nonmonotonic_guided)
TARE_LOOP(GOMP_parallel_loop_runtime)
TARE_LOOP(GOMP_parallel_loop_nonmonotonic_runtime)
TARE_LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

// --- tasks: only that there are some ---

void GOMP_task(body *function, void *data, void (*copy)(void *, void *), long size, long alignment, bool deferred,
               unsigned flags, void **depends, int priority, void *detach)
{
    static gomp<void(body *, void *, void (*)(void *, void *), long, long, bool, unsigned, void **, int, void *)> real(
        "GOMP_task");
    note_tasks();
    real(function, data, copy, size, alignment, deferred, flags, depends, priority, detach);
}

#define TARE_TASKLOOP(name, type)                                                                               \
    void name(body *function, void *data, void (*copy)(void *, void *), long size, long alignment,              \
              unsigned flags, unsigned long count, int priority, type start, type end, type step)               \
    {                                                                                                           \
        static gomp<void(body *, void *, void (*)(void *, void *), long, long, unsigned, unsigned long, int,    \
                         type, type, type)>                                                                     \
            real(#name);                                                                                        \
        note_tasks();                                                                                           \
        real(function, data, copy, size, alignment, flags, count, priority, start, end, step);                  \
    }

TARE_TASKLOOP(GOMP_taskloop, long)
TARE_TASKLOOP(GOMP_taskloop_ull, unsigned long long)

// --- barriers ---

#define TARE_BARRIER(type, name)                   \
    type name(void)                                \
    {                                              \
        static gomp<type()> real(#name);           \
        return at_barrier([] { return real(); });  \
    }

TARE_BARRIER(void, GOMP_barrier)
TARE_BARRIER(bool, GOMP_barrier_cancel)
TARE_BARRIER(void, GOMP_loop_end)
TARE_BARRIER(bool, GOMP_loop_end_cancel)
TARE_BARRIER(void, GOMP_sections_end)
TARE_BARRIER(bool, GOMP_sections_end_cancel)

// --- one at a time ---

void GOMP_critical_start(void)
{
    static gomp<void()> real("GOMP_critical_start");
    acquire(critical_begin, &unnamed_critical, [] { real(); });
}

void GOMP_critical_end(void)
{
    static gomp<void()> real("GOMP_critical_end");
    release(&unnamed_critical);
    real();
}

void GOMP_critical_name_start(void **name)
{
    static gomp<void(void **)> real("GOMP_critical_name_start");
    acquire(critical_begin, name, [name] { real(name); });
}

void GOMP_critical_name_end(void **name)
{
    static gomp<void(void **)> real("GOMP_critical_name_end");
    release(name);
    real(name);
}

void GOMP_atomic_start(void)
{
    static gomp<void()> real("GOMP_atomic_start");
    acquire(atomic_begin, &atomic, [] { real(); });
}

void GOMP_atomic_end(void)
{
    static gomp<void()> real("GOMP_atomic_end");
    release(&atomic);
    real();
}

// Of C, and of Fortran. All in one version of libgomp's: a lock of one is none of another.
#define TARE_LOCKS(kind, end)                                                          \
    void omp_init_##kind##end(void *lock)                                              \
    {                                                                                  \
        static gomp<void(void *)> real("omp_init_" #kind #end, "OMP_3.0");             \
        forget(lock);                                                                  \
        real(lock);                                                                    \
    }                                                                                  \
    void omp_destroy_##kind##end(void *lock)                                           \
    {                                                                                  \
        static gomp<void(void *)> real("omp_destroy_" #kind #end, "OMP_3.0");          \
        forget(lock);                                                                  \
        real(lock);                                                                    \
    }                                                                                  \
    void omp_set_##kind##end(void *lock)                                               \
    {                                                                                  \
        static gomp<void(void *)> real("omp_set_" #kind #end, "OMP_3.0");              \
        acquire(lock_set, lock, [lock] { real(lock); });                               \
    }                                                                                  \
    int omp_test_##kind##end(void *lock)                                               \
    {                                                                                  \
        static gomp<int(void *)> real("omp_test_" #kind #end, "OMP_3.0");              \
        return try_to_acquire(lock, [lock] { return real(lock); });                    \
    }                                                                                  \
    void omp_unset_##kind##end(void *lock)                                             \
    {                                                                                  \
        static gomp<void(void *)> real("omp_unset_" #kind #end, "OMP_3.0");            \
        release(lock);                                                                 \
        real(lock);                                                                    \
    }

TARE_LOCKS(lock, )
TARE_LOCKS(nest_lock, )
TARE_LOCKS(lock, _)
TARE_LOCKS(nest_lock, _)

}  // extern "C"
