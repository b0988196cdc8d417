/* SPDX-License-Identifier: BSD-3-Clause */
/* communicators: every way to make one, from each a name and a message on it. did.RANK has a line for each that this rank
 * is in: its name and the ranks in MPI_COMM_WORLD that it has, for an intercommunicator those of both groups.
 * communicators.py prints the same of a trace. With `victim` rank 1 is killed at the end. */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static FILE *out;
static int rank, size;
static MPI_Group world;

static void print_members(MPI_Group group)
{
    int count, of_group[64], of_world[64];
    MPI_Group_size(group, &count);
    for (int i = 0; i < count; i++)
        of_group[i] = i;
    MPI_Group_translate_ranks(group, count, of_group, world, of_world);
    for (int i = 0; i < count; i++)
        fprintf(out, " %d", of_world[i]);
    MPI_Group_free(&group);
}

/* The group with the lowest rank first. */
static void print_groups(MPI_Comm comm)
{
    MPI_Group own, other;
    int zero = 0, first_of_own, first_of_other;
    MPI_Comm_group(comm, &own);
    MPI_Comm_remote_group(comm, &other);
    MPI_Group_translate_ranks(own, 1, &zero, world, &first_of_own);
    MPI_Group_translate_ranks(other, 1, &zero, world, &first_of_other);
    print_members(first_of_own < first_of_other ? own : other);
    fputs(" |", out);
    print_members(first_of_own < first_of_other ? other : own);
}

static void use(MPI_Comm comm, const char *name)
{
    int is_inter, own, others, data = 0, room;
    MPI_Group group;
    if (comm == MPI_COMM_NULL)
        return;
    MPI_Comm_set_name(comm, name);
    MPI_Comm_test_inter(comm, &is_inter);
    MPI_Comm_rank(comm, &own);
    if (is_inter) {
        MPI_Comm_remote_size(comm, &others);
        MPI_Sendrecv(&data, 1, MPI_INT, own % others, 0, &room, 1, MPI_INT, own % others, 0, comm, MPI_STATUS_IGNORE);
    } else {
        MPI_Comm_size(comm, &others);
        MPI_Sendrecv(&data, 1, MPI_INT, (own + 1) % others, 0, &room, 1, MPI_INT, (own + others - 1) % others, 0, comm,
                     MPI_STATUS_IGNORE);
    }
    fprintf(out, "%s:", name);
    if (is_inter) {
        print_groups(comm);
    } else {
        MPI_Comm_group(comm, &group);
        print_members(group);
    }
    fputc('\n', out);
}

static void use_and_free(MPI_Comm comm, const char *name)
{
    use(comm, name);
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
}

static void copies(void)
{
    char name[32];
    MPI_Comm comm, of_it;
    MPI_Request request;
    /* One handle may be used for all of these. */
    for (int i = 0; i < 3; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        snprintf(name, sizeof name, "dup %d", i);
        use_and_free(comm, name);
    }
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_dup(comm, &of_it);
    use_and_free(of_it, "dup of idup");
    use_and_free(comm, "idup");
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    snprintf(name, sizeof name, "self %d", rank);
    use_and_free(comm, name);
}

static void parts(void)
{
    MPI_Comm comm, of_it;
    MPI_Group group;
    int lower[64];
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm);
    use(comm, rank % 2 == 0 ? "even" : "odd");
    MPI_Comm_dup(comm, &of_it);
    use_and_free(of_it, rank % 2 == 0 ? "dup of even" : "dup of odd");
    MPI_Comm_free(&comm);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, rank, &comm);
    use_and_free(comm, "all but 0");
    for (int i = 0; i < size / 2; i++)
        lower[i] = i;
    MPI_Group_incl(world, size / 2, lower, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
    use_and_free(comm, "lower half");
    if (rank < size / 2) {
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &comm);
        use_and_free(comm, "group 5");
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &comm);
        use_and_free(comm, "group 5 again");
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 6, &comm);
        use_and_free(comm, "group 6");
    }
    MPI_Group_free(&group);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use_and_free(comm, "dup after groups");
}

static void shapes(void)
{
    MPI_Comm comm, of_it;
    int dims[2] = { 2, size / 2 }, periods[2] = { 0, 1 }, remain[2] = { 0, 1 }, row[2];
    int neighbour = (rank + 1) % size, before = (rank + size - 1) % size;
    char name[32];
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
    use(comm, "cart");
    MPI_Cart_coords(comm, rank, 2, row);
    MPI_Cart_sub(comm, remain, &of_it);
    snprintf(name, sizeof name, "row %d", row[0]);
    use_and_free(of_it, name);
    MPI_Comm_free(&comm);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &neighbour, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &comm);
    use_and_free(comm, "ring");
}

static void two_groups(void)
{
    MPI_Comm half, inter, of_it;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &inter);
    use(inter, "between");
    MPI_Comm_dup(inter, &of_it);
    use_and_free(of_it, "dup of between");
    MPI_Intercomm_merge(inter, rank % 2, &of_it);
    use_and_free(of_it, "merged");
    MPI_Comm_free(&inter);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &inter);
    use_and_free(inter, "between again");
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    char file[32];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    snprintf(file, sizeof file, "did.%d", rank);
    out = fopen(file, "w");
    if (out == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    use(MPI_COMM_WORLD, "MPI_COMM_WORLD");
    copies();
    parts();
    shapes();
    if (argc == 1 || strcmp(argv[1], "one_group") != 0)
        two_groups();
    MPI_Group_free(&world);
    fclose(out);
    if (argc > 1 && strcmp(argv[1], "victim") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1)
            raise(SIGKILL);
        return 0;
    }
    MPI_Finalize();
    return 0;
}
