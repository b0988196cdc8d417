#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Point to point in traces: every event that a program has given, in its order, in every mode on every family.
# shellcheck disable=SC2154  # bats sets status, output and stderr
load helper

# What the program has written of itself is in the trace of each rank: assert_messages N
assert_messages() {
    for ((rank = 0; rank < $1; rank++)); do
        "$scripts/messages.py" "$archive" "$rank" >saw."$rank"
        [ -s did."$rank" ]
        diff did."$rank" saw."$rank"
    done
}

@test "every_way_to_send_and_receive_gives_its_events_in_every_mode" {
    for family in $FAMILIES; do
        for mode in $(modes_of "$family"); do
            traced_ranks "$family" "$mode" 2 messages
            assert_messages 2
        done
    done
}

@test "events_of_four_ranks_are_those_of_their_program" {
    for family in $FAMILIES; do
        traced_ranks "$family" off 4 messages
        assert_messages 4
    done
}

@test "send_carries_its_delay_where_messages_do" {
    for family in $FAMILIES; do
        for mode in $(modes_of "$family"); do
            traced_ranks "$family" "$mode" 2 messages
            otf2-print "$archive" >printed
            sends=$(grep -cE '^MPI_I?SEND ' printed)
            with_delay=$(grep -A1 -E '^MPI_I?SEND ' printed | grep -c '"delay_ns"' || true)
            [ "$sends" -gt 100 ]
            [ "$with_delay" -eq "$([ "$mode" = off ] && echo 0 || echo "$sends")" ] || { echo "$family $mode $with_delay"; return 1; }
        done
    done
}

# On one node the clock of the sender is the receiver's. Of a message that was too long nobody knows with every carrier.
@test "receive_has_the_delay_and_the_time_of_its_send_with_a_carrier" {
    for family in $FAMILIES; do
        for mode in datatype message copy; do
            traced_ranks "$family" "$mode" 2 messages whole
            otf2-print "$archive" >printed
            receives=$(grep -cE '^MPI_I?RECV ' printed)
            [ "$(grep -A1 -E '^MPI_I?RECV ' printed | grep -c '"delay_ns".*"sent_ns"')" -eq "$receives" ]
        done
    done
}

# What one thread begins another one completes. On the measured clock: nobody follows here how threads wait for each other.
@test "requests_that_another_thread_completes_keep_their_numbers" {
    for family in $FAMILIES; do
        for mode in $(modes_of "$family"); do
            TARE_TRACE_CLOCK=measured traced_ranks "$family" "$mode" 2 threads
            for rank in 0 1; do
                diff <(sort did."$rank") <("$scripts/messages.py" "$archive" "$rank" | sort)
            done
        done
    done
}
