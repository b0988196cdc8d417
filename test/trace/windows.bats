#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Windows in traces: every operation, its target and bytes, when it completes, and every synchronisation, on every family.
# shellcheck disable=SC2154  # bats sets status, output and stderr
load helper

assert_windows() {
    for ((rank = 0; rank < $1; rank++)); do
        "$scripts/windows.py" "$archive" "$rank" >saw."$rank"
        [ -s did."$rank" ]
        diff did."$rank" saw."$rank"
    done
}

@test "operations_on_windows_are_those_of_their_program_in_every_mode" {
    for family in $FAMILIES; do
        for mode in $(modes_of "$family"); do
            traced_ranks "$family" "$mode" 2 windows
            assert_windows 2
        done
    done
}

@test "windows_of_four_ranks_on_a_communicator_in_another_order_have_its_ranks_as_targets" {
    for family in $FAMILIES; do
        traced_ranks "$family" off 4 windows
        assert_windows 4
        run otf2-print -G "$archive"
        [ "$status" -eq 0 ]
        for window in alone reversed shared dynamic; do
            [ "$(grep -c "^RMA_WIN .*Name: \"$window\"" <<<"$output")" -eq 1 ]
        done
    done
}

# Rank 1 is killed, and then the launcher ends rank 0, which may be about to write.
@test "killed_ranks_leave_their_windows" {
    in_a_new_folder
    family=${FAMILIES%% *}
    # shellcheck disable=SC2046  # a launcher and its options
    run timeout 60 $(mpiexec_of "$family") -n 2 env LD_PRELOAD="$(layer_of "$family")" TARE_MODE=off TARE_TRACE=1 \
        "$family_programs/$family/windows" victim
    run --separate-stderr "$TOOL" trace join
    [ "$status" -eq 0 ] || { echo "$stderr"; return 1; }
    grep -qxF "tare trace: rank 1 was killed: its trace ends with its latest event" <<<"$stderr"
    "$scripts/windows.py" "$archive" 1 >saw.1
    [ -s did.1 ]
    diff did.1 saw.1
}
