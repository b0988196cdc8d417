// SPDX-License-Identifier: BSD-3-Clause
// Messages of every kind between two ranks, and what memory each rank has meanwhile; started by the script `memory`.
//
// usage: memory MESSAGES     (two ranks; sent by both together)
//
// Rank 0 prints a line each tenth of the way: messages so far, and the resident memory of either rank in KiB.
//
// Both ranks declare a cost and a time stamp before each call, where the MPI takes declarations, so that delays differ
// all the time and every message has something to do.
#include <mpi.h>

#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tare_transport.h"

namespace {

constexpr int small = 8, eager = 4096, large = 128 * 1024;  // the last one by a rendezvous
constexpr int many = 16;
constexpr int64_t cost_ns[] = {10, 20};
constexpr int tag = 1;

int rank, peer;
std::vector<char> outgoing(large), incoming(large);
const tare_transport_v1_table_t *core;  // null: an MPI without Tare

void declare() {
    if (core == nullptr)
        return;
    core->overhead_add(cost_ns[rank], 0);
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    core->event(int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec);
}

void send(int bytes) {
    declare();
    MPI_Send(outgoing.data(), bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD);
}

void receive(int bytes) {
    declare();
    MPI_Recv(incoming.data(), bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// ---- the kinds: each gives back how many messages both ranks have sent ----

int64_t turns(int bytes, int count) {
    for (int i = 0; i < count; ++i)
        for (int from : {0, 1})
            from == rank ? send(bytes) : receive(bytes);
    return 2 * count;
}

int64_t small_turns() { return turns(small, 4 * many); }
int64_t eager_turns() { return turns(eager, many); }
int64_t large_turns() { return turns(large, 1); }

int64_t at_once() {
    MPI_Request requests[2 * many];
    for (int i = 0; i < many; ++i) {
        declare();
        MPI_Irecv(incoming.data() + i * small, small, MPI_BYTE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; i < many; ++i) {
        declare();
        MPI_Isend(outgoing.data(), small, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &requests[many + i]);
    }
    declare();
    MPI_Waitall(2 * many, requests, MPI_STATUSES_IGNORE);
    return 2 * many;
}

// They are there before they are received.
int64_t unexpected() {
    if (rank == 0)
        for (int i = 0; i < many; ++i)
            send(small);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        for (int i = 0; i < many; ++i)
            receive(small);
    return many;
}

int64_t synchronous() {
    for (int i = 0; i < many; ++i)
        if (rank == 0) {
            declare();
            MPI_Ssend(outgoing.data(), small, MPI_BYTE, peer, tag, MPI_COMM_WORLD);
        } else {
            receive(small);
        }
    return many;
}

int64_t probed() {
    for (int i = 0; i < many; ++i)
        if (rank == 1) {
            send(small);
        } else {
            MPI_Status status;
            declare();
            MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            receive(small);
        }
    return many;
}

int64_t tested() {
    for (int i = 0; i < many; ++i)
        if (rank == 0) {
            send(small);
        } else {
            MPI_Request request;
            MPI_Irecv(incoming.data(), small, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &request);
            for (int is_there = 0; is_there == 0;) {
                declare();
                MPI_Test(&request, &is_there, MPI_STATUS_IGNORE);
            }
        }
    return many;
}

int64_t persistent() {
    MPI_Request requests[2];
    MPI_Send_init(outgoing.data(), small, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(incoming.data(), small, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < many; ++i) {
        declare();
        MPI_Startall(2, requests);
        declare();
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    for (MPI_Request &request : requests)
        MPI_Request_free(&request);
    return 2 * many;
}

// A message of each rank, at least.
int64_t collective() {
    double value = rank, sum = 0;
    MPI_Request request;
    declare();
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    declare();
    MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    declare();
    MPI_Ialltoall(outgoing.data(), small, MPI_BYTE, incoming.data(), small, MPI_BYTE, MPI_COMM_WORLD, &request);
    declare();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return 6;
}

// ---- memory ----

long resident_kib() {
    long pages = 0;
    std::FILE *file = std::fopen("/proc/self/statm", "r");
    if (file != nullptr && std::fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    if (file != nullptr)
        std::fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

void print(int64_t messages) {
    long here = resident_kib(), both[2] = {};
    MPI_Gather(&here, 1, MPI_LONG, both, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (rank == 0)
        std::printf("%lld %ld %ld\n", static_cast<long long>(messages), both[0], both[1]);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const int64_t wanted = argc == 2 ? std::atoll(argv[1]) : 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (wanted < 1 || ranks != 2) {
        if (rank == 0)
            std::fprintf(stderr, "memory: usage: mpiexec -n 2 memory MESSAGES\n");
        MPI_Finalize();
        return 2;
    }
    peer = 1 - rank;
    core = static_cast<const tare_transport_v1_table_t *>(dlsym(RTLD_DEFAULT, "tare_transport_v1"));
    constexpr int parts = 10;
    int64_t sent = 0;
    for (int part = 1; part <= parts; ++part) {
        while (sent < wanted / parts * part)
            for (const auto kind : {small_turns, eager_turns, large_turns, at_once, unexpected, synchronous, probed,
                                    tested, persistent, collective})
                sent += kind();
        print(sent);
    }
    MPI_Finalize();
    return 0;
}
