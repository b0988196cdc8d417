#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tare compare: what it says about two profiles written by hand, when it fails, and what it refuses.
# shellcheck disable=SC2154  # bats sets status, output, lines and stderr
load helpers

# b is a later run of a: `work` has two calls and 300 us more.
setup() {
    clean_environment
    cd "$BATS_TEST_TMPDIR" || return 1
    cp -r "$FIXTURES/two_ranks" a
    cp -r "$FIXTURES/two_ranks" b
    chmod -R u+w a b
    change_b 's/20240229-fixture/20240301-later/; s/"work" 10 0/"work" 12 0/'
    sed -i 's/ 1000 1000 0/ 1300 1300 0/; s/ 1200.5 0/ 1500.5 0/' b/MULTI__TIME/profile.0.0.0
    sed -i 's/ 800 800 0/ 1100 1100 0/; s/ 1000.375 0/ 1300.375 0/' b/MULTI__COMPENSATED_TIME/profile.0.0.0
}

# sed over all files of the second profile: change_b SCRIPT
change_b() {
    sed -i "$1" b/MULTI__*/*
}

need_jq() {
    command -v jq > /dev/null || skip "jq is not installed"
}

value() {
    jq -r "$1" <<< "$output"
}

# The line that begins so, blanks squeezed: line BEGINNING
line() {
    grep -E "^$1  " <<< "$output" | tr -s ' '
}

# The regions in the order of their lines
order() {
    awk '/^total/ { shown = 1; next } !NF || / more region/ { shown = 0 } shown { print $1 }' <<< "$output" | paste -s -d ' '
}

@test "line_holds_both_runs_difference_and_per_cent" {
    run --separate-stderr "$TOOL" compare a b
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    [ "$(line work)" = \
        "work 800.000 1100.000 +300.000 +37.50 800.000 1100.000 +300.000 +37.50 0.000 0.000 +0.000 +0.00 10 12 +2 +20.00" ]
    [ "$(line 'MPI_Send\(\)' | cut -d ' ' -f 2-5)" = "100.125 100.125 +0.000 +0.00" ]
}

@test "head_names_both_runs_and_the_total_is_first" {
    run "$TOOL" compare a b
    [ "${lines[0]}" = "A: Tare profile in a: 2 ranks, mode header, rule exact, run 20240229-fixture" ]
    [ "${lines[1]}" = "B: Tare profile in b: 2 ranks, mode header, rule exact, run 20240301-later" ]
    [ "$(tr -s ' ' <<< "${lines[3]}")" = "total 2000.875 2300.875 +300.000 +14.99 2000.875 2300.875 +300.000 +14.99 \
939.999 939.999 +0.000 +0.00 32 34 +2 +6.25" ]
}

@test "show_option_selects_what_is_compared" {
    run "$TOOL" compare a b --show=calls,wait
    [ "$(line work)" = "work 10 12 +2 +20.00 0.000 0.000 +0.000 +0.00" ]
    run "$TOOL" compare a b --show=all
    [ "$(line work | wc -w)" -eq 29 ]
    [ "$(line work | cut -d ' ' -f 18-)" = \
        "1000.000 1300.000 +300.000 +30.00 1000.000 1300.000 +300.000 +30.00 0.000 0.000 +0.000 +0.00" ]
}

@test "show_option_refuses_what_is_not_known" {
    local keys
    for keys in '' calls, ,calls colour calls,colour; do
        run --separate-stderr "$TOOL" compare a b --show="$keys"
        assert_refused 2
        assert_says "is not one of excl-comp, incl-comp, wait-comp, calls, excl, incl, wait, all"
    done
}

@test "sort_option_puts_its_largest_change_and_its_column_first" {
    run "$TOOL" compare a b
    [ "$(order)" = "work MPI_Recv() .TAU MPI_Send()" ]
    run "$TOOL" compare b a --sort=calls
    [ "$(order)" = "work MPI_Recv() MPI_Send() .TAU" ]
    [ "$(line work | cut -d ' ' -f 2-5)" = "12 10 -2 -16.67" ]
    run "$TOOL" compare a b --sort=region
    [ "$(order)" = ".TAU MPI_Recv() MPI_Send() work" ]
    run --separate-stderr "$TOOL" compare a b --sort=removed
    assert_refused 2
    assert_says "is not one of excl-comp, incl-comp, wait-comp, calls, excl, incl, wait, region"
}

@test "limit_option_says_what_is_left_out" {
    run "$TOOL" compare a b --limit=1
    [ "$(order)" = "work" ]
    [[ $output == *"3 more regions: --limit=0 shows all, --region=NAME one"* ]]
    run --separate-stderr "$TOOL" compare a b --limit=some
    assert_refused 2
}

@test "rank_option_compares_this_rank" {
    run "$TOOL" compare a b --rank=1
    [ "$(order)" = "MPI_Recv() .TAU" ]
    [ "$(line total | cut -d ' ' -f 2-5)" = "1000.500 1000.500 +0.000 +0.00" ]
    run --separate-stderr "$TOOL" compare a b --rank=7
    assert_refused 1
    assert_says "--rank=7: the profile in a has no such rank, the run had 2"
}

@test "region_option_knows_the_name_without_parentheses" {
    run "$TOOL" compare a b --region=MPI_Recv
    [ "$(order)" = "MPI_Recv()" ]
    run --separate-stderr "$TOOL" compare a b --region=nowhere
    assert_refused 1
    assert_says "--region=nowhere: neither profile has such a region"
}

@test "region_that_only_one_run_has_is_shown_and_counted" {
    change_b 's/"work"/"play"/; s/ : work"/ : play"/'
    run "$TOOL" compare a b
    [ "$status" -eq 0 ]
    [ "$(line work | cut -d ' ' -f 2-6)" = "800.000 - - only A" ]
    [ "$(line play | cut -d ' ' -f 2-6)" = "- 1100.000 - only B" ]
    [[ $output == *"1 region only in A"*"1 region only in B"* ]]
    need_jq
    run "$TOOL" compare a b --json
    [ "$(value '.rows[] | select(.region == "work") | [.calls_a, .calls_b, .calls_change, .calls_change_pct,
        .share_b_pct] | map(tostring) | join(" ")')" = "10 null null null null" ]
}

@test "region_that_takes_time_only_in_the_second_run_has_no_per_cent" {
    sed -i 's/"work" 10 0 800 800/"work" 10 0 0 800/' a/MULTI__COMPENSATED_TIME/profile.0.0.0
    run "$TOOL" compare a b --show=excl-comp
    [ "$(line work)" = "work 0.000 1100.000 +1100.000" ]
    run --separate-stderr "$TOOL" compare a b --max-change=1000
    [ "$status" -eq 1 ]
    assert_says "work from nothing"
}

@test "json_holds_everything_of_the_total_and_of_each_region" {
    need_jq
    run --separate-stderr "$TOOL" compare a b --json
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    [ "$(value 'keys_unsorted | join(" ")')" = "tare schema command mode rule rows" ]
    [ "$(value '[.schema, .command, .mode, .rule] | join(" ")')" = "1 compare header exact" ]
    [ "$(value '[.rows[].region] | map(tostring) | join(" ")')" = "null work MPI_Recv() .TAU application MPI_Send()" ]
    local names="region share_a_pct share_b_pct" key unit
    for key in excl_comp incl_comp wait_comp calls excl incl wait; do
        unit=_ns && [ $key = calls ] && unit=
        names+=" ${key}_a$unit ${key}_b$unit ${key}_change$unit ${key}_change_pct"
    done
    [ "$(value '[.rows[] | keys_unsorted | join(" ")] | unique | join("|")')" = "$names" ]
    [ "$(value '.rows[1] | [.excl_comp_a_ns, .excl_comp_b_ns, .excl_comp_change_ns, .excl_comp_change_pct] |
        map(tostring) | join(" ")')" = "800000 1100000 300000 37.5" ]
    [ "$(value '.rows[0] | [.incl_a_ns, .incl_b_ns, .wait_comp_change_ns, .share_a_pct] | map(tostring) |
        join(" ")')" = "2450500 2750500 0 100" ]
    [ "$(value '.rows[1].share_a_pct * 1000 | round')" -eq 39983 ]
}

@test "max_change_fails_only_beyond_its_value" {
    run --separate-stderr "$TOOL" compare a b --max-change=37.5
    [ "$status" -eq 0 ]
    run --separate-stderr "$TOOL" compare a b --max-change=37.4
    [ "$status" -eq 1 ]
    [ -n "$(line work)" ]
    [ "$stderr" = "tare compare: more than --max-change=37.4 % of compensated exclusive time: work by +37.50 %" ]
    run --separate-stderr "$TOOL" compare b a --max-change=27.2
    [ "$status" -eq 1 ]
    assert_says "work by -27.27 %"
    run --separate-stderr "$TOOL" compare b a --max-change=27.3
    [ "$status" -eq 0 ]
}

@test "max_change_looks_at_regions_that_are_not_shown" {
    run --separate-stderr "$TOOL" compare a b --limit=1 --sort=region --max-change=10
    [ "$status" -eq 1 ]
    [ -z "$(line work)" ]
    assert_says "work by"
}

@test "max_change_leaves_small_regions_alone" {
    run --separate-stderr "$TOOL" compare a b --max-change=1 --min-share=47.8
    [ "$status" -eq 1 ]
    run --separate-stderr "$TOOL" compare a b --max-change=1 --min-share=47.9
    [ "$status" -eq 0 ]
}

@test "max_change_counts_regions_that_came_and_went" {
    change_b 's/"work"/"play"/; s/ : work"/ : play"/'
    run --separate-stderr "$TOOL" compare a b --max-change=1000
    [ "$status" -eq 1 ]
    assert_says ": play is new"
    run --separate-stderr "$TOOL" compare a b --max-change=99
    assert_says "play is new, work is gone"
}

@test "max_change_names_three_regions_and_counts_the_others" {
    sed -i -E '/^"/s/ [0-9.]+ ([0-9.]+ 0 GROUP)/ 300 \1/' b/MULTI__COMPENSATED_TIME/*
    run --separate-stderr "$TOOL" compare a b --max-change=1
    [ "$status" -eq 1 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    assert_says ", and 1 more region"
}

@test "value_that_is_no_per_cent_is_refused" {
    local value
    for value in -1 much nan ''; do
        run --separate-stderr "$TOOL" compare a b --max-change="$value"
        assert_refused 2
        assert_says "--max-change=$value is not a number of per cent from 0 on"
    done
    run --separate-stderr "$TOOL" compare a b --min-share=101
    assert_refused 2
    assert_says "from 0 to 100"
}

@test "runs_that_were_not_taken_alike_get_one_warning" {
    change_b 's#<value>header<#<value>datatype<#; s#<value>exact<#<value>local<#'
    run --separate-stderr "$TOOL" compare a b
    [ "$status" -eq 0 ]
    [ "$stderr" = "tare compare: the runs differ in mode (header and datatype), rule (exact and local), so their times \
are not of the same thing" ]
    [ -n "$(line work)" ]
    need_jq
    run --separate-stderr "$TOOL" compare a b --json
    [ "$(value '[.mode, .rule] | join("; ")')" = "header, datatype; exact, local" ]
}

@test "runs_of_different_ranks_get_a_warning_and_missing_ranks_another" {
    change_b 's#<name>tare ranks</name><value>2<#<name>tare ranks</name><value>4<#'
    run --separate-stderr "$TOOL" compare a b
    [ "$status" -eq 0 ]
    [ "${#stderr_lines[@]}" -eq 2 ]
    assert_says "b: ranks 2, 3 are missing"
    assert_says "the runs differ in ranks (2 and 4)"
}

@test "number_of_directories_that_is_not_two_is_refused" {
    run --separate-stderr "$TOOL" compare
    assert_refused 2
    assert_says "two directories are needed"
    run --separate-stderr "$TOOL" compare a
    assert_refused 2
    run --separate-stderr "$TOOL" compare a b c
    assert_refused 2
    assert_says "'c' is too many"
}

@test "profile_that_is_not_there_or_damaged_is_refused_by_name" {
    run --separate-stderr "$TOOL" compare a nowhere
    assert_refused 1
    assert_says "no Tare profile in nowhere"
    truncate -s 300 b/MULTI__MPI_WAIT_TIME/profile.1.0.0
    run --separate-stderr "$TOOL" compare a b
    assert_refused 1
    assert_says "b/MULTI__MPI_WAIT_TIME/profile.1.0.0"
    run --separate-stderr "$TOOL" compare b a
    assert_refused 1
}

@test "profile_of_two_runs_is_refused" {
    cp a/MULTI__TIME/profile.1.0.0 b/MULTI__TIME/
    run --separate-stderr "$TOOL" compare a b
    assert_refused 1
    assert_says "belongs to another run"
    local folder
    for folder in a/MULTI__*; do cp "$folder/profile.1.0.0" "b/${folder#a/}/"; done
    run --separate-stderr "$TOOL" compare a b
    assert_refused 1
    assert_says "b/MULTI__TIME/profile.1.0.0 belongs to another run than b/MULTI__TIME/profile.0.0.0 beside it"
}

@test "profile_of_another_tool_is_refused" {
    change_b 's#<attribute><name>tare [^/]*</name><value>[^<]*</value></attribute>##g'
    run --separate-stderr "$TOOL" compare a b
    assert_refused 1
    assert_says "does not say that Tare wrote"
}

@test "region_name_with_other_bytes_stays_one_line_and_valid_json" {
    change_b 's/"work"/"wo\x01rk\xff"/; s/: work"/: wo\x01rk\xff"/'
    run "$TOOL" compare a b
    [[ $output == *"wo?rk"* ]]
    run --separate-stderr "$TOOL" compare a b --max-change=1
    [ "$status" -eq 1 ]
    assert_says "wo?rk"
    need_jq
    run "$TOOL" compare a b --json
    [ "$(value '.rows | length')" -eq 6 ]
}

# A terminal of this many columns: on_terminal COLUMNS ARGUMENTS
on_terminal() {
    local columns=$1
    shift
    script -qec "stty cols $columns; env TERM=dumb $(printf '%q ' "$TOOL" "$@")" /dev/null | tr -d '\r'
}

@test "narrow_terminal_keeps_the_first_quantity_whole" {
    command -v script > /dev/null || skip "script is not installed"
    run on_terminal 78 compare a b
    [ "$status" -eq 0 ]
    [[ $output == *"excl-comp-A  excl-comp-B"*"No room for:"*"calls-A"* ]]
    [ "$(line work | cut -d ' ' -f 2-5)" = "800.000 1100.000 +300.000 +37.50" ]
    [ -z "$(awk '/^(region|total|work)/ && length > 78' <<< "$output")" ]
}
