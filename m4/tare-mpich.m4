# SPDX-License-Identifier: BSD-3-Clause

# TARE_MPICH
# Which MPICH is built beside Tare, and where its compiler wrappers are until it is installed.
AC_DEFUN([TARE_MPICH], [
    AC_ARG_WITH([mpich],
        [AS_HELP_STRING([--without-mpich], [only Tare's own libraries and tool, no MPICH])],
        [], [with_mpich=yes])
    AC_ARG_WITH([mpich-tarball],
        [AS_HELP_STRING([--with-mpich-tarball=FILE],
            [MPICH 4.0.2's source, Debian's or upstream's (default: fetched from Debian's source package)])],
        [], [with_mpich_tarball=])
    AC_ARG_WITH([netmod],
        [AS_HELP_STRING([--with-netmod=NAME],
            [MPICH's network modules: ofi, ucx or both; that of ucx is installed in PREFIX/ucx (default: ofi)])],
        [], [with_netmod=ofi])
    AC_ARG_ENABLE([minimal],
        [AS_HELP_STRING([--enable-minimal], [MPICH without Fortran and ROMIO])], [], [enable_minimal=no])
    AC_ARG_ENABLE([per-vci],
        [AS_HELP_STRING([--enable-per-vci],
            [MPICH with --enable-thread-cs=per-vci: threads of MPI_THREAD_MULTIPLE lock one of MPIR_CVAR_CH4_NUM_VCIS
             virtual interfaces each])],
        [], [enable_per_vci=no])
    AC_ARG_ENABLE([unpatched],
        [AS_HELP_STRING([--enable-unpatched],
            [also build the unpatched MPICH with the same flags, below PREFIX/unpatched and PREFIX/ucx/unpatched])],
        [], [enable_unpatched=no])
    AS_CASE([$with_mpich], [yes | no], [],
        [AC_MSG_ERROR([--with-mpich takes no value: Tare builds its own MPICH (--with-mpich-tarball=FILE)])])
    AS_CASE([$with_netmod], [ofi | ucx | both], [],
        [AC_MSG_ERROR([--with-netmod=$with_netmod is not known: allowed are ofi, ucx and both])])
    AS_IF([test "$with_mpich" = no], [enable_unpatched=no mpich_summary="not built (--without-mpich)"],
          [TARE_MPICH_NEEDS])
    AC_SUBST([MPICH_TARBALL], [$with_mpich_tarball])
    AC_SUBST([mpich_summary])
    AM_CONDITIONAL([BUILD_MPICH], [test "$with_mpich" = yes])
    AM_CONDITIONAL([BUILD_UNPATCHED], [test "$enable_unpatched" = yes])
    AM_CONDITIONAL([MPICH_MINIMAL], [test "$enable_minimal" = yes])
    AM_CONDITIONAL([MPICH_PER_VCI], [test "$enable_per_vci" = yes])
    AC_SUBST([enable_per_vci])
    AM_CONDITIONAL([BUILD_OFI], [test "$with_mpich" = yes && test "$with_netmod" != ucx])
    AM_CONDITIONAL([BUILD_UCX], [test "$with_mpich" = yes && test "$with_netmod" != ofi])
    # The MPICH that Tare's programs are linked with, and its place below the prefix.
    mpich_stage=stage mpich_below=
    AS_IF([test "$with_netmod" = ucx], [mpich_stage=stage-ucx mpich_below=/ucx])
    AC_SUBST([MPICH_STAGE], ["\$(abs_top_builddir)/mpich/$mpich_stage"])
    AC_SUBST([MPICH_BELOW], [$mpich_below])
    AC_SUBST([UCX_STAGE], ['$(abs_top_builddir)/mpich/stage-ucx'])
    AC_SUBST([MPICC], ['$(MPICH_STAGE)/bin/mpicc'])
    AC_SUBST([MPICXX], ['$(MPICH_STAGE)/bin/mpicxx'])
    AC_SUBST([MPIFORT], ['$(MPICH_STAGE)/bin/mpifort'])
    AC_SUBST([MPIEXEC], ['$(MPICH_STAGE)/bin/mpiexec'])
])

# What MPICH's own configure would only find missing after minutes.
AC_DEFUN([TARE_MPICH_NEEDS], [
    AS_IF([test -n "$with_mpich_tarball"], [
        AS_IF([test -r "$with_mpich_tarball"],
              [with_mpich_tarball=`realpath "$with_mpich_tarball"`],
              [AC_MSG_ERROR([--with-mpich-tarball=$with_mpich_tarball: no such readable file])])
    ])
    AS_CASE([$with_netmod], [both], [mpich_summary="ch4:ofi and ch4:ucx"], [mpich_summary="ch4:$with_netmod"])
    mpich_summary="4.0.2 $mpich_summary, patched; C, C++"
    AS_IF([test "$enable_minimal" = yes], [mpich_summary="$mpich_summary (--enable-minimal)"], [
        mpich_summary="$mpich_summary, Fortran, ROMIO"
        TARE_REQUIRE_COMPILER([FC], [gfortran], [Fortran compiler], [gfortran (or give --enable-minimal)])
        AS_IF([command -v python3 >/dev/null 2>&1], [],
              [AC_MSG_ERROR([MPICH's Fortran bindings need python3: install it or give --enable-minimal])])
    ])
    AS_IF([test "$enable_per_vci" = yes], [mpich_summary="$mpich_summary (--enable-per-vci)"])
    AS_IF([test "$with_netmod" != ucx], [TARE_REQUIRE_MODULE([libfabric], [libfabric-dev])])
    AS_IF([test "$with_netmod" != ofi], [TARE_REQUIRE_MODULE([ucx], [libucx-dev])])
    TARE_REQUIRE_MODULE([hwloc], [libhwloc-dev])
])

AC_DEFUN([TARE_REQUIRE_MODULE], [
    AS_IF([$PKG_CONFIG --exists $1], [], [AC_MSG_ERROR([MPICH needs the headers of $1: install the package $2])])
])
