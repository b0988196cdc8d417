// SPDX-License-Identifier: BSD-3-Clause
// Plays programs that conservation.cpp has made up, with a profile: player PROGRAM..., one for each thread; the first
// is main's. The steps of a program are words:
//
//     eN lN     enter or leave region N, whatever is open
//     EN LN     the same as an MPI call (PN: a poll that failed)
//     o1.2      overhead of 1 ns and the fraction 2 is declared
//     w1        1 ns of work
//     j1        takes a message of somebody whose delay is 1 ns, which was there before; when it came is not known
//     J1        waits for it for some time
//     p1 p0     measuring is paused, and goes on
//
// Prints for each thread what its core says at its end: THREAD DELAY LO HI RESIDUE WAIT WAIT_COMPENSATED; each begins
// by calling a region of its own, `thread N`, so that the profile can be matched.
#include "tare_measure.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <pthread.h>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

pthread_barrier_t started;

std::int64_t clock_ns()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

void work(std::int64_t ns)
{
    const std::int64_t end = clock_ns() + ns;
    while (clock_ns() < end)
        ;
}

tare_region_t *numbered(const char *kind, const std::string &number, const char *group)
{
    return tare_measure_region((kind + number).c_str(), group);
}

tare_region_t *plain(const std::string &number) { return numbered("region ", number, TARE_GROUP_USER); }
tare_region_t *mpi(const std::string &number) { return numbered("MPI ", number, TARE_GROUP_MPI); }

// As libmpi does it: the wait begins at the latest time stamp, and the message is not of this node.
void take_message(std::int64_t delay_ns, bool is_early)
{
    constexpr unsigned flags = TARE_WIRE_ACTIVE | TARE_WIRE_VERSION << TARE_WIRE_VERSION_SHIFT;
    tare_edge_t edge{};
    edge.wire = tare_wire_pack(delay_ns, 0, flags);
    edge.peer = tare_peer(1, 1);
    edge.size_class = TARE_CLASS_EAGER;
    edge.flags = TARE_EDGE_SET | (is_early ? TARE_EDGE_EARLY : 0);
    tare_measure_core()->enter();
    if (!is_early)
        work(500);
    tare_measure_core()->join(&edge);
}

void declare(const std::string &amount)
{
    std::size_t end = 0;
    const std::int64_t ns = std::stoll(amount, &end);
    tare_measure_core()->overhead_add(ns, static_cast<std::uint32_t>(std::stoul(amount.substr(end + 1))));
}

void play(char what, const std::string &value)
{
    switch (what) {
    case 'e': return tare_enter(plain(value));
    case 'l': return tare_leave(plain(value));
    case 'E': return tare_measure_enter_mpi(mpi(value));
    case 'L': return tare_measure_leave_mpi(mpi(value), 1);
    case 'P': return tare_measure_leave_poll(mpi(value), 1);
    case 'o': return declare(value);
    case 'w': return work(std::stoll(value));
    case 'j': return take_message(std::stoll(value), true);
    case 'J': return take_message(std::stoll(value), false);
    case 'p': return tare_measure_pause(value == "1");
    default: std::abort();
    }
}

std::string state_of(int number)
{
    const tare_thread_t &t = *tare_measure_core()->thread();
    std::ostringstream line;
    line << number << ' ' << t.delay_ns << ' ' << t.delay_lo_ns << ' ' << t.delay_hi_ns << ' ' << t.residue_ns << ' '
         << t.wait_ns << ' ' << t.wait_compensated_ns << '\n';
    return line.str();
}

void run(int number, const std::string &program)
{
    tare_region_t *own = numbered("thread ", std::to_string(number), TARE_GROUP_USER);
    tare_enter(own);
    tare_leave(own);
    // Nobody pauses before all have done so.
    pthread_barrier_wait(&started);
    std::istringstream steps(program);
    for (std::string step; steps >> step;)
        play(step[0], step.substr(1));
    std::fputs(state_of(number).c_str(), stdout);
}

}  // namespace

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    pthread_barrier_init(&started, nullptr, static_cast<unsigned>(argc - 1));
    std::vector<std::thread> threads;
    for (int i = 2; i < argc; i++)
        threads.emplace_back(run, i - 1, argv[i]);
    run(0, argv[1]);
    for (std::thread &t : threads)
        t.join();
}
