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
    integer :: rank, ranks, other, ierr, count, i, counts(2), starts(2), place
    double precision :: out(20), in(20), sum(2)
    double precision, volatile :: both(4)   ! changed by calls that do not name it
    integer(MPI_ADDRESS_KIND) :: address(1)
    logical :: kept(1), periods(1)
#if BINDING == 3
    type(MPI_Status) :: status, statuses(2)
    type(MPI_Request) :: requests(2), request
    type(MPI_Datatype) :: absolute
    type(MPI_Comm) :: line, part
#else
    integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2), requests(2), request, absolute, line, part
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
    in = -1
    call MPI_Irecv(in, 20, MPI_DOUBLE_PRECISION, other, 7, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Isend(out, 19, MPI_DOUBLE_PRECISION, other, 7, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    if (in(19) /= 100.0d0 * other + 19 .or. in(20) /= -1) call fail('what Waitall completed without statuses', 1)

    ! Fortran's own MPI_BOTTOM, with addresses of Fortran's.
    both = [1.0d0 * rank, 2.0d0, -1.0d0, -1.0d0]
    call absolute_type(both(1), 2)
    call MPI_Isend(MPI_BOTTOM, 1, absolute, other, 8, MPI_COMM_WORLD, request, ierr)
    call MPI_Type_free(absolute, ierr)
    call absolute_type(both(3), 2)
    call MPI_Recv(MPI_BOTTOM, 1, absolute, other, 8, MPI_COMM_WORLD, status, ierr)
    call MPI_Get_count(status, absolute, count, ierr)
    call MPI_Type_free(absolute, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    if (count /= 1 .or. both(1) /= rank .or. both(3) /= other .or. both(4) /= 2) &
        call fail('what came from the bottom', count)

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
    both = [10.0d0 * rank, 10.0d0 * rank + 1, 10.0d0 * rank + 2, -1.0d0]
    counts = [1, 3]
    starts = [0, 1]
    if (rank == 1) both = [-1.0d0, 10.0d0, 11.0d0, 12.0d0]
    call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DOUBLE_PRECISION, both, counts, starts, MPI_DOUBLE_PRECISION, &
                        MPI_COMM_WORLD, ierr)
    if (both(1) /= 0 .or. both(2) /= 10 .or. both(4) /= 12) call fail('what was gathered in place', 1)
    if (rank == 0) then
        call MPI_Gatherv(MPI_IN_PLACE, 0, MPI_DOUBLE_PRECISION, both, counts, starts, MPI_DOUBLE_PRECISION, 0, &
                         MPI_COMM_WORLD, ierr)
    else
        call MPI_Gatherv(out, 3, MPI_DOUBLE_PRECISION, both, counts, starts, MPI_DOUBLE_PRECISION, 0, &
                         MPI_COMM_WORLD, ierr)
    end if
    if (rank == 0 .and. (both(1) /= 0 .or. both(4) /= 103)) call fail('what was gathered at the root', 1)
    call MPI_Bcast(sum, 2, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)

    ! Bindings of these ask for the number of dimensions.
    periods = .true.
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [2], periods, .false., line, ierr)
    kept = .true.
    call MPI_Cart_sub(line, kept, part, ierr)
    call MPI_Cart_rank(part, [rank], place, ierr)
    if (place /= rank) call fail('the place on the line', place)
    call MPI_Comm_free(part, ierr)
    call MPI_Comm_free(line, ierr)
    if (rank == 0) print '(a)', 'all good'
    call MPI_Finalize(ierr)

contains

    ! `absolute` becomes n doubles from `first` on, relative to MPI_BOTTOM.
    subroutine absolute_type(first, n)
        double precision, intent(in) :: first
        integer, intent(in) :: n
        call MPI_Get_address(first, address(1), ierr)
        call MPI_Type_create_hindexed(1, [n], address, MPI_DOUBLE_PRECISION, absolute, ierr)
        call MPI_Type_commit(absolute, ierr)
    end subroutine absolute_type

    subroutine fail(what, value)
        character(*), intent(in) :: what
        integer, intent(in) :: value
        print '(a,i0,3a,i0)', 'rank ', rank, ': ', what, ' is wrong: ', value
        call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
    end subroutine fail

end program fortran_calls
