# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154  # bats sets status, output, stderr; the Makefile the rest
# Shared by the tests of benchmarks and examples. From the Makefile: top_srcdir, top_builddir, VERSION, MPICC,
# MPIEXEC, TARE, PROBE_LIBS.
: "${top_srcdir:?is not set: run the tests by make check}" "${top_builddir:?}" "${VERSION:?}"
bats_require_minimum_version 1.5.0

# Nothing of the caller's environment may change what a benchmark prints.
unset TARE_MODE TARE_RULE TARE_PROFILE

# Programs of the build tree have no run path of their own to libmpi.
export LD_LIBRARY_PATH=$MPICH_STAGE/lib

# ranks N PROGRAM [ARGUMENT]...: a benchmark of the build tree on N ranks
ranks() {
    local count=$1 program=$2
    shift 2
    "$MPIEXEC" -n "$count" "$top_builddir/src/bench/$program" "$@"
}

# alone PROGRAM [ARGUMENT]...: without mpiexec
alone() {
    local program=$1
    shift
    "$top_builddir/src/bench/$program" "$@"
}

# programs [PATTERN]: the names of all benchmarks, or of those that match it
programs() {
    { echo tare_latency && sed -n '/^    /{s/\\$//;p}' "$top_srcdir/src/bench/names.am"; } | xargs -n 1 | grep -E "${1:-.}"
}

# MPICH 4.0.2, also without Tare, gets persistent requests wrong for these three calls by these algorithms, which it
# takes by default: from the second start on what inner nodes of a tree pass on is lost, or the program ends.
avoid_what_mpich_restarts_wrongly() {
    export MPIR_CVAR_IGATHER_INTRA_ALGORITHM=tsp_tree MPIR_CVAR_ISCATTER_INTRA_ALGORITHM=tsp_tree
    export MPIR_CVAR_IALLGATHER_INTRA_ALGORITHM=tsp_recexch_doubling
}

# stderr of the last `run --separate-stderr` is one line, and this one
assert_sentence() {
    echo "status $status; stdout: $output; stderr: $stderr"
    [[ ${#stderr_lines[@]} -eq 1 && $stderr == "$1" && -z $output ]]
}
