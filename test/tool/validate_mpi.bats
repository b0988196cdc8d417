#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tare validate on the waiting example, two ranks of the staged MPICH.
# shellcheck disable=SC2154  # bats sets status, output and stderr
load helpers
: "${MPICC:?run by make check}" "${MPIEXEC:?}"

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    "$MPICC" -O2 -finstrument-functions "$SOURCES/examples/waiting/waiting.c" -o instrumented
    # The most of several: a neighbour of the machine may take its part from the beginning to the end of one.
    for _ in 1 2 3 4 5; do
        ./instrumented --calibrate
        sleep 0.3
    done | sort -n | tail -n 1 > steps
}

setup() {
    clean_environment
    command -v jq > /dev/null || skip "jq is not installed"
    cd "$BATS_FILE_TMPDIR" || return 1
    waiting=("$MPIEXEC" -n 2 ./instrumented --work "$(cat steps)")
}

# The error of a case, per cent: error CASE REGION
error() {
    jq -e --arg case "$1" --arg region "$2" \
        '.rows[] | select(.case == $case and .region == $region) | .error_pct' <<< "$output"
}

# holds CONDITION [NAME=NUMBER]...: of awk
holds() {
    local condition=$1 name options=()
    shift
    for name; do options+=(-v "$name"); done
    awk "${options[@]}" "BEGIN { exit !($condition) }" || { echo "$*: not $condition"; return 1; }
}

# Other load on the machine moves all figures, so an attempt may fail. A wrong rule fails every time: the local one is
# off by half of the total and by all of the wait, the exact one by next to nothing.
exact_is_much_nearer() {
    local region
    for region in total 'MPI_Recv()'; do
        holds 'exact * exact < local * local / 4' exact="$(error exact "$region")" local="$(error local "$region")" ||
            return 1
    done
}

# Counts of probes. Leaves exact.json and repeated.json.
second_order_is_counted() {
    local kept=$1 case
    run --separate-stderr "$TOOL" validate -n 1 --second-order=2 --json --keep="$kept" -- "${waiting[@]}"
    [ "$status" -eq 0 ] || { echo "$stderr"; return 1; }
    [ "$(jq -r '[.rows[] | select(.region == "total") | .case] | join(" ")' <<< "$output")" = \
        "baseline instrumented local published exact repeated extrapolated" ]
    jq -e '[.rows[] | select(.region == "total") | {(.case): .median_ns}] | add |
        .extrapolated - .exact + (.repeated - .exact) / 2 | . <= 1 and . >= -1' <<< "$output"
    for case in exact repeated; do
        "$TOOL" report --json --each "$kept/round-1-$case" > "$case.json"
    done
    jq -e '[.rows[] | select(.region == "tare repeated probes")] == []' exact.json
    jq -e '([.rows[] | select(.region == "tare repeated probes") | .calls] | add) as $pairs |
        ([.rows[] | select(.region | test("^(MPI_|tare |\\.TAU)") | not) | .calls] | add) as $calls |
        $calls > 1000 and $pairs == 2 * $calls' repeated.json
}

@test "waiting_example_is_dilated_and_the_exact_rule_is_much_nearer_than_the_local" {
    local attempt good=no
    for attempt in 1 2 3; do
        run --separate-stderr "$TOOL" validate -n 3 --json --mode=header -- "${waiting[@]}"
        [ "$status" -eq 0 ]
        holds 'dilation > 20' dilation="$(error instrumented total)"
        exact_is_much_nearer && good=yes && break
        echo "attempt $attempt failed"
    done
    [ "$good" = yes ]
    [ "$(jq -r .mode <<< "$output")" = header ]
    jq -e '[.rows[] | select(.case == "exact") | .inside_bounds | type] | unique == ["boolean"]' <<< "$output"
    jq -e '[.rows[] | select(.case == "baseline" and (.region | startswith("total,"))) | .median_ns] | length == 2
        and all(. > 190e6)' <<< "$output"
}

@test "waiting_example_exceeds_a_tiny_max_error_and_no_huge_one" {
    run --separate-stderr "$TOOL" validate -n 1 --max-error 0.0001 -- "${waiting[@]}"
    [ "$status" -eq 1 ]
    [[ $output == *$'\ntotal '*" exact "* ]]
    [[ $stderr == *"more than --max-error=0.0001"* ]]
    run --separate-stderr "$TOOL" validate -n 1 --max-error 1000 -- "${waiting[@]}"
    [ "$status" -eq 0 ]
    [[ $output == *"mode header"*"not absent"*"Dilation"* ]]
}

@test "baseline_may_be_another_program" {
    local attempt good=no
    "$MPICC" -O2 "$SOURCES/examples/waiting/waiting.c" -o "$BATS_TEST_TMPDIR/plain"
    printf '#!/bin/sh\necho >> %s\nexec %s "$@"\n' "$BATS_TEST_TMPDIR/"{ran,plain} > "$BATS_TEST_TMPDIR/other"
    chmod +x "$BATS_TEST_TMPDIR/other"
    for attempt in 1 2 3; do
        rm -f "$BATS_TEST_TMPDIR/ran"
        run --separate-stderr "$TOOL" validate -n 1 --json --mode=datatype \
            --baseline="$MPIEXEC -n 2 $BATS_TEST_TMPDIR/other --work $(cat steps)" -- "${waiting[@]}"
        [ "$status" -eq 0 ] || { echo "$stderr"; return 1; }
        [ "$(jq -r .mode <<< "$output")" = datatype ]
        [ "$(wc -l < "$BATS_TEST_TMPDIR/ran")" -eq 2 ]
        holds 'dilation > 20' dilation="$(error instrumented total)" && good=yes && break
        echo "attempt $attempt failed"
    done
    [ "$good" = yes ]
}

# Other load stretches single probes, so an attempt may fail.
@test "second_order_relieves_the_program_of_the_probes_that_it_repeats" {
    local attempt
    for attempt in 1 2 3; do
        second_order_is_counted "$BATS_TEST_TMPDIR/kept-$attempt"
        ! jq -e -s '[.[] | [.rows[] | select(.region == "main") | .removed_ns] | add] | .[1] > 1.5 * .[0]' \
            exact.json repeated.json || return 0
    done
    false
}

@test "program_that_fails_under_mpiexec_is_shown" {
    run --separate-stderr "$TOOL" validate -n 1 -- "$MPIEXEC" -n 2 ./instrumented --bogus
    [ "$status" -eq 1 ]
    [[ $stderr == *"| waiting: cannot use '--bogus'"* ]]
    [[ $stderr == *"tare validate: round 1, baseline: ended with status 2"* ]]
}

@test "program_without_mpi_leaves_no_time" {
    run --separate-stderr "$TOOL" validate -n 1 -- "$MPIEXEC" -n 2 true
    assert_refused 1
    assert_says "round 1, baseline: rank 0 has left no time"
}
