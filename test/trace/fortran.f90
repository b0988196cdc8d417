! SPDX-License-Identifier: BSD-3-Clause
! fortran: messages by the Fortran binding, as messages.c has them. did.RANK: the events that the trace of each rank must have.
program fortran
    use mpi
    implicit none
    integer :: ierr, rank, other, i, index, requests(20), status(MPI_STATUS_SIZE)
    integer :: values(10), room(10), one
    logical :: done
    character(len=16) :: name
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    other = 1 - rank
    write (name, '(a, i0)') 'did.', rank
    open (unit=10, file=name)
    do i = 1, 10
        call MPI_Irecv(room(i), 1, MPI_INTEGER, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, requests(i), ierr)
        write (10, '(a)') 'IRECV_REQUEST'
    end do
    do i = 1, 10
        call MPI_Isend(values(i), 1, MPI_INTEGER, other, i, MPI_COMM_WORLD, requests(10 + i), ierr)
        call message('ISEND', i, 4)
    end do
    call MPI_Waitall(20, requests, MPI_STATUSES_IGNORE, ierr)
    do i = 1, 10
        call message('IRECV', i, 4)
    end do
    do i = 1, 10
        call message('ISEND_COMPLETE', i, 4)
    end do
    call MPI_Sendrecv(values, 10, MPI_INTEGER, other, 30, room, 10, MPI_INTEGER, other, 30, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE, ierr)
    call message('SEND', 30, 40)
    call message('RECV', 30, 40)
    call MPI_Irecv(one, 1, MPI_INTEGER, other, 40, MPI_COMM_WORLD, requests(1), ierr)
    write (10, '(a)') 'IRECV_REQUEST'
    call MPI_Send(values, 1, MPI_INTEGER, other, 40, MPI_COMM_WORLD, ierr)
    call message('SEND', 40, 4)
    call MPI_Waitany(1, requests, index, status, ierr)
    call message('IRECV', 40, 4)
    call MPI_Testall(1, requests, done, MPI_STATUSES_IGNORE, ierr)
    close (10)
    call MPI_Finalize(ierr)
contains
    subroutine message(kind, tag, bytes)
        character(len=*), intent(in) :: kind
        integer, intent(in) :: tag, bytes
        write (10, '(a, 1x, a, 3(1x, i0))') kind, 'MPI_COMM_WORLD', other, tag, bytes
    end subroutine message
end program fortran
