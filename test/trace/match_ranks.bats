#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tare trace match on what ranks have really sent, on every family of MPI libraries.
# shellcheck disable=SC2030,SC2031,SC2154  # bats sets status, output and stderr
load helper

# match_of FAMILY N KIND: of a run of exchange
match_of() {
    traced_ranks "$1" off "$2" exchange "$3"
    match_quietly --json
}

# Each message has both of its ends, and fifo joins them: all_paired MESSAGES
all_paired() {
    local found
    found="$(member sends) $(member receives) $(of_method fifo pairs) $(of_method fifo sends_left) $(member of_unknown_process)"
    [ "$found" = "$1 $1 $1 0 0" ] || { echo "$found: $output"; return 1; }
}

@test "every_message_is_paired_by_fifo" {
    for family in $FAMILIES; do
        for ranks in 2 4; do
            match_of "$family" "$ranks" ordered
            all_paired $((800 * ranks))
            [ "$(member never_completed)" -eq 0 ]
            match_of "$family" "$ranks" threads
            all_paired $((400 * ranks))
            match_of "$family" "$ranks" own-tags
            all_paired $((400 * ranks))
            match_of "$family" "$ranks" wildcards
            all_paired $((400 * (ranks - 1)))
        done
    done
}

@test "ranks_of_an_intercommunicator_are_found" {
    for family in $FAMILIES; do
        for ranks in 2 4; do
            match_of "$family" "$ranks" inter
            all_paired $((200 * ranks))
            match_quietly --threads --limit=0
            # Each with one rank of the other group.
            [ "$(grep -cE '^ *[0-9]+\.0 +[0-9]+\.0 ' <<<"$output")" -eq "$ranks" ]
        done
    done
}

@test "cancelled_and_truncated_messages_are_counted" {
    for family in $FAMILIES; do
        match_of "$family" 2 shapes
        all_paired 6
        [ "$(member cancelled_receives)" -eq 2 ]
        # What Open MPI says of a receive that was too short is the length of the message.
        [ "$(member cut)" -eq "$([ "$family" = openmpi ] && echo 0 || echo 2)" ] || { echo "$family: $output"; return 1; }
    done
}

@test "search_finds_too_few_where_many_messages_are_alike" {
    for family in $FAMILIES; do
        match_of "$family" 2 ordered
        [ "$(of_method forward receives_left)" -gt 100 ]
        [ "$(of_method backward sends_left)" -gt 100 ]
        [ "$(of_method open wrong)" -gt 100 ]
    done
}

# By whom each message was sent, by its own words: all_tell FAMILY MODE RANKS KIND
all_tell() {
    traced_ranks "$1" "$2" "$3" exchange "$4"
    match_quietly --json
    found="$(of_method sequence pairs) $(of_method sequence sends_left) $(of_method sequence receives_left)"
    [ "$found" = "$(member sends) 0 0" ] || { echo "$*: $found: $output"; return 1; }
    # Where each thread has a tag of its own, or is alone, MPI's order leaves no choice.
    case $4 in
        ordered | own-tags | inter) [ "$(of_method fifo wrong)" -eq 0 ] || { echo "$*: $output"; return 1; } ;;
    esac
}

@test "header_says_of_every_message_which_thread_has_sent_it" {
    [[ " $FAMILIES " == *" tare "* ]] || skip "the patched MPICH is not built"
    for ranks in 2 4; do
        for kind in ordered threads own-tags wildcards inter; do
            all_tell tare header "$ranks" "$kind"
        done
    done
}

@test "ranks_with_a_carrier_of_which_one_writes_no_trace_end_with_a_sentence" {
    for family in $FAMILIES; do
        for mode in datatype message copy; do
            in_a_new_folder
            # shellcheck disable=SC2046  # a launcher and its options
            run timeout 100 $(mpiexec_of "$family") -n 1 env LD_PRELOAD="$(layer_of "$family")" TARE_MODE="$mode" \
                "$family_programs/$family/exchange" ordered : -n 1 env LD_PRELOAD="$(layer_of "$family")" \
                TARE_MODE="$mode" TARE_TRACE=1 "$family_programs/$family/exchange" ordered
            [ "$status" -ne 0 ] && [ "$status" -ne 124 ]
            [ "$(grep -c 'tare: TARE_TRACE is 0 on rank 0 and 1 on rank 1: all ranks need the same' <<<"$output")" -eq 1 ]
        done
    done
}

@test "carriers_say_of_every_message_which_thread_has_sent_it" {
    for family in $FAMILIES; do
        for mode in datatype message copy; do
            for kind in ordered threads own-tags inter; do
                all_tell "$family" "$mode" 2 "$kind"
            done
        done
    done
}
