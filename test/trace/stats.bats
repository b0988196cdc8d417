#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tare trace stats: archives of which it is known what is in them.
# shellcheck disable=SC2154  # bats sets status, output and stderr
load helper

setup() {
    clean_environment
    cd "$BATS_TEST_TMPDIR" || return 1
}

stats() {
    run --separate-stderr "$TOOL" trace stats "$@"
    [ "$status" -eq 0 ] || { echo "status $status: $stderr"; return 1; }
    [ -z "$stderr" ] || { echo "said: $stderr"; return 1; }
}

@test "events_of_each_thread_are_counted" {
    mkdir a
    "$WRITE_ARCHIVE" events 4800 a
    stats a
    # 4 ranks of 2 threads, 100 turns of 6 events each
    [ "$(grep -cE '^ *[0-3]\.[01] +600 +200 +100 +100 +0  ' <<<"$output")" -eq 8 ] || { echo "$output"; return 1; }
    [[ $output == *"4800 events in 47990 ns."* ]]
    stats --json a
    [ "$(grep -c '"events": 600,' <<<"$output")" -eq 8 ]
}

@test "messages_between_ranks_are_counted_at_both_ends" {
    mkdir a
    "$WRITE_ARCHIVE" scenario "$SCENARIOS" ranks_of_an_intercommunicator_are_those_of_the_other_group a
    stats a
    grep -qE '^ *0 +3 +1 +8 +1 +8$' <<<"$output" || { echo "$output"; return 1; }
    grep -qE '^ *3 +0 +1 +8 +1 +8$' <<<"$output"
    mkdir b
    "$WRITE_ARCHIVE" scenario "$SCENARIOS" truncated_message_is_lost_for_the_search b
    stats b
    grep -qE '^ *0 +1 +1 +800 +1 +80$' <<<"$output"
}

@test "limit_says_what_is_left_out" {
    mkdir a
    "$WRITE_ARCHIVE" events 4800 a
    stats --limit=3 a
    [[ $output == *"5 more threads: --limit=0 shows all"* ]]
    [[ $output == *"1 more pair: --limit=0 shows all"* ]]
}

@test "trace_without_events_is_empty" {
    mkdir a
    "$WRITE_ARCHIVE" events 0 a
    stats a
    [[ $output == *"0 events in 0 ns."* ]]
    stats --json a
    [[ $output == *'"first_ns": null'* ]]
}

@test "damaged_trace_is_counted_as_far_as_it_goes" {
    mkdir a
    "$WRITE_ARCHIVE" events 4800 a
    truncate -s 2000 a/traces/1000.evt
    run --separate-stderr "$TOOL" trace stats a
    [ "$status" -eq 1 ]
    [[ $stderr == "tare trace: rank 0, thread 0: "* ]]
    [ "$(grep -cE '^ *[0-3]\.[01] +600 ' <<<"$output")" -eq 7 ]
}
