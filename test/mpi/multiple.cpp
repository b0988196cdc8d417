// SPDX-License-Identifier: BSD-3-Clause
// MPI_THREAD_MULTIPLE: two threads of rank 1 wait at the same time for a message each, which the other one may be the
// first to see. Each must end with what rule (R) gives its own delay and its own message. Prints TAP on rank 1.
//
// Rank 0, which sleeps in between, sends 5 ms after the start with 3 ms of delay, and 10 ms after it with 7 ms. The first
// thread has 20 ms when it begins to wait: max (0 - 20, 5 - 3) of 5, so 3 ms; the second has 1 ms, and gets 7:
// max (0 - 1, 10 - 7) of 10. Each has a communicator, which is a virtual interface (VCI) where MPICH has several.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <thread>

#include "tare_transport.h"

namespace {

constexpr std::int64_t ms = 1'000'000;
constexpr int attempts = 20;

const tare_transport_v1_table_t *core;
int rank;
MPI_Comm comms[2];

std::int64_t now_ns()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * std::int64_t{1'000'000'000} + t.tv_nsec;
}

void sleep_until(std::int64_t when)
{
    const timespec t{static_cast<time_t>(when / 1'000'000'000), static_cast<long>(when % 1'000'000'000)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr);
}

// What each thread waits with, and what it should have afterwards.
struct part {
    int tag;  // and its communicator
    std::int64_t before, sent_after, sent_delay, expected;
};
const part parts[] = {{0, 20 * ms, 5 * ms, 3 * ms, 3 * ms}, {1, 1 * ms, 10 * ms, 7 * ms, 7 * ms}};

enum class how { receive, wait, probe };

void wait_for(const part &p, how way)
{
    char word;
    MPI_Request r;
    switch (way) {
    case how::receive:
        MPI_Recv(&word, 1, MPI_CHAR, 0, p.tag, comms[p.tag], MPI_STATUS_IGNORE);
        break;
    case how::wait:
        MPI_Irecv(&word, 1, MPI_CHAR, 0, p.tag, comms[p.tag], &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        break;
    case how::probe:
        MPI_Probe(0, p.tag, comms[p.tag], MPI_STATUS_IGNORE);
        MPI_Recv(&word, 1, MPI_CHAR, 0, p.tag, comms[p.tag], MPI_STATUS_IGNORE);
    }
}

void send_all(std::int64_t start)
{
    char word = 0;
    for (const part &p : parts) {
        sleep_until(start + p.sent_after);
        core->test_set_delay(p.sent_delay);
        MPI_Send(&word, 1, MPI_CHAR, 1, p.tag, comms[p.tag]);
    }
}

// The delays of both threads afterwards.
void receive_all(std::int64_t start, how way, std::int64_t (&delays)[2])
{
    const auto run = [&](int i) {
        sleep_until(start);
        core->test_set_delay(parts[i].before);
        wait_for(parts[i], way);
        delays[i] = core->thread()->delay_ns;
    };
    std::thread other(run, 1);
    run(0);
    other.join();
}

bool is_near(std::int64_t value, std::int64_t expected) { return std::llabs(value - expected) <= ms; }

std::int64_t common_start()
{
    core->thread()->muted++;
    std::int64_t start = now_ns() + 3 * ms;
    MPI_Bcast(&start, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    core->thread()->muted--;
    return start;
}

bool play(how way, std::int64_t (&delays)[2])
{
    int good = 0;
    for (int i = 0; i < attempts && !good; i++) {
        const std::int64_t start = common_start();
        if (rank == 0)
            send_all(start);
        else
            receive_all(start, way, delays);
        good = is_near(delays[0], parts[0].expected) && is_near(delays[1], parts[1].expected);
        MPI_Bcast(&good, 1, MPI_INT, 1, MPI_COMM_WORLD);
    }
    return good != 0;
}

}  // namespace

int main(int argc, char **argv)
{
    int provided, failures = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    core = static_cast<const tare_transport_v1_table_t *>(dlsym(RTLD_DEFAULT, "tare_transport_v1"));
    if (provided != MPI_THREAD_MULTIPLE || core == nullptr || core->global->carry == 0) {
        fprintf(stderr, "multiple: needs Tare's MPICH with TARE_MODE=header and MPI_THREAD_MULTIPLE\n");
        MPI_Abort(MPI_COMM_WORLD, 99);
    }
    for (MPI_Comm &c : comms)
        MPI_Comm_dup(MPI_COMM_WORLD, &c);
    const char *const names[] = {"MPI_Recv", "MPI_Irecv and MPI_Wait", "MPI_Probe and MPI_Recv"};
    for (int way = 0; way < 3; way++) {
        std::int64_t delays[2] = {};
        const bool good = play(static_cast<how>(way), delays);
        failures += !good;
        if (rank == 1)
            printf("%s %d - two threads in %s have the delays of their own messages\n# %.3f and %.3f ms\n",
                   good ? "ok" : "not ok", way + 1, names[way], delays[0] / 1e6, delays[1] / 1e6);
    }
    for (MPI_Comm &c : comms)
        MPI_Comm_free(&c);
    MPI_Finalize();
    return failures > 0;
}
