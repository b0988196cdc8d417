#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154  # the Makefile sets it
# What the layer finds out about its own cost, and how well it fits.
load helper

# constant RANK NAME: "tare cost NAME" in the profile, or nothing
constant() {
    sed -n "s#.*<name>tare cost $2</name><value>\\([^<]*\\)<.*#\\1#p" "$profile/MULTI__TIME/profile.$1.0.0"
}

# is_sane_ns NS [LEAST]
is_sane_ns() {
    awk -v ns="$1" -v least="${2:-0}" 'BEGIN { exit ns != "" && ns > least && ns < 1000 ? 0 : 1 }' ||
        { echo "a cost of '$1' ns"; return 1; }
}

# What a note of a call's data adds is a few ns, the difference of two medians, which nobody clamps.
is_sane_note_ns() {
    is_sane_ns "$1" -50
}

@test "calls_with_data_have_constants_where_notes_are_not_measured" {
    TARE_MODE=off TARE_OVERHEAD=calibrated measured 2 calls counts
    for rank in 0 1; do
        for what in send receive buffer; do
            is_sane_note_ns "$(constant $rank "mpi $what ns")"
            is_sane_ns "$(constant $rank "mpi $what spread ns")"
        done
    done
    expect_calls 0 'MPI_Isend()' 10 'MPI_Irecv()' 10
    # What calibration sends is no message of the program's.
    [[ $(sed -n 's/^size //p' "$profile/tare-calls.0") == "3 10 40" ]]
}

@test "calls_with_data_have_no_constants_where_notes_are_measured" {
    TARE_MODE=off TARE_OVERHEAD=measured measured 2 calls counts
    [[ -n $(constant 0 "mpi pair ns") && -z $(constant 0 "mpi send ns") ]]
}

@test "session_finds_constants_too" {
    run measured 1 calls session
    [[ $status -eq 2 ]] && skip "this MPI has no sessions"
    TARE_MODE=off TARE_OVERHEAD=calibrated measured 2 calls session
    is_sane_note_ns "$(constant 1 "mpi send ns")"
}

@test "pcontrol_3_calibrates_again" {
    for mode in "${modes[@]}"; do
        for overhead in measured calibrated; do
            TARE_MODE=$mode TARE_OVERHEAD=$overhead measured 2 calls calibrate_again
            for rank in 0 1; do
                [[ $(sed -n 's#.*<name>tare calibrations</name><value>\([^<]*\)<.*#\1#p' \
                    "$profile/MULTI__TIME/profile.$rank.0.0") -eq 3 ]]
                is_sane_ns "$(constant $rank "mpi pair ns")"
                expect_calls $rank 'MPI_Isend()' 3 'MPI_Barrier()' 0 'MPI_Bcast()' 0 'MPI_Send()' 0
            done
            [[ $overhead == measured ]] || is_sane_note_ns "$(constant 0 "mpi send ns")"
        done
    done
}

# The numbers are shown; what is asserted allows for a busy machine.
@test "compensated_calls_are_near_the_library_s_own" {
    for mode in measured calibrated; do
        TARE_MODE=off TARE_OVERHEAD=$mode measured 1 cost_of_calls > figures
        [[ $(wc -l < figures) -eq 4 ]]
        awk -v mode=$mode '{
            cost = $3 - $2
            left = $4 - $2
            printf "# %-10s %-10s costs %6.1f ns, of which %6.1f are left\n", mode, $1, cost, left
            bad = bad || !(cost > 10 && left < 0.8 * cost && left > -0.8 * cost)
        } END { exit bad }' figures >&3
    done
}
