/* SPDX-License-Identifier: BSD-3-Clause */
/* Each rank writes its number into a file, and reads its neighbour's: "file N of RANKS". */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, ranks, got = -1;
    MPI_File file;
    MPI_Offset size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, (MPI_Offset) rank * (MPI_Offset) sizeof rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at(file, (MPI_Offset) ((rank + 1) % ranks) * (MPI_Offset) sizeof got, &got, 1, MPI_INT,
                     MPI_STATUS_IGNORE);
    MPI_File_get_size(file, &size);
    MPI_File_close(&file);
    if (got != (rank + 1) % ranks || size != ranks * (MPI_Offset) sizeof rank)
        MPI_Abort(MPI_COMM_WORLD, 3);
    printf("file %d of %d\n", got, ranks);
    return MPI_Finalize();
}
