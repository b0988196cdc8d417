// SPDX-License-Identifier: BSD-3-Clause
// POSIX threads: creation, joining, mutexes, condition variables and barriers are edges between threads.
//
// The functions of pthread.h are defined here and call libc's behind. What the MPI library and others do among their own
// threads passes unchanged.
#include "caller.hpp"
#include "next.hpp"
#include "sync.hpp"
#include "trace_event.h"
#include "waiting.hpp"

#include <cerrno>
#include <new>
#include <pthread.h>

using namespace tare::threads;

namespace {

// Condition variables have two versions in libc; the older is of before NPTL.
constexpr const char *condition_version = "GLIBC_2.3.2";

next_function<int(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)>
    real_pthread_create("pthread_create");
next_function<int(pthread_t, void **)> real_pthread_join("pthread_join");
next_function<int(pthread_mutex_t *, const pthread_mutexattr_t *)> real_pthread_mutex_init("pthread_mutex_init");
next_function<int(pthread_mutex_t *)> real_pthread_mutex_lock("pthread_mutex_lock");
next_function<int(pthread_mutex_t *)> real_pthread_mutex_trylock("pthread_mutex_trylock");
next_function<int(pthread_mutex_t *, const timespec *)> real_pthread_mutex_timedlock("pthread_mutex_timedlock");
next_function<int(pthread_mutex_t *, clockid_t, const timespec *)>
    real_pthread_mutex_clocklock("pthread_mutex_clocklock");
next_function<int(pthread_mutex_t *)> real_pthread_mutex_unlock("pthread_mutex_unlock");
next_function<int(pthread_mutex_t *)> real_pthread_mutex_destroy("pthread_mutex_destroy");
next_function<int(pthread_cond_t *, const pthread_condattr_t *)>
    real_pthread_cond_init("pthread_cond_init", condition_version);
next_function<int(pthread_cond_t *)> real_pthread_cond_signal("pthread_cond_signal", condition_version);
next_function<int(pthread_cond_t *)> real_pthread_cond_broadcast("pthread_cond_broadcast", condition_version);
next_function<int(pthread_cond_t *, pthread_mutex_t *)>
    real_pthread_cond_wait("pthread_cond_wait", condition_version);
next_function<int(pthread_cond_t *, pthread_mutex_t *, const timespec *)>
    real_pthread_cond_timedwait("pthread_cond_timedwait", condition_version);
next_function<int(pthread_cond_t *, pthread_mutex_t *, clockid_t, const timespec *)>
    real_pthread_cond_clockwait("pthread_cond_clockwait");
next_function<int(pthread_cond_t *)> real_pthread_cond_destroy("pthread_cond_destroy", condition_version);
next_function<int(pthread_barrier_t *, const pthread_barrierattr_t *, unsigned)>
    real_pthread_barrier_init("pthread_barrier_init");
next_function<int(pthread_barrier_t *)> real_pthread_barrier_wait("pthread_barrier_wait");

wait_kind thread_join("pthread_join()", TARE_GROUP_PTHREAD), mutex_lock("pthread_mutex_lock()", TARE_GROUP_PTHREAD),
    cond_wait("pthread_cond_wait()", TARE_GROUP_PTHREAD), barrier_wait("pthread_barrier_wait()", TARE_GROUP_PTHREAD);

// While the loader starts a library it holds a lock that a look for a symbol waits for, and the library may wait for a
// thread of its own.
__attribute__((constructor)) void look_for_all()
{
    real_pthread_create.look(), real_pthread_join.look();
    real_pthread_mutex_init.look(), real_pthread_mutex_lock.look(), real_pthread_mutex_trylock.look();
    real_pthread_mutex_timedlock.look(), real_pthread_mutex_clocklock.look(), real_pthread_mutex_unlock.look();
    real_pthread_mutex_destroy.look();
    real_pthread_cond_init.look(), real_pthread_cond_signal.look(), real_pthread_cond_broadcast.look();
    real_pthread_cond_wait.look(), real_pthread_cond_timedwait.look(), real_pthread_cond_clockwait.look();
    real_pthread_cond_destroy.look();
    real_pthread_barrier_init.look(), real_pthread_barrier_wait.look();
    pthread_atfork(nullptr, nullptr, forget_other_threads);
}

// --- threads ---

struct start {
    void *(*function)(void *);
    void *argument;
    tare_wire_t creator;
    std::uint32_t number;
};

// Found by who joins it: its pthread_t is the address of what libc keeps of it.
const void *name_of(pthread_t thread) noexcept { return reinterpret_cast<const void *>(thread); }

void leave_end(void *) noexcept
{
    if (is_counting())
        releasing(name_of(pthread_self()));
}

void *run(void *argument)
{
    const start s = *static_cast<start *>(argument);
    delete static_cast<start *>(argument);
    void *result = nullptr;
    forget(name_of(pthread_self()));
    inherit(s.creator);
    trace_begin(s.number, TARE_TRACE_ROUND_END);
    pthread_cleanup_push(leave_end, nullptr);
    result = s.function(s.argument);
    pthread_cleanup_pop(1);
    return result;
}

// --- locks ---

// An acquisition by `acquire`, which has waited for whoever released last. Of the program, and counted.
template <typename Acquire> int acquired(const void *where, Acquire acquire, bool is_in_region = false)
{
    stamp_now();
    const int result = acquire();
    if (result != 0)
        return result;
    const left before = left_at(where);
    join(before.state);
    if (is_in_region)
        trace_acquire(before);
    return result;
}

template <typename Acquire> int waited_for(wait_kind &kind, const void *where, Acquire acquire)
{
    const waiting w(kind);
    return acquired(where, acquire, true);
}

// A region only where somebody has the mutex: a lock that is free costs no more than the edge.
template <typename Acquire> int locked(pthread_mutex_t *mutex, Acquire acquire)
{
    const int result = acquired(mutex, [=] { return real_pthread_mutex_trylock(mutex); });
    return result == EBUSY ? waited_for(mutex_lock, mutex, acquire) : result;
}

// A wait for a condition, which leaves the mutex and takes it again. A time that has come is nobody's: the delay stays.
// A thread that is cancelled in it unwinds through here.
template <typename Wait> int told(const void *condition, const void *mutex, Wait wait)
{
    const waiting w(cond_wait);
    releasing(mutex);
    stamp_now();
    const int result = wait();
    if (result != 0) {
        stamp_now();
        return result;
    }
    const left signal = left_at(condition), unlock = left_at(mutex);
    join(sum(signal.state, unlock.state));
    trace_acquire(signal);
    trace_acquire(unlock);
    return result;
}

}  // namespace

#define TARE_IS_FOLLOWED() (is_counting() && TARE_IS_OF_THE_PROGRAM())

extern "C" {

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument)
{
    if (!TARE_IS_FOLLOWED())
        return real_pthread_create(thread, attributes, function, argument);
    auto *const s = new (std::nothrow) start{function, argument, stamp_now(), next_number()};
    if (s == nullptr)
        return EAGAIN;
    trace_release(s->number, TARE_TRACE_ROUND_END);
    const int result = real_pthread_create(thread, attributes, run, s);
    if (result != 0)
        delete s;
    return result;
}

int pthread_join(pthread_t thread, void **result)
{
    if (!TARE_IS_FOLLOWED())
        return real_pthread_join(thread, result);
    const int status = waited_for(thread_join, name_of(thread), [=] { return real_pthread_join(thread, result); });
    if (status == 0)
        forget(name_of(thread));
    return status;
}

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) noexcept
{
    forget(mutex);
    return real_pthread_mutex_init(mutex, attributes);
}

int pthread_mutex_lock(pthread_mutex_t *mutex) noexcept
{
    if (!TARE_IS_FOLLOWED())
        return real_pthread_mutex_lock(mutex);
    return locked(mutex, [=] { return real_pthread_mutex_lock(mutex); });
}

int pthread_mutex_trylock(pthread_mutex_t *mutex) noexcept
{
    if (!TARE_IS_FOLLOWED())
        return real_pthread_mutex_trylock(mutex);
    return acquired(mutex, [=] { return real_pthread_mutex_trylock(mutex); });
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const timespec *until) noexcept
{
    if (!TARE_IS_FOLLOWED())
        return real_pthread_mutex_timedlock(mutex, until);
    return locked(mutex, [=] { return real_pthread_mutex_timedlock(mutex, until); });
}

int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const timespec *until) noexcept
{
    if (!TARE_IS_FOLLOWED())
        return real_pthread_mutex_clocklock(mutex, clock, until);
    return locked(mutex, [=] { return real_pthread_mutex_clocklock(mutex, clock, until); });
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) noexcept
{
    if (TARE_IS_FOLLOWED())
        releasing(mutex);
    return real_pthread_mutex_unlock(mutex);
}

int pthread_mutex_destroy(pthread_mutex_t *mutex) noexcept
{
    forget(mutex);
    return real_pthread_mutex_destroy(mutex);
}

int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes) noexcept
{
    forget(condition);
    return real_pthread_cond_init(condition, attributes);
}

int pthread_cond_signal(pthread_cond_t *condition) noexcept
{
    if (TARE_IS_FOLLOWED())
        releasing(condition);
    return real_pthread_cond_signal(condition);
}

int pthread_cond_broadcast(pthread_cond_t *condition) noexcept
{
    if (TARE_IS_FOLLOWED())
        releasing(condition);
    return real_pthread_cond_broadcast(condition);
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    if (!TARE_IS_FOLLOWED())
        return real_pthread_cond_wait(condition, mutex);
    return told(condition, mutex, [=] { return real_pthread_cond_wait(condition, mutex); });
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const timespec *until)
{
    if (!TARE_IS_FOLLOWED())
        return real_pthread_cond_timedwait(condition, mutex, until);
    return told(condition, mutex, [=] { return real_pthread_cond_timedwait(condition, mutex, until); });
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const timespec *until)
{
    if (!TARE_IS_FOLLOWED())
        return real_pthread_cond_clockwait(condition, mutex, clock, until);
    return told(condition, mutex, [=] { return real_pthread_cond_clockwait(condition, mutex, clock, until); });
}

int pthread_cond_destroy(pthread_cond_t *condition) noexcept
{
    forget(condition);
    return real_pthread_cond_destroy(condition);
}

int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes, unsigned count) noexcept
{
    if (object *o = find(barrier, true); o != nullptr) {
        if (o->count != 0)
            o->rounds_before += o->arrivals / o->count + 1;
        o->count = count;
        o->arrivals = 0;
        o->barrier.clear();
    }
    return real_pthread_barrier_init(barrier, attributes, count);
}

// Everybody takes a number, also while nothing is counted: who comes then may meet somebody who comes later.
int pthread_barrier_wait(pthread_barrier_t *barrier) noexcept
{
    object *const o = TARE_IS_OF_THE_PROGRAM() ? find(barrier, false) : nullptr;
    if (o == nullptr || o->count == 0)
        return real_pthread_barrier_wait(barrier);
    const std::uint64_t round = o->rounds_before + o->arrivals++ / o->count + 1;
    if (!is_counting())
        return real_pthread_barrier_wait(barrier);
    const waiting w(barrier_wait);
    const std::uint32_t number = number_of_barrier(*o);
    trace_release(number, round);
    o->barrier.arrive(round, stamp_now());
    const int result = real_pthread_barrier_wait(barrier);
    const left all = o->barrier.what(number, round);
    join(all.state);
    trace_acquire(all);
    return result;
}

}  // extern "C"
