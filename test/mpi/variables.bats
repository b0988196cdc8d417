#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154  # set by the Makefile (MPIEXEC) and by bats
# The core's variables in MPI_T, as a tool finds them.

# ask MODE: what each rank prints, in order
ask() {
    run env TARE_MODE="$1" timeout 60 "$MPIEXEC" -n 2 ./variables
    echo "$output"
    [[ $status -eq 0 ]]
    output=$(sort -s -k1,1n <<<"$output")
}

says() { grep -qx "$*" <<<"$output"; }

@test "variables_tell_of_the_thread_that_reads_them" {
    ask header
    says 0 tare_delay 5000
    says 0 own 5000
    says 0 tare_delay_lo 5000
    says 0 tare_delay_hi 5000
    says 0 tare_joins 1
    says 0 tare_adjusted 1
    says 1 tare_delay 5000
    says 1 tare_joins 0
    for rank in 0 1; do
        says $rank tare_residue 0
        says $rank tare_inversions 0
        says $rank tare_saturated 0
        says $rank tare_early_unknown 0
        says $rank tare_unseen_waits 0
    done
}

@test "variables_are_there_when_nothing_is_carried" {
    ask off
    says 0 tare_delay 9000000
    says 0 tare_joins 0
    says 1 tare_delay 5000
}

@test "mode_is_a_control_variable_that_only_the_environment_sets" {
    for mode in off header; do
        ask $mode
        for rank in 0 1; do
            says $rank TARE_MODE $mode
            says $rank TARE_MODE cannot be written
        done
    done
}
