# SPDX-License-Identifier: BSD-3-Clause

# TARE_FAMILIES
# The PMPI layer is built once for each family of MPI libraries, with the compiler wrapper of that family: for the
# MPICH of this tree (BUILD_MPICH), and for those MPI libraries of the system that are there.
AC_DEFUN([TARE_FAMILIES], [
    TARE_FAMILY([system-mpich], [SYSTEM_MPICH], [an unpatched MPICH], [mpicc.mpich], [!defined(OPEN_MPI)])
    TARE_FAMILY([openmpi], [OPENMPI], [Open MPI], [mpicc.openmpi], [defined(OPEN_MPI)])
    AM_CONDITIONAL([BUILD_LAYER], [test "$with_mpich$with_system_mpich$with_openmpi" != nonono])
])

# TARE_FAMILY(OPTION, PREFIX, WHOSE, WRAPPER, CONDITION OF ITS mpi.h)
# PREFIX_MPICC, PREFIX_MPIFORT and PREFIX_MPIEXEC; BUILD_PREFIX. By default it is built where WRAPPER is found, and an
# MPI at all is wanted; a wrapper that was asked for has to be there.
AC_DEFUN([TARE_FAMILY], [
    AC_ARG_WITH([$1],
        [AS_HELP_STRING([--with-$1@<:@=MPICC@:>@],
            [build the PMPI layer for $3 too, whose compiler wrapper is MPICC (default: if $4 is there, unless
             --without-mpich or --with-sanitizer)])],
        [], [AS_VAR_SET([with_]m4_translit([$1], [-], [_]), [auto])])
    AS_VAR_COPY([tare_wanted], [with_]m4_translit([$1], [-], [_]))
    TARE_FIND_WRAPPER([$1], [$3], [$4], [$5])
    AS_VAR_SET([with_]m4_translit([$1], [-], [_]), [$tare_built])
    AC_SUBST(m4_translit([$1], [-], [_])[_summary], [$tare_summary])
    AC_SUBST([$2_MPICC], [$tare_mpicc])
    AC_SUBST([$2_MPIFORT], [`AS_ECHO(["$tare_mpicc"]) | sed 's|mpicc\(@<:@^/@:>@*\)$|mpifort\1|'`])
    AC_SUBST([$2_MPIEXEC], [`AS_ECHO(["$tare_mpicc"]) | sed 's|mpicc\(@<:@^/@:>@*\)$|mpiexec\1|'`])
    AM_CONDITIONAL([BUILD_$2], [test "$tare_built" = yes])
])

# From $tare_wanted: $tare_built (yes or no), $tare_mpicc (its path) and $tare_summary.
AC_DEFUN([TARE_FIND_WRAPPER], [
    tare_built=no tare_mpicc=
    AS_CASE([$tare_wanted],
        [no], [tare_summary="no layer (--without-$1)"],
        [auto], [tare_name=$3
                 AS_IF([test "$with_mpich" = no], [tare_summary="no layer (--without-mpich)" tare_name=],
                       [test "$with_sanitizer" != no], [tare_summary="no layer (--with-sanitizer)" tare_name=])],
        [yes], [tare_name=$3],
        [tare_name=$tare_wanted])
    AS_IF([test "$tare_wanted" != no && test -n "$tare_name"], [
        AC_MSG_CHECKING([for the compiler wrapper of $2])
        tare_mpicc=`command -v "$tare_name" 2>/dev/null`
        AC_MSG_RESULT([${tare_mpicc:-no}])
        AS_IF([test -n "$tare_mpicc"], [TARE_CHECK_WRAPPER([$1], [$2], [$4])],
              [test "$tare_wanted" = auto], [tare_summary="no layer ($3 was not found)"],
              [AC_MSG_ERROR([--with-$1: there is no program $tare_name: name the compiler wrapper of $2], [1])])
    ])
])

# Whose mpi.h it finds.
AC_DEFUN([TARE_CHECK_WRAPPER], [
    AS_IF([printf '%s\n' '#include <mpi.h>' '#if !($3)' '#error another' '#endif' > conftest.c &&
           "$tare_mpicc" -E conftest.c >conftest.i 2>&AS_MESSAGE_LOG_FD],
          [tare_built=yes tare_summary="$tare_mpicc"],
          [test "$tare_wanted" = auto], [tare_summary="no layer ($tare_mpicc finds no mpi.h of $2)" tare_mpicc=],
          [AC_MSG_ERROR([--with-$1: $tare_mpicc finds no mpi.h of $2], [1])])
    rm -f conftest.c conftest.i
])
