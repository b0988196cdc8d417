! SPDX-License-Identifier: BSD-3-Clause
! Every kind of call that the Fortran bindings pass on in their own way, once through the binding named by BINDING:
! 1 mpif.h, 2 use mpi, 3 use mpi_f08. Two ranks. The test counts the regions of the profile.
program fortran_calls
#if BINDING == 2
    use mpi
#elif BINDING == 3
    use mpi_f08
#endif
    implicit none
#if BINDING == 1
    include 'mpif.h'
#endif
    integer :: rank, ranks, other, ierr, count, i
    double precision :: out(20), in(20), sum(2)
#if BINDING == 3
    type(MPI_Status) :: status, statuses(2)
    type(MPI_Request) :: requests(2), request
#else
    integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2), requests(2), request
#endif

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    other = 1 - rank
    out = [(100.0d0 * rank + i, i = 1, 20)]
    in = -1

    ! Blocking, a receive with more room than is needed.
    if (rank == 0) then
        call MPI_Send(out, 10, MPI_DOUBLE_PRECISION, other, 1, MPI_COMM_WORLD, ierr)
        call MPI_Recv(in, 20, MPI_DOUBLE_PRECISION, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    else
        call MPI_Probe(other, 1, MPI_COMM_WORLD, status, ierr)
        call MPI_Get_count(status, MPI_DOUBLE_PRECISION, count, ierr)
        if (count /= 10) call fail('the probed count', count)
        call MPI_Recv(in, 20, MPI_DOUBLE_PRECISION, other, 1, MPI_COMM_WORLD, status, ierr)
        call MPI_Get_count(status, MPI_DOUBLE_PRECISION, count, ierr)
        if (count /= 10) call fail('the received count', count)
        call MPI_Send(out, 10, MPI_DOUBLE_PRECISION, other, 2, MPI_COMM_WORLD, ierr)
    end if
    if (in(10) /= 100.0d0 * other + 10 .or. in(11) /= -1) call fail('what was received', 1)

    ! Nonblocking.
    call MPI_Irecv(in, 20, MPI_DOUBLE_PRECISION, other, 3, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Isend(out, 20, MPI_DOUBLE_PRECISION, other, 3, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Waitall(2, requests, statuses, ierr)
    if (in(20) /= 100.0d0 * other + 20) call fail('what Waitall completed', 1)
    call MPI_Isend(out, 20, MPI_DOUBLE_PRECISION, other, 4, MPI_COMM_WORLD, request, ierr)
    call MPI_Recv(in, 20, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, status, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)

    ! An array section, which mpi_f08 describes by a datatype of its own.
#if BINDING == 3
    in = -1
    call MPI_Sendrecv(out(1:20:2), 10, MPI_DOUBLE_PRECISION, other, 5, in(1:20:2), 10, MPI_DOUBLE_PRECISION, &
                      other, 5, MPI_COMM_WORLD, status, ierr)
    if (in(19) /= 100.0d0 * other + 19 .or. in(20) /= -1) call fail('the array section', 1)
#else
    call MPI_Sendrecv(out, 20, MPI_DOUBLE_PRECISION, other, 5, in, 20, MPI_DOUBLE_PRECISION, other, 5, &
                      MPI_COMM_WORLD, status, ierr)
#endif
    call MPI_Sendrecv(out, 1, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 6, in, 1, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 6, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)

    ! Collective, with Fortran's own MPI_IN_PLACE.
    sum = [1.0d0, 2.0d0]
    call MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    if (sum(2) /= 4) call fail('the sum', 2)
    call MPI_Bcast(sum, 2, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    if (rank == 0) print '(a)', 'all good'
    call MPI_Finalize(ierr)

contains

    subroutine fail(what, value)
        character(*), intent(in) :: what
        integer, intent(in) :: value
        print '(a,i0,3a,i0)', 'rank ', rank, ': ', what, ' is wrong: ', value
        call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
    end subroutine fail

end program fortran_calls
