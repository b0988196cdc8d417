// SPDX-License-Identifier: BSD-3-Clause
// What an operation between threads takes, in ns: cost NAME COUNT [declared]. With `declared` the process has declared
// overhead, so that libtare-threads, if it is loaded, follows its waits.
#include "tare.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <pthread.h>

namespace {

double now_ns()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
pthread_barrier_t barrier;
int turn;
volatile long sum;

void locks(long count)
{
    for (long i = 0; i < count; i++) {
        pthread_mutex_lock(&mutex);
        sum = sum + 1;
        pthread_mutex_unlock(&mutex);
    }
}

// Two threads, in turns.
void take_turns(int me, long count)
{
    pthread_mutex_lock(&mutex);
    for (long i = 0; i < count; i++) {
        while (turn != me)
            pthread_cond_wait(&condition, &mutex);
        turn = 1 - me;
        pthread_cond_signal(&condition);
    }
    pthread_mutex_unlock(&mutex);
}

void meet(int, long count)
{
    for (long i = 0; i < count; i++)
        pthread_barrier_wait(&barrier);
}

template <void (*body)(int, long)> void by_two(long count)
{
    pthread_t other;
    pthread_create(
        &other, nullptr,
        [](void *c) -> void * {
            body(1, *static_cast<long *>(c));
            return nullptr;
        },
        &count);
    body(0, count);
    pthread_join(other, nullptr);
}

void threads(long count)
{
    for (long i = 0; i < count; i++) {
        pthread_t other;
        pthread_create(&other, nullptr, [](void *) -> void * { return nullptr; }, nullptr);
        pthread_join(other, nullptr);
    }
}

void regions(long count)
{
    for (long i = 0; i < count; i++) {
#pragma omp parallel num_threads(2)
        sum = sum + 1;
    }
}

void omp_barriers(long count)
{
#pragma omp parallel num_threads(2)
    for (long i = 0; i < count; i++) {
#pragma omp barrier
    }
}

void criticals(long count)
{
    for (long i = 0; i < count; i++) {
#pragma omp critical
        sum = sum + 1;
    }
}

const struct {
    const char *name;
    void (*run)(long);
} operations[] = {
    {"mutex", locks},           {"condition", by_two<take_turns>}, {"barrier", by_two<meet>},   {"thread", threads},
    {"omp_parallel", regions}, {"omp_barrier", omp_barriers},     {"omp_critical", criticals},
};

}  // namespace

int main(int argc, char **argv)
{
    const long count = argc > 2 ? atol(argv[2]) : 0;
    pthread_barrier_init(&barrier, nullptr, 2);
    if (argc > 3)
        tare_overhead_add(1);
    for (const auto &o : operations)
        if (count > 0 && strcmp(argv[1], o.name) == 0) {
            o.run(count / 10 + 1);
            const double start = now_ns();
            o.run(count);
            printf("%.1f\n", (now_ns() - start) / static_cast<double>(count));
            return 0;
        }
    fprintf(stderr, "usage: cost NAME COUNT [declared]\n");
    return 2;
}
