// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking collectives that go on while their thread does something else. An MPI_Iallreduce of 8 KiB has two rounds
// here: the second needs what came in the first, and a thread that polls.
#include "scenes.hpp"

#include <initializer_list>

namespace echo {

namespace {

constexpr int count = 1024;  // of doubles

MPI_Request start()
{
    MPI_Request r;
    event();
    MPI_Iallreduce(send_buffer, receive_buffer, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r);
    return r;
}

void wait(MPI_Request r)
{
    event();
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

void wait_quietly(MPI_Request r)
{
    quiet q;
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

constexpr int other_tag = 8;

void send_other()
{
    event();
    MPI_Send(send_buffer, 8, MPI_BYTE, 1, other_tag, MPI_COMM_WORLD);
}

void receive_other()
{
    event();
    MPI_Recv(receive_buffer, 8, MPI_BYTE, 0, other_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

const char *second_round(bool absorbed)
{
    return absorbed ? "schedule: overhead before the second round, absorbed by work of the other rank"
                    : "schedule: overhead before the second round, waited for by the other rank";
}

// Rank 1 starts at 0 and measures for 10 ms before it waits, and so before its second round. Rank 0 starts at 2 ms, so
// that this round would have been made then. absorbed: rank 0 works until 20 ms before it waits.
verdict second_round_after_instrumented_work(bool absorbed)
{
    const int64_t begin = common_start();
    core->test_set_delay(0);
    wait_until(begin + (rank == 0 ? 2 * ms : 0));
    const MPI_Request r = start();
    if (rank == 1)
        overhead(10 * ms);
    else if (absorbed)
        wait_until(begin + 20 * ms);
    wait(r);
    const int64_t expected = absorbed ? 0 : 8 * ms, mine = core->thread()->delay_ns, theirs = other_delay();
    return {is_near(mine, expected) && is_near(theirs, expected), second_round(absorbed), mine};
}

// Rank 1 starts at 0, 30 ms late, and is 9 ms late when it enters a receive at 1 ms, in which it polls. Rank 0 starts and
// waits at 6 ms, 20 ms late. The second round of rank 1: max(0 - 30, 1 - 9, 6 - 20) = -8, so 14 ms late at 6.
verdict round_in_another_call()
{
    const int64_t begin = common_start();
    int64_t mine = 0;
    core->test_set_delay(30 * ms);
    if (rank == 1) {
        wait_until(begin);
        const MPI_Request r = start();
        wait_until(begin + 1 * ms);
        core->test_set_delay(9 * ms);
        receive_other();
        wait_quietly(r);
    } else {
        wait_until(begin + 6 * ms);
        core->test_set_delay(20 * ms);
        wait(start());
        mine = core->thread()->delay_ns;
        send_other();
    }
    other(0);
    return {is_near(mine, 14 * ms), "schedule: a round that another call polls has the delay of that call's begin", mine};
}

// Rank 1 waits in a receive since 1 ms; its schedule makes a round in it, at 6 ms; what it waits for leaves at 8 ms, 20 ms
// late. All of the 7 ms are a wait.
verdict wait_around_a_round()
{
    const int64_t begin = common_start();
    int64_t mine = 0;
    core->test_set_delay(0);
    if (rank == 1) {
        wait_until(begin);
        const MPI_Request r = start();
        wait_until(begin + 1 * ms);
        receive_other();
        mine = core->thread()->delay_ns;
        wait_quietly(r);
    } else {
        wait_until(begin + 6 * ms);
        const MPI_Request r = start();
        wait_until(begin + 8 * ms);
        core->test_set_delay(20 * ms);
        send_other();
        wait_quietly(r);
    }
    const int64_t theirs = other(mine);
    const int64_t value = rank == 1 ? mine : theirs;
    return {is_near(value, 7 * ms), "schedule: a round inside a wait does not shorten it", value};
}

// Of the tool's own operation nobody learns anything.
verdict muted_schedule()
{
    const int64_t begin = common_start();
    core->test_set_delay(rank == 0 ? 4 * ms : 9 * ms);
    wait_until(begin);
    MPI_Request r;
    {
        quiet q;
        r = start();
    }
    wait(r);
    const int64_t expected = rank == 0 ? 4 * ms : 9 * ms, mine = core->thread()->delay_ns;
    const bool theirs = other(mine == expected) != 0;
    return {mine == expected && theirs, "schedule: muted where it began, it changes no delay", mine};
}

}  // namespace

void play_schedule_scenes()
{
    if (is_left_out("schedule: all scenes"))
        return;
    for (bool absorbed : {false, true})
        if (!is_left_out(second_round(absorbed)))
            play([=] { return second_round_after_instrumented_work(absorbed); });
    play(round_in_another_call);
    play(wait_around_a_round);
    play(muted_schedule);
}

}  // namespace echo
