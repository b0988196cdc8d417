#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154,SC2030,SC2031  # bats sets status, output and stderr, the Makefile top_srcdir
# How counts reads callgrind's dumps, compares with the limits, and refuses. No MPI, no valgrind.
bats_require_minimum_version 1.5.0

setup() {
    cost=${top_srcdir:?is not set: run the tests by make check}/test/cost
}

# A dump of 4 messages: f calls the clock and g; names are spelt out once, lines are relative.
write_dump() {
    cat <<'END'
version: 1
desc: Trigger: Client Request: nothing/queue/8 4
positions: line
events: Ir

ob=(3) /usr/lib/libc.so.6
fl=(9) time/clock_gettime.c
fn=(7) clock_gettime@@GLIBC_2.17
38 80

ob=(5) /opt/lib/libmpi.so.12.2.2
fl=(1) src/a.c
fn=(2) f
10 40
+2 8
cob=(3)
cfi=(9)
cfn=(7)
calls=4 38
* 80
fi=(4) include/tare_x.h
7 4
fe=(1)
cfn=(6) (anonymous namespace)::g(int, long)
calls=8 50
-1 100

fn=(6)
50 60
* 40
END
}

places() { awk "$@" -v side=send -f "$cost/dump.awk" <(write_dump) | sort; }

@test "dump_by_function_holds_own_instructions_a_message" {
    run places
    echo "$output"
    [[ $output == "nothing/queue/8 send libc clock_gettime@@GLIBC_2.17 20 0
nothing/queue/8 send libmpi (anonymousnamespace)::g(int,long) 25 0
nothing/queue/8 send libmpi f 13 1" ]]
}

@test "dump_by_line_follows_files_and_relative_lines" {
    run places -v by=line
    echo "$output"
    [[ $output == "nothing/queue/8 send libc clock_gettime.c:38 20 0
nothing/queue/8 send libmpi a.c:10 10 0
nothing/queue/8 send libmpi a.c:12 2 1
nothing/queue/8 send libmpi a.c:50 25 0
nothing/queue/8 send libmpi tare_x.h:7 1 0" ]]
}

# compared LIMIT-LINES COUNT-LINES
compared() {
    run awk -v missing="no reason" -f "$cost/limits.awk" <(echo "$1") <(echo "$2")
    echo "$output"
    [[ $status -eq 0 ]]
}

counts="unpatched nothing/queue/8 100.5 200 0 0
off nothing/queue/8 105.5 207 0 0
header nothing/queue/8 120.5 211 1 1"

@test "limit_that_is_met_exactly_holds" {
    compared "off/* 12 0
header/nothing/*/8 31 2" "$counts"
    [[ ${lines[0]} == "ok off/nothing/queue/8: 12 instructions more, allowed 12; 0 clock reads, allowed 0" ]]
    [[ ${lines[1]} == "ok header/nothing/queue/8: 31 instructions more, allowed 31; 2 clock reads, allowed 2" ]]
}

@test "limit_that_is_exceeded_by_one_fails" {
    compared "off/* 11 0
header/* 31 1" "$counts"
    [[ ${lines[0]} == "not ok off/"* && ${lines[1]} == "not ok header/"* ]]
}

@test "limit_of_the_first_line_that_fits_holds" {
    compared "header/nothing/* 30 2
*/* 500 2" "$counts"
    [[ ${lines[0]} == "ok off/"* && ${lines[1]} == "not ok header/"* ]]
}

@test "limit_that_is_missing_fails" {
    compared "off/* 12 0" "$counts"
    [[ ${lines[1]} == "not ok header/nothing/queue/8 has no limit in limits.tab" ]]
}

@test "limit_without_unpatched_counts_is_skipped_with_the_reason" {
    compared "*/* 12 0" "$(grep -v unpatched <<<"$counts")"
    [[ ${lines[0]} == "ok off/nothing/queue/8 # SKIP the unpatched MPICH is not known: no reason" ]]
}

@test "table_holds_both_sides_and_the_sum" {
    run awk -f "$cost/table.awk" <<<"$counts"
    echo "$output"
    row="nothing    queue          8     100.50   105.50   120.50 1     200.00   207.00   211.00 1    12.00    31.00"
    [[ $output == *"$row" ]]
}

@test "table_has_a_dash_for_what_was_not_counted" {
    run awk -f "$cost/table.awk" <<<"$counts
off nothing/queue/9 105.5 207 0 0
header nothing/queue/9 120.5 211 1 0"
    echo "$output"
    row="nothing    queue          9          -   105.50   120.50 1          -   207.00   211.00 0        -        -"
    [[ $output == *"$row" ]]
}

# refused SENTENCE ARGUMENT...
refused() {
    local sentence=$1
    shift
    run --separate-stderr "$cost/counts" "$@"
    echo "status $status; stdout: $output; stderr: $stderr"
    [[ $status -ne 0 && -z $output && ${#stderr_lines[@]} -eq 1 && $stderr == "counts: $sentence"* ]]
}

@test "bad_options_are_refused_with_one_sentence" {
    refused "unknown argument '--bogus'" --bogus
    refused "--prefix needs a value" --prefix
    refused "--where header/queue is no case" --where header/queue
    refused "/nowhere/bin/mpiexec is missing" --prefix /nowhere
}
