#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What MPI 4 has of point to point in traces, where the MPI library has it; and programs of sessions, whose messages are not
# traced.
# shellcheck disable=SC2154  # bats sets status, output and stderr
load helper

mpi_4_families() { for family in $FAMILIES; do [ "$family" = openmpi ] || echo "$family"; done; }

assert_pairs() {
    for ((rank = 0; rank < $1; rank++)); do
        "$scripts/messages.py" "$archive" "$rank" >saw."$rank"
        [ -s did."$rank" ]
        diff did."$rank" saw."$rank"
    done
}

@test "sends_and_receives_in_one_request_and_partitioned_ones_have_the_events_of_each" {
    for family in $(mpi_4_families); do
        for mode in $([ "$family" = tare ] && echo header) off; do
            traced_ranks "$family" "$mode" 2 pairs all
            assert_pairs 2
        done
    done
}

@test "partitioned_messages_are_traced_with_a_carrier_above_mpi_too" {
    for family in $(mpi_4_families); do
        for mode in datatype message copy; do
            traced_ranks "$family" "$mode" 2 pairs
            assert_pairs 2
        done
    done
}

@test "a_program_of_sessions_alone_says_once_that_its_messages_are_not_traced" {
    for family in $(mpi_4_families); do
        in_a_new_folder
        # shellcheck disable=SC2046  # a launcher and its options
        run --separate-stderr timeout 100 $(mpiexec_of "$family") -n 2 env LD_PRELOAD="$(layer_of "$family")" TARE_MODE=off \
            TARE_TRACE=1 "$family_programs/$family/sessions"
        [ "$status" -eq 0 ]
        [ "$(grep -c 'no messages and communicators' <<<"$stderr")" -eq 1 ]
        run otf2-print "$archive"
        [ "$status" -eq 0 ]
        [[ $output == *MPI_Send* ]]
        [[ $output != *MPI_SEND* ]]
    done
}
