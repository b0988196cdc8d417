/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that make communicators. What they print must be the same with a carrier and without. Ranks print one after
 * the other; `comms NAME`. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, copies, deletes;

/* A line of each rank, in order. */
static void say(const char *what, int value)
{
    int *all = malloc((size_t) ranks * sizeof *all);
    MPI_Gather(&value, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int r = 0; rank == 0 && r < ranks; r++)
        printf("%s, rank %d: %d\n", what, r, all[r]);
    free(all);
}

static int count_copy(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void) comm;
    (void) keyval;
    (void) extra;
    *(void **) out = in;
    *flag = 1;
    copies++;
    return MPI_SUCCESS;
}

static int count_delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
    int in, out = 1;
    (void) keyval;
    (void) value;
    (void) extra;
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Comm_size(comm, &in);
    deletes++;
    return MPI_SUCCESS;
}

/* The neighbours in a ring: what each gets, or -1 without the communicator. The other group's rank r with two. */
static int exchange(MPI_Comm comm)
{
    int in = -1, r, n, inter;
    if (comm == MPI_COMM_NULL)
        return -1;
    MPI_Comm_rank(comm, &r);
    MPI_Comm_size(comm, &n);
    MPI_Comm_test_inter(comm, &inter);
    if (inter)
        MPI_Sendrecv(&rank, 1, MPI_INT, r, 1, &in, 1, MPI_INT, r, 1, comm, MPI_STATUS_IGNORE);
    else
        MPI_Sendrecv(&rank, 1, MPI_INT, (r + 1) % n, 1, &in, 1, MPI_INT, (r + n - 1) % n, 1, comm, MPI_STATUS_IGNORE);
    return in;
}

static void use(const char *what, MPI_Comm comm)
{
    say(what, exchange(comm));
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
}

static void wait_and_use(const char *what, MPI_Comm *comm, MPI_Request *request)
{
    MPI_Wait(request, MPI_STATUS_IGNORE);
    use(what, *comm);
}

static void callbacks(void)
{
    int keyval;
    MPI_Comm parent, comm;
    MPI_Request request;
    MPI_Comm_dup(MPI_COMM_WORLD, &parent);
    MPI_Comm_create_keyval(count_copy, count_delete, &keyval, NULL);
    MPI_Comm_set_attr(parent, keyval, &rank);
    MPI_Comm_dup(parent, &comm);
    use("dup", comm);
    MPI_Comm_dup_with_info(parent, MPI_INFO_NULL, &comm);
    use("dup_with_info", comm);
    MPI_Comm_idup(parent, &comm, &request);
    wait_and_use("idup", &comm, &request);
#if MPI_VERSION >= 4
    MPI_Comm_idup_with_info(parent, MPI_INFO_NULL, &comm, &request);
    wait_and_use("idup_with_info", &comm, &request);
#endif
    MPI_Comm_split(parent, 0, -rank, &comm);
    use("split", comm);
    say("copies", copies);
    say("deletes", deletes);
    MPI_Comm_free(&parent);
    say("deletes", deletes);
    MPI_Comm_free_keyval(&keyval);
}

static void topologies(void)
{
    int sides[2] = { 2, 2 }, periods[2] = { 0, 1 }, remain[2] = { 0, 1 }, degree = 1, next = (rank + 1) % ranks;
    int previous = (rank + ranks - 1) % ranks, index[4] = { 1, 2, 3, 4 }, edges[4] = { 1, 0, 3, 2 };
    MPI_Comm comm, part;
    MPI_Cart_create(MPI_COMM_WORLD, 2, sides, periods, 1, &comm);
    if (comm != MPI_COMM_NULL) {
        MPI_Cart_sub(comm, remain, &part);
        exchange(part);
        MPI_Comm_free(&part);
    }
    use("cart_create", comm);
    MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &comm);
    use("graph_create", comm);
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    use("dist_graph_create", comm);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &previous, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &comm);
    use("dist_graph_create_adjacent", comm);
}

static void groups(void)
{
    MPI_Group all, some;
    MPI_Comm comm;
    int chosen[2] = { 1, 0 };
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 2, chosen, &some);
    MPI_Comm_create(MPI_COMM_WORLD, some, &comm);
    use("create", comm);
    comm = MPI_COMM_NULL;
    if (rank < 2)
        MPI_Comm_create_group(MPI_COMM_WORLD, some, 3, &comm);
    use("create_group", comm);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 2 ? MPI_UNDEFINED : rank % 2, 0, &comm);
    use("split", comm);
    MPI_Comm_split_type(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    use("split_type", comm);
#if MPI_VERSION >= 4
    comm = MPI_COMM_NULL;
    if (rank < 2)
        MPI_Comm_create_from_group(some, "tare", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    use("create_from_group", comm);
#endif
    MPI_Group_free(&some);
    MPI_Group_free(&all);
}

static void intercommunicators(void)
{
    MPI_Comm own, inter, comm;
    MPI_Request request;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &own);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &inter);
    MPI_Intercomm_merge(inter, rank % 2, &comm);
    use("intercomm_merge", comm);
    MPI_Comm_dup(inter, &comm);
    use("dup", comm);
    MPI_Comm_split(inter, rank / 2, 0, &comm);
    use("split", comm);
    MPI_Comm_idup(inter, &comm, &request);
    wait_and_use("idup", &comm, &request);
    use("intercomm_create", inter);
    MPI_Comm_free(&own);
}

/* More communicators than the library has at once, but not at once. */
static void many(void)
{
    MPI_Comm comm;
    MPI_Request request;
    for (int i = 0; i < 3000; i++) {
        if (i % 3 == 0) {
            MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else if (i % 3 == 1) {
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        } else {
            MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &comm);
        }
        if (i % 100 < 3)
            exchange(comm);
        MPI_Comm_free(&comm);
    }
    say("made 3000 times", 1);
}

/* As many as the library has, but not twice as many. The window takes one, so that the program's own is not the one
 * that there is no more. */
static void too_many(void)
{
    MPI_Comm comm;
    MPI_Win win;
    MPI_Win_create(&rank, sizeof rank, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
    for (int i = 0; i < 1500; i++)
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Win_free(&win);
    say("made 1500", 1);
}

/* Rank 1 begins its duplicate only when it has a message that rank 0 sends after it has begun its own. */
static void idup_waits_for_nobody(void)
{
    MPI_Comm comm;
    MPI_Request request;
    int token = 1;
    if (rank == 1)
        MPI_Recv(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    if (rank == 0)
        MPI_Send(&token, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    wait_and_use("idup", &comm, &request);
}

/* Two of the same parent, completed in another order on each rank. */
static void idup_completed_in_any_order(void)
{
    MPI_Comm comm[2];
    MPI_Request request[2];
    for (int i = 0; i < 2; i++)
        MPI_Comm_idup(MPI_COMM_WORLD, &comm[i], &request[i]);
    for (int i = 0; i < 2; i++)
        MPI_Wait(&request[rank % 2 ? i : 1 - i], MPI_STATUS_IGNORE);
    use("idup", comm[0]);
    use("idup", comm[1]);
}

static void *make_and_free(void *parent)
{
    MPI_Comm comm;
    static const int rounds = 100;
    for (int i = 0; i < rounds; i++) {
        MPI_Comm_dup(*(MPI_Comm *) parent, &comm);
        exchange(comm);
        MPI_Comm_free(&comm);
    }
    return NULL;
}

static void threads(void)
{
    MPI_Comm parents[2];
    pthread_t other;
    for (int i = 0; i < 2; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &parents[i]);
    pthread_create(&other, NULL, make_and_free, &parents[1]);
    make_and_free(&parents[0]);
    pthread_join(other, NULL);
    for (int i = 0; i < 2; i++)
        use("parent", parents[i]);
}

static const struct {
    const char *name;
    void (*run) (void);
} cases[] = {
    { "callbacks", callbacks }, { "topologies", topologies }, { "groups", groups },
    { "intercommunicators", intercommunicators }, { "many", many }, { "too_many", too_many },
    { "idup_waits_for_nobody", idup_waits_for_nobody },
    { "idup_completed_in_any_order", idup_completed_in_any_order }, { "threads", threads },
};

int main(int argc, char **argv)
{
    int level;
    for (unsigned i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++)
        if (strcmp(argv[1], cases[i].name) == 0) {
            MPI_Init_thread(&argc, &argv, cases[i].run == threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Comm_size(MPI_COMM_WORLD, &ranks);
            cases[i].run();
            MPI_Finalize();
            return 0;
        }
    fprintf(stderr, "comms: no such case\n");
    return 2;
}
