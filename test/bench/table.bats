#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154  # set by the Makefile and by bats
# The arithmetic of the waiting example's table, and its verdict. No MPI.
load helper

table() {
    awk -v check="$1" -v mark_receive=5 -v mark_ranks=1 -v mark_total=3 -f "$top_srcdir/examples/waiting/table.awk"
}

# Milliseconds in, as CASE RECEIVE LOOP0 LOOP1; every case but the ones given is like the truth.
times() {
    local name
    for name in plain measured header-exact header-local header-published datatype-exact; do
        grep -q "^$name " <<<"$1" || echo "$name 100 200 200"
    done
    echo "$1"
}
in_ns() { awk 'NF { print $1, $2 * 1e6, $3 * 1e6, $4 * 1e6 }'; }

@test "row_of_a_case_holds_medians_and_errors" {
    run table no < <(times "header-exact 300 10 10
header-exact 103 202 204.02
header-exact 1 900 900" | in_ns)
    [[ $status -eq 0 ]]
    [[ $output == *"header, exact rule             103.00     +3.00      202.00     204.02     0.00     +2.01"* ]]
}

@test "row_of_the_truth_has_no_error" {
    run table no < <(times "plain 104.5 204 204" | in_ns)
    [[ $output == *"plain program (truth)          104.50                204.00     204.00     0.00"* ]]
}

@test "median_of_two_is_their_mean" {
    run table no < <(times "header-local 90 200 200
header-local 100 200 200" | in_ns)
    [[ $output == *"header, local rule              95.00     -5.00"* ]]
}

@test "check_excuses_no_more_than_equal_runs_differ_by" {
    # plain runs differ by 8 ms of 200, measured ones by 12 ms of waiting for 100
    local unsteady="plain 100 196 196
plain 100 200 200
plain 100 204 204
measured 300 400 400
measured 312 400 400"
    run table yes < <(times "$unsteady
header-exact 116.9 213.9 213.9" | in_ns)
    [[ $status -eq 3 && $(grep -c '^UNCLEAR: ' <<<"$output") -eq 2 ]]
    [[ $output == *"UNCLEAR: the error of MPI_Recv() is 16.90 %, allowed 5 %; equal runs differ by 12.00 %"* ]]
    [[ $output == *"UNCLEAR: the error of the total is 6.95 %, allowed 3 %; equal runs differ by 4.00 %"* ]]
    run table yes < <(times "$unsteady
header-exact 117.1 200 200" | in_ns)
    [[ $status -eq 1 && $output == *"FAILED: the error of MPI_Recv() is 17.10 %, allowed 5 %"* ]]
    run table yes < <(times "$unsteady
header-exact 116 200 203" | in_ns)
    [[ $status -eq 1 && $output == *UNCLEAR* && $output == *"FAILED: the difference between the ranks"* ]]
}

@test "check_within_the_marks_succeeds" {
    run table yes < <(times "header-exact 104.9 205.9 204" | in_ns)
    [[ $status -eq 0 && $(grep -c '^good: ' <<<"$output") -eq 3 ]]
}

@test "check_with_wrong_waiting_time_fails" {
    run table yes < <(times "header-exact 105.1 200 200" | in_ns)
    [[ $status -eq 1 && $output == *"FAILED: the error of MPI_Recv() is 5.10 %, allowed 5 %"* ]]
    run table yes < <(times "header-exact 94.9 200 200" | in_ns)
    [[ $status -eq 1 ]]
}

@test "check_with_ranks_apart_fails" {
    run table yes < <(times "header-exact 100 200 202.2" | in_ns)
    [[ $status -eq 1 && $output == *"FAILED: the difference between the ranks is 1.10 %, allowed 1 %"* ]]
}

@test "check_with_wrong_total_fails" {
    run table yes < <(times "header-exact 100 206.2 206.2" | in_ns)
    [[ $status -eq 1 && $output == *"FAILED: the error of the total is 3.10 %, allowed 3 %"* ]]
}
