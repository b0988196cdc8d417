#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Jobs that do not end well, under plain mpiexec: what is left of each rank, and what `tare report` says of it.
load helper

tool=$top_builddir/src/tool/tare
profile=$BATS_TEST_TMPDIR/profile

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
    # The launcher may run lines of two ranks into each other.
    [[ $status -eq 0 && $(grep -o written <<< "$output" | wc -l) -eq 2 && $output != *nothing* ]]
    expect_calls 0 before 5 after 2 'MPI_Finalize()' 1
    expect_calls 1 before 5 after 2
}

@test "profile_that_no_rank_can_write_is_said_once" {
    export TARE_PROFILE=1 TARE_PROFILE_DIR=$BATS_TEST_TMPDIR/full
    # The shells end with 0: a second after a status other than that, Open MPI kills what goes on.
    # shellcheck disable=SC2016
    run timeout 120 "$MPIEXEC" -n 2 bash -c 'LD_PRELOAD=$0 "$@"; echo "status $?"' "$LAYER" "$PROGRAMS/killed" limit
    [[ $status -eq 0 && $(grep -o 'status 1' <<< "$output" | wc -l) -eq 2 ]]
    [[ $(grep -o 'tare: cannot write ' <<< "$output" | wc -l) -eq 1 ]]
    run --separate-stderr "$tool" report "$TARE_PROFILE_DIR"
    [[ $stderr == "tare report: ranks 0, 1 could not write their profiles: their figures end at their last enter or leave" ]]
}

# noted RANK[,RANK] FUNCTION PLACE: calls, bytes sent and received that the table of calls has there
noted() {
    local ranks=()
    [[ $1 == *,* ]] || ranks=(--rank="$1")
    "$tool" report --callsites --json "${ranks[@]}" "$profile" 2> /dev/null | tr -d ' ,"' |
        awk -F: -v f="$2()" -v place="$3+0x" '
            $1 == "site" { site = $2 } $1 == "function" { name = $2 } $1 == "calls" { calls = $2 }
            $1 == "sent_bytes" { sent = $2 }
            $1 == "received_bytes" && name == f && index(site, place) == 1 { print calls, sent, $2 }' |
        paste -s -d ,
}

expect_noted() {
    [[ $(noted "$1" "$2" "$3") == "$4" ]] && return
    echo "rank $1, $2 in $3: '$(noted "$1" "$2" "$3")', not '$4'"
    "$tool" report --callsites "$profile"
    return 1
}

# Up to where `killed sites` dies.
expect_places() {
    local rank
    for rank in 0 1; do
        expect_noted $rank MPI_Initialized before_init "3 0 0"
        expect_noted $rank MPI_Sendrecv exchange_doubles "${1:-3 24 24}"
        expect_noted $rank MPI_Comm_size in_thread "100 0 0"
        expect_noted $rank MPI_Init_thread sites "1 0 0"
    done
    expect_noted 0 MPI_Send pass_ints "5 2000 0"
    expect_noted 1 MPI_Recv pass_ints "5 0 2000"
    # The call that it was killed in.
    expect_noted 0 MPI_Recv wait_for_ever ""
}

# The sizes of messages: of each rank, one a line: from, number, bytes
sizes() {
    "$tool" report --messages --json "$profile" 2> /dev/null | tr -d ' ,"' | awk -F: '
        $1 == "rank" { rank = $2 } $1 == "from_bytes" { from = $2 } $1 == "messages" { n = $2 }
        $1 == "bytes" { print rank, from, n, $2 }' | paste -s -d ,
}

@test "places_and_sizes_of_killed_ranks_are_reported" {
    local mode
    for mode in "${modes[@]}"; do
        TARE_MODE=$mode run measured 2 killed sites
        [[ $status -ne 0 && $status -ne 124 ]]
        [[ -z $(find "$profile" -name 'tare-calls.*') ]]
        expect_places
        expect_noted 0,1 MPI_Sendrecv exchange_doubles "6 48 48"
        [[ $(sizes) == "0 8 3 24,0 256 5 2000,1 8 3 24" ]] || { sizes; return 1; }
    done
    run --separate-stderr "$tool" report --callsites "$profile"
    [[ $status -eq 0 && ${lines[0]} == "MPI calls of the run in $profile: 2 of 2 ranks, mode $mode, "* ]]
    [[ $stderr == *"killed"* && $stderr != *"no table"* && $stderr != *"left no"* ]]
    run --separate-stderr "$tool" report --messages "$profile"
    [[ $output == *"11 messages, 2048 bytes."* ]]
    [[ $stderr == *"killed"* ]]
}

@test "times_of_places_of_a_killed_rank_are_those_of_their_regions" {
    run measured 2 killed sites
    "$tool" report --json "$profile" 2> /dev/null | tr -d ' ,"' | awk -F: '
        $1 == "region" { name = $2 } $1 == "incl_ns" || $1 == "incl_comp_ns" { sum[$1 " " name] += $2 }
        END { for (key in sum) print key, sum[key] }' | grep -E ' MPI_(Sendrecv|Send|Initialized|Comm_size)' |
        sort > regions
    "$tool" report --callsites --json "$profile" 2> /dev/null | tr -d ' ,"' | awk -F: '
        $1 == "function" { name = $2 } $1 == "time_ns" { sum["incl_ns " name] += $2 }
        $1 == "time_comp_ns" { sum["incl_comp_ns " name] += $2 }
        END { for (key in sum) print key, sum[key] }' | grep -E ' MPI_(Sendrecv|Send|Initialized|Comm_size)' |
        sort > places
    [[ $(wc -l < places) -eq 8 ]]
    diff regions places
}

@test "places_of_a_forked_child_are_none_of_its_killed_parents" {
    run measured 2 killed sites fork
    expect_places
    for rank in 0 1; do expect_noted $rank MPI_Comm_size in_child ""; done
}

@test "places_that_the_live_file_has_room_for_are_reported" {
    run measured 2 killed sites full
    [[ $(grep -c '^tare: what is measured from now on is lost if the process is killed: ' <<< "$output") -eq 1 ]]
    for rank in 0 1; do
        expect_noted $rank MPI_Sendrecv exchange_doubles "3 24 24"
        expect_noted $rank MPI_Comm_size in_thread ""
    done
    expect_noted 0 MPI_Send pass_ints ""
    # Notes of the first thread had room before.
    [[ $(sizes) == "0 8 3 24,0 256 5 2000,1 8 3 24" ]] || { sizes; return 1; }
}

@test "places_of_ranks_that_still_run_are_reported_as_they_are" {
    local n job
    mkdir "$profile"
    touch wait
    TARE_PROFILE=1 TARE_PROFILE_DIR=$profile layered 2 killed sites "$PWD/wait" > out 2> err < /dev/null 3>&- &
    job=$!
    for ((n = 0; n < 600; n++)); do [[ $(grep -o here out | wc -l) -lt 2 ]] || break; sleep 0.1; done
    expect_places
    [[ $(sizes) == "0 8 3 24,0 256 5 2000,1 8 3 24" ]]
    for table in --callsites --messages; do
        run --separate-stderr "$tool" report $table "$profile"
        [[ $status -eq 0 ]]
        [[ $stderr == "tare report: ranks 0, 1 are still running: their figures end at their latest enter or leave" ]]
    done
    rm wait
    wait $job
    [[ -z $(find "$profile" -name '.tare*') && -e $profile/tare-calls.1 ]]
    expect_places "6 48 48"
    run --separate-stderr "$tool" report --callsites "$profile"
    [[ $status -eq 0 && -z $stderr ]]
}

@test "live_file_with_notes_and_any_byte_changed_is_read_or_refused" {
    local round at bytes
    run measured 2 killed sites
    cp "$profile/.tare-live.1" whole
    for ((round = 0; round < 150; round++)); do
        cp whole "$profile/.tare-live.1"
        at=$((round < 45 ? 172 + round * 4 : RANDOM * 2))
        bytes='\xa5\xa5'
        ((round % 2)) || bytes='\xff\xff\xff\xff\xff\xff\xff\x7f'
        # shellcheck disable=SC2059  # the bytes are a format
        printf "$bytes" | dd of="$profile/.tare-live.1" bs=1 seek="$at" conv=notrunc status=none
        run --separate-stderr timeout 20 "$tool" report --callsites "$profile"
        [[ $status -le 1 ]] || { echo "byte $at: status $status"; return 1; }
        [[ $status -eq 0 || ${#stderr_lines[@]} -eq 1 ]] || { echo "byte $at: $stderr"; return 1; }
    done
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
    LAYER=$PWD/nameless.so:$LAYER run measured 2 killed sites
    expect_places
    LAYER=$PWD/nameless.so:$LAYER run measured 2 killed before threads
    expect_refusal "a process that is killed leaves no profile: $BATS_TEST_TMPDIR/profile/.tare-live.0 cannot be made: \
threads were measured before MPI_Init" || expect_refusal "a process that is killed leaves no profile: \
$BATS_TEST_TMPDIR/profile/.tare-live.1 cannot be made: threads were measured before MPI_Init"
}
