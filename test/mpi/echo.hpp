// SPDX-License-Identifier: BSD-3-Clause
// What the parts of the echo test share: the two ranks' state, the clock, and how a case is reported.
#ifndef TARE_TEST_MPI_ECHO_HPP
#define TARE_TEST_MPI_ECHO_HPP

#include <mpi.h>

#include <stdint.h>

#include "tare_transport.h"

namespace echo {

constexpr int64_t ms = 1'000'000;
constexpr int64_t tolerance_ns = ms / 2;  // scheduling noise of two ranks on two cores
constexpr int64_t apart_ns = 3 * ms;      // how much later the late side is
constexpr int max_size = 4 << 20;
constexpr int largest_eager = 65536;  // of the sizes that are tried, in shared memory

extern const tare_transport_v1_table_t *core;
extern int rank;
extern bool give_events, over_network, over_ucx, operations_are_native, accumulates_are_native;

// Reports a case as skipped if this path cannot do what it is about.
bool is_left_out(const char *name);
// One of the words of --without holds this one: it must not be tried.
bool is_without(const char *word);
extern int largest, answered_above;  // of the sizes: not tried beyond; the sender waits for its receiver beyond
extern int cells_size;               // what a broadcast through shared flags can leave behind at once; -1: none goes so
extern char *send_buffer, *receive_buffer;  // of max_size

int64_t now_ns();
void wait_until(int64_t when);

// The time stamp that a tool gives before each MPI call (--events).
void event();

// This process measures for so long, and says so.
void overhead(int64_t ns);

// The test's own messages carry no delay and change none.
struct quiet {
    quiet() { core->thread()->muted++; }
    ~quiet() { core->thread()->muted--; }
};

// The same moment on both ranks, soon.
int64_t common_start();

// Before a case is tried again: from the 20th time on a pause, which outlasts what keeps the machine busy now and then.
void rest_before(int attempt);

// A point of the TAP output; rank 0 prints. `skip`: a reason, or nullptr.
void report(bool good, const char *name, const char *skip = nullptr);
extern int failures;

// --- calls.cpp: the ways to send and to receive one message from rank 0 to rank 1 ---

// When a send waits for the receiver's answer.
enum class answer { never, of_rendezvous, of_cells, always };

struct send_call {
    const char *name;
    void (*run)(int size);
    answer waits_for_answer;
    bool is_ready;  // the receive must have been posted
};

struct receive_call {
    const char *name;
    void (*run)(int size);
};

// Calls that go together: each of `sends` meets each of `receives`, with each of `sizes` (-1 ends them).
struct family {
    const send_call *sends;
    int send_count;
    const receive_call *receives;
    int receive_count;
    const int *sizes;
};

extern const family families[];
extern const int family_count;
void make_communicators();
void free_communicators();

void play_family(const family &f);

// --- collective_calls.cpp ---

void play_collectives();

// --- scenes.cpp: what is no single message ---

void play_scenes();

// --- flag_scenes.cpp: collectives through a node's shared flags ---

void play_flag_scenes();

// --- schedule_scenes.cpp: nonblocking collectives that go on while the thread does something else ---

void play_schedule_scenes();

// --- window_scenes.cpp: one-sided communication ---

void play_window_scenes();

}  // namespace echo

#endif
