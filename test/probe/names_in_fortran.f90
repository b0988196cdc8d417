! SPDX-License-Identifier: BSD-3-Clause
! What Fortran calls its procedures. Compiled by tarefc.
module shapes_2d
  implicit none
contains
  subroutine grow(n)
    integer, intent(inout) :: n
    n = n + inner(n)
  contains
    integer function inner(n)
      integer, intent(in) :: n
      inner = n / n
    end function inner
  end subroutine grow

  recursive integer function depth(n) result(d)
    integer, intent(in) :: n
    d = 0
    if (n > 0) d = 1 + depth(n - 1)
  end function depth
end module shapes_2d

subroutine outside(n)
  implicit none
  integer, intent(inout) :: n
  n = n - 1
end subroutine outside

program names_in_fortran
  use shapes_2d
  implicit none
  integer :: n
  n = 1
  call grow(n)
  call grow(n)
  call outside(n)
  if (depth(n) /= 2) stop 1
end program names_in_fortran
