// SPDX-License-Identifier: BSD-3-Clause
// Messages for traces whose pairs are to be found: `exchange KIND`, on an even number of ranks.
//
//     ordered     one thread: each rank sends to the next, several at a time, received in any order of completion
//     threads     two threads of each rank send to those of the next: one tag, one length
//     own-tags    the same, a tag for each thread
//     wildcards   rank 0 receives from anybody with any tag, in both threads
//     inter       through an intercommunicator, between the even and the odd ranks
//     shapes      cancelled receives, truncated messages, zero bytes, messages to oneself, probes
#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int rounds = 200;
int rank, ranks;

int next() { return (rank + 1) % ranks; }
int before() { return (rank + ranks - 1) % ranks; }

void ordered()
{
    constexpr int at_once = 4;
    std::array<int, at_once> in{}, out{};
    std::array<MPI_Request, at_once> receives, sends;
    for (int i = 0; i < rounds; i++) {
        for (int k = 0; k < at_once; k++)
            MPI_Irecv(&in[k], 1, MPI_INT, before(), 0, MPI_COMM_WORLD, &receives[k]);
        for (int k = 0; k < at_once; k++)
            MPI_Isend(&out[k], 1, MPI_INT, next(), 0, MPI_COMM_WORLD, &sends[k]);
        for (int k = at_once; k-- > 0;)
            MPI_Wait(&receives[k], MPI_STATUS_IGNORE);
        MPI_Waitall(at_once, sends.data(), MPI_STATUSES_IGNORE);
    }
}

template <typename Work> void in_two_threads(Work work)
{
    std::thread other(work, 1);
    work(0);
    other.join();
}

void talk(int tag)
{
    int in = 0, out = rank;
    for (int i = 0; i < rounds; i++) {
        MPI_Request send;
        MPI_Isend(&out, 1, MPI_INT, next(), tag, MPI_COMM_WORLD, &send);
        MPI_Recv(&in, 1, MPI_INT, before(), tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
    }
}

void receive_any(int messages)
{
    int in = 0;
    for (int i = 0; i < messages; i++)
        MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void send_all(int thread)
{
    const int out = thread;
    for (int i = 0; i < rounds; i++)
        MPI_Send(&out, 1, MPI_INT, 0, i % 2, MPI_COMM_WORLD);
}

void wildcards()
{
    in_two_threads([](int thread) {
        if (rank == 0)
            receive_any(rounds * (ranks - 1));
        else
            send_all(thread);
    });
}

void inter()
{
    MPI_Comm half, bridge;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &bridge);
    int in = 0, out = rank;
    for (int i = 0; i < rounds; i++)
        MPI_Sendrecv(&out, 1, MPI_INT, rank / 2, 1, &in, 1, MPI_INT, rank / 2, 1, bridge, MPI_STATUS_IGNORE);
    MPI_Comm_free(&bridge);
    MPI_Comm_free(&half);
}

void cancel_a_receive()
{
    int in = 0;
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(&in, 1, MPI_INT, before(), 99, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
}

void truncate_a_message()
{
    std::array<int, 8> in{}, out{};
    MPI_Request send;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Isend(out.data(), 8, MPI_INT, next(), 3, MPI_COMM_WORLD, &send);
    MPI_Recv(in.data(), 2, MPI_INT, before(), 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

void send_nothing_and_to_oneself()
{
    int in = 0, out = rank;
    MPI_Request send;
    MPI_Status status;
    MPI_Isend(nullptr, 0, MPI_INT, next(), 4, MPI_COMM_WORLD, &send);
    MPI_Probe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &status);
    MPI_Recv(nullptr, 0, MPI_INT, status.MPI_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Isend(&out, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &send);
    MPI_Recv(&in, 1, MPI_INT, 0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
}

void shapes()
{
    cancel_a_receive();
    truncate_a_message();
    send_nothing_and_to_oneself();
}

bool run(const std::string &kind)
{
    if (kind == "ordered")
        ordered();
    else if (kind == "threads")
        in_two_threads([](int) { talk(0); });
    else if (kind == "own-tags")
        in_two_threads(talk);
    else if (kind == "wildcards")
        wildcards();
    else if (kind == "inter")
        inter();
    else if (kind == "shapes")
        shapes();
    else
        return false;
    return true;
}

}  // namespace

int main(int argc, char **argv)
{
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const bool is_known = argc == 2 && run(argv[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return is_known ? 0 : 2;
}
