#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Collective calls in traces: operation, communicator, root and bytes of each, on every family.
# shellcheck disable=SC2154  # bats sets status, output and stderr
load helper

assert_collectives() {
    for ((rank = 0; rank < $1; rank++)); do
        "$scripts/collectives.py" "$archive" "$rank" | grep -v _HANDLE >saw."$rank"
        [ -s did."$rank" ]
        diff did."$rank" saw."$rank"
    done
}

@test "collective_calls_tell_operation_root_and_bytes_with_a_carrier_and_without" {
    for family in $FAMILIES; do
        for mode in off message; do
            traced_ranks "$family" "$mode" 2 collectives
            assert_collectives 2
        done
    done
}

@test "collective_calls_of_four_ranks_are_those_of_their_program" {
    for family in $FAMILIES; do
        traced_ranks "$family" off 4 collectives
        assert_collectives 4
    done
}
