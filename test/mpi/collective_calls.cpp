// SPDX-License-Identifier: BSD-3-Clause
// Collective operations of two ranks, blocking and not: what rank 0 gives comes to rank 1, and in some the other way.
#include "echo.hpp"

namespace echo {

namespace {

MPI_Comm graph;  // each rank has the other as its only neighbour

const int no_size[] = {0, -1};
// Reductions of more go by other algorithms, in which rank 0 gets something, too.
const int short_sizes[] = {1, 8, 1024, -1};
const int sizes[] = {8, 1024, 65536, 1 << 20, -1};

// --- the operations: each starts what rank 0 and rank 1 call alike ---

using blocking = void (*)(int size);
using nonblocking = void (*)(int size, MPI_Request *r);

void bcast(int size) { MPI_Bcast(send_buffer, size, MPI_BYTE, 0, MPI_COMM_WORLD); }
void ibcast(int size, MPI_Request *r) { MPI_Ibcast(send_buffer, size, MPI_BYTE, 0, MPI_COMM_WORLD, r); }
void bcast_init(int size, MPI_Request *r)
{
    MPI_Bcast_init(send_buffer, size, MPI_BYTE, 0, MPI_COMM_WORLD, MPI_INFO_NULL, r);
}

void scatter(int size)
{
    MPI_Scatter(send_buffer, size, MPI_BYTE, receive_buffer, size, MPI_BYTE, 0, MPI_COMM_WORLD);
}
void iscatter(int size, MPI_Request *r)
{
    MPI_Iscatter(send_buffer, size, MPI_BYTE, receive_buffer, size, MPI_BYTE, 0, MPI_COMM_WORLD, r);
}

void gather(int size)
{
    MPI_Gather(send_buffer, size, MPI_BYTE, receive_buffer, size, MPI_BYTE, 1, MPI_COMM_WORLD);
}
void igather(int size, MPI_Request *r)
{
    MPI_Igather(send_buffer, size, MPI_BYTE, receive_buffer, size, MPI_BYTE, 1, MPI_COMM_WORLD, r);
}
void gather_init(int size, MPI_Request *r)
{
    MPI_Gather_init(send_buffer, size, MPI_BYTE, receive_buffer, size, MPI_BYTE, 1, MPI_COMM_WORLD, MPI_INFO_NULL, r);
}

void reduce(int size) { MPI_Reduce(send_buffer, receive_buffer, size, MPI_BYTE, MPI_BOR, 1, MPI_COMM_WORLD); }
void ireduce(int size, MPI_Request *r)
{
    MPI_Ireduce(send_buffer, receive_buffer, size, MPI_BYTE, MPI_BOR, 1, MPI_COMM_WORLD, r);
}

void barrier(int) { MPI_Barrier(MPI_COMM_WORLD); }
void ibarrier(int, MPI_Request *r) { MPI_Ibarrier(MPI_COMM_WORLD, r); }
void barrier_init(int, MPI_Request *r) { MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, r); }

void allreduce(int size) { MPI_Allreduce(send_buffer, receive_buffer, size, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD); }
void iallreduce(int size, MPI_Request *r)
{
    MPI_Iallreduce(send_buffer, receive_buffer, size, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD, r);
}
void allreduce_init(int size, MPI_Request *r)
{
    MPI_Allreduce_init(send_buffer, receive_buffer, size, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD, MPI_INFO_NULL, r);
}

void allgather(int size)
{
    MPI_Allgather(send_buffer, size, MPI_BYTE, receive_buffer, size, MPI_BYTE, MPI_COMM_WORLD);
}
void iallgather(int size, MPI_Request *r)
{
    MPI_Iallgather(send_buffer, size, MPI_BYTE, receive_buffer, size, MPI_BYTE, MPI_COMM_WORLD, r);
}

void alltoall(int size)
{
    MPI_Alltoall(send_buffer, size, MPI_BYTE, receive_buffer, size, MPI_BYTE, MPI_COMM_WORLD);
}
void ialltoall(int size, MPI_Request *r)
{
    MPI_Ialltoall(send_buffer, size, MPI_BYTE, receive_buffer, size, MPI_BYTE, MPI_COMM_WORLD, r);
}

void neighbor_alltoall(int size)
{
    MPI_Neighbor_alltoall(send_buffer, size, MPI_BYTE, receive_buffer, size, MPI_BYTE, graph);
}
void ineighbor_alltoall(int size, MPI_Request *r)
{
    MPI_Ineighbor_alltoall(send_buffer, size, MPI_BYTE, receive_buffer, size, MPI_BYTE, graph, r);
}
void neighbor_alltoall_init(int size, MPI_Request *r)
{
    MPI_Neighbor_alltoall_init(send_buffer, size, MPI_BYTE, receive_buffer, size, MPI_BYTE, graph, MPI_INFO_NULL, r);
}

void isendrecv(int size, MPI_Request *r)
{
    MPI_Isendrecv(send_buffer, size, MPI_BYTE, 1 - rank, 4, receive_buffer, size, MPI_BYTE, 1 - rank, 4,
                  MPI_COMM_WORLD, r);
}
void isendrecv_replace(int size, MPI_Request *r)
{
    MPI_Isendrecv_replace(send_buffer, size, MPI_BYTE, 1 - rank, 4, 1 - rank, 4, MPI_COMM_WORLD, r);
}

// --- how they are called ---

template <blocking call> void at_once(int size)
{
    event();
    call(size);
}

template <nonblocking call> void with_wait(int size)
{
    MPI_Request r;
    event();
    call(size, &r);
    event();
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

template <nonblocking call> void with_waitall(int size)
{
    MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    event();
    call(size, &r[1]);
    event();
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

template <nonblocking call> void with_test(int size)
{
    MPI_Request r;
    event();
    call(size, &r);
    for (int done = 0; !done;) {
        event();
        MPI_Test(&r, &done, MPI_STATUS_IGNORE);
    }
}

// Requests that have been active before, by the place of their size in the table: an activation must not know of the
// one before.
template <nonblocking init> struct persistent {
    static MPI_Request requests[8];
    static const int *sizes;

    static void prepare(const int *sizes_)
    {
        sizes = sizes_;
        for (int i = 0; sizes[i] >= 0; i++) {
            init(sizes[i], &requests[i]);
            MPI_Start(&requests[i]);
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        }
    }

    static void release()
    {
        for (int i = 0; sizes[i] >= 0; i++)
            MPI_Request_free(&requests[i]);
    }

    static void run(int size)
    {
        int i = 0;
        while (sizes[i] != size)
            i++;
        event();
        MPI_Start(&requests[i]);
        event();
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    }
};
template <nonblocking init> MPI_Request persistent<init>::requests[8];
template <nonblocking init> const int *persistent<init>::sizes;

// --- the tables ---

// One call on both sides. What only goes from rank 0 to rank 1 comes back as messages do; the others always do.
struct operation {
    send_call send;
    receive_call receive;
    const int *sizes;
    answer by_flags;
};

constexpr operation make(const char *name, void (*run)(int), answer waits, const int *sizes)
{
    return {{name, run, waits, false}, {name, run}, sizes, waits};
}

// Shared flags have other ways than messages.
constexpr operation make(const char *name, void (*run)(int), answer waits, answer by_flags, const int *sizes)
{
    return {{name, run, waits, false}, {name, run}, sizes, by_flags};
}

const operation one_way[] = {
    make("Bcast", at_once<bcast>, answer::of_rendezvous, answer::of_cells, sizes),
    make("Scatter", at_once<scatter>, answer::of_rendezvous, sizes),
    make("Gather", at_once<gather>, answer::of_rendezvous, sizes),
    make("Reduce", at_once<reduce>, answer::of_rendezvous, answer::always, short_sizes),
    make("Ibcast+Wait", with_wait<ibcast>, answer::of_rendezvous, sizes),
    make("Ibcast+Waitall", with_waitall<ibcast>, answer::of_rendezvous, sizes),
    make("Ibcast+Test", with_test<ibcast>, answer::of_rendezvous, sizes),
    make("persistent Bcast", persistent<bcast_init>::run, answer::of_rendezvous, sizes),
    make("Iscatter+Wait", with_wait<iscatter>, answer::of_rendezvous, sizes),
    make("Igather+Wait", with_wait<igather>, answer::of_rendezvous, sizes),
    make("persistent Gather", persistent<gather_init>::run, answer::of_rendezvous, sizes),
    make("Ireduce+Wait", with_wait<ireduce>, answer::of_rendezvous, short_sizes),
};
const operation both_ways[] = {
    make("Barrier", at_once<barrier>, answer::always, no_size),
    make("Allreduce", at_once<allreduce>, answer::always, sizes),
    make("Allgather", at_once<allgather>, answer::always, sizes),
    make("Alltoall", at_once<alltoall>, answer::always, sizes),
    make("Neighbor_alltoall", at_once<neighbor_alltoall>, answer::always, sizes),
    make("Ibarrier+Wait", with_wait<ibarrier>, answer::always, no_size),
    make("Ibarrier+Test", with_test<ibarrier>, answer::always, no_size),
    make("persistent Barrier", persistent<barrier_init>::run, answer::always, no_size),
    make("Iallreduce+Wait", with_wait<iallreduce>, answer::always, sizes),
    make("Iallreduce+Waitall", with_waitall<iallreduce>, answer::always, sizes),
    make("Iallreduce+Test", with_test<iallreduce>, answer::always, sizes),
    make("persistent Allreduce", persistent<allreduce_init>::run, answer::always, sizes),
    make("Iallgather+Wait", with_wait<iallgather>, answer::always, sizes),
    make("Ialltoall+Wait", with_wait<ialltoall>, answer::always, sizes),
    make("Ineighbor_alltoall+Wait", with_wait<ineighbor_alltoall>, answer::always, sizes),
    make("persistent Neighbor_alltoall", persistent<neighbor_alltoall_init>::run, answer::always, sizes),
    make("Isendrecv+Wait", with_wait<isendrecv>, answer::always, sizes),
    make("Isendrecv_replace+Wait", with_wait<isendrecv_replace>, answer::always, sizes),
};

void prepare_persistent()
{
    quiet q;
    persistent<bcast_init>::prepare(sizes);
    persistent<gather_init>::prepare(sizes);
    persistent<barrier_init>::prepare(no_size);
    persistent<allreduce_init>::prepare(sizes);
    persistent<neighbor_alltoall_init>::prepare(sizes);
}

void release_persistent()
{
    quiet q;
    persistent<bcast_init>::release();
    persistent<gather_init>::release();
    persistent<barrier_init>::release();
    persistent<allreduce_init>::release();
    persistent<neighbor_alltoall_init>::release();
}

template <int n> void play(const operation (&operations)[n])
{
    for (operation o : operations) {
        if (cells_size >= 0)
            o.send.waits_for_answer = o.by_flags;
        play_family({&o.send, 1, &o.receive, 1, o.sizes});
    }
}

}  // namespace

void play_collectives()
{
    {
        quiet q;
        const int neighbor = 1 - rank;
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &neighbor, MPI_UNWEIGHTED, 1, &neighbor, MPI_UNWEIGHTED,
                                       MPI_INFO_NULL, 0, &graph);
    }
    prepare_persistent();
    play(one_way);
    play(both_ways);
    release_persistent();
    quiet q;
    MPI_Comm_free(&graph);
}

}  // namespace echo
