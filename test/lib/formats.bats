#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# TARE_PROFILE_FORMAT without MPI: what is written beside or instead of tau, and that nothing measured is lost.
# shellcheck disable=SC2154,SC2016,SC2030,SC2031  # bats sets status and stderr, each test in a shell of its own; $ in single quotes is meant
load helpers

# What the folder holds, in one line; without FOLDER the working directory.
holds() { (cd "${1:-.}" && find . -type f ! -name 'separate-stderr-*' | sed 's#^\./##' | LC_ALL=C sort | paste -s -d ' '); }

tau_files="MULTI__COMPENSATED_MPI_WAIT_TIME/profile.0.0.0 MULTI__COMPENSATED_TIME/profile.0.0.0 \
MULTI__MPI_WAIT_TIME/profile.0.0.0 MULTI__TIME/profile.0.0.0"

# A copy of the library in lib/.libs, where it looks for the tool in a folder beside: with_tool 'SCRIPT'
with_tool() {
    [ -z "${SANITIZER-}" ] || skip "--with-sanitizer=$SANITIZER wants to be loaded first"
    unset LD_PRELOAD
    rm -rf copy
    mkdir -p copy/lib/.libs copy/tool
    cp "$LIBTARE" copy/lib/.libs/libtare.so.0
    printf '#!/bin/sh\n%s\n' "$1" > copy/tool/tare
    chmod +x copy/tool/tare
    # The program knows where its library is; what is loaded before is taken instead.
    export LD_PRELOAD=$PWD/copy/lib/.libs/libtare.so.0
}

@test "formats_asked_for_are_written_and_no_others" {
    mkdir out
    for asked in json:profile.json csv:profile.csv cube:profile.cubex "cube,json,csv:profile.csv profile.cubex profile.json" \
        "tau:$tau_files" "csv,tau:$tau_files profile.csv"; do
        rm -r out
        TARE_PROFILE_FORMAT=${asked%%:*} TARE_PROFILE_DIR=out "$SCENARIO" nested
        [ "$(holds out)" = "${asked#*:}" ] || { echo "$asked: $(holds out)"; return 1; }
        [ -d out/MULTI__TIME ] || [[ $asked != *tau* ]]
    done
}

@test "file_is_what_convert_makes_of_the_profile" {
    TARE_CALLPATH=10 TARE_PROFILE_FORMAT=tau,cube,json,csv "$SCENARIO" nested
    [ "$(holds)" = "$tau_files profile.callpath.csv profile.callpath.json profile.csv profile.cubex profile.json" ]
    "$TOOL" convert --to=cube | cmp - profile.cubex
    for format in json csv; do
        "$TOOL" convert --to=$format | cmp - profile.$format
        "$TOOL" convert --to=$format --callpath | cmp - profile.callpath.$format
    done
}

@test "file_without_tau_holds_what_was_measured" {
    TARE_PROFILE_FORMAT=cube,csv "$SCENARIO" nested
    "$TOOL" convert --to=csv profile.cubex | LC_ALL=C sort > from_cube
    LC_ALL=C sort profile.csv | cmp - from_cube
    [ "$(grep -c '^0,0,inner,TAU_USER,3,' profile.csv)" -eq 1 ]
}

@test "files_of_an_older_run_are_replaced" {
    TARE_PROFILE_FORMAT=json "$SCENARIO" nested
    TARE_PROFILE_FORMAT=json "$SCENARIO" rank 0 1 new > /dev/null
    grep -q '"region": "work"' profile.json
    run -1 grep -q inner profile.json
}

@test "dump_of_a_running_program_is_tau_and_the_end_is_not" {
    TARE_PROFILE_FORMAT=json "$SCENARIO" flushed_while_threads_come_and_go
    [ "$(holds)" = profile.json ]
}

@test "tool_gets_nothing_of_what_measures_the_program" {
    with_tool 'env | grep -E "^(TARE_|LD_PRELOAD)" >> environment; cat > stdin; echo "$@" >> arguments; exit 0'
    echo input | TARE_PROFILE_FORMAT=json,tau TARE_MODE=off "$SCENARIO" nested
    [ ! -s environment ] && [ ! -s stdin ]
    [ "$(sed -n 1p arguments)" = "convert --to json --output $PWD/profile.json --dry-run" ]
    [ "$(sed -n 2p arguments)" = "convert --to json --output $PWD/profile.json --from=tau $PWD" ]
    [ "$(wc -l < arguments)" -eq 2 ]
}

# refused_at_start SENTENCE
refused_at_start() {
    run --separate-stderr "$SCENARIO" rank 0 1 new
    [ "$status" -eq 1 ]
    [ -z "$output" ]
    [ "${#stderr_lines[@]}" -eq 1 ] || { echo "$stderr"; return 1; }
    [[ $stderr == "tare: "*"$1"*"; TARE_PROFILE_DIR says where it goes" ]] || { echo "$stderr"; return 1; }
    [ ! -e MULTI__TIME/profile.0.0.0 ]
}

@test "foreign_file_ends_the_run_at_its_start" {
    echo mine > profile.csv
    TARE_PROFILE_FORMAT=json,csv refused_at_start \
        "$PWD/profile.csv is there, was not written by tare convert and will not be overwritten"
    [ "$(cat profile.csv)" = mine ]
    [ ! -e profile.json ]
    mkdir profile.cubex
    TARE_PROFILE_FORMAT=cube refused_at_start "cannot write $PWD/profile.cubex: it is a directory"
}

@test "missing_tool_ends_the_run_at_its_start" {
    [ ! -e "$TOOL_BINDIR/tare" ] || skip "$TOOL_BINDIR has a tare"
    with_tool ''
    rm copy/tool/tare
    TARE_PROFILE_FORMAT=csv refused_at_start \
        "TARE_PROFILE_FORMAT other than tau needs the program tare, and $TOOL_BINDIR/tare is missing"
}

@test "tool_that_cannot_be_started_ends_the_run_at_its_start" {
    with_tool ''
    echo 'no program' > copy/tool/tare
    chmod -x copy/tool/tare
    TARE_PROFILE_FORMAT=csv refused_at_start "copy/tool/tare cannot be started: Permission denied"
}

# kept_as_tau SENTENCE PROGRAM...: the run goes on, fails at its end with a sentence, and its profile is there
kept_as_tau() {
    local sentence=$1
    shift
    run --separate-stderr "$@"
    [ "$status" -eq 1 ]
    [[ $stderr == *"tare: TARE_PROFILE_FORMAT: $sentence; the profile stays in $PWD as tau: tare convert makes the \
others of it"* ]] || { echo "$stderr"; return 1; }
    [ "$(grep -c TARE_PROFILE_FORMAT <<< "$stderr")" -eq 1 ]
    [ -e MULTI__TIME/profile.0.0.0 ]
}

@test "tool_that_fails_or_is_killed_leaves_the_profile" {
    with_tool '[ "$6" = --dry-run ] || { echo "tare convert: sorry" >&2; exit 1; }'
    TARE_PROFILE_FORMAT=csv kept_as_tau sorry "$SCENARIO" nested
    with_tool '[ "$6" = --dry-run ] || kill -9 $$'
    TARE_PROFILE_FORMAT=csv kept_as_tau "tare convert did not end well" "$SCENARIO" nested
}

@test "foreign_file_that_comes_during_the_run_is_left_alone_and_the_profile_stays" {
    cat > late.c <<'C'
#include "tare.h"
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    tare_enter(tare_region("r"));
    printf("%d\n", system("echo mine > profile.json"));
    return 0;
}
C
    $CC -I"$SOURCES/src/lib" late.c "$LIBTARE" -Wl,-rpath,"$(dirname "$LIBTARE")" -o late
    TARE_PROFILE_FORMAT=json kept_as_tau \
        "$PWD/profile.json is there, was not written by tare convert and will not be overwritten" ./late
    [ "$(cat profile.json)" = mine ]
    [ "$output" = 0 ]
}

# Of a program that ignores or reaps all children nobody knows how the tool ended: its file tells.
@test "program_that_reaps_all_children_gets_its_files" {
    cat > reaper.c <<'C'
#include "tare.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
static void reap(int number)
{
    int saved = errno;
    (void) number;
    while (waitpid(-1, NULL, WNOHANG) > 0) {
    }
    errno = saved;
}
int main(int argc, char **argv)
{
    signal(SIGCHLD, argc > 1 && strcmp(argv[1], "ignore") == 0 ? SIG_IGN : reap);
    tare_enter(tare_region("r"));
    tare_leave(tare_region("r"));
    return 0;
}
C
    $CC -I"$SOURCES/src/lib" reaper.c "$LIBTARE" -Wl,-rpath,"$(dirname "$LIBTARE")" -o reaper
    for how in ignore reap; do
        TARE_PROFILE_FORMAT=json ./reaper $how
        grep -q '"region": "r"' profile.json
        [ ! -e MULTI__TIME ]
        rm profile.json
        [ -z "${SANITIZER-}" ] || continue
        (with_tool '[ "$6" = --dry-run ] || exit 1'
            TARE_PROFILE_FORMAT=json kept_as_tau "tare convert did not end well" ./reaper $how)
        rm -r MULTI__*
    done
}

@test "file_that_becomes_too_large_is_said_and_the_profile_stays" {
    TARE_PROFILE_FORMAT=cube kept_as_tau "cannot write $PWD/profile.cubex: File too large" \
        bash -c 'ulimit -f 16; "$SCENARIO" nested'
    [ "$(holds)" = "$tau_files" ] || { holds; return 1; }
}

@test "full_disk_is_said_and_the_profile_stays" {
    mkdir disk
    run --separate-stderr unshare -m bash -c 'mount -t tmpfs -o size=48k tmpfs disk || exit 77
        TARE_PROFILE_DIR=disk TARE_PROFILE_FORMAT=csv,cube "$SCENARIO" nested
        echo "status $?"; cd disk && ls -A && "$ROWS" . | grep -c inner'
    [ -n "$output" ] || skip "only root may mount a tmpfs"
    [[ $stderr == *"tare: TARE_PROFILE_FORMAT: cannot write $PWD/disk/profile.cubex: No space left on device; the \
profile stays in $PWD/disk as tau: "* ]] || { echo "$stderr"; return 1; }
    grep -qx 'status 1' <<< "$output"
    grep -qx 'profile.csv' <<< "$output"
    [[ $output != *cubex* ]]
    [ "$(tail -n 1 <<< "$output")" -ge 1 ]
}

@test "ranks_that_do_not_know_of_each_other_leave_tau_and_say_so" {
    for rank in 0 1; do
        PMI_RANK=$rank PMI_SIZE=2 run --separate-stderr env TARE_PROFILE_FORMAT=json "$SCENARIO" nested
        [ "$status" -eq 0 ]
        [ "${#stderr_lines[@]}" -eq $((1 - rank)) ]
        [ -e "MULTI__TIME/profile.$rank.0.0" ]
        [ "$rank" -ne 0 ] || [[ $stderr == "tare: TARE_PROFILE_FORMAT: the others than tau are made in MPI_Finalize, \
which this rank has not called: tare convert makes them of what is in $PWD" ]]
    done
    [ ! -e profile.json ]
}

@test "process_that_is_killed_leaves_what_convert_reads" {
    TARE_PROFILE_FORMAT=json run "$SCENARIO" killed 9
    [ ! -e profile.json ]
    "$TOOL" convert -o late.json 2> /dev/null
    [ -s late.json ]
}
