// SPDX-License-Identifier: BSD-3-Clause
// Threads: a record for each that enters a region, from its first region (the first thread: from load) to its end.
#include "process.hpp"
#include "region.hpp"

#include <cerrno>
#include <new>
#include <pthread.h>
#include <unistd.h>

namespace tare {

__thread thread_state *self __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

// Set once the thread's record is closed: functions that run later in its end are not recorded.
__thread bool has_ended __attribute__((tls_model("initial-exec"))) = false;

pthread_key_t at_thread_end;
pthread_once_t started = PTHREAD_ONCE_INIT;

// The block is gone after this. Whoever copies a record holds the same lock.
void end_thread(void *state)
{
    process &p = this_process();
    thread_state &t = *static_cast<thread_state *>(state);
    const std::lock_guard<std::mutex> lock(p.threads_changing);
    if (t.held != nullptr) {
        t.record.begin();
        t.record.pop(t.held_end);
        t.record.end();
        t.held = nullptr;
    }
    t.last = counters(t, clock_ns(), 0);
    t.block = nullptr;
    self = nullptr;
    has_ended = true;
}

// A record for the calling thread, whose root region begins now.
thread_state *make_thread(process &p)
{
    thread_state *t = new thread_state;
    bind_core(*t);
    tare_region_t *root = find_or_make_region(profile::root_region, TARE_GROUP_FUNCTION);
    t->record.begin();
    t->record.push(root, root->number).start = counters(*t, clock_ns(), 0);
    t->record.end();
    const std::lock_guard<std::mutex> lock(p.threads_changing);
    t->number = p.threads == nullptr ? 0 : p.threads->number + 1;
    t->next = p.threads;
    p.threads = t;
    return t;
}

// With the first region of the process. An MPI program has its place looked at when the rank is known.
void start()
{
    if (!has_mpi())
        prepare_place();
    calibrate();
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
}

void prepare_threads()
{
    pthread_key_create(&at_thread_end, end_thread);
    if (gettid() == getpid())
        this_process().first_thread = make_thread(this_process());
}

void declare_since(std::int64_t start_ns)
{
    const tare_transport_v1_table_t &core = *switches.core.load(std::memory_order_acquire);
    core.overhead_add(clock_ns() - start_ns, 0);
}

thread_state *attach_thread() noexcept
{
    if (has_ended)
        return nullptr;
    const int saved_errno = errno;
    const std::int64_t start_ns = clock_ns();
    process &p = this_process();
    thread_state *t = gettid() == getpid() && p.first_thread != nullptr ? p.first_thread : make_thread(p);
    self = t;
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
