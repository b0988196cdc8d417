! SPDX-License-Identifier: BSD-3-Clause
! As ring.c, by the module mpi.
program ring
    use mpi
    implicit none
    integer :: rank, ranks, got, total, ierror
    integer :: status(MPI_STATUS_SIZE)
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    call MPI_Sendrecv(rank, 1, MPI_INTEGER, modulo(rank + 1, ranks), 7, &
                      got, 1, MPI_INTEGER, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, status, ierror)
    call MPI_Allreduce(got, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    if (status(MPI_SOURCE) /= got) call MPI_Abort(MPI_COMM_WORLD, 3, ierror)
    print '(a, i0, a, i0)', 'ring ', total, ' of ', ranks
    call MPI_Finalize(ierror)
end program ring
