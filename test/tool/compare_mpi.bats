#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tare compare and the views of tare report on profiles of a program that ran: two ranks of the staged MPICH.
# shellcheck disable=SC2154  # bats sets status, output and stderr
load helpers
: "${MPICC:?run by make check}" "${MPIEXEC:?}"

# measure DIRECTORY ARGUMENT...
measure() {
    local profile=$BATS_FILE_TMPDIR/$1
    shift
    mkdir "$profile"
    TARE_PROFILE_DIR=$profile timeout 120 "$MPIEXEC" -n 2 "$TOOL" exec ./steps "$@"
}

setup_file() {
    clean_environment
    cd "$BATS_FILE_TMPDIR" || return 1
    "$MPICC" -O2 -finstrument-functions "$SOURCES/test/tool/steps.c" -o steps
    measure a 20
    measure b 200 extra
    TARE_RULE=local measure c 20
}

setup() {
    clean_environment
    command -v jq > /dev/null || skip "jq is not installed"
    cd "$BATS_FILE_TMPDIR" || return 1
}

# Holds for the row of a region: row REGION CONDITION
row() {
    jq -e --arg region "$1" ".rows[] | select(.region == \$region) | $2" <<< "$output" > /dev/null ||
        { jq -c --arg region "$1" '.rows[] | select(.region == $region)' <<< "$output"; return 1; }
}

@test "comparison_of_real_runs_knows_calls_and_times" {
    run --separate-stderr "$TOOL" compare a b --json
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    # Ten times as much work: most of that is left for what else happens on the machine.
    row step '.calls_a == 40 and .calls_b == 400 and .calls_change == 360 and .calls_change_pct == 900'
    row step '.excl_comp_change_pct > 50 and .excl_comp_change_ns == .excl_comp_b_ns - .excl_comp_a_ns'
    row 'MPI_Recv()' '.calls_a == 20 and .calls_b == 200 and .wait_b_ns > .wait_a_ns'
    row extra '.calls_a == null and .calls_b == 1'
}

@test "comparison_of_real_runs_is_the_difference_of_their_reports" {
    run "$TOOL" compare a b --json
    local compared=$output name sum
    for name in a b; do
        run "$TOOL" report --json $name
        sum=$(jq '[.rows[] | select(.region == "MPI_Recv()") | .wait_comp_ns] | add' <<< "$output")
        [ "$(jq ".rows[] | select(.region == \"MPI_Recv()\") | .wait_comp_${name}_ns" <<< "$compared")" -eq "$sum" ]
    done
}

@test "comparison_of_real_runs_fails_beyond_max_change" {
    run --separate-stderr "$TOOL" compare a b --max-change=50
    [ "$status" -eq 1 ]
    assert_says "step by +"
    run --separate-stderr "$TOOL" compare a a --max-change=0
    [ "$status" -eq 0 ]
}

@test "comparison_of_rules_is_warned_of" {
    run --separate-stderr "$TOOL" compare a c
    [ "$status" -eq 0 ]
    assert_says "the runs differ in rule (exact and local)"
}

@test "imbalance_of_a_real_run_shows_who_works_and_who_waits" {
    run "$TOOL" report --imbalance --json b
    row step '.ranks == 2 and .max_rank == 0 and .imbalance_pct > 50'
    row 'MPI_Recv()' '.ranks == 1 and .max_rank == 1 and .imbalance_pct == 100 and .min_ns == 0'
}

@test "states_of_a_real_run_are_all_of_its_waiting" {
    run --separate-stderr "$TOOL" report --states --json b
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    local states=$output figure
    for figure in wait_ns wait_comp_ns; do
        [ "$(jq "[.rows[].$figure] | add" <<< "$states")" -eq "$("$TOOL" report --waiting --json b | jq "[.rows[].$figure] | add")" ]
    done
    # Rank 1 waits for what rank 0 works on before it sends.
    jq -e '.rows[] | select(.state == "late sender") | .calls == 200 and .ranks == 1 and .max_rank == 1 and
        .wait_ns == ([.places[].wait_ns] | add) and
        ([.places[] | select(.where != null and (.where | startswith("step+")))] | length == 1 and .[0].calls == 200)' \
        <<< "$states" || { echo "$states"; return 1; }
}

@test "waiting_of_a_real_run_is_that_of_its_calls" {
    run "$TOOL" report --json b
    local waited
    waited=$(jq '[.rows[] | select(.rank == 1 and .region != ".TAU application" and (.region | startswith("MPI_"))) |
        .wait_ns] | add' <<< "$output")
    run "$TOOL" report --waiting --json b
    [ "$(jq '.rows[1].wait_ns' <<< "$output")" -eq "$waited" ]
    jq -e '.rows | length == 2 and .[1].wait_ns > .[0].wait_ns and all(.wait_ns <= .incl_ns)' <<< "$output"
}
