#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tare trace: its command line, and folders that are none of a trace.
# shellcheck disable=SC2154  # bats sets status, output and stderr
load helpers

setup() {
    clean_environment
    export LSAN_OPTIONS=suppressions=$SOURCES/test/trace/leaks.suppressions:print_suppressions=0
    cd "$BATS_TEST_TMPDIR" || return 1
}

refused() {
    run --separate-stderr "$TOOL" trace "${@:3}"
    [ "$status" -eq "$1" ]
    [ -z "$output" ]
    [[ $stderr == "tare trace: $2"* && $(grep -c . <<< "$stderr") -le 2 ]] || { echo "$stderr"; return 1; }
}

need_otf2() {
    run "$TOOL" trace join nowhere
    [[ $output != *"built without OTF2"* ]] || skip "built without OTF2"
}

@test "wrong_command_lines_are_refused" {
    refused 2 "what is to be done is missing: chrome, cut, join, match, merge, print, show, stats"
    refused 2 "split is not one of chrome, cut, join, match, merge, print, show, stats" split
    refused 2 "unknown option --all" join --all
    refused 2 "unexpected argument b" join a b
    refused 2 "--limit=x is not a whole number from 0 on" match --limit=x
    refused 2 "unknown option --all" match --all
    refused 2 "unknown option --threads" stats --threads
}

@test "folder_that_is_none_of_a_trace_is_named" {
    need_otf2
    refused 1 "cannot make nowhere/joining: No such file or directory" join nowhere
    mkdir empty
    refused 1 "no rank has left a whole trace in empty" join empty
    [ -z "$(ls empty)" ]
}

@test "archive_that_is_none_is_named" {
    need_otf2
    mkdir -p broken/rank.0
    touch broken/rank.0/whole
    echo nonsense > broken/rank.0/traces.otf2
    refused 1 "cannot read broken/rank.0/traces.otf2: " join broken
}
