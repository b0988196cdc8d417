#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tare report --callpath: the tree of call paths, and that nothing else counts them.
# shellcheck disable=SC2154  # bats sets status, output, lines and stderr
load helpers

setup() {
    clean_environment
    cp -r "$FIXTURES/two_ranks" "$BATS_TEST_TMPDIR/run"
    chmod -R u+w "$BATS_TEST_TMPDIR/run"
    cp -r "$BATS_TEST_TMPDIR/run" "$BATS_TEST_TMPDIR/flat"
    cd "$BATS_TEST_TMPDIR/run" || return 1
    add_path '.TAU application => MPI_Send()' MPI 6 60 50 4 3
    add_path '.TAU application => work' TAU_USER 10 1000 800 0 0
    add_path '.TAU application => work => MPI_Send()' MPI 3 30 25 2 1
    add_path 'helper => work => MPI_Send()' MPI 1 10 5 1 1
}

# The lines of the tree, without the blanks between the columns.
tree() {
    grep -E '^ *[01]  ' <<< "$output" | sed -E 's/^ *([01])  /\1|/; s/([^ |])  +/\1 /g; s/[|]/ /'
}

value() { jq -r "$1" <<< "$output"; }

# Ranks 2 to 9, which did what rank 0 did.
more_ranks() {
    local folder rank
    for folder in MULTI__*; do
        for rank in {2..9}; do cp "$folder/profile.0.0.0" "$folder/profile.$rank.0.0"; done
    done
    sed -i 's#<name>tare ranks</name><value>2<#<name>tare ranks</name><value>10<#' MULTI__*/profile.*
}

need_jq() {
    command -v jq > /dev/null || skip "jq is not installed"
}

@test "other_tables_do_not_count_paths" {
    local options
    for options in "" --each --sum --imbalance --waiting --callsites --messages --json "--sum --json" \
        --region=MPI_Send; do
        # shellcheck disable=SC2086  # words of a command
        run "$TOOL" report $options
        [ "$status" -eq 0 ]
        # shellcheck disable=SC2086
        [ "$output" = "$(cd ../flat && "$TOOL" report $options)" ] || { echo "$options: $output"; return 1; }
    done
    run "$TOOL" compare --json ../flat .
    [ "$status" -eq 0 ]
    [ "$output" = "$("$TOOL" compare --json ../flat ../flat)" ]
}

@test "tree_is_indented_and_has_the_largest_inclusive_time_first" {
    run "$TOOL" report --callpath
    [ "$status" -eq 0 ]
    [[ $output == *"  call path  "* ]]
    [ "$(tree | sed -E 's/^(0 *[A-Z._()a-z ]*[a-z)]) [0-9. ]*$/\1/')" = "\
0 .TAU application
0   work
0     MPI_Send()
0   MPI_Send()
0 helper
0   work
0     MPI_Send()" ]
}

@test "line_of_a_path_holds_its_figures" {
    run "$TOOL" report --callpath
    [ "$(tree | sed -n 4p)" = "0   MPI_Send() 6 60.000 50.000 60.000 50.000 4.000 3.000 10.000 50.000 50.000 0.000" ]
    [ "$(tree | sed -n 5p)" = "0 helper" ]
}

@test "root_of_a_tree_has_the_figures_of_the_flat_profile" {
    run "$TOOL" report --region='.TAU application' --rank=0
    local flat
    flat=$(tree)
    run "$TOOL" report --callpath
    [ "$(tree | head -n 1)" = "$flat" ]
}

@test "sort_option_orders_siblings" {
    run "$TOOL" report --callpath --sort=wait
    [ "$(tree | sed -n 2p | cut -d ' ' -f 4)" = "MPI_Send()" ]
    run "$TOOL" report --callpath --sort=calls
    [ "$(tree | sed -n 2p | cut -d ' ' -f 4)" = "work" ]
    run "$TOOL" report --callpath --sort=region
    [ "$(tree | sed -n 2p | cut -d ' ' -f 4)" = "MPI_Send()" ]
    run --separate-stderr "$TOOL" report --callpath --sort=excess
    assert_refused 2
    assert_says "--sort=excess is not one of incl, incl-comp, calls,"
}

@test "limit_counts_paths_and_shows_what_leads_to_them" {
    run "$TOOL" report --callpath --limit=1
    [ "$(tree | cut -d ' ' -f 2-4 | paste -s -d '|')" = ".TAU application 1|  work" ]
    [[ $output == *"3 more paths, smaller ones: --limit=0 shows all, --region=NAME one"* ]]
    # Those with the most waiting: under the root and under work, which is shown with its figures.
    run "$TOOL" report --callpath --limit=2 --sort=wait
    [ "$(tree | wc -l)" -eq 4 ]
    [ "$(tree | sed -n 3p)" = "0   work 10 1000.000 800.000 1000.000 800.000 0.000 0.000 200.000 800.000 800.000 0.000" ]
    [[ $output == *"1 more path, smaller ones"* ]]
    run "$TOOL" report --callpath --limit=2 --region=MPI_Send
    [ "$(tree | wc -l)" -eq 4 ]
    [[ $output == *"1 more path, smaller ones"* ]]
    run "$TOOL" report --callpath --limit=4
    [ "$(tree | wc -l)" -eq 7 ]
    [[ $output != *" more path"* ]]
    need_jq
    run "$TOOL" report --callpath --limit=2 --sort=wait --json
    [ "$(value '[.rows[].wait_ns] | join(" ")')" = "4000 2000" ]
}

@test "many_ranks_are_taken_together_unless_one_is_named" {
    more_ranks
    run "$TOOL" report --callpath
    [ "$status" -eq 0 ]
    [[ $output == *"All 10 ranks and threads together; one rank: --rank=N"*$'\ncall path '* ]]
    grep -qE '^[.]TAU application +10 +12[.]05[45] ' <<< "$output"
    grep -qE '^  MPI_Send\(\) +54 +0[.]540 +0[.]450 ' <<< "$output"
    grep -qE '^    MPI_Send\(\) +27 +0[.]270 ' <<< "$output"
    run "$TOOL" report --callpath --rank=9
    [ "$(grep -cE '^ +9  ' <<< "$output")" -eq 7 ]
    need_jq
    run "$TOOL" report --callpath --json
    [ "$(value '[.rows[].rank] | unique | join(" ")')" = "0 2 3 4 5 6 7 8 9" ]
    [ "$(value '.rows | length')" -eq 36 ]
}

@test "tree_and_another_table_are_refused" {
    run --separate-stderr "$TOOL" report --callpath --sum
    assert_refused 2
    assert_says "--callpath and --sum are different tables"
}

@test "region_option_shows_the_ways_to_it" {
    run "$TOOL" report --callpath --region=work
    [ "$(tree | wc -l)" -eq 2 ]
    run "$TOOL" report --callpath --region=MPI_Send
    [ "$(tree | wc -l)" -eq 7 ]
}

@test "region_without_a_path_is_refused" {
    run --separate-stderr "$TOOL" report --callpath --region=wrk
    assert_refused 1
    assert_says "did you mean 'work'"
    run --separate-stderr "$TOOL" report --callpath --region='.TAU application'
    assert_refused 1
    assert_says "--region=.TAU application: the profile in . has no call path to such a region"
    run --separate-stderr "$TOOL" report --callpath --rank=1
    assert_refused 1
    assert_says "no call paths on rank 1: TARE_CALLPATH=DEPTH records them"
}

@test "profile_without_paths_is_refused" {
    run --separate-stderr "$TOOL" report --callpath "$FIXTURES/two_ranks"
    assert_refused 1
    assert_says "has no call paths: TARE_CALLPATH=DEPTH records them"
}

@test "json_rows_carry_the_path_and_its_innermost_region" {
    need_jq
    run --separate-stderr "$TOOL" report --callpath --json
    [ "$(value '[.rows[] | keys_unsorted | join(" ")] | unique | join("|")')" = \
        "rank thread region calls incl_ns excl_ns incl_comp_ns excl_comp_ns wait_ns wait_comp_ns \
removed_ns residue_ns lo_ns hi_ns path" ]
    [ "$(value '[.rows[].path] | join("|")')" = ".TAU application => work|.TAU application => MPI_Send()|\
.TAU application => work => MPI_Send()|helper => work => MPI_Send()" ]
    [ "$(value '[.rows[].region] | join("|")')" = "work|MPI_Send()|MPI_Send()|MPI_Send()" ]
    [ "$(value '[.rows[].removed_ns] | join(" ")')" = "200000 10000 5000 5000" ]
}

@test "path_that_is_shorter_in_one_metric_is_refused" {
    sed -i '/helper/d; s/^7 /6 /' MULTI__MPI_WAIT_TIME/profile.0.0.0
    run --separate-stderr "$TOOL" report --callpath
    assert_refused 1
    assert_says "MULTI__MPI_WAIT_TIME/profile.0.0.0 does not hold the same functions"
}

@test "very_deep_path_says_its_depth_instead_of_a_long_indentation" {
    local name=.TAU\ application
    for level in $(seq 29); do name="$name => level$level"; done
    add_path "$name => work" TAU_USER 1 1 1 0 0
    run "$TOOL" report --callpath --region=work
    [ "$(tree | tail -n 1 | grep -c '\[30\] work 1 1.000')" -eq 1 ]
}

@test "narrow_terminal_keeps_the_tree" {
    command -v script > /dev/null || skip "script is not installed"
    add_path '.TAU application => work => function_whose_name_is_longer_than_its_column' TAU_USER 1 1 1 0 0
    run script -qec "stty cols 60; env TERM=dumb $(printf '%q ' "$TOOL" report --callpath)" /dev/null
    output=$(tr -d '\r' <<< "$output")
    [ -z "$(grep -E '^ *[01]  ' <<< "$output" | awk 'length > 60')" ]
    [[ $output == *"    MPI_Send()"* ]]
    [[ $output == *"0      ..."*"_its_column "* ]]
}
