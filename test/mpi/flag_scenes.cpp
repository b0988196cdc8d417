// SPDX-License-Identifier: BSD-3-Clause
// Collectives through the shared flags of a node, which run ahead of each other by some cells.
#include "scenes.hpp"

#include <dlfcn.h>
#include <string.h>
#include <time.h>

#include <initializer_list>

// What libmpi asks for while it is set.
static int *clock_reads;

extern "C" int clock_gettime(clockid_t clock, timespec *now) noexcept
{
    static const auto original = reinterpret_cast<decltype(&clock_gettime)>(dlsym(RTLD_NEXT, "clock_gettime"));
    Dl_info caller;
    if (clock_reads != nullptr && dladdr(__builtin_return_address(0), &caller) != 0 &&
        strstr(caller.dli_fname, "/libmpi.so") != nullptr)
        ++*clock_reads;
    return original(clock, now);
}

namespace echo {

namespace {

constexpr int calls = 12;  // more than there are cells

void bcast() { MPI_Bcast(send_buffer, 8, MPI_BYTE, 0, MPI_COMM_WORLD); }
void reduce() { MPI_Reduce(send_buffer, receive_buffer, 8, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD); }

// What runs ahead, who is ahead, and who comes late.
struct ahead {
    const char *name[2];  // by whether the late rank measures or works
    void (*call)();
    int early;
};

const ahead aheads[] = {
    {{"broadcasts: the root leaves early, then waits for a cell of a rank that works",
      "broadcasts: the root leaves early, then waits for a cell of a rank that measures"},
     bcast,
     0},
    {{"reductions: a leaf leaves early, then waits for a cell of a root that works",
      "reductions: a leaf leaves early, then waits for a cell of a root that measures"},
     reduce,
     1},
};

verdict run_ahead(const ahead &a, bool measures)
{
    const int64_t begin = common_start();
    core->test_set_delay(0);
    wait_until(begin);
    if (rank != a.early && measures)
        overhead(10 * ms);
    else if (rank != a.early)
        wait_until(begin + 10 * ms);
    int64_t first = 0;
    for (int i = 0; i < calls; i++) {
        event();
        a.call();
        if (i == 0)
            first = now_ns() - begin;
    }
    const int64_t mine = core->thread()->delay_ns, theirs = other_delay(), theirs_first = other(first);
    const int64_t early = rank == a.early ? mine : theirs, late = rank == a.early ? theirs : mine;
    const bool left_early = (rank == a.early ? first : theirs_first) < ms;
    const int64_t expected = measures ? 10 * ms : 0;
    return {left_early && is_near(early, expected) && is_near(late, expected), a.name[measures], early};
}

// To another root than the tree's, through rank 0, which waits for the data: the leaf's delay comes to both.
verdict reduce_through_rank_0(bool measures)
{
    const int64_t begin = common_start();
    core->test_set_delay(0);
    wait_until(begin);
    if (rank == 1 && measures)
        overhead(10 * ms);
    else if (rank == 1)
        wait_until(begin + 10 * ms);
    event();
    MPI_Reduce(send_buffer, receive_buffer, 8, MPI_BYTE, MPI_BOR, 1, MPI_COMM_WORLD);
    const int64_t expected = measures ? 10 * ms : 0, mine = core->thread()->delay_ns, theirs = other_delay();
    return {is_near(mine, expected) && is_near(theirs, expected),
            measures ? "a reduction waits for what its root measures" : "a reduction waits for its root's work", theirs};
}

verdict many_barriers()
{
    common_start();
    core->test_set_delay(0);
    for (int i = 0; i < 1'000'000; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    const int64_t mine = core->thread()->delay_ns, theirs = other_delay();
    return {mine == 0 && theirs == 0, "a million barriers make no delay out of nothing", mine};
}

// Rank 0 sets its flag behind that of the other: the time that it stamps is that of the other's flag. No tool asks how long
// the waits are.
verdict barriers_without_clock()
{
    common_start();
    core->test_set_delay(0);
    const uint32_t account_waits = core->global->account_waits;
    core->global->account_waits = 0;
    int reads = 0;
    for (int i = 0; i < 1000; i++) {
        core->event(now_ns());
        clock_reads = &reads;
        MPI_Barrier(MPI_COMM_WORLD);
        clock_reads = nullptr;
    }
    core->global->account_waits = account_waits;
    const int64_t theirs = other(reads);
    return {reads == 0 && theirs == 0, "barriers of ranks that give time stamps read no clock", reads + theirs};
}

// Any order, any root, one cell and several. It begins when stamps of other delays, which cells still have, are older
// than the delay.
verdict mixed()
{
    uint32_t random = 12345;
    wait_until(common_start() + 20 * ms);
    core->test_set_delay(7 * ms);
    for (int i = 0; i < 20'000; i++) {
        random = random * 1664525 + 1013904223;
        const int root = random >> 31, size = random >> 29 & 1 ? 20000 : 8;
        switch (random >> 25 & 3) {
        case 0:
            MPI_Bcast(send_buffer, size, MPI_BYTE, root, MPI_COMM_WORLD);
            break;
        case 1:
            MPI_Reduce(send_buffer, receive_buffer, size, MPI_BYTE, MPI_BOR, root, MPI_COMM_WORLD);
            break;
        case 2:
            MPI_Allreduce(send_buffer, receive_buffer, size, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
            break;
        default:
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    const int64_t mine = core->thread()->delay_ns, theirs = other_delay();
    return {mine == 7 * ms && theirs == 7 * ms, "broadcasts, reductions and barriers in any order keep an equal delay",
            mine};
}

}  // namespace

void play_flag_scenes()
{
    if (cells_size < 0)
        return;
    for (const ahead &a : aheads)
        for (bool measures : {false, true})
            play([&a, measures] { return run_ahead(a, measures); });
    for (bool measures : {false, true})
        play([=] { return reduce_through_rank_0(measures); });
    play(many_barriers);
    play(barriers_without_clock);
    play(mixed);
}

}  // namespace echo
