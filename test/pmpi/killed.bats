#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Jobs that do not end well, under plain mpiexec: what is left of each rank, and what `tare report` says of it.
load helper

tool=$top_builddir/src/tool/tare

# reported RANK[.THREAD] REGION: how often the report says that a region was called
reported() {
    "$tool" report --json "$BATS_TEST_TMPDIR/profile" 2> /dev/null | tr -d ' ,' | awk -F: -v rank="${1%.*}" \
        -v thread="$([[ $1 == *.* ]] && echo "${1#*.}" || echo 0)" -v region="\"$2\"" '
        /^"rank"/ { r = $2 } /^"thread"/ { t = $2 } /^"region"/ { name = $2 }
        /^"calls"/ && r == rank && t == thread && name == region { n = $2 } END { print n + 0 }'
}

expect_reported() {
    local who=$1 n
    shift
    while [[ $# -gt 0 ]]; do
        n=$(reported "$who" "$1")
        [[ $n -eq $2 ]] || { echo "$who: $1 was called $n times, not $2"; return 1; }
        shift 2
    done
}

@test "rank_killed_by_any_signal_and_its_survivor_are_both_reported" {
    local number
    for number in 9 11 15; do
        run measured 2 killed $number
        [[ $status -ne 0 && $status -ne 124 ]]
        expect_reported 1 work 6 doomed 1 'MPI_Sendrecv()' 3 'MPI_Init_thread()' 1
        expect_reported 0 work 4 doomed 0 'MPI_Sendrecv()' 3 'MPI_Recv()' 1
        run --separate-stderr "$tool" report "$BATS_TEST_TMPDIR/profile"
        [[ $status -eq 0 && ${lines[0]} == *": 2 ranks, "* ]]
        [[ $stderr == *"killed"* && $stderr != *missing* ]]
    done
}

@test "rank_that_aborts_and_the_one_that_is_killed_for_it_are_both_reported" {
    run measured 2 killed abort
    [[ $status -ne 0 && $status -ne 124 ]]
    expect_reported 1 work 6 doomed 1 'MPI_Sendrecv()' 3
    expect_reported 0 work 4 doomed 0 'MPI_Sendrecv()' 3
    run --separate-stderr "$tool" report "$BATS_TEST_TMPDIR/profile"
    [[ $status -eq 0 && ${lines[0]} == *": 2 ranks, "* && $stderr != *missing* ]]
}

@test "what_was_measured_before_MPI_Init_is_reported_of_killed_ranks" {
    for rank in 0 1; do
        for threads in '' threads; do
            # shellcheck disable=SC2086
            run measured 2 killed before $threads
            [[ $output != *"tare: "* ]] || { echo "$output"; return 1; }
            expect_reported $rank early 7 'MPI_Sendrecv()' 3
        done
        for thread in 1 2 3; do expect_reported $rank.$thread worker 10 waiting 1; done
    done
}

@test "rank_that_survives_tells_only_of_the_other" {
    run measured 2 killed 9
    [[ -e $BATS_TEST_TMPDIR/profile/.tare-live.1 ]]
    run --separate-stderr "$tool" report --rank=1 "$BATS_TEST_TMPDIR/profile"
    [[ $status -eq 0 ]]
    [[ $stderr == "tare report: rank 1 was killed: its figures end at its last enter or leave" ||
        $stderr == "tare report: ranks 0, 1 were killed: their figures end at their last enter or leave" ]]
}

@test "compare_says_which_ranks_were_killed" {
    run measured 2 killed 9
    run --separate-stderr "$tool" compare "$BATS_TEST_TMPDIR/profile" "$BATS_TEST_TMPDIR/profile"
    [[ $status -eq 0 ]]
    [[ $stderr == "tare compare: $BATS_TEST_TMPDIR/profile: rank"*" killed: "* ]]
}

@test "threads_of_a_killed_rank_are_reported" {
    run measured 2 killed 9 threads
    for rank in 0 1; do
        for thread in 1 2 3; do expect_reported $rank.$thread worker 10 waiting 1; done
        expect_reported $rank 'MPI_Sendrecv()' 3
    done
}

@test "job_killed_with_the_carrier_is_reported" {
    TARE_MODE=datatype run measured 2 killed 9
    expect_reported 1 work 6 doomed 1 'MPI_Sendrecv()' 3
    [[ $("$tool" report "$BATS_TEST_TMPDIR/profile" 2> /dev/null | head -n 1) == *"mode datatype"* ]]
}

@test "job_that_ends_well_leaves_no_live_file" {
    measured 2 calls counts
    [[ -z $(find "$BATS_TEST_TMPDIR/profile" -name '.tare*') ]]
    expect_calls 0 'MPI_Barrier()' 7
}

@test "live_files_of_a_killed_job_go_with_the_next" {
    run measured 2 killed 9
    TARE_PROFILE=1 TARE_PROFILE_DIR=$BATS_TEST_TMPDIR/profile layered 2 calls counts
    [[ -z $(find "$BATS_TEST_TMPDIR/profile" -name '.tare*') ]]
    expect_calls 1 'MPI_Barrier()' 7
}

@test "signal_makes_every_rank_write_its_profile" {
    run measured 2 killed dump "$BATS_TEST_TMPDIR/profile/MULTI__TIME/profile.RANK.0.0"
    [[ $status -eq 0 && $output == $'written\nwritten' ]]
    expect_calls 0 before 5 after 2 'MPI_Finalize()' 1
    expect_calls 1 before 5 after 2
}

@test "profile_that_no_rank_can_write_is_said_once" {
    export TARE_PROFILE=1 TARE_PROFILE_DIR=$BATS_TEST_TMPDIR/full
    run timeout 120 "$MPIEXEC" -n 2 env LD_PRELOAD="$LAYER" "$PROGRAMS/killed" limit
    [[ $status -ne 0 && $status -ne 124 ]]
    [[ $(grep -c '^tare: cannot write ' <<< "$output") -eq 1 ]]
    run --separate-stderr "$tool" report "$TARE_PROFILE_DIR"
    [[ $stderr == "tare report: ranks 0, 1 could not write their profiles: their figures end at their last enter or leave" ]]
}

# As on NFS: a library under which no file can be without a name.
no_nameless_files() {
    cat > nameless.c <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>
int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const int mode = va_arg(more, int);
    va_end(more);
    if ((flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return (int) syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
C
    ${CC:-cc} -shared -fPIC -o nameless.so nameless.c
}

@test "killed_ranks_are_reported_where_every_file_needs_a_name" {
    no_nameless_files
    LAYER=$PWD/nameless.so:$LAYER run measured 2 killed before
    [[ $output != *"tare: "* ]] || { echo "$output"; return 1; }
    expect_reported 1 early 7 'MPI_Sendrecv()' 3 doomed 1
    LAYER=$PWD/nameless.so:$LAYER run measured 2 killed before threads
    expect_refusal "a process that is killed leaves no profile: $BATS_TEST_TMPDIR/profile/.tare-live.0 cannot be made: \
threads were measured before MPI_Init" || expect_refusal "a process that is killed leaves no profile: \
$BATS_TEST_TMPDIR/profile/.tare-live.1 cannot be made: threads were measured before MPI_Init"
}
