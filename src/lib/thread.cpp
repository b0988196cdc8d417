// SPDX-License-Identifier: BSD-3-Clause
// Threads: a record for each that enters a region, from its first region (the first thread: from load) to its end.
#include "arena.hpp"
#include "paths.hpp"
#include "process.hpp"
#include "region.hpp"
#include "trace.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <pthread.h>
#include <unistd.h>

namespace tare {

__thread calling_thread self __attribute__((tls_model("initial-exec")));

namespace {

// Set once the thread's record is closed: functions that run later in its end are not recorded.
__thread bool has_ended __attribute__((tls_model("initial-exec"))) = false;

// For its record, where it has none yet. In the arena.
__thread const char *own_name __attribute__((tls_model("initial-exec"))) = nullptr;

// While its record is made: a handler of a signal that has hooks would wait for what it interrupts.
__thread bool is_beginning __attribute__((tls_model("initial-exec"))) = false;

pthread_key_t at_thread_end;
pthread_once_t placed = PTHREAD_ONCE_INIT;
pthread_once_t started = PTHREAD_ONCE_INIT;

// The block is gone after this. Whoever copies a record holds the same lock.
void end_thread(void *state)
{
    process &p = this_process();
    thread_state &t = *static_cast<thread_state *>(state);
    const std::lock_guard<std::mutex> lock(p.threads_changing);
    if (t.held != nullptr) {
        t.record.begin();
        if (t.trace != nullptr)
            t.trace->leave_before(t.held_end);
        t.record.pop(t.held_end);
        t.record.end();
        t.let_go();
    }
    t.last = counters(t, clock_ns(), 0);
    if (t.trace != nullptr)
        t.trace->finish(t.last);
    // An allocator may have hooks, and so may a handler of a signal that comes now: they meet no thread.
    sum_table known = self.known;
    self = {};
    has_ended = true;
    t.block = nullptr;
    known.drop();
}

void describe_threads(live_header &header) noexcept
{
    path_record::describe(header.paths);
    live_layout &layout = header.layout;
    recorder::describe(layout, offsetof(thread_state, record));
    layout.size = sizeof(thread_state);
    layout.held = offsetof(thread_state, held);
    layout.held_end = offsetof(thread_state, held_end);
    layout.running = offsetof(thread_state, block);
    layout.last = offsetof(thread_state, last);
    layout.number = offsetof(thread_state, number);
    layout.name = offsetof(thread_state, name);
    layout.excluded_calls = offsetof(thread_state, excluded) + offsetof(accumulator, calls);
    layout.next = offsetof(thread_state, next);
}

thread_state *new_thread(const process &p)
{
    void *memory = arena_take(sizeof(thread_state));
    if (memory == nullptr)
        std::abort();
    auto *t = new (memory) thread_state(true);
    t->record_paths(p.settings.callpath_depth);
    if (p.settings.throttle_calls > 0) {
        t->throttle_calls = p.settings.throttle_calls;
        t->throttle_ns = p.settings.throttle_ns;
    }
    return t;
}

// What its messages say of their sender is where its events are.
void number_messages(const thread_state &t) noexcept
{
    if (t.trace != nullptr)
        t.core->number_thread(static_cast<std::uint32_t>(t.number));
}

// A record for the calling thread, whose root region began at a time.
thread_state *make_thread(process &p, std::int64_t start_ns)
{
    // From before its first change: who moves all records has to know of it.
    const std::lock_guard<std::mutex> lock(p.threads_changing);
    thread_state *t = new_thread(p);
    bind_core(*t);
    tare_region_t *root = find_or_make_region(profile::root_region, TARE_GROUP_FUNCTION);
    t->record.begin();
    t->record.push(root, root->number).start = counters(*t, start_ns, 0);
    t->record.end();
    t->number = p.threads == nullptr ? 0 : p.threads->number + 1;
    t->record_trace(trace_of_thread(static_cast<std::uint32_t>(t->number)));
    number_messages(*t);
    if (t->trace != nullptr) {
        t->trace->enter(t->record.top().start, root->number);
        t->trace->take_waited_ns();                  // the caller declares all that this took
    }
    t->next = p.threads;
    p.threads = t;
    if (arena_keeps(t))
        __atomic_store_n(&arena_header()->threads, address_of(t), __ATOMIC_RELEASE);
    return t;
}

// With the first region of the process, before its thread gets a record. An MPI program has its place looked at when
// the rank is known.
void place_records()
{
    if (has_mpi())
        keep_records();
    else
        prepare_place();
}

void start()
{
    calibrate();
    listen_for_signal();
    start_trace();
}

}  // namespace

void move_delay(tare_thread_t &from, tare_thread_t &to) noexcept
{
    if (&from == &to)
        return;
    const std::uint32_t number = to.number;
    to = from;
    to.number = number;
    from.delay_ns = from.delay_lo_ns = from.delay_hi_ns = 0;
}

void bind_core(thread_state &t) noexcept
{
    t.core = switches.core.load(std::memory_order_acquire);
    tare_thread_t *block = t.core->thread();
    if (t.block != nullptr)
        move_delay(*t.block, *block);
    t.block = block;
    number_messages(t);
}

void prepare_threads()
{
    pthread_key_create(&at_thread_end, end_thread);
    if (live_header *h = arena_header(); h != nullptr)
        describe_threads(*h);
    keep_regions();
    if (gettid() != getpid())
        return;
    const std::int64_t start_ns = clock_ns();
    this_process().first_thread = make_thread(this_process(), start_ns);
    // Its memory takes time. Without a trace little is done here.
    if (this_process().first_thread->trace != nullptr)
        declare_since(start_ns);
}

void declare_since(std::int64_t start_ns)
{
    const tare_transport_v1_table_t &core = *switches.core.load(std::memory_order_acquire);
    core.overhead_add(clock_ns() - start_ns, 0);
}

namespace {

// nullptr: nothing is measured here.
thread_state *begin_thread(process &p, std::int64_t start_ns)
{
    pthread_once(&placed, place_records);
    if (!switches.recording)
        return nullptr;
    thread_state *t = gettid() == getpid() && p.first_thread != nullptr ? p.first_thread : make_thread(p, start_ns);
    __atomic_store_n(&t->name, own_name, __ATOMIC_RELEASE);
    self.state = t;
    return t;
}

}  // namespace

// Most threads are called the same all the time, and no memory is given back.
void name_thread(const char *name) noexcept
{
    if (!switches.recording || (own_name != nullptr && std::strcmp(own_name, name) == 0))
        return;
    const char *copy = arena_copy(name);
    if (copy == nullptr)
        return;
    own_name = copy;
    if (self.state != nullptr)
        __atomic_store_n(&self.state->name, copy, __ATOMIC_RELEASE);
}

thread_state *attach_thread() noexcept
{
    if (has_ended || is_beginning)
        return nullptr;
    is_beginning = true;
    const int saved_errno = errno;
    const std::int64_t start_ns = clock_ns();
    process &p = this_process();
    thread_state *t = begin_thread(p, start_ns);
    is_beginning = false;
    if (t == nullptr) {
        errno = saved_errno;
        return nullptr;
    }
    p.has_entered = true;
    pthread_setspecific(at_thread_end, t);
    pthread_once(&started, start);
    start_pace(*t);
    if (t->core != switches.core.load(std::memory_order_acquire))
        bind_core(*t);
    declare_since(start_ns);
    errno = saved_errno;
    return t;
}

}  // namespace tare
