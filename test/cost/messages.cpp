// SPDX-License-Identifier: BSD-3-Clause
// The messages whose instructions callgrind counts, started by the script `counts`. Rank 0 sends a batch; rank 1
// receives it when all of it is there, so that no polling is counted. The ranks take turns by a number in a shared
// page, not by MPI. Collecting is switched on inside MPI_Send and MPI_Recv only, and one dump a case is written.
//
// usage: messages FILE     (two ranks; FILE becomes the shared page; each dump is called CASE MESSAGES)
//
//   declared    nothing      no tool: D = 0, nobody is active
//               equal        time stamps; both ranks have the same delay
//               different    time stamps; both ranks add to their delays before every call
//               overhead     both ranks add to their delays, without time stamps
//               bounded      as different, and both know their delays only between bounds, as most programs do
//   arrival     queue        the message waits in the shared queue when the receive is called
//               unexpected   progress has already moved it to the unexpected queue
//               waited       as queue, but it was sent after the receiver's time stamp: it was waited for
#include <mpi.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tare_transport.h"

namespace {

constexpr int batch = 32;         // fewer than the cells of the shared queue
constexpr int warmup_batches = 2;
constexpr int counted_batches = 2;
constexpr int sizes[] = {0, 8};  // with more bytes only memcpy does more
constexpr int largest = 8;
constexpr unsigned settle_us = 20'000;  // longer than any latency that was learned while waiting
constexpr unsigned late_us = 2000;      // a counted message that was waited for is not the fastest one seen
constexpr int64_t first_delay_ns = 1000;
constexpr int64_t cost_ns[] = {10, 20};  // of a call on each side

enum class declared { nothing, equal, different, overhead, bounded };
enum class arrival { queue, unexpected, waited };
const char *const declared_names[] = {"nothing", "equal", "different", "overhead", "bounded"};
const char *const arrival_names[] = {"queue", "unexpected", "waited"};

// In this order: nothing can only be measured before the first declaration, equal delays before they differ, and those
// that are known exactly before they have bounds; the latency is learned while waiting.
struct plan {
    declared tool;
    arrival how;
};
constexpr plan plans[] = {
    {declared::nothing, arrival::queue},    {declared::nothing, arrival::unexpected},
    {declared::equal, arrival::queue},      {declared::equal, arrival::unexpected},
    {declared::equal, arrival::waited},     {declared::different, arrival::waited},
    {declared::different, arrival::queue},  {declared::different, arrival::unexpected},
    {declared::overhead, arrival::queue},   {declared::overhead, arrival::unexpected},
    {declared::bounded, arrival::waited},   {declared::bounded, arrival::queue},
    {declared::bounded, arrival::unexpected},
};

int rank;
char buffer[largest];
const tare_transport_v1_table_t *core;  // null: an MPI without Tare, which takes no declarations

// Turns: even numbers are rank 0's.
std::atomic<unsigned> *turn;

void begin_turn() {
    while (static_cast<int>(turn->load(std::memory_order_acquire) % 2) != rank)
        usleep(20);
}

void end_turn() { turn->fetch_add(1, std::memory_order_release); }

int64_t monotonic_ns() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// What the tool does before a call; the time stamp was taken at `now_ns`.
void declare(declared what, int64_t now_ns) {
    if (core == nullptr)
        return;
    if (what != declared::equal && what != declared::nothing)
        core->overhead_add(cost_ns[rank], 0);
    if (what != declared::overhead && what != declared::nothing)
        core->event(now_ns);
}

void send(declared what, int size, int tag) {
    declare(what, monotonic_ns());
    MPI_Send(buffer, size, MPI_CHAR, 1, tag, MPI_COMM_WORLD);
}

void receive(declared what, int size, int tag, int64_t now_ns) {
    declare(what, now_ns);
    MPI_Recv(buffer, size, MPI_CHAR, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// All messages of the batch go to the unexpected queue.
void drain() {
    int found = 0;
    while (!found)
        MPI_Iprobe(0, batch - 1, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}

void exchange_batch(const plan &p, int size) {
    begin_turn();
    if (rank == 1) {
        usleep(settle_us);
        if (p.how == arrival::unexpected)
            drain();
    }
    for (int tag = 0; tag < batch; ++tag) {
        if (rank == 0)
            send(p.tool, size, tag);
        else
            receive(p.tool, size, tag, monotonic_ns());
    }
    end_turn();
}

// The receiver's time stamp is older than the message, as if it had been waiting in the call since then.
void exchange_one_waited(declared what, int size, int tag, unsigned delay_us) {
    begin_turn();
    const int64_t entered_ns = monotonic_ns();
    end_turn();
    begin_turn();
    if (rank == 0) {
        send(what, size, tag);
    } else {
        usleep(delay_us);
        receive(what, size, tag, entered_ns);
    }
    end_turn();
}

void exchange(const plan &p, int size, unsigned delay_us) {
    if (p.how != arrival::waited)
        return exchange_batch(p, size);
    for (int tag = 0; tag < batch; ++tag)
        exchange_one_waited(p.tool, size, tag, delay_us);
}

// Rank 1 finds a message of a greater delay that has been there for a while, nobody knows for how long: its delay gets
// bounds. Rank 0 gets them by a message that it waits for.
void make_bounded() {
    if (rank == 0 && core != nullptr)
        core->overhead_add(2'000 * int64_t{settle_us}, 0);
    begin_turn();
    if (rank == 0) {
        send(declared::different, largest, 0);
    } else {
        usleep(settle_us);
        receive(declared::different, largest, 0, monotonic_ns());
    }
    end_turn();
    declare(declared::different, monotonic_ns());
    if (rank == 0) {
        MPI_Recv(buffer, largest, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        usleep(late_us);
        declare(declared::different, monotonic_ns());
        MPI_Send(buffer, largest, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
}

void count(const plan &p, int size) {
    const std::string name = std::string(declared_names[static_cast<int>(p.tool)]) + "/" +
                             arrival_names[static_cast<int>(p.how)] + "/" + std::to_string(size) + " " +
                             std::to_string(counted_batches * batch);
    for (int i = 0; i < warmup_batches; ++i)
        exchange(p, size, 0);
    CALLGRIND_ZERO_STATS;
    for (int i = 0; i < counted_batches; ++i)
        exchange(p, size, late_us);
    CALLGRIND_DUMP_STATS_AT(name.c_str());
}

void count_all() {
    bool is_delayed = false, is_bounded = false;
    for (const plan &p : plans) {
        if (p.tool != declared::nothing && !is_delayed && core != nullptr)
            core->overhead_add(first_delay_ns, 0);
        is_delayed = p.tool != declared::nothing;
        if (p.tool == declared::bounded && !is_bounded)
            make_bounded();
        is_bounded = p.tool == declared::bounded;
        for (const int size : sizes)
            count(p, size);
    }
}

bool map_turn(const char *path) {
    const int file = open(path, O_RDWR | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, sizeof *turn) != 0)
        return false;
    void *page = mmap(nullptr, sizeof *turn, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    turn = static_cast<std::atomic<unsigned> *>(page);
    return page != MAP_FAILED;
}

int fail(const std::string &sentence) {
    std::fprintf(stderr, "messages: %s\n", sentence.c_str());
    return EXIT_FAILURE;
}

}  // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 2 || ranks != 2)
        return fail("needs two ranks and the name of a file to share");
    if (!map_turn(argv[1]))
        return fail(std::string(argv[1]) + " cannot be shared: " + std::strerror(errno));
    core = static_cast<const tare_transport_v1_table_t *>(dlsym(RTLD_DEFAULT, "tare_transport_v1"));
    if (core != nullptr && core->version != TARE_TRANSPORT_VERSION)
        return fail("libmpi holds another version of the core than this source tree");
    count_all();
    MPI_Finalize();
    return EXIT_SUCCESS;
}
