#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tare report: what it says about a profile written by hand, and about damaged ones.
load helpers

setup() {
    in_a_copy_of two_ranks
}

# The fields of the line of a region on a rank: line RANK REGION
line() {
    grep -E "^ *$1  $2  " <<< "$output" | tr -s ' ' | sed 's/^ //'
}

# jq over the report's JSON: value FILTER
value() {
    jq -r "$1" <<< "$output"
}

need_jq() {
    command -v jq > /dev/null || skip "jq is not installed"
}

@test "report_names_ranks_mode_rule_run_and_constants" {
    run "$TOOL" report
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "Tare profile in .: 2 ranks, mode header, rule exact" ]
    [ "${lines[1]}" = "run 20240229-fixture" ]
    [[ $output == *"tare enter constant ns: 12.4, 12.9"* ]]
    [[ $output == *"tare overhead: measured"$'\n'* ]]
}

@test "spread_of_a_constant_stands_behind_it" {
    local rank more
    for rank in 0 1; do
        more="<attribute><name>tare enter constant spread ns</name><value>$rank.5</value></attribute>"
        sed -i "s#</metadata>#$more&#" MULTI__*/profile.$rank.0.0
    done
    run "$TOOL" report
    [ "$status" -eq 0 ]
    grep -Fqx "tare enter constant ns: 12.4, 12.9 (spread 0.5, 1.5)" <<< "$output" || { echo "$output"; return 1; }
    [ "$(grep -c spread <<< "$output")" -eq 1 ]
}

@test "report_line_holds_measured_and_compensated_times" {
    run "$TOOL" report
    [ "$(line 0 work)" = "0 work 10 1000.000 800.000 1000.000 800.000 0.000 0.000 200.000 800.000 800.000 0.000" ]
}

@test "report_line_holds_waiting_before_and_after_and_bounds" {
    run "$TOOL" report
    [ "$(line 1 'MPI_Recv\(\)')" = \
        "1 MPI_Recv() 10 1150.500 900.500 1150.500 900.500 1140.000 890.000 250.000 890.250 905.125 0.000" ]
}

@test "report_line_holds_signed_residue" {
    run "$TOOL" report
    [[ $(line 1 '\.TAU application') == *" -0.500" ]]
}

@test "report_ends_with_the_next_command" {
    run "$TOOL" report
    [ "${lines[-1]}" = "Next: tare report --sort=wait" ]
    run "$TOOL" report "$PWD" --sort=wait
    [ "${lines[-1]}" = "Next: tare report --states $PWD" ]
}

@test "report_of_a_directory_is_the_same_from_elsewhere" {
    run "$TOOL" report
    local here=${lines[*]:1:8}
    cd /
    run "$TOOL" report "$BATS_TEST_TMPDIR/run"
    [ "${lines[*]:1:8}" = "$here" ]
}

@test "rank_option_shows_only_this_rank" {
    run "$TOOL" report --rank=1
    [ -z "$(line 0 work)" ]
    [ -n "$(line 1 'MPI_Recv\(\)')" ]
}

@test "rank_that_is_not_there_is_refused" {
    run --separate-stderr "$TOOL" report --rank=2
    assert_refused 1
    assert_says "no such rank"
    run --separate-stderr "$TOOL" report --rank=-1
    assert_refused 2
    run --separate-stderr "$TOOL" report --rank=99999999999
    assert_refused 2
}

@test "region_option_knows_the_name_with_and_without_parentheses" {
    for name in MPI_Recv 'MPI_Recv()'; do
        run "$TOOL" report --region="$name"
        [ "$status" -eq 0 ]
        [ -n "$(line 1 'MPI_Recv\(\)')" ]
        [ -z "$(line 0 work)" ]
    done
}

@test "region_that_is_not_there_is_refused_with_the_nearest" {
    run --separate-stderr "$TOOL" report --region=wrok
    assert_refused 1
    assert_says "did you mean 'work'"
}

@test "sort_option_orders_within_a_rank" {
    run "$TOOL" report --sort=incl
    [ "$(grep -E '^ *0  ' <<< "$output" | awk '{print $2}' | paste -s -d ' ')" = ".TAU work MPI_Send()" ]
    run "$TOOL" report --sort=region
    [ "$(grep -E '^ *0  ' <<< "$output" | awk '{print $2}' | paste -s -d ' ')" = ".TAU MPI_Send() work" ]
    run "$TOOL" report --sort=calls
    [ "$(grep -E '^ *0  ' <<< "$output" | awk '{print $2}' | paste -s -d ' ')" = "MPI_Send() work .TAU" ]
}

@test "sort_key_that_is_not_one_is_refused_with_all_keys" {
    run --separate-stderr "$TOOL" report --sort=colour
    assert_refused 2
    assert_says "excl-comp"
}

@test "second_directory_is_refused" {
    run --separate-stderr "$TOOL" report . ..
    assert_refused 2
}

@test "json_has_the_fixed_members_in_this_order" {
    need_jq
    run --separate-stderr "$TOOL" report --json
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    [ "$(value 'keys_unsorted | join(" ")')" = "tare schema command mode rule rows" ]
    [ "$(value '[.schema, .command, .mode, .rule] | join(" ")')" = "1 report header exact" ]
    [ "$(value '[.rows[] | keys_unsorted | join(" ")] | unique | join("|")')" = \
        "rank thread region calls incl_ns excl_ns incl_comp_ns excl_comp_ns wait_ns wait_comp_ns \
removed_ns residue_ns lo_ns hi_ns" ]
}

@test "json_times_are_integers_in_ns" {
    need_jq
    run "$TOOL" report --json --region=MPI_Recv
    [ "$(value '.rows[0] | [.[]] | map(tostring) | join(" ")')" = \
        "1 0 MPI_Recv() 10 1150500 1150500 900500 900500 1140000 890000 250000 0 890250 905125" ]
    run "$TOOL" report --json
    [ "$(value '[.rows[] | .incl_ns - .incl_comp_ns - .removed_ns] | unique | tostring')" = "[0]" ]
    [ "$(value '.rows[] | select(.rank == 1 and .region == ".TAU application") | .residue_ns')" = "-500" ]
}

@test "json_is_whole_without_jq_too" {
    run "$TOOL" report --json
    [ "${lines[0]}" = "{" ]
    [ "${lines[-1]}" = "}" ]
    [ "$(grep -c '"incl_ns": [0-9]*,$' <<< "$output")" -eq 5 ]
}

@test "region_name_with_other_bytes_stays_one_line_and_valid_json" {
    sed -i 's/^"work"/"wo\x01rk\xff\x1b[31m"/; s/: work"/: wo\x01rk\xff\x1b[31m"/' MULTI__*/profile.0.0.0
    run "$TOOL" report
    [ "$status" -eq 0 ]
    [[ $output == *"wo?rk"* && $output != *$'\x1b'* ]]
    need_jq
    run "$TOOL" report --json
    [ "$(value '.rows | length')" -eq 5 ]
}

@test "missing_rank_is_named_and_the_others_are_shown" {
    sed -i 's#<name>tare ranks</name><value>2<#<name>tare ranks</name><value>4<#' MULTI__*/profile.*
    run --separate-stderr "$TOOL" report
    [ "$status" -eq 0 ]
    [ "$stderr" = "tare report: ranks 2, 3 are missing: their processes did not finish" ]
    [ -n "$(line 1 'MPI_Recv\(\)')" ]
    rm MULTI__*/profile.1.0.0
    sed -i 's#<name>tare ranks</name><value>4<#<name>tare ranks</name><value>2<#' MULTI__*/profile.*
    run --separate-stderr "$TOOL" report --json
    [ "$status" -eq 0 ]
    [ "$stderr" = "tare report: rank 1 is missing: its process did not finish" ]
}

@test "directory_without_a_profile_is_refused" {
    mkdir empty
    run --separate-stderr "$TOOL" report empty
    assert_refused 1
    assert_says "no Tare profile in empty"
    run --separate-stderr "$TOOL" report not-there
    assert_refused 1
}

@test "file_cut_short_is_refused_with_its_name" {
    local bytes half
    bytes=$(stat -c %s MULTI__TIME/profile.1.0.0)
    for half in 0 40 $((bytes / 2)) $((bytes - 3)); do
        cp "$FIXTURES/two_ranks/MULTI__TIME/profile.1.0.0" MULTI__TIME/
        truncate -s "$half" MULTI__TIME/profile.1.0.0
        run --separate-stderr "$TOOL" report
        assert_refused 1
        assert_says "MULTI__TIME/profile.1.0.0"
    done
}

@test "file_with_a_word_for_a_number_is_refused" {
    sed -i 's/ 1000 1000 0 GROUP/ 1000 lots 0 GROUP/' MULTI__TIME/profile.0.0.0
    run --separate-stderr "$TOOL" report
    assert_refused 1
    assert_says "MULTI__TIME/profile.0.0.0"
    assert_says "lots"
}

@test "profile_lacking_a_metric_is_refused" {
    rm MULTI__COMPENSATED_TIME/profile.0.0.0
    run --separate-stderr "$TOOL" report
    assert_refused 1
    assert_says "MULTI__COMPENSATED_TIME/profile.0.0.0"
}

@test "file_of_another_run_is_refused" {
    sed -i 's/20240229-fixture/20250101-other/' MULTI__*/profile.1.0.0
    run --separate-stderr "$TOOL" report
    assert_refused 1
    assert_says "another run"
}

@test "file_of_another_tool_is_refused" {
    sed -i 's#<attribute><name>tare [^/]*</name><value>[^<]*</value></attribute>##g' MULTI__*/profile.0.0.0
    run --separate-stderr "$TOOL" report
    assert_refused 1
}

# A terminal of this many columns: on_terminal COLUMNS TERM ARGUMENTS
on_terminal() {
    local columns=$1 kind=$2
    shift 2
    script -qec "stty cols $columns; env TERM=$kind $(printf '%q ' "$TOOL" "$@")" /dev/null | tr -d '\r'
}

@test "narrow_terminal_leaves_columns_out_and_says_which" {
    command -v script > /dev/null || skip "script is not installed"
    run on_terminal 70 dumb report
    [ "$status" -eq 0 ]
    [ -z "$(grep -E '^ *[01]  ' <<< "$output" | awk 'length > 70')" ]
    [[ $output == *"incl-comp"* && $output == *"No room for:"*"comp-lo"* ]]
}

@test "wide_terminal_shows_everything_in_colour" {
    command -v script > /dev/null || skip "script is not installed"
    run on_terminal 200 xterm report
    [[ $output == *$'\x1b[1m'*"comp-hi"* && $output != *"No room for"* ]]
    NO_COLOR=1 run on_terminal 200 xterm report
    [[ $output != *$'\x1b'* ]]
}

@test "pipe_gets_every_column_and_no_colour" {
    TERM=xterm run "$TOOL" report
    [[ $output != *$'\x1b'* && $output == *comp-hi* && $output != *"No room for"* ]]
}

# What an upper bound is that grew beyond what a stamp can say: 2^60 ns more than the time.
@test "bound_that_is_none_is_said" {
    sed -i 's/^"tare bound hi : MPI_Recv()" .*/"tare bound hi : MPI_Recv()" 1 1 1 1152921504607751.9 1/' \
        MULTI__TIME/profile.1.0.0
    run "$TOOL" report
    [ "$status" -eq 0 ]
    [[ $(line 1 'MPI_Recv\(\)') == *" none 0.000" ]]
    need_jq
    run "$TOOL" report --json
    [ "$(value '.rows[] | select(.rank == 1 and .region == "MPI_Recv()") | .hi_ns > 1152921504607751000')" = true ]
}
