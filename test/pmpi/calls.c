/* SPDX-License-Identifier: BSD-3-Clause */
/* calls SCENARIO: a known number of MPI calls, or a call that must end the run. Two ranks; counts: any even
 * number. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, other;

static void start(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = rank ^ 1;
}

static void exchange(void)
{
    int out = rank, in;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Irecv(&in, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    if (in != other)
        puts("wrong value");
}

static void counts(void)
{
    for (int i = 0; i < 10; i++)
        exchange();
    for (int i = 0; i < 7; i++)
        MPI_Barrier(MPI_COMM_WORLD);
}

/* The MPI library calls MPI functions of its own: by their other names, where the program must find its wrappers. */
static void calls_inside_calls(void)
{
    MPI_Datatype types[2] = { MPI_INT, MPI_INT }, type;
    MPI_Comm copy;
    const int lengths[2] = { 1, 1 };
    MPI_Aint places[2] = { 0, 8 };
    MPI_Type_create_struct(2, lengths, places, types, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&type);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
#if defined(MPICH_NUMVERSION)
    int key;
    static int value;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Attr_put(copy, key, &value);    /* calls PMPI_Comm_set_attr in MPICH */
#endif
    MPI_Comm_free(&copy);
}

/* ROMIO is written in terms of MPI functions; in Open MPI it is a library of its own. */
static void file(void)
{
    MPI_File file;
    MPI_Status status;
    int count = 0;
    if (MPI_File_open(MPI_COMM_WORLD, "calls.file", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file)) {
        puts("no file");
        return;
    }
    MPI_File_write_at_all(file, (MPI_Offset) sizeof rank * rank, &rank, 1, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_File_close(&file);
    if (count != 1)
        puts("wrong count");
}

/* A program that calls PMPI_Xxx itself is counted and carried as well. */
static void other_names(void)
{
    int out = rank, in[4] = { -1, -1, -1, -1 }, count;
    MPI_Status status;
    if (rank == 0)
        PMPI_Send(&out, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    else {
        MPI_Recv(in, 4, MPI_INT, 0, 1, MPI_COMM_WORLD, &status);
        PMPI_Get_count(&status, MPI_INT, &count);
        printf("%d %d %d\n", in[0], in[1], count);
    }
}

static void pause_measuring(void)
{
    exchange();
    MPI_Pcontrol(0);
    exchange();
    MPI_Pcontrol(1);
    exchange();
}

/* While measuring is paused, and twice in between calls. */
static void calibrate_again(void)
{
    MPI_Pcontrol(0);
    MPI_Pcontrol(3);
    MPI_Pcontrol(1);
    for (int i = 0; i < 2; i++) {
        exchange();
        MPI_Pcontrol(3);
        MPI_Pcontrol(17);
    }
    exchange();
}

/* A process that was not there in MPI_Init. */
static void spawn(void)
{
    MPI_Comm between;
    MPI_Comm_spawn("calls", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between, MPI_ERRCODES_IGNORE);
}

static void abort_run(void)
{
    exchange();
    if (rank == 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Barrier(MPI_COMM_WORLD);
}

#if MPI_VERSION >= 4
static int session(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int sum = 0, one = 1;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "tare", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        printf("sum %d\n", sum);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return 0;
}
#endif

static const struct {
    const char *name;
    void (*run) (void);
} scenarios[] = {
    { "counts", counts }, { "calls_inside_calls", calls_inside_calls }, { "file", file },
    { "other_names", other_names },
    { "pause_measuring", pause_measuring }, { "calibrate_again", calibrate_again },
    { "spawn", spawn },
    { "abort", abort_run },
};

int main(int argc, char **argv)
{
#if MPI_VERSION >= 4
    if (argc == 2 && strcmp(argv[1], "session") == 0)
        return session();
#endif
    for (unsigned i = 0; argc == 2 && i < sizeof scenarios / sizeof *scenarios; i++)
        if (strcmp(argv[1], scenarios[i].name) == 0) {
            start();
            scenarios[i].run();
            MPI_Finalize();
            return 0;
        }
    fprintf(stderr, "calls: no such scenario\n");
    return 2;
}
