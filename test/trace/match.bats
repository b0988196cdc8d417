#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tare trace match: archives whose truth is known.
# shellcheck disable=SC2154  # bats sets status, output and stderr
load helper

setup() {
    clean_environment
    cd "$BATS_TEST_TMPDIR" || return 1
}

# What is told of each method and of all, as the expect lines of a scenario have it.
expectations() {
    for method in forward backward open fifo sequence; do
        echo "$method pairs=$(of_method $method pairs)" \
            "left=$(of_method $method sends_left)/$(of_method $method receives_left) wrong=$(of_method $method wrong)" \
            "threads=$(of_method $method wrong_sender_thread)/$(of_method $method wrong_receiver_thread)"
    done
    echo "all cancelled=$(member cancelled_sends)/$(member cancelled_receives) never=$(member never_completed)" \
        "cut=$(member cut) before=$(member before_send) unknown=$(member of_unknown_process)" \
        "repeated=$(member repeated_sequence) passed=$(member passed_over)"
}

@test "scenarios_have_in_an_archive_what_they_have_in_memory" {
    nothing_of_all="all cancelled=0/0 never=0 cut=0 before=0 unknown=0 repeated=0 passed=0"
    "$WRITE_ARCHIVE" list "$SCENARIOS" >names
    [ "$(wc -l <names)" -gt 20 ]
    while read -r name; do
        mkdir "$name"
        "$WRITE_ARCHIVE" scenario "$SCENARIOS" "$name" "$name"
        match_quietly --json "$name"
        "$WRITE_ARCHIVE" expect "$SCENARIOS" "$name" | sort >expected
        grep -q '^all ' expected || sed -i "1i $nothing_of_all" expected
        expectations | sort >found
        diff expected found || { echo "$name"; return 1; }
    done <names
}

@test "random_program_of_single_threads_is_fifo" {
    for seed in 1 2 3; do
        mkdir "$seed"
        "$WRITE_ARCHIVE" random "$seed" 4 1 3000 0 "$seed"
        match_quietly "$seed"
        grep -qE '^fifo +[0-9]{3,} +[0-9]+ +[0-9]+ +0 ' <<<"$output" || { echo "$output"; return 1; }
    done
}

@test "archive_is_found_by_its_file_or_its_folder" {
    mkdir tare-trace
    "$WRITE_ARCHIVE" random 1 2 1 100 0 tare-trace
    match_quietly
    here=$output
    match_quietly tare-trace/traces.otf2
    [ "$output" = "$here" ]
    mv tare-trace/traces.otf2 tare-trace/other.otf2
    mv tare-trace/traces.def tare-trace/other.def
    mv tare-trace/traces tare-trace/other
    match_quietly tare-trace
    [ "$output" = "$here" ]
}

@test "table_of_threads_has_every_message" {
    mkdir a
    "$WRITE_ARCHIVE" random 7 3 2 2000 20 a
    match_quietly --threads --limit=0 a
    pairs=$(awk '$1 == "sequence" { print $2 }' <<<"$output")
    [ "$pairs" -gt 100 ]
    [ "$(awk '$1 ~ /^[0-9]+\.[0-9]+$/ { sum += $7 } END { print sum }' <<<"$output")" -eq "$pairs" ]
    match_quietly --threads --limit=2 a
    [ "$(grep -cE '^ *[0-9]+\.[0-9]+ ' <<<"$output")" -eq 2 ]
    [[ $output == *"--limit=0 shows all"* ]]
    match_quietly --json --threads a
    [ "$(grep -c '"from_thread"' <<<"$output")" -gt 10 ]
}

@test "trace_without_messages_has_none" {
    TARE_PROFILE=1 TARE_TRACE=1 "$SCENARIO" nested
    match_quietly
    [[ $output == *"0 sends, 0 receives."* ]]
}

@test "wrong_command_lines_are_refused" {
    for wrong in "--all" "--limit=many" "a b"; do
        # shellcheck disable=SC2086  # words
        run --separate-stderr "$TOOL" trace match $wrong
        [ "$status" -eq 2 ]
        [ -z "$output" ]
    done
}
