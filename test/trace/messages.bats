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

# events KIND ATTRIBUTE...: how many of them have these attributes
events() {
    local found
    found=$(grep -A1 -E "^$1 " printed | grep -E '^ .*ATTRIBUTES')
    for attribute in "${@:2}"; do found=$(grep "\"$attribute\"" <<<"$found" || true); done
    grep -c ATTRIBUTES <<<"$found" || true
}

# A send carries its delay where messages do. On one node the clock of the sender is the receiver's. With the carriers copy and
# message nobody knows of a message that was too long, one on each rank.
assert_attributes() {
    otf2-print "$archive" >printed
    local sends receives known
    sends=$(events 'MPI_I?SEND') receives=$(events 'MPI_I?RECV') known=$(events 'MPI_I?RECV' delay_ns sent_ns)
    [ "$sends" -gt 200 ] && [ "$sends" -eq "$receives" ]
    [ "$(events 'MPI_I?SEND' delay_ns)" -eq "$([ "$1" = off ] && echo 0 || echo "$sends")" ]
    [ "$(events 'MPI_I?SEND' sequence)" -eq "$([ "$1" = off ] && echo 0 || echo "$sends")" ]
    case $1 in
        off) [ "$known" -eq 0 ] ;;
        header) [ "$known" -eq "$receives" ] && [ "$(events 'MPI_I?RECV' peer_thread sequence)" -eq "$receives" ] ;;
        *) [ "$known" -ge $((receives - 2)) ] && [ "$(events 'MPI_I?RECV' peer_thread sequence)" -ge $((receives - 2)) ] ;;
    esac
}

@test "every_way_to_send_and_receive_gives_its_events_in_every_mode" {
    for family in $FAMILIES; do
        for mode in $(modes_of "$family"); do
            traced_ranks "$family" "$mode" 2 messages
            assert_messages 2
            assert_attributes "$mode" || { echo "$family $mode"; return 1; }
        done
    done
}

@test "events_of_four_ranks_are_those_of_their_program" {
    for family in $FAMILIES; do
        traced_ranks "$family" off 4 messages
        assert_messages 4
    done
}

# What one thread begins another one completes. On the measured clock: nobody follows here how threads wait for each other.
@test "requests_that_another_thread_completes_keep_their_numbers" {
    for family in $FAMILIES; do
        for mode in off message; do
            TARE_TRACE_CLOCK=measured traced_ranks "$family" "$mode" 2 threads
            for rank in 0 1; do
                diff <(sort did."$rank") <("$scripts/messages.py" "$archive" "$rank" | sort)
            done
        done
    done
}

@test "fortran_programs_give_the_same_events" {
    local tried=0
    for family in $FAMILIES; do
        [ -x "$family_programs/$family/fortran" ] || continue
        for mode in off copy; do
            traced_ranks "$family" "$mode" 2 fortran
            assert_messages 2
        done
        tried=1
    done
    [ $tried = 1 ] || skip "no MPI here has Fortran"
}
