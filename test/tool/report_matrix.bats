#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154  # run sets stderr
# tare report --matrix: who has sent how much to whom.
load helpers

setup() {
    in_a_copy_of two_ranks
}

# The table, its blanks single.
table() {
    sed -n '/^ *from /,/^$/p' <<< "$output" | tr -s ' ' | sed 's/^ //'
}

@test "matrix_has_the_most_bytes_first" {
    run "$TOOL" report --matrix
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "Tare profile in .: 2 ranks, mode header, rule exact" ]
    [ "$(table)" = "$(printf '%s\n' 'from to messages bytes mean min max' '1 0 3 1048656 349552.0 32 1048576' \
        '0 1 11 400 36.4 0 40')" ]
    [[ $output == *"14 messages, 1049056 bytes. "* ]]
}

@test "matrix_of_one_rank_is_what_it_has_sent" {
    run "$TOOL" report --matrix --rank=0
    [ "$(table | tail -n +2)" = "0 1 11 400 36.4 0 40" ]
    [[ $output == *"11 messages, 400 bytes. "* ]]
}

@test "matrix_json_holds_integers" {
    command -v jq > /dev/null || skip "jq is not installed"
    run "$TOOL" report --matrix --json
    [ "$(jq -c '.rows[]' <<< "$output" | head -n 1)" = \
        '{"rank":1,"to":0,"messages":3,"bytes":1048656,"min_bytes":32,"max_bytes":1048576}' ]
    [ "$(jq -r '.schema, .command, (.rows | length)' <<< "$output" | paste -s -d ' ')" = "1 report 2" ]
}

@test "matrix_limit_says_how_many_more" {
    run "$TOOL" report --matrix --limit=1
    [[ $output == *"1 more pair: --limit=0 shows all"* && $output == *"14 messages, 1049056 bytes. "* ]]
}

@test "matrix_has_messages_to_other_jobs" {
    sed -i 's/to node 0"/to other jobs"/' MULTI__TIME/profile.1.0.0
    run "$TOOL" report --matrix --rank=1
    [ "$(table | tail -n +2)" = "1 other jobs 3 1048656 349552.0 32 1048576" ]
    command -v jq > /dev/null || skip "jq is not installed"
    [ "$("$TOOL" report --matrix --json --rank=1 | jq '.rows[0].to')" = null ]
}

@test "matrix_without_messages_is_said" {
    sed -i '/Message size/d; s/5 userevents/3 userevents/' MULTI__TIME/profile.0.0.0
    run --separate-stderr "$TOOL" report --matrix --rank=0
    [ "$status" -eq 1 ]
    [ "$stderr" = "tare report: rank 0 of the run in . has sent no messages that were measured" ]
}

@test "matrix_takes_no_region_and_no_sort" {
    run --separate-stderr "$TOOL" report --matrix --region=work
    [ "$status" -eq 2 ]
    [[ $stderr == "tare report: --region does not go with --matrix"* ]]
    run --separate-stderr "$TOOL" report --matrix --sort=excl
    [ "$status" -eq 2 ]
    [[ $stderr == "tare report: --sort does not go with --matrix"* ]]
}

# The two parts of its notes together; what a rank that ended well says stands in its file.
@test "matrix_of_a_killed_rank_comes_from_what_it_left" {
    rm -f tare-calls.1 MULTI__*/profile.1.*
    run env TARE_PROFILE=1 TARE_MODE=header "$NOTED" 1 2 20240229-fixture
    [ "$status" -eq 137 ]
    run --separate-stderr "$TOOL" report --matrix
    [ "$(table | tail -n +2 | head -n 1)" = "1 0 3 1048656 349552.0 32 1048576" ]
    [[ $stderr == "tare report: rank 1 was killed: "* ]]
}

@test "matrix_survives_a_conversion_to_tau" {
    "$TOOL" convert --to=tau -o ../copy
    cmp ../copy/MULTI__TIME/profile.1.0.0 MULTI__TIME/profile.1.0.0
    diff <(cd ../copy && "$TOOL" report --matrix) <("$TOOL" report --matrix)
}
