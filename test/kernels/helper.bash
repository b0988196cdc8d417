# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034,SC2154  # bats sets status, output, stderr; the Makefile the rest
# Shared by the tests of kernels. From the Makefile: top_srcdir, top_builddir, VERSION, MPICC, MPIEXEC, MPICH_STAGE.
: "${top_srcdir:?is not set: run the tests by make check}" "${top_builddir:?}" "${VERSION:?}"
bats_require_minimum_version 1.5.0

# Nothing of the caller's environment may change what a kernel does.
unset TARE_MODE TARE_RULE TARE_PROFILE

# Programs of the build tree have no run path of their own to libmpi and libtare.
export LD_LIBRARY_PATH=$MPICH_STAGE/lib:$top_builddir/src/lib/.libs

kernel=$top_builddir/src/kernels/tare_kernel
layer=$top_builddir/src/pmpi/tare/.libs/libtare-mpi.so

# ranks N [OPTION]... KERNEL: a kernel on N ranks
ranks() {
    local count=$1
    shift
    "$MPIEXEC" -n "$count" "$kernel" "$@"
}

# kernels: the names of all
kernels() { "$kernel" --list | awk 'NR > 1 { print $1 }'; }

# of a kernel that is small enough for a test; few ranks are many where there are two cores
small() {
    case $1 in
        wavefront) echo "--size 100 --steps 4" ;;
        sort) echo "--size 1000 --steps 3" ;;
        fft) echo "--size 32 --steps 4" ;;
        cg) echo "--size 20 --steps 2" ;;
        montecarlo | contest) echo "--size 2000 --steps 2" ;;
        pipe) echo "--size 50 --steps 30" ;;
        *) echo "--size 30 --steps 20" ;;
    esac
}

# stderr of the last `run --separate-stderr` is one line, and this one
assert_sentence() {
    echo "status $status; stdout: $output; stderr: $stderr"
    [[ ${#stderr_lines[@]} -eq 1 && $stderr == "$1" && -z $output ]]
}
