// SPDX-License-Identifier: BSD-3-Clause
// Scenes of more than one message, or of none: model.md's counterexamples, full queues, what must not be touched.
#include "scenes.hpp"

#include <initializer_list>
#include <unistd.h>

namespace echo {

namespace {

// model.md: Irecv; the RTS arrives during instrumented work; Wait. Without the poll's own edge the sender would get
// 0 or 19 ms back.
verdict rts_during_instrumented_work(bool big)
{
    const int64_t start = common_start();
    const int size = big ? 1 << 20 : 8;
    core->test_set_delay(0);
    if (rank == 1) {
        MPI_Request r;
        wait_until(start);
        event();
        MPI_Irecv(receive_buffer, size, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &r);
        wait_until(start + 10 * ms);
        overhead(10 * ms);
        event();
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    } else {
        wait_until(start + 1 * ms);
        event();
        MPI_Ssend(send_buffer, size, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
    }
    const int64_t mine = core->thread()->delay_ns, theirs = other_delay();
    return {is_near(mine, 10 * ms) && is_near(theirs, 10 * ms),
           big ? "Ssend of 1 MiB meets Irecv, instrumented work, Wait: 10 ms on both sides"
               : "Ssend of 8 B meets Irecv, instrumented work, Wait: 10 ms on both sides",
           mine};
}

// model.md: Isend of 1 MB, instrumented work, Wait, while the receiver blocks. Without a stamp on the data the
// receiver would get 0. UCX may read the data without the sender: then the receiver does not wait, and 0 is right.
verdict data_leave_after_instrumented_work()
{
    const int64_t start = common_start();
    core->test_set_delay(0);
    if (rank == 0) {
        MPI_Request r;
        wait_until(start);
        event();
        MPI_Isend(send_buffer, 1 << 20, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &r);
        overhead(10 * ms);
        event();
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    } else {
        wait_until(start);
        event();
        MPI_Recv(receive_buffer, 1 << 20, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    const bool waited = other(now_ns() - start) > 5 * ms || !over_ucx;
    const int64_t theirs = other_delay();
    return {is_near(theirs, waited ? 10 * ms : 0),
            "Isend of 1 MiB, instrumented work, Wait, while the receiver blocks: 10 ms there", theirs};
}

// Both ranks leave a barrier with the delay of the one that the other would have waited for. late: whose measurement
// takes 10 ms. absorbed: the other one works longer than that, so that without measurement nobody waits for `late`.
verdict barrier(int late, bool absorbed)
{
    core->test_set_delay(0);
    // The first few go by messages, and each rank must have waited for the other to know how far away it is.
    for (int i = 0; i < 8; i++) {
        const int64_t meet = common_start();
        wait_until(meet + (rank == i % 2 ? ms / 4 : 0));
        event();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    const int64_t start = common_start();
    core->test_set_delay(0);
    wait_until(start);
    if (rank == late)
        overhead(10 * ms);
    else if (absorbed)
        wait_until(start + 20 * ms);
    event();
    MPI_Barrier(MPI_COMM_WORLD);
    const int64_t expected = absorbed ? 0 : 10 * ms, mine = core->thread()->delay_ns, theirs = other_delay();
    static const char *const names[2][2] = {
        {"a barrier takes the delay of rank 0 to rank 1", "a barrier takes the delay of rank 1 to rank 0"},
        {"a barrier absorbs the delay of rank 0", "a barrier absorbs the delay of rank 1"}};
    return {is_near(mine, expected) && is_near(theirs, expected), names[absorbed][late], rank == late ? theirs : mine};
}

// A message of a process to itself keeps its delay, over MPI_COMM_SELF and over the world.
verdict self_messages()
{
    const MPI_Comm comms[] = {MPI_COMM_SELF, MPI_COMM_WORLD};
    int64_t delay = 0;
    bool good = true;
    for (int size : {0, 8, 8192, largest_eager, 1 << 20}) {
        for (int i = 0; i < 2; i++) {
            const int me = i == 0 ? 0 : rank;
            MPI_Request r[2];
            core->test_set_delay(7 * ms);
            event();
            MPI_Isend(send_buffer, size, MPI_BYTE, me, 4, comms[i], &r[0]);
            event();
            MPI_Irecv(receive_buffer, size, MPI_BYTE, me, 4, comms[i], &r[1]);
            event();
            MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
            delay = core->thread()->delay_ns;
            // no other process: only what the call itself took may count as slack
            good = good && delay == 7 * ms;
        }
    }
    return {good, "a message to oneself leaves the delay as it is", delay};
}

// Many at once: the event is the last one's, and the order of completion does not matter.
verdict several_at_once()
{
    constexpr int count = 40;
    const int64_t start = common_start();
    core->test_set_delay(rank == 0 ? 2 * ms : 20 * ms);
    if (rank == 0) {
        for (int i = count - 1; i >= 0; i--) {
            wait_until(start + (i == 0 ? apart_ns : 0));
            core->test_set_delay(i == 0 ? 2 * ms : 1 * ms);
            event();
            MPI_Send(send_buffer, 8, MPI_BYTE, 1, 10 + i, MPI_COMM_WORLD);
        }
    } else {
        MPI_Request r[count];
        wait_until(start);
        for (int i = 0; i < count; i++)
            MPI_Irecv(receive_buffer + 8 * i, 8, MPI_BYTE, 0, 10 + i, MPI_COMM_WORLD, &r[i]);
        event();
        MPI_Waitall(count, r, MPI_STATUSES_IGNORE);
    }
    const int64_t theirs = other_delay();
    return {theirs == 2 * ms, "Waitall of 40 messages: the last one's delay, early ones have slack", theirs};
}

// A queue that is full: headers wait inside the sender and leave with the delay of that moment.
verdict queued_headers()
{
    constexpr int count = 2000;
    const int64_t start = common_start();
    core->test_set_delay(rank == 0 ? 5 * ms : 0);
    static MPI_Request r[count];
    if (rank == 0) {
        wait_until(start);
        for (int i = 0; i < count; i++) {
            event();
            MPI_Isend(send_buffer, 8, MPI_BYTE, 1, 5, MPI_COMM_WORLD, &r[i]);
        }
        event();
        MPI_Waitall(count, r, MPI_STATUSES_IGNORE);
    } else {
        wait_until(start + 2 * apart_ns);
        core->test_set_delay(1 * ms);
        for (int i = 0; i < count; i++) {
            event();
            MPI_Recv(receive_buffer, 8, MPI_BYTE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    const int64_t theirs = other_delay();
    return {theirs >= 1 * ms && theirs <= 5 * ms + 2 * apart_ns,
            "2000 queued messages keep the delay within its bounds", theirs};
}

// A sender that finds no free cell waits for its receiver: the backward edge. Without measurement the receiver would have
// come at once, so all of the wait is delay.
verdict full_queue()
{
    constexpr int count = 400;
    const int64_t start = common_start();
    core->test_set_delay(0);
    wait_until(start);
    if (rank == 1)
        overhead(10 * ms);
    for (int i = 0; i < count; i++) {
        event();
        if (rank == 0)
            MPI_Send(send_buffer, 8192, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
        else
            MPI_Recv(receive_buffer, 8192, MPI_BYTE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    const int64_t theirs = other_delay(), mine = core->thread()->delay_ns;
    return {is_near(mine, 10 * ms) && is_near(theirs, 10 * ms),
            "a sender stalled by a full queue takes the delay of the receiver that frees it", mine};
}

// The data of a long message leave in pieces. The last tells when the message was complete: the sender's own work in
// between is nobody's delay.
verdict data_in_segments()
{
    const int64_t start = common_start();
    core->test_set_delay(0);
    wait_until(start);
    if (rank == 0) {
        MPI_Request r;
        int flag = 0;
        event();
        MPI_Isend(send_buffer, max_size, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &r);
        while (now_ns() < start + ms) {  // until the first pieces are on their way
            event();
            MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
            if (flag)
                break;
        }
        wait_until(start + 10 * ms);
        if (!flag) {
            event();
            MPI_Wait(&r, MPI_STATUS_IGNORE);
        }
    } else {
        overhead(ms);
        event();
        MPI_Recv(receive_buffer, max_size, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    const int64_t theirs = other_delay();
    return {llabs(theirs) <= ms + tolerance_ns, "the last piece of a long message counts, not the first", theirs};
}

// A failed test with work behind it is no wait: the thread was ready when the successful one began.
verdict work_between_tests()
{
    const int64_t start = common_start();
    core->test_set_delay(0);
    wait_until(start);
    if (rank == 0) {
        wait_until(start + 2 * ms);
        core->test_set_delay(1 * ms);
        event();
        MPI_Send(send_buffer, 8, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
    } else {
        MPI_Request r;
        int flag = 0;
        event();
        MPI_Irecv(receive_buffer, 8, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &r);
        while (!flag) {
            event();
            MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
            if (!flag)
                overhead(7 * ms);
        }
    }
    const int64_t theirs = other_delay(), mine = core->thread()->delay_ns;
    // 2 ms: Test fails at 0, overhead until 7 ms, then the message is there since 2 ms (1 ms without measurement)
    const int64_t value = rank == 1 ? mine : theirs;
    return {is_near(value, 6 * ms), "work between two tests: the first is no wait", value};
}

// Requests that carry nothing leave the delay alone, whatever passes beside them.
verdict nothing_to_carry()
{
    const int64_t start = common_start();
    bool good = true;
    core->test_set_delay(rank == 0 ? 50 * ms : 4 * ms);
    wait_until(start);
    if (rank == 0) {
        event();
        MPI_Send(send_buffer, 8, MPI_BYTE, 1, 6, MPI_COMM_WORLD);
    } else {
        MPI_Request r;
        wait_until(start + ms);
        for (int i = 0; i < 100; i++) {
            event();
            if (i % 2)
                MPI_Isend(send_buffer, 8, MPI_BYTE, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &r);
            else
                MPI_Irecv(receive_buffer, 8, MPI_BYTE, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &r);
            event();
            MPI_Wait(&r, MPI_STATUS_IGNORE);
        }
        MPI_Irecv(receive_buffer, 8, MPI_BYTE, 0, 8, MPI_COMM_WORLD, &r);
        MPI_Cancel(&r);
        event();
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Irecv(receive_buffer, 8, MPI_BYTE, 0, 6, MPI_COMM_WORLD, &r);
        MPI_Request_free(&r);
        good = core->thread()->delay_ns == 4 * ms;
    }
    const int64_t theirs = other_delay(), mine = core->thread()->delay_ns;
    return {good && (rank == 0 ? theirs : mine) == 4 * ms,
            "MPI_PROC_NULL, a cancelled and a freed receive leave the delay as it is", rank == 0 ? theirs : mine};
}

// A message that does not fit is an error of the receive, and still the event that it waited for.
verdict truncated(int size)
{
    const int64_t start = common_start();
    int rc = MPI_SUCCESS;
    core->test_set_delay(rank == 0 ? 1 * ms : 9 * ms);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    wait_until(start + (rank == 0 ? apart_ns : 0));
    event();
    if (rank == 0)
        MPI_Send(send_buffer, size, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
    else
        rc = MPI_Recv(receive_buffer, 4, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    int error_class = MPI_ERR_TRUNCATE;
    if (rank == 1)
        MPI_Error_class(rc, &error_class);
    const int64_t theirs = other_delay(), mine = core->thread()->delay_ns;
    const int64_t value = rank == 1 ? mine : theirs;
    return {value == 1 * ms && error_class == MPI_ERR_TRUNCATE,
            size > largest_eager ? "a truncated long message is waited for" : "a truncated message is waited for", value};
}

// More than 4 GiB in one message: sizes do not wrap.
void play_large()
{
    constexpr MPI_Count size = (INT64_C(4) << 30) + 4096;
    static const char *const name = "a message of 4 GiB and 4 KiB";
    char *large = static_cast<char *>(malloc(size));
    int64_t have = sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE);
    {
        quiet q;
        have = large == nullptr ? 0 : have;
        MPI_Bcast(&have, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    }
    if (have < 3 * size) {
        report(true, name, "less than 12 GiB of memory are free");
    } else {
        play([large] {
            const int64_t start = common_start();
            bool good = true;
            core->test_set_delay(rank == 0 ? 1 * ms : 9 * ms);
            wait_until(start + (rank == 0 ? apart_ns : 0));
            if (rank == 0) {
                large[size - 1] = 77;
                event();
                MPI_Send_c(large, size, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
            } else {
                MPI_Status status;
                MPI_Count count;
                event();
                MPI_Recv_c(large, size, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &status);
                MPI_Get_elements_x(&status, MPI_BYTE, &count);
                good = count == size && large[size - 1] == 77;
            }
            const int64_t theirs = other_delay(), mine = core->thread()->delay_ns;
            const int64_t value = rank == 1 ? mine : theirs;
            return verdict{good && value == 1 * ms, name, value};
        });
    }
    free(large);
}

// The info key tare_mute: whatever passes over such a communicator, each rank keeps its delay.
void exchange_everything(MPI_Comm comm)
{
    const int peer = 1 - rank;
    for (int size : {8, 8192, 1 << 17}) {
        if (size > largest)
            continue;
        MPI_Request r[2];
        MPI_Irecv(receive_buffer, size, MPI_BYTE, is_without("any-source") ? peer : MPI_ANY_SOURCE, 3, comm, &r[0]);
        MPI_Isend(send_buffer, size, MPI_BYTE, peer, 3, comm, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        if (rank == 0)
            MPI_Send(send_buffer, size, MPI_BYTE, 1, 4, comm);
        else
            MPI_Recv(receive_buffer, size, MPI_BYTE, 0, 4, comm, MPI_STATUS_IGNORE);
        MPI_Bcast(receive_buffer, size, MPI_BYTE, 1, comm);
    }
    if (!is_without("Issend")) {
        MPI_Request r;
        if (rank == 0)
            MPI_Issend(send_buffer, 8, MPI_BYTE, 1, 5, comm, &r);
        else
            MPI_Irecv(receive_buffer, 8, MPI_BYTE, 0, 5, comm, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Request r;
    MPI_Barrier(comm);
    MPI_Allreduce(send_buffer, receive_buffer, 8, MPI_BYTE, MPI_BOR, comm);
    MPI_Iallreduce(send_buffer, receive_buffer, 8, MPI_BYTE, MPI_BOR, comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

verdict muted_communicator(bool late)
{
    MPI_Comm comm;
    MPI_Info info;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Info_create(&info);
    MPI_Info_set(info, "tare_mute", "true");
    MPI_Comm_set_info(comm, info);
    MPI_Info_free(&info);
    // A node's collectives are set up by messages of its own.
    for (int i = 0; i < 20; i++)
        exchange_everything(comm);
    const int64_t start = common_start(), expected = rank == 0 ? 4 * ms : 9 * ms;
    core->test_set_delay(expected);
    wait_until(start + (rank == late ? 2 * ms : 0));
    exchange_everything(comm);
    const int64_t mine = core->thread()->delay_ns;
    const bool theirs = other(mine == expected) != 0;
    MPI_Comm_free(&comm);
    return {mine == expected && theirs,
            late ? "a muted communicator changes no delay, rank 1 late" : "a muted communicator changes no delay, rank 0 late",
            mine};
}

}  // namespace

void play_scenes()
{
    for (bool late : {false, true})
        play([=] { return muted_communicator(late); });
    if (!is_left_out("Ssend of 8 B meets Irecv, instrumented work, Wait"))
        play([] { return rts_during_instrumented_work(false); });
    if (!over_network) {
        play([] { return rts_during_instrumented_work(true); });
        play(data_leave_after_instrumented_work);
    }
    for (int late : {0, 1})
        for (bool absorbed : {false, true})
            play([=] { return barrier(late, absorbed); });
    play(self_messages);
    play(several_at_once);
    play(queued_headers);
    play(work_between_tests);
    play(nothing_to_carry);
    if (!is_left_out("a truncated message is waited for"))
        play([] { return truncated(8); });
    if (!over_network) {
        play([] { return truncated(1 << 20); });
        if (!over_ucx)
            play(full_queue);
        play(data_in_segments);
        play_large();
    }
}

}  // namespace echo
