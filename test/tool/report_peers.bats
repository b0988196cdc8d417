#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154  # run sets stderr
# tare report --peers: for whom the calls of each rank have waited.
load helpers

setup() {
    in_a_copy_of two_ranks
}

# The lines of the table, their blanks single.
lines_of_table() {
    sed -n '/^rank  *waits for/,/^$/p' <<< "$output" | grep '^ *[0-9]' | grep -v ' more line' | tr -s ' ' | sed 's/^ //; s/ $//'
}

# Without its shares: a killed rank has run for another time.
figures_of_rank_1() { lines_of_table | grep '^1 ' | sed -E 's/( [0-9.]+){2}$//'; }

value() { jq -r "$1" <<< "$output"; }

need_jq() {
    command -v jq > /dev/null || skip "jq is not installed"
}

# More lines for the table of rank 0.
wait_lines() {
    printf '%s\n' "$@" > added
    sed -i '/^wait /r added' tare-calls.0
}

@test "longest_compensated_wait_comes_first" {
    run "$TOOL" report --peers
    [ "$status" -eq 0 ]
    [ "$(lines_of_table)" = "1 rank 0 MPI_Recv() late sender 9 240.000 140.000 19.20 13.99
1 all MPI_Barrier() wait at barrier 4 3.500 2.500 0.28 0.25
0 all MPI_Barrier() wait at barrier 5 2.500 1.500 0.21 0.15" ]
    [[ $output == *"All together: 246.000 us waiting, 144.000 without measuring."* ]]
}

@test "what_is_no_single_rank_has_a_name" {
    wait_lines 'wait another_job 1 90000 90000 MPI_Recv()' 'wait several 1 80000 80000 MPI_Waitall()' \
        'wait unknown 1 70000 70000 MPI_Mrecv()'
    run "$TOOL" report --peers --rank=0
    [ "$(lines_of_table | cut -d ' ' -f 1-5 | head -n 3)" = "0 another job MPI_Recv() late
0 several MPI_Waitall() late partner
0 (not known) MPI_Mrecv() late" ]
}

@test "messages_in_the_wrong_order_have_lines_of_their_own" {
    wait_lines 'wait 1 2 90000 80000 MPI_Recv() wrong_same' 'wait 1 1 80000 70000 MPI_Recv() wrong_different' \
        'wait 1 3 70000 60000 MPI_Recv()'
    run "$TOOL" report --peers --rank=0
    [ "$(lines_of_table | grep MPI_Recv | sed -E 's/( [0-9.]+){2}$//')" = \
        "0 rank 1 MPI_Recv() late sender, wrong order, same source 2 90.000 80.000
0 rank 1 MPI_Recv() late sender, wrong order, different sources 1 80.000 70.000
0 rank 1 MPI_Recv() late sender 3 70.000 60.000" ]
}

@test "lines_are_of_the_rank_and_function_that_were_asked_for" {
    run "$TOOL" report --peers --rank=1 --region=MPI_Recv
    [ "$(lines_of_table | cut -d ' ' -f 1-4)" = "1 rank 0 MPI_Recv()" ]
    [[ $output == *"All together: 240.000 us waiting, 140.000 without measuring."* ]]
    run "$TOOL" report --peers --rank=0
    [ "$(lines_of_table | cut -d ' ' -f 1-3)" = "0 all MPI_Barrier()" ]
    run "$TOOL" report --peers --region=MPI_Send
    [ "$status" -eq 0 ]
    [ "${lines[-1]}" = "No call of MPI has waited in MPI_Send." ]
}

@test "lines_are_sorted_by_the_key_and_limited" {
    wait_lines 'wait 1 1000 2000 250000 MPI_Recv()'
    for key in wait-comp wait calls rank; do
        run "$TOOL" report --peers --sort=$key --limit=1
        echo "$key $(lines_of_table | cut -d ' ' -f 1-3)"
        [[ $output == *"3 more lines: --limit=0 shows all"* ]]
    done > first
    [ "$(cat first)" = "wait-comp 0 rank 1
wait 1 rank 0
calls 0 rank 1
rank 0 all MPI_Barrier()" ]
    run "$TOOL" report --peers --limit=0
    [ "$(lines_of_table | wc -l)" -eq 4 ]
}

@test "many_lines_are_limited_in_text_alone" {
    need_jq
    for ((i = 2; i < 42; i++)); do echo "wait $i 1 $i 1 MPI_Recv()"; done > added
    sed -i '/^wait /r added' tare-calls.0
    run "$TOOL" report --peers
    [ "$(lines_of_table | wc -l)" -eq 25 ]
    [[ $output == *"18 more lines: --limit=0 shows all"* ]]
    run "$TOOL" report --peers --json
    [ "$(value '.rows | length')" -eq 43 ]
}

@test "json_has_every_figure" {
    need_jq
    wait_lines 'wait another_job 2 20 10 MPI_Ssend()'
    run --separate-stderr "$TOOL" report --peers --json
    [ "$(value '[.schema, .command] | join(" ")')" = "1 report" ]
    [ "$(value '[.rows[] | keys_unsorted | join(" ")] | unique | join("|")')" = \
        "rank peer waits_for function state calls wait_ns wait_comp_ns share_pct share_comp_pct" ]
    [ "$(value '.rows[0] | del(.share_pct, .share_comp_pct) | map(tostring) | join(" ")')" = \
        "1 0 rank MPI_Recv() late sender 9 240000 140000" ]
    [ "$(value '.rows[0] | [.share_pct, .share_comp_pct | . * 100 | round] | tostring')" = "[1920,1399]" ]
    [ "$(value '.rows[3] | del(.share_pct, .share_comp_pct) | map(tostring) | join(" ")')" = \
        "0 null another_job MPI_Ssend() late receiver 2 20 10" ]
}

@test "waits_are_those_of_the_sites" {
    need_jq
    "$TOOL" report --callsites --json | jq '[.rows[] | {function, wait_ns, wait_comp_ns}] | group_by(.function) |
        map([.[0].function, (map(.wait_ns) | add), (map(.wait_comp_ns) | add)]) | map(select(.[1] != 0))' > of_sites
    "$TOOL" report --peers --json | jq '[.rows[] | {function, wait_ns, wait_comp_ns}] | group_by(.function) |
        map([.[0].function, (map(.wait_ns) | add), (map(.wait_comp_ns) | add)])' > of_peers
    [ "$(jq length of_peers)" -eq 2 ]
    cmp of_sites of_peers
}

@test "killed_rank_tells_for_whom_it_has_waited" {
    "$TOOL" report --peers > wanted
    rm -f tare-calls.1 MULTI__*/profile.1.*
    run env TARE_PROFILE=1 TARE_MODE=header "$NOTED" 1 2 20240229-fixture
    [ -e .tare-live.1 ]
    run --separate-stderr "$TOOL" report --peers
    [ "$status" -eq 0 ]
    [ "$stderr" = "tare report: rank 1 was killed: its figures end at its last enter or leave" ]
    [ "$(figures_of_rank_1)" = "$(output=$(cat wanted) figures_of_rank_1)" ] || { echo "$output"; return 1; }
}

@test "table_of_an_older_version_is_refused_in_one_sentence" {
    sed -i -e 's/^tare calls 4$/tare calls 1/' -e '/^wait /d' tare-calls.1
    run --separate-stderr "$TOOL" report --peers
    assert_refused 1
    assert_says "./tare-calls.1 is an older version's, which did not note for whom the calls have waited"
    run --separate-stderr "$TOOL" report --callsites
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    rm tare-calls.*
    run --separate-stderr "$TOOL" report --peers
    assert_refused 1
    assert_says "has left no table of its MPI calls"
}

@test "what_does_not_go_with_peers_is_refused" {
    run --separate-stderr "$TOOL" report --peers --states
    assert_refused 2
    assert_says "--peers and --states are different tables"
    run --separate-stderr "$TOOL" report --peers --sort=change
    assert_refused 2
    assert_says "--sort=change is not one of wait-comp, wait, calls, rank"
    run --separate-stderr "$TOOL" report --peers --rank=7
    assert_refused 1
}
