#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Communicators in traces: each has one number and its members on all ranks, however it was made.
# shellcheck disable=SC2154  # bats sets status, output and stderr
load helper

# Ranks in $1... have sent on the communicators that they say.
assert_communicators() {
    for rank in "$@"; do
        "$scripts/communicators.py" "$archive" "$rank" >saw."$rank"
        [ -s did."$rank" ]
        diff did."$rank" saw."$rank"
    done
}

@test "communicators_have_one_number_and_their_members_on_all_ranks" {
    for family in $FAMILIES; do
        for mode in off message; do
            traced_ranks "$family" "$mode" 4 communicators
            assert_communicators 0 1 2 3
        done
    done
}

@test "intercommunicators_are_defined_by_both_groups" {
    traced_ranks "${FAMILIES%% *}" off 4 communicators
    otf2-print -G "$archive" >printed
    grep -E '^INTER_COMM .*"between".*Group A: .*Group B: ' printed
    [ "$(grep -cE '^INTER_COMM ' printed)" -eq 3 ]
    [ "$(grep -cE '^COMM .*"merged"' printed)" -eq 1 ]
}

@test "communicators_of_the_program_are_made_and_freed_by_events" {
    traced_ranks "${FAMILIES%% *}" off 2 communicators one_group
    otf2-print "$archive" >printed
    made=$(grep -cE '^COMM_CREATE ' printed)
    [ "$made" -gt 20 ]
    [ "$(grep -cE '^COMM_DESTROY ' printed)" -eq "$made" ]
    run ! grep -E '^COMM_(CREATE|DESTROY) .*"MPI_COMM_' printed
}

# Rank 1 is killed, and then the launcher ends rank 0.
with_a_victim() {
    in_a_new_folder
    # shellcheck disable=SC2046  # a launcher and its options
    run timeout 60 $(mpiexec_of "$1") -n 2 env LD_PRELOAD="$(layer_of "$1")" TARE_MODE=off TARE_TRACE=1 \
        "$family_programs/$1/communicators" victim
}

# What the others still write when they are killed may not be whole.
@test "killed_ranks_leave_their_communicators" {
    with_a_victim "${FAMILIES%% *}"
    run --separate-stderr "$TOOL" trace join
    [ "$status" -eq 0 ] || { echo "$stderr"; return 1; }
    grep -qxF "tare trace: rank 1 was killed: its trace ends with its latest event" <<<"$stderr"
    assert_communicators 0 1
}

# Rank 1's events are gone, and rank 0's name it.
@test "members_that_have_left_nothing_are_defined" {
    with_a_victim "${FAMILIES%% *}"
    rm .tare-live.1
    run --separate-stderr "$TOOL" trace join
    [ "$status" -eq 0 ] || { echo "$stderr"; return 1; }
    "$SUMS" "$archive" >sums
    [ "$(awk '{ print $1 }' sums | sort -u)" = 0 ]
    otf2-print -G "$archive" | grep -E '^LOCATION .*# Events: 0, Group: "MPI Rank 1"'
}

@test "trace_with_events_of_mpi_tells_what_the_profile_does" {
    for family in $FAMILIES; do
        traced_ranks "$family" off 2 communicators
        assert_trace_is_the_profile
    done
}
