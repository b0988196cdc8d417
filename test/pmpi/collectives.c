/* SPDX-License-Identifier: BSD-3-Clause */
/* Where delays go in collective calls. One rank is delayed and comes late, so whoever waits for its data must have
 * its delay afterwards, and nobody else: what the standard says of the data decides, not how the library moves them.
 * The data themselves must be right, and no time may be lost: the delay and the waits, as measured and without
 * measurement, add up.
 *
 *   collectives CASE          prints what failed; exits 1 if anything has
 */
#include "tare_measure.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS INT64_C(1000000)
enum { pause_us = 30000, pause_per_rank_us = 5000, most = 8, room = 4 * most };

enum form { blocking, nonblocking, persistent, in_place, forms };
static const char *const form_names[forms] = { "blocking", "nonblocking", "persistent", "in place" };

/* Who waits for the delayed rank. */
enum flow { all, from_root, to_root, later, next, both_sides };

/* Of the communicator in use. */
static MPI_Comm comm;
static int rank, size, peers, inter, side;      /* side: of an intercommunicator's two groups */
static int root;                                /* as this rank names it */
static int root_rank, root_side;                /* whose rank that is, in which group */
static enum form form;
static MPI_Request request;
static int failed;

static int in[room], out[room], counts[most], places[most], some[most];
static MPI_Datatype types[most];

#if MPI_VERSION >= 4
#define START(Name, ...) (MPI_##Name##_init(__VA_ARGS__, MPI_INFO_NULL, &request), MPI_Start(&request))
#else
#define START(Name, ...) (void) 0
#endif
#define CALL(Name, Iname, ...) \
    do { \
        if (form == nonblocking) \
            MPI_##Iname(__VA_ARGS__, &request); \
        else if (form == persistent) \
            START(Name, __VA_ARGS__); \
        else \
            MPI_##Name(__VA_ARGS__); \
    } while (0)
#define PLACE(buffer) (form == in_place ? MPI_IN_PLACE : (const void *) (buffer))

/* What rank r of the senders' group gives to rank i. */
static int value(int r, int i)
{
    return 1000 * (r + 1) + i;
}

static int is_root(void)
{
    return inter ? root == MPI_ROOT : rank == root;
}

static void fill(void)
{
    for (int i = 0; i < room; i++) {
        out[i] = value(rank, i);
        in[i] = -1;
    }
}

static int sum_to(int end, int i)
{
    int sum = 0;
    for (int r = 0; r < end; r++)
        sum += value(r, i);
    return sum;
}

/* --- the calls; each gives back whether the data are right, when it is complete --- */

static void barrier(void) { CALL(Barrier, Ibarrier, comm); }
static int nothing(void) { return 1; }

static void bcast(void)
{
    if (is_root())
        memcpy(in, out, sizeof in);
    CALL(Bcast, Ibcast, in, 3, MPI_INT, root, comm);
}
static void bcast_long(void)
{
    static int many[3000];
    CALL(Bcast, Ibcast, many, 3000, MPI_INT, root, comm);
}
static int got_root(void)
{
    /* MPI_Ibcast of MPICH 4.0.2 moves nothing between two groups. */
    if (inter && (side == root_side || form != blocking))
        return 1;
    return in[2] == value(root_rank, 2);
}

static void scatter(void)
{
    const int aside = form == in_place && is_root();
    CALL(Scatter, Iscatter, out, 1, MPI_INT, aside ? MPI_IN_PLACE : (void *) in, 1, MPI_INT, root, comm);
}
static void scatterv(void)
{
    CALL(Scatterv, Iscatterv, out, counts, places, MPI_INT, in, 1, MPI_INT, root, comm);
}
static int got_part(void)
{
    if ((inter && side == root_side) || (form == in_place && is_root()))
        return 1;
    return in[0] == value(root_rank, rank);
}

static void gather(void)
{
    const int aside = form == in_place && is_root();
    in[rank] = aside ? out[0] : in[rank];
    CALL(Gather, Igather, aside ? MPI_IN_PLACE : (void *) out, 1, MPI_INT, in, 1, MPI_INT, root, comm);
}
static void gatherv(void)
{
    CALL(Gatherv, Igatherv, out, 1, MPI_INT, in, counts, places, MPI_INT, root, comm);
}
static int root_got_each(void)
{
    for (int r = 0; is_root() && r < peers; r++)
        if (in[r] != value(r, 0))
            return 0;
    return 1;
}

static void reduce(void)
{
    const int aside = form == in_place && is_root();
    if (aside)
        memcpy(in, out, sizeof in);
    CALL(Reduce, Ireduce, aside ? MPI_IN_PLACE : (void *) out, in, 2, MPI_INT, MPI_SUM, root, comm);
}
static int root_got_sum(void) { return !is_root() || in[1] == sum_to(peers, 1); }

static void allreduce(void)
{
    if (form == in_place)
        memcpy(in, out, sizeof in);
    CALL(Allreduce, Iallreduce, PLACE(out), in, 2, MPI_INT, MPI_SUM, comm);
}
static int got_sum(void) { return in[1] == sum_to(peers, 1); }

static void allgather(void)
{
    in[rank] = form == in_place ? out[0] : in[rank];
    CALL(Allgather, Iallgather, PLACE(out), 1, MPI_INT, in, 1, MPI_INT, comm);
}
static void allgatherv(void)
{
    in[rank] = form == in_place ? out[0] : in[rank];
    CALL(Allgatherv, Iallgatherv, PLACE(out), 1, MPI_INT, in, counts, places, MPI_INT, comm);
}
static int got_each(void)
{
    for (int r = 0; r < peers; r++)
        if (in[r] != value(r, 0))
            return 0;
    return 1;
}

static void alltoall(void)
{
    if (form == in_place)
        memcpy(in, out, sizeof in);
    CALL(Alltoall, Ialltoall, PLACE(out), 1, MPI_INT, in, 1, MPI_INT, comm);
}
static void alltoallv(void)
{
    if (form == in_place)
        memcpy(in, out, sizeof in);
    CALL(Alltoallv, Ialltoallv, PLACE(out), counts, places, MPI_INT, in, counts, places, MPI_INT, comm);
}
static void alltoallw(void)
{
    static int bytes[most];
    for (int i = 0; i < most; i++)
        bytes[i] = i * (int) sizeof(int);
    if (form == in_place)
        memcpy(in, out, sizeof in);
    CALL(Alltoallw, Ialltoallw, PLACE(out), counts, bytes, types, in, counts, bytes, types, comm);
}
static int got_own_part(void)
{
    for (int r = 0; r < peers; r++)
        if (in[r] != value(r, rank))
            return 0;
    return 1;
}

static void reduce_scatter(void)
{
    if (form == in_place)
        memcpy(in, out, sizeof in);
    CALL(Reduce_scatter, Ireduce_scatter, PLACE(out), in, counts, MPI_INT, MPI_SUM, comm);
}
static void reduce_scatter_block(void)
{
    if (form == in_place)
        memcpy(in, out, sizeof in);
    CALL(Reduce_scatter_block, Ireduce_scatter_block, PLACE(out), in, 1, MPI_INT, MPI_SUM, comm);
}
static int got_own_sum(void) { return in[0] == sum_to(peers, rank); }

static void scan(void)
{
    if (form == in_place)
        memcpy(in, out, sizeof in);
    CALL(Scan, Iscan, PLACE(out), in, 2, MPI_INT, MPI_SUM, comm);
}
static int got_prefix(void) { return in[1] == sum_to(rank + 1, 1); }
static void exscan(void)
{
    if (form == in_place)
        memcpy(in, out, sizeof in);
    CALL(Exscan, Iexscan, PLACE(out), in, 2, MPI_INT, MPI_SUM, comm);
}
static int got_prefix_before(void) { return rank == 0 || in[1] == sum_to(rank, 1); }

/* Counts of 0: data go from each rank to the next alone, or nothing goes to and from the last. */
static void alltoallv_to_next(void)
{
    static int send[most], receive[most];
    for (int i = 0; i < size; i++) {
        send[i] = i == (rank + 1) % size;
        receive[i] = i == (rank + size - 1) % size;
    }
    CALL(Alltoallv, Ialltoallv, out, send, places, MPI_INT, in, receive, places, MPI_INT, comm);
}
static int got_from_previous(void)
{
    const int before = (rank + size - 1) % size;
    return in[before] == value(before, rank) && in[rank] == -1;
}
static void scatterv_but_last(void)
{
    CALL(Scatterv, Iscatterv, out, some, places, MPI_INT, in, some[rank], MPI_INT, root, comm);
}
static void gatherv_but_last(void)
{
    CALL(Gatherv, Igatherv, out, some[rank], MPI_INT, in, some, places, MPI_INT, root, comm);
}
static void allgatherv_but_last(void)
{
    CALL(Allgatherv, Iallgatherv, out, some[rank], MPI_INT, in, some, places, MPI_INT, comm);
}
static void reduce_scatter_but_last(void)
{
    CALL(Reduce_scatter, Ireduce_scatter, out, in, some, MPI_INT, MPI_SUM, comm);
}
static void bcast_of_nothing(void) { CALL(Bcast, Ibcast, in, 0, MPI_INT, root, comm); }
static void allreduce_of_nothing(void) { CALL(Allreduce, Iallreduce, out, in, 0, MPI_INT, MPI_SUM, comm); }

static void neighbor_allgather(void)
{
    CALL(Neighbor_allgather, Ineighbor_allgather, out, 1, MPI_INT, in, 1, MPI_INT, comm);
}
static void neighbor_allgatherv(void)
{
    CALL(Neighbor_allgatherv, Ineighbor_allgatherv, out, 1, MPI_INT, in, counts, places, MPI_INT, comm);
}
static void neighbor_alltoall(void)
{
    CALL(Neighbor_alltoall, Ineighbor_alltoall, out, 1, MPI_INT, in, 1, MPI_INT, comm);
}
static void neighbor_alltoallv(void)
{
    CALL(Neighbor_alltoallv, Ineighbor_alltoallv, out, counts, places, MPI_INT, in, counts, places, MPI_INT, comm);
}
static void neighbor_alltoallw(void)
{
    static MPI_Aint bytes[most];
    for (int i = 0; i < most; i++)
        bytes[i] = i * (MPI_Aint) sizeof(int);
    CALL(Neighbor_alltoallw, Ineighbor_alltoallw, out, counts, bytes, types, in, counts, bytes, types, comm);
}
static int got_neighbour(void) { return in[0] == value((rank + size - 1) % size, 0); }

struct call {
    const char *name;
    enum flow flow;
    void (*run) (void);
    int (*is_right) (void);
    int has_in_place;
    int can_restart;            /* MPICH 4.0.2 cannot restart all that it should */
};

static const struct call plain_calls[] = {
    { "Barrier", all, barrier, nothing, 0, 1 },
    { "Bcast", from_root, bcast, got_root, 0, 1 },
    { "Bcast (long)", from_root, bcast_long, nothing, 0, 1 },
    { "Scatter", from_root, scatter, got_part, 1, 0 },
    { "Scatterv", from_root, scatterv, got_part, 0, 1 },
    { "Gather", to_root, gather, root_got_each, 1, 1 },
    { "Gatherv", to_root, gatherv, root_got_each, 0, 1 },
    { "Reduce", to_root, reduce, root_got_sum, 1, 1 },
    { "Allreduce", all, allreduce, got_sum, 1, 1 },
    { "Allgather", all, allgather, got_each, 1, 1 },
    { "Allgatherv", all, allgatherv, got_each, 1, 1 },
    { "Alltoall", all, alltoall, got_own_part, 1, 1 },
    { "Alltoallv", all, alltoallv, got_own_part, 1, 1 },
    { "Alltoallw", all, alltoallw, got_own_part, 1, 1 },
    { "Reduce_scatter_block", all, reduce_scatter_block, got_own_sum, 1, 1 },
    { NULL, all, NULL, NULL, 0, 0 }
};
static const struct call scans[] = {
    { "Reduce_scatter", all, reduce_scatter, got_own_sum, 1, 1 },
    { "Scan", later, scan, got_prefix, 1, 1 },
    { "Exscan", later, exscan, got_prefix_before, 1, 1 },
    { NULL, all, NULL, NULL, 0, 0 }
};
static const struct call zeros[] = {
    { "Alltoallv", next, alltoallv_to_next, got_from_previous, 0, 1 },
    { "Scatterv", from_root, scatterv_but_last, nothing, 0, 1 },
    { "Gatherv", to_root, gatherv_but_last, nothing, 0, 1 },
    { "Allgatherv", all, allgatherv_but_last, nothing, 0, 1 },
    { "Reduce_scatter", all, reduce_scatter_but_last, nothing, 0, 1 },
    { NULL, all, NULL, NULL, 0, 0 }
};
static const struct call empty[] = {
    { "Bcast", from_root, bcast_of_nothing, nothing, 0, 1 },
    { "Allreduce", all, allreduce_of_nothing, nothing, 0, 1 },
    { NULL, all, NULL, NULL, 0, 0 }
};
static const struct call neighbourly[] = {
    { "Neighbor_allgather", next, neighbor_allgather, got_neighbour, 0, 1 },
    { "Neighbor_allgatherv", next, neighbor_allgatherv, got_neighbour, 0, 1 },
    { "Neighbor_alltoall", next, neighbor_alltoall, got_neighbour, 0, 1 },
    { "Neighbor_alltoallv", next, neighbor_alltoallv, got_neighbour, 0, 1 },
    { "Neighbor_alltoallw", next, neighbor_alltoallw, got_neighbour, 0, 1 },
    { NULL, all, NULL, NULL, 0, 0 }
};

/* --- who must be delayed --- */

static const struct call *current;
static const struct call *set;

static int moves_data(int r) { return set != zeros || r != size - 1 || current->flow == next; }

/* Does this rank wait for rank r, of group s? */
static int waits_for(int r, int s)
{
    if (set == empty || (inter && s == side))
        return 0;
    switch (current->flow) {
    case from_root: return r == root_rank && s == root_side && moves_data(rank);
    case to_root: return is_root() && moves_data(r);
    case later: return r < rank;
    case next: return r == (rank + size - 1) % size;
    case both_sides: return r == (rank + size - 1) % size || r == (rank + 1) % size;
    case all: break;
    }
    if (set != zeros)
        return 1;
    return current->run == allgatherv_but_last ? moves_data(r) : moves_data(rank);
}

/* More ranks than processors are slow when those that have nothing to do poll: outside of what is tested they sleep. */
static void sleep_until_done(MPI_Request *r)
{
    for (int done = 0; !done;) {
        MPI_Test(r, &done, MPI_STATUS_IGNORE);
        if (!done)
            usleep(100);
    }
}

static void meet(void)
{
    MPI_Request r;
    MPI_Ibarrier(MPI_COMM_WORLD, &r);
    sleep_until_done(&r);
}

static int on_all_ranks(int good)
{
    MPI_Request r;
    int everywhere = 0;
    MPI_Iallreduce(&good, &everywhere, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &r);
    sleep_until_done(&r);
    return everywhere;
}

/* Whether all went well everywhere; says what did not, the last time. */
static int report(int r, int s, int64_t delay, int64_t want, int right, int conserved, int last)
{
    const int good = delay == want && right && conserved;
    if (!good && last)
        printf("FAILED %s %s of rank %d%s: on rank %d delay %lld, not %lld%s%s\n", current->name, form_names[form], r,
               inter ? (s ? " on the right" : " on the left") : "", rank, (long long) delay, (long long) want,
               right ? "" : "; wrong data", conserved ? "" : "; time lost");
    fflush(stdout);
    return on_all_ranks(good);
}

static void complete(void)
{
    if (form == nonblocking || form == persistent)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* One call, with rank r of group s delayed and late by so much. */
static int try_call(int r, int s, int late_us, int last)
{
    const tare_transport_v1_table_t *core = tare_measure_core();
    const int delayed = rank == r && side == s;
    const int64_t delay = 5 * MS;
    fill();
    meet();
    core->test_set_delay(delayed ? delay : 0);
    const tare_thread_t before = *core->thread();
    if (delayed)
        usleep(late_us);
    current->run();
    complete();
    const tare_thread_t after = *core->thread();
    const int64_t waited = after.wait_ns - before.wait_ns;
    const int64_t would_wait = after.wait_compensated_ns - before.wait_compensated_ns;
    const int right = current->is_right();
    if (form == persistent && current->can_restart) {
        MPI_Start(&request);
        complete();
    }
    const int right_again = current->is_right();
    if (form == persistent)
        MPI_Request_free(&request);
    return report(r, s, after.delay_ns, delayed || waits_for(r, s) ? delay : 0, right && right_again,
                  after.delay_ns + would_wait == before.delay_ns + waited, last);
}

/* So long that all others have had a processor before. A busy machine may let one of them come later still: then the
 * late one takes longer. */
static void one_call(int r, int s)
{
    enum { tries = 4 };
    int good = 0, ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 1; i <= tries && !good; i++)
        good = try_call(r, s, i * ranks * pause_per_rank_us, i == tries);
    failed |= !good;
}

/* How long it takes is learned from calls in which nobody comes late. */
static void learn(void)
{
    for (int i = 0; i < 3; i++) {
        fill();
        meet();
        tare_measure_core()->test_set_delay(0);
        current->run();
        complete();
        if (form == persistent)
            MPI_Request_free(&request);
    }
}

static int forms_of(const struct call *c, enum form f)
{
#if MPI_VERSION < 4
    if (f == persistent)
        return 0;
#endif
    return f != in_place || (c->has_in_place && !inter);
}

static void calls_of(const struct call *calls, int right_size)
{
    set = calls;
    for (current = calls; current->name != NULL; current++)
        for (form = 0; form < forms; form++) {
            if (forms_of(current, form))
                learn();
            for (int s = 0; forms_of(current, form) && s <= inter; s++)
                for (int r = 0; r < (s ? right_size : inter ? 2 : size); r++)
                    one_call(r, s);
        }
}

static void use(MPI_Comm used)
{
    comm = used;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Comm_test_inter(comm, &inter);
    peers = size;
    if (inter)
        MPI_Comm_remote_size(comm, &peers);
    for (int i = 0; i < most; i++) {
        counts[i] = 1;
        places[i] = i;
        some[i] = i < size - 1;
        types[i] = MPI_INT;
    }
}

static void intra(void)
{
    use(MPI_COMM_WORLD);
    root = root_rank = size - 1;
    calls_of(plain_calls, 0);
    root = root_rank = 0;
    calls_of(scans, 0);
}

static void zero_counts(void)
{
    use(MPI_COMM_WORLD);
    calls_of(zeros, 0);
    calls_of(empty, 0);
}

/* Two ranks on the left, two on the right, as MPI_Reduce_scatter_block needs it; the root is on the left, then on the
 * right. */
static void two_groups(void)
{
    MPI_Comm own, both;
    int world;
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    side = world >= 2;
    MPI_Comm_split(MPI_COMM_WORLD, side, 0, &own);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, side ? 0 : 2, 7, &both);
    use(both);
    for (root_side = 0; root_side < 2; root_side++) {
        root_rank = root_side ? 0 : 1;
        root = side != root_side ? root_rank : rank == root_rank ? MPI_ROOT : MPI_PROC_NULL;
        calls_of(plain_calls, side ? size : peers);
    }
    MPI_Comm_free(&both);
    MPI_Comm_free(&own);
}

/* A ring in one direction, and a ring in both. */
static void neighbours(void)
{
    MPI_Comm ring;
    int one = 1, periodic = 1, world, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    int before = (world + n - 1) % n, after = (world + 1) % n;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, &one, 1, &after, &one, MPI_INFO_NULL, 0, &ring);
    use(ring);
    calls_of(neighbourly, 0);
    MPI_Comm_free(&ring);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &n, &periodic, 0, &ring);
    use(ring);
    struct call both[6];
    memcpy(both, neighbourly, sizeof both);
    for (int i = 0; i < 5; i++)
        both[i].flow = both_sides;
    both[2].is_right = both[3].is_right = both[4].is_right = nothing;   /* got_neighbour knows one direction */
    calls_of(both, 0);
    MPI_Comm_free(&ring);
}

/* --- who may leave early --- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *) a, y = *(const double *) b;
    return (x > y) - (x < y);
}

/* The longest of the inner half that the rank which nobody needs to wait for spends in a call while all others come
 * 50 ms later, in ms. */
static void early(const char *name, int early_rank, void (*run) (void))
{
    enum { rounds = 12, late_us = 50000 };
    double ms[rounds];
    form = blocking;
    for (int i = 0; i < rounds; i++) {
        fill();
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank != early_rank)
            usleep(late_us);
        const double start = MPI_Wtime();
        run();
        ms[i] = 1e3 * (MPI_Wtime() - start);
    }
    qsort(ms, rounds, sizeof *ms, by_size);
    if (rank == early_rank)
        printf("%s %.3f\n", name, ms[rounds * 3 / 4]);
    fflush(stdout);
}

static void early_leavers(void)
{
    use(MPI_COMM_WORLD);
    root = root_rank = 0;
    early("Bcast", 0, bcast);
    early("Scatter", 0, scatter);
    early("Scatterv", 0, scatterv);
    early("Reduce", size - 1, reduce);
    early("Gather", size - 1, gather);
    early("Gatherv", size - 1, gatherv);
    early("Scatterv(0)", size - 1, scatterv_but_last);
}

/* Rank 0 calls MPI_Test until the others come: it must come back each time. */
static void tests_come_back(void)
{
    int done = 0, tests = 0;
    double longest = 0;
    use(MPI_COMM_WORLD);
    form = nonblocking;
    fill();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0)
        usleep(100000);
    allreduce();
    while (!done) {
        const double start = MPI_Wtime();
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done && MPI_Wtime() - start > longest)
            longest = MPI_Wtime() - start;
        tests++;
    }
    if (rank == 0 && (tests < 2 || longest > 0.05))
        printf("FAILED %d tests, the longest %.3f s\n", tests, longest), failed = 1;
    if (!got_sum())
        printf("FAILED wrong data\n"), failed = 1;
}

/* Several requests of several kinds in every way to complete them, and a persistent one again and again. */
static void ways_to_complete(void)
{
    MPI_Request requests[4];
    int flag = 0, index, done, indices[4], message = -1, sum = 0;
    use(MPI_COMM_WORLD);
    root = 0;
    for (int way = 0; way < 6; way++) {
        MPI_Irecv(&message, 1, MPI_INT, (rank + 1) % size, 3, comm, &requests[0]);
        MPI_Ibarrier(comm, &requests[1]);
        MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[2]);
        MPI_Isend(&rank, 1, MPI_INT, (rank + size - 1) % size, 3, comm, &requests[3]);
        switch (way) {
        case 0: MPI_Waitall(4, requests, MPI_STATUSES_IGNORE); break;
        case 1: for (flag = 0; !flag;) MPI_Testall(4, requests, &flag, MPI_STATUSES_IGNORE); break;
        case 2: for (int i = 0; i < 4; i++) MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE); break;
        case 3: for (done = 0; done != MPI_UNDEFINED;) MPI_Waitsome(4, requests, &done, indices, MPI_STATUSES_IGNORE);
            break;
        case 4: for (int i = 0; i < 4; i++) {
            for (flag = 0; !flag;) MPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE);
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        } break;
        case 5: for (int i = 0; i < 4;) {
            MPI_Testany(4, requests, &index, &flag, MPI_STATUS_IGNORE);
            i += flag;
        } break;
        }
        if (message != (rank + 1) % size || sum != size * (size - 1) / 2)
            printf("FAILED way %d: %d %d\n", way, message, sum), failed = 1;
        message = sum = -1;
    }
#if MPI_VERSION >= 4
    /* MPICH 4.0.2 hangs with two at a time, and in a wait for one that was not started. */
    int turn = 0;
    MPI_Allreduce_init(&turn, &sum, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
    for (turn = 1; turn < 20; turn++) {
        turn % 2 ? MPI_Start(&request) : MPI_Startall(1, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (sum != size * turn)
            printf("FAILED turn %d: %d\n", turn, sum), failed = 1;
    }
    MPI_Request_free(&request);
#endif
    /* More than the tool could leave open. */
    for (int turn = 0; turn < 100; turn++) {
        MPI_Request many[room];
        for (int i = 0; i < room; i++)
            MPI_Ibcast(&in[i], 1, MPI_INT, i % size, comm, &many[i]);
        for (int i = 0; i < room; i++)
            MPI_Wait(&many[i], MPI_STATUS_IGNORE);
    }
}

/* Three ranks with delays of 0, 5 and 2 ms, and the second is late: the exact rule would give its delay to who waits
 * for it. As published it is the smallest that rank 0 gets, which it hands on. */
static void published(void)
{
    static const struct call calls[] = {
        { "Barrier", all, barrier, nothing, 0, 1 },
        { "Gather", to_root, gather, root_got_each, 0, 1 },
        { "Reduce", to_root, reduce, root_got_sum, 0, 1 },
        { "Allreduce", all, allreduce, got_sum, 0, 1 },
    };
    use(MPI_COMM_WORLD);
    form = blocking;
    for (current = calls; current < calls + 4; current++) {
        fill();
        MPI_Barrier(comm);
        tare_measure_core()->test_set_delay(rank == 1 ? 5 * MS : rank * MS);
        if (rank == 1)
            usleep(pause_us);
        current->run();
        const int64_t got = tare_delay_ns();
        const int in_it = current->flow == all || rank == 0;
        if (got != (in_it ? 2 * MS : rank == 1 ? 5 * MS : rank * MS) || !current->is_right())
            printf("FAILED %s on rank %d: %lld\n", current->name, rank, (long long) got), failed = 1;
    }
}

static const struct {
    const char *name;
    void (*run) (void);
} cases[] = {
    { "intra", intra }, { "zero_counts", zero_counts }, { "two_groups", two_groups }, { "neighbours", neighbours },
    { "early_leavers", early_leavers }, { "tests_come_back", tests_come_back },
    { "ways_to_complete", ways_to_complete }, { "published", published },
};

int main(int argc, char **argv)
{
    int any = 0;
    MPI_Init(&argc, &argv);
    tare_measure_core()->global->account_waits = 1;     /* somebody reads them */
    for (unsigned i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++)
        if (strcmp(argv[1], cases[i].name) == 0)
            cases[i].run();
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && strcmp(argv[1], "early_leavers") != 0)
        printf("%s\n", any ? "something failed" : "all right");
    MPI_Finalize();
    return any;
}
