// SPDX-License-Identifier: BSD-3-Clause
// Two threads, of which one lets the other wait for 10 ms: if it measures, the other gets its delay by rule (R); if it works,
// nobody has any. Prints TAP. --unseen: one case that expects no edge, without libtare-threads. --regions: what has a region
// of its own, once with a thread that works and once with one that measures, for regions.test to look at.
#include "tare.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <omp.h>
#include <pthread.h>

namespace {

constexpr std::int64_t ms = 1'000'000, busy_ns = 10 * ms;
std::int64_t tolerance_ns = ms / 2;

std::int64_t now_ns()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * std::int64_t{1'000'000'000} + t.tv_nsec;
}

void spin_until(std::int64_t when)
{
    while (now_ns() < when) {
    }
}

std::atomic<std::int64_t> busy_since_ns;  // when somebody was last

void be_busy(bool measures)
{
    busy_since_ns = now_ns();
    spin_until(busy_since_ns + busy_ns);
    if (measures)
        tare_overhead_add(busy_ns);
}

bool measures;

// What a scene finds: the delay that the waiting thread has gained.
struct waiting {
    std::int64_t delay_before_ns, since_ns;
    std::int64_t gained() const { return tare_delay_ns() - delay_before_ns; }

    // Where both threads share a processor, the one that waits may be let in a time slice after the other has begun, and
    // so waits, and gains, that much less. Who came as good as too late proves nothing: not all of it is given back.
    std::int64_t gained_if_in_time() const
    {
        const std::int64_t late_ns = std::clamp<std::int64_t>(since_ns - busy_since_ns, 0, busy_ns * 3 / 4);
        return gained() + (measures ? late_ns : 0);
    }
};
waiting wait_from_now() { return {tare_delay_ns(), now_ns()}; }

// --- POSIX threads ---

template <typename Body> class thread {
  public:
    explicit thread(Body body) : body_(body) { pthread_create(&id_, nullptr, run, this); }
    void join() { pthread_join(id_, nullptr); }
    void cancel() { pthread_cancel(id_); }

  private:
    static void *run(void *self)
    {
        static_cast<thread *>(self)->body_();
        return nullptr;
    }
    Body body_;
    pthread_t id_;
};

std::int64_t joining()
{
    thread other([] { be_busy(measures); });
    const waiting w = wait_from_now();
    other.join();
    return w.gained_if_in_time();
}

// The new thread has its creator's delay, which it had before.
std::int64_t creating()
{
    const std::int64_t before = tare_delay_ns();
    std::int64_t theirs = 0;
    be_busy(measures);
    thread other([&theirs] { theirs = tare_delay_ns(); });
    other.join();
    return theirs - before;
}

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
std::atomic<bool> is_held, is_said;

void hold_the_mutex()
{
    pthread_mutex_lock(&mutex);
    is_held = true;
    be_busy(measures);
    pthread_mutex_unlock(&mutex);
}

std::int64_t locking()
{
    is_held = false;
    thread holder(hold_the_mutex);
    while (!is_held) {
    }
    const waiting w = wait_from_now();
    pthread_mutex_lock(&mutex);
    const std::int64_t gained = w.gained_if_in_time();
    pthread_mutex_unlock(&mutex);
    holder.join();
    return gained;
}

// It was free when it was asked for, and without measurement long before: nothing is gained.
std::int64_t locking_late()
{
    is_held = false;
    thread holder(hold_the_mutex);
    while (!is_held) {
    }
    const waiting w = wait_from_now();
    spin_until(now_ns() + 2 * busy_ns);
    pthread_mutex_lock(&mutex);
    const std::int64_t gained = w.gained();
    pthread_mutex_unlock(&mutex);
    holder.join();
    return gained + (measures ? busy_ns : 0);  // as the others are judged
}

std::int64_t waiting_for_a_condition()
{
    is_said = false;
    pthread_mutex_lock(&mutex);
    thread other([] {
        be_busy(measures);
        pthread_mutex_lock(&mutex);
        is_said = true;
        pthread_cond_signal(&condition);
        pthread_mutex_unlock(&mutex);
    });
    const waiting w = wait_from_now();
    while (!is_said)
        pthread_cond_wait(&condition, &mutex);
    const std::int64_t gained = w.gained_if_in_time();
    pthread_mutex_unlock(&mutex);
    other.join();
    return gained;
}

// std::condition_variable waits for the steady clock by pthread_cond_clockwait.
std::int64_t waiting_for_a_condition_or_a_time()
{
    std::mutex m;
    std::condition_variable c;
    bool said = false;
    std::unique_lock<std::mutex> lock(m);
    thread other([&] {
        be_busy(measures);
        const std::lock_guard<std::mutex> other_lock(m);
        said = true;
        c.notify_one();
    });
    const waiting w = wait_from_now();
    c.wait_for(lock, std::chrono::seconds(10), [&said] { return said; });
    const std::int64_t gained = w.gained_if_in_time();
    lock.unlock();
    other.join();
    return gained;
}

// Meanwhile somebody without delay has had the mutex, so it is no edge: the delay of before, which is its own, stays.
std::int64_t waiting_for_a_time()
{
    const std::int64_t later = now_ns() + busy_ns + 5 * ms;
    thread other([later] {
        spin_until(later);
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    });
    pthread_mutex_lock(&mutex);
    be_busy(measures);
    const waiting w = wait_from_now();
    timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 20 * ms;
    until.tv_sec += until.tv_nsec / 1'000'000'000;
    until.tv_nsec %= 1'000'000'000;
    pthread_cond_timedwait(&condition, &mutex, &until);
    const std::int64_t gained = w.gained();
    pthread_mutex_unlock(&mutex);
    other.join();
    return gained + (measures ? busy_ns : 0);  // as the others are judged
}

// Who is cancelled in a wait leaves it by unwinding, and lets go of the mutex in its handler.
std::int64_t joining_a_cancelled_thread()
{
    static std::atomic<bool> is_waiting;
    is_waiting = false;
    const waiting w = wait_from_now();
    thread other([] {
        pthread_mutex_lock(&mutex);
        is_waiting = true;
        pthread_cleanup_push([](void *) { pthread_mutex_unlock(&mutex); }, nullptr);
        for (;;)
            pthread_cond_wait(&condition, &mutex);
        pthread_cleanup_pop(0);
    });
    while (!is_waiting) {
    }
    be_busy(false);
    other.cancel();
    other.join();
    return w.gained() + (measures ? busy_ns : 0);  // as the others are judged
}

pthread_barrier_t barrier;

std::int64_t meeting()
{
    pthread_barrier_init(&barrier, nullptr, 2);
    thread other([] {
        pthread_barrier_wait(&barrier);
        be_busy(measures);
        pthread_barrier_wait(&barrier);
    });
    pthread_barrier_wait(&barrier);
    const waiting w = wait_from_now();
    pthread_barrier_wait(&barrier);
    const std::int64_t gained = w.gained_if_in_time();
    other.join();
    pthread_barrier_destroy(&barrier);
    return gained;
}

// --- OpenMP ---

std::int64_t region_that_ends()
{
    waiting w{};
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1)
        be_busy(measures);
    else
        w = wait_from_now();
    return w.gained_if_in_time();
}

std::int64_t region_that_begins()
{
    const std::int64_t before = tare_delay_ns();
    std::int64_t theirs = 0;
    be_busy(measures);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1)
        theirs = tare_delay_ns();
    return theirs - before;
}

std::int64_t omp_barrier()
{
    std::int64_t gained = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
        const waiting w = wait_from_now();
        if (omp_get_thread_num() == 1)
            be_busy(measures);
#pragma omp barrier
        if (omp_get_thread_num() == 0)
            gained = w.gained_if_in_time();
    }
    return gained;
}

std::int64_t omp_critical()
{
    std::int64_t gained = 0;
    is_held = false;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            while (!is_held) {
            }
        const waiting w = wait_from_now();
#pragma omp critical
        if (omp_get_thread_num() == 1) {
            is_held = true;
            be_busy(measures);
        } else {
            gained = w.gained_if_in_time();
        }
    }
    return gained;
}

std::int64_t omp_dynamic_loop()
{
    const waiting w = wait_from_now();
#pragma omp parallel for schedule(dynamic) num_threads(2)
    for (int i = 0; i < 2; i++)
        if (i == 1)
            be_busy(measures);
    return w.gained();
}

struct scene {
    const char *name;
    std::int64_t (*play)();
};
const scene scenes[] = {
    {"pthread_join waits for a thread", joining},
    {"pthread_create hands the delay on", creating},
    {"pthread_mutex_lock waits for the holder", locking},
    {"pthread_mutex_lock of a mutex that was free in time waits for nobody", locking_late},
    {"pthread_cond_wait waits for who signals", waiting_for_a_condition},
    {"std::condition_variable::wait_for waits for who signals", waiting_for_a_condition_or_a_time},
    {"pthread_cond_timedwait waits for the time", waiting_for_a_time},
    {"pthread_join of a thread that was cancelled in a wait", joining_a_cancelled_thread},
    {"pthread_barrier_wait waits for the other", meeting},
    {"a parallel region ends with its last thread", region_that_ends},
    {"a parallel region hands the delay on", region_that_begins},
    {"an OpenMP barrier waits for the other thread", omp_barrier},
    {"a critical region waits for who is in it", omp_critical},
    {"a parallel loop ends with its last thread", omp_dynamic_loop},
};

// A lock that is free is no wait.
void lock_what_is_free()
{
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
}

void play_regions()
{
    // The first region of the process calibrates, and what it waits for is over by then.
    tare_region_t *const all = tare_region("all");
    tare_enter(all);
    for (bool m : {false, true}) {
        measures = m;
        for (auto play : {joining, locking, waiting_for_a_condition, meeting, region_that_ends, omp_barrier, omp_critical})
            play();
    }
    lock_what_is_free();
    tare_leave(all);
}

int failures;

// A scene is played again where it fails: a thread is descheduled now and then, a wrong rule is wrong every time.
void judge(const scene &s, std::int64_t expected, const char *what)
{
    static int number;
    std::int64_t value = 0;
    bool good = false;
    for (int attempt = 0; attempt < 20 && !good; attempt++) {
        value = s.play();
        good = std::llabs(value - expected) <= tolerance_ns;
    }
    failures += !good;
    std::printf("%s %d - %s%s\n# %lld ns\n", good ? "ok" : "not ok", ++number, s.name, what, (long long) value);
}

}  // namespace

int main(int argc, char **argv)
{
    tare_overhead_add(0);
    if (argc > 1 && std::strcmp(argv[1], "--unseen") == 0) {
        measures = true;
        const waiting w = wait_from_now();
        joining();
        if (w.gained() != 0)
            std::printf("# without libtare-threads %lld ns were gained\n", (long long) w.gained());
        return w.gained() != 0;
    }
    if (argc > 1 && std::strcmp(argv[1], "--regions") == 0)
        return play_regions(), 0;
    for (const scene &s : scenes)
        for (bool m : {false, true}) {
            measures = m;
            judge(s, m ? busy_ns : 0, m ? ", which measures" : ", which works");
        }
    std::printf("1..%d\n", 2 * (int) (sizeof scenes / sizeof scenes[0]));
    return failures > 0;
}
