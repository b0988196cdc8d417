/* SPDX-License-Identifier: BSD-3-Clause */
/* thread_causes KIND: two threads, or three, of which one is late ten times: it sleeps for 20 ms in `compute`, who waits for
 * it for 5 ms in `own`. Without MPI. */
#define _POSIX_C_SOURCE 200809L
#include "work.h"

#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { rounds = 10 };

/* How many there are, and who waits for more. */
struct channel {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    int count;
};
static struct channel made = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };
static struct channel passed_on = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;

static void compute(void) { work("compute", 20); }
static void own(void) { work("own", 5); }

/* Both begin a round together; the other one has the mutex when this one wants it. */
static void *hold_mutex(void *unused)
{
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&mutex);
        pthread_barrier_wait(&barrier);
        compute();
        pthread_mutex_unlock(&mutex);
        pthread_barrier_wait(&barrier);
    }
    return unused;
}

static void want_mutex(void)
{
    for (int i = 0; i < rounds; i++) {
        pthread_barrier_wait(&barrier);
        own();
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
        pthread_barrier_wait(&barrier);
    }
}

static void tell(struct channel *c)
{
    pthread_mutex_lock(&c->mutex);
    c->count++;
    pthread_cond_signal(&c->condition);
    pthread_mutex_unlock(&c->mutex);
}

static void wait_for(struct channel *c, int wanted)
{
    pthread_mutex_lock(&c->mutex);
    while (c->count < wanted)
        pthread_cond_wait(&c->condition, &c->mutex);
    pthread_mutex_unlock(&c->mutex);
}

static void *produce(void *unused)
{
    for (int i = 0; i < rounds; i++) {
        compute();
        tell(&made);
        pthread_barrier_wait(&barrier);
    }
    return unused;
}

/* The one in the middle has nothing to do but to wait. */
static void *pass_on(void *unused)
{
    for (int i = 1; i <= rounds; i++) {
        wait_for(&made, i);
        tell(&passed_on);
        pthread_barrier_wait(&barrier);
    }
    return unused;
}

static void consume_from(struct channel *c)
{
    for (int i = 1; i <= rounds; i++) {
        own();
        wait_for(c, i);
        pthread_barrier_wait(&barrier);
    }
}

static void consume(void) { consume_from(&made); }
static void consume_what_is_passed_on(void) { consume_from(&passed_on); }

static void *late_at_barrier(void *unused)
{
    for (int i = 0; i < rounds; i++) {
        compute();
        pthread_barrier_wait(&barrier);
    }
    return unused;
}

static void early_at_barrier(void)
{
    for (int i = 0; i < rounds; i++) {
        own();
        pthread_barrier_wait(&barrier);
    }
}

static void *compute_once(void *unused)
{
    compute();
    return unused;
}

static void with_thread(void *(*function)(void *), void (*here)(void))
{
    pthread_t thread;
    pthread_create(&thread, NULL, function, NULL);
    here();
    pthread_join(thread, NULL);
}

static void with_mutex(void) { with_thread(hold_mutex, want_mutex); }
static void with_condition(void) { with_thread(produce, consume); }
static void with_barrier(void) { with_thread(late_at_barrier, early_at_barrier); }

static void with_hops(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, pass_on, NULL);
    with_thread(produce, consume_what_is_passed_on);
    pthread_join(thread, NULL);
}

static void with_join(void)
{
    for (int i = 0; i < rounds; i++)
        with_thread(compute_once, own);
}

static void omp_barrier(void)
{
#pragma omp parallel num_threads(2)
    for (int i = 0; i < rounds; i++) {
        if (omp_get_thread_num() == 1)
            compute();
        else
            own();
#pragma omp barrier
    }
}

static void omp_end(void)
{
    for (int i = 0; i < rounds; i++) {
        work("serial", 5);
#pragma omp parallel num_threads(2)
        {
            if (omp_get_thread_num() == 1)
                compute();
            else
                own();
        }
    }
}

static void omp_critical(void)
{
#pragma omp parallel num_threads(2)
    for (int i = 0; i < rounds; i++) {
        if (omp_get_thread_num() == 0)
            own();
#pragma omp critical
        if (omp_get_thread_num() == 1)
            compute();
#pragma omp barrier
    }
}

/* Nobody knows for whom a barrier waits in which tasks run. */
static void omp_tasks(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        for (int i = 0; i < rounds; i++) {
#pragma omp task
            compute();
        }
    }
}

static void killed(void)
{
    with_join();
    raise(SIGKILL);
}

static const struct {
    const char *name;
    void (*run)(void);
    unsigned threads;
} kinds[] = {
    { "mutex", with_mutex, 2 }, { "condition", with_condition, 2 }, { "barrier", with_barrier, 2 },
    { "hops", with_hops, 3 }, { "join", with_join, 1 }, { "omp_barrier", omp_barrier, 1 }, { "omp_end", omp_end, 1 },
    { "omp_critical", omp_critical, 1 }, { "omp_tasks", omp_tasks, 1 },
    { "killed", killed, 1 },
};

int main(int argc, char **argv)
{
    work("begun", 1);            /* from here on somebody has declared something */
    for (size_t i = 0; argc > 1 && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(argv[1], kinds[i].name) != 0)
            continue;
        pthread_barrier_init(&barrier, NULL, kinds[i].threads);
        kinds[i].run();
        return 0;
    }
    fprintf(stderr, "thread_causes: no such kind\n");
    return 2;
}
