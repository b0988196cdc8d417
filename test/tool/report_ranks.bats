#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tare report over ranks: sums, imbalance, waiting before and after, and what is left out of a long report.
# shellcheck disable=SC2154  # bats sets status, output, lines and stderr
load helpers
: "${MAKER:?run by make check}"

setup_file() {
    "$MAKER" "$BATS_FILE_TMPDIR/small" 2 60 0
    "$MAKER" "$BATS_FILE_TMPDIR/many" 64 30 0
}

setup() {
    in_a_copy_of two_ranks
}

need_jq() {
    command -v jq > /dev/null || skip "jq is not installed"
}

# jq over the report's JSON: value FILTER
value() {
    jq -r "$1" <<< "$output"
}

# The line that begins so, blanks squeezed: line BEGINNING
line() {
    grep -E "^ *$1  " <<< "$output" | tr -s ' ' | sed 's/^ //'
}

# The regions in the order of their lines
order() {
    awk '/^region/ { shown = 1; next } !NF { shown = 0 } shown { print $1 }' <<< "$output" | paste -s -d ' '
}

# Rank 0 gets a second thread that did what rank 1 did.
second_thread() {
    local folder
    for folder in MULTI__*; do cp "$folder/profile.1.0.0" "$folder/profile.0.0.1"; done
}

@test "waiting_of_few_ranks_is_part_of_the_report" {
    run "$TOOL" report
    [ "$(line 'all ranks')" = "all ranks 1190.000 939.999 -250.001 -21.01 48.56 46.98" ]
    [ "$(line mean)" = "mean 595.000 469.999 -125.001 -21.01 48.56 46.98" ]
    [ "$(line 'min \(rank 0\)')" = "min (rank 0) 50.000 49.999 -0.001 -0.00 4.16 5.00" ]
    [ "$(line 'max \(rank 1\)')" = "max (rank 1) 1140.000 890.000 -250.000 -21.93 91.20 88.96" ]
    [ "$(line 'rank 0')" = "rank 0 50.000 49.999 -0.001 -0.00 4.16 5.00" ]
    [ "$(line 'rank 1')" = "rank 1 1140.000 890.000 -250.000 -21.93 91.20 88.96" ]
}

@test "waiting_is_left_out_where_a_part_was_asked_for_or_nothing_waited" {
    run "$TOOL" report --rank=1
    [[ $output != *"waiting in MPI"* ]]
    run "$TOOL" report --region=work
    [[ $output != *"waiting in MPI"* ]]
    sed -i -E '/^"/s/[0-9.]+ [0-9.]+ 0 GROUP/0 0 0 GROUP/' MULTI__*WAIT_TIME/*
    run "$TOOL" report
    [ "$status" -eq 0 ]
    [[ $output != *"waiting in MPI"* ]]
}

@test "waiting_before_and_after_may_be_least_on_different_ranks" {
    sed -i 's/ 890 0 GROUP/ 1 0 GROUP/; s/ 890 1 0 / 1 1 0 /' MULTI__COMPENSATED_MPI_WAIT_TIME/profile.1.0.0
    run "$TOOL" report --waiting
    [ "$(line 'min \(ranks 0, 1\)')" = "min (ranks 0, 1) 50.000 1.000 -49.000 -98.00 4.16 0.10" ]
    [ "$(line 'max \(ranks 1, 0\)')" = "max (ranks 1, 0) 1140.000 49.999 -1090.001 -95.61 91.20 5.00" ]
}

@test "waiting_of_one_rank_has_no_summary" {
    run "$TOOL" report --waiting --rank=1
    [ "$status" -eq 0 ]
    [[ $output != *"all ranks"* ]]
    [ "$(line 'rank 1')" = "rank 1 1140.000 890.000 -250.000 -21.93 91.20 88.96" ]
}

@test "waiting_in_one_region_is_a_share_of_all_the_time" {
    run "$TOOL" report --waiting --region=MPI_Send
    [ "$(line 'rank 0')" = "rank 0 50.000 49.999 -0.001 -0.00 4.16 5.00" ]
    [ "$(line 'rank 1')" = "rank 1 0.000 0.000 +0.000 +0.00 0.00 0.00" ]
    [[ $output == *"blocked in MPI_Send,"* ]]
}

@test "waiting_as_json_holds_every_rank" {
    need_jq
    second_thread
    run --separate-stderr "$TOOL" report --waiting --json
    [ "$(value '[.schema, .command, .mode, .rule] | join(" ")')" = "1 report header exact" ]
    [ "$(value '.rows[0] | keys_unsorted | join(" ")')" = "rank incl_ns incl_comp_ns wait_ns wait_comp_ns" ]
    [ "$(value '.rows[] | map(.) | join(" ")')" = "0 2450500 2000875 1190000 939999
1 1250000 1000500 1140000 890000" ]
}

@test "waiting_of_64_ranks_is_a_summary_until_it_is_asked_for" {
    cd "$BATS_FILE_TMPDIR/many"
    run "$TOOL" report
    [ -n "$(line 'all ranks')" ]
    [ "$(grep -cE '^rank [0-9]+ ' <<< "$output")" -eq 0 ]
    [[ $output == *"Each of the 64 ranks: --waiting"* ]]
    run "$TOOL" report --waiting
    [ "$(grep -cE '^rank [0-9]+ ' <<< "$output")" -eq 64 ]
    run "$TOOL" report --waiting --limit=3 --sort=wait
    [ "$(grep -oE '^rank [0-9]+ ' <<< "$output" | paste -s -d ' ')" = "rank 7  rank 15  rank 23 " ]
    [[ $output == *$'\nall ranks '*"61 more ranks: --limit=0 shows all"* ]]
}

@test "imbalance_is_max_over_mean_less_one" {
    run "$TOOL" report --imbalance
    [ "$status" -eq 0 ]
    [ "$(line work)" = "work 1 0.000 1 400.000 800.000 0 400.000 100.00" ]
    [ "$(line '\.TAU application')" = ".TAU application 2 100.000 1 100.125 100.250 0 0.125 0.12" ]
    [[ $output == *"imbalance: max / mean - 1"* ]]
}

@test "imbalance_takes_the_threads_of_a_rank_together" {
    second_thread
    run "$TOOL" report --imbalance --region=.TAU\ application
    [ "$(line '\.TAU application')" = ".TAU application 2 100.000 1 150.125 200.250 0 50.125 33.39" ]
}

@test "imbalance_as_json_has_ranks_and_nothing_where_there_is_no_mean" {
    need_jq
    sed -i 's/"work" 10 0 800 800/"work" 10 0 0 800/' MULTI__COMPENSATED_TIME/profile.0.0.0
    run "$TOOL" report --imbalance --json
    [ "$(value '[.rows[] | keys_unsorted | join(" ")] | unique | join("|")')" = \
        "region ranks min_ns min_rank mean_ns max_ns max_rank excess_ns imbalance_pct" ]
    [ "$(value '.rows[] | select(.region == "MPI_Recv()") | map(.) | join(" ")')" = \
        "MPI_Recv() 1 0 0 450250 900500 1 450250 100" ]
    [ "$(value '.rows[] | select(.region == "work") | .imbalance_pct')" = null ]
}

@test "imbalance_is_in_the_order_that_was_asked_for" {
    run "$TOOL" report --imbalance
    [ "$(order)" = "MPI_Recv() work MPI_Send() .TAU" ]
    run "$TOOL" report --imbalance --sort=min
    [ "$(order)" = ".TAU MPI_Recv() MPI_Send() work" ]
    run "$TOOL" report --imbalance --sort=region --limit=2
    [ "$(order | cut -d ' ' -f 1-2)" = ".TAU MPI_Recv()" ]
    [[ $output == *"2 more regions: --limit=0 shows all"* ]]
}

@test "sum_takes_ranks_and_threads_together" {
    second_thread
    run "$TOOL" report --sum
    [ "$(line 'MPI_Recv\(\)')" = \
        "MPI_Recv() 20 2301.000 1801.000 2301.000 1801.000 2280.000 1780.000 500.000 1780.500 1810.250 0.000" ]
    need_jq
    run "$TOOL" report --sum --json --region=.TAU\ application
    [ "$(value '.rows[] | map(tostring) | join(" ")')" = "null null .TAU application 3 3700500 299250 3001375 300250 \
2330000 1829999 699125 -1000 3001375 3001375" ]
    run "$TOOL" report --sum --rank=0 --json --region=MPI_Recv
    [ "$(value '.rows[] | .calls')" = 10 ]
}

@test "few_threads_are_shown_each_and_many_together" {
    run "$TOOL" report "$BATS_FILE_TMPDIR/small"
    [[ $output == *$'\nrank  region'* && $output != *"ranks and threads together"* ]]
    run "$TOOL" report "$BATS_FILE_TMPDIR/many"
    [[ $output == *"All 64 ranks and threads together"*$'\nregion'* ]]
    run "$TOOL" report "$BATS_FILE_TMPDIR/many" --each --limit=2
    [ "$(grep -cE '^ +[0-9]+  app::' <<< "$output")" -eq 128 ]
    run "$TOOL" report "$BATS_FILE_TMPDIR/many" --rank=63
    [ "$(grep -cE '^ +63  ' <<< "$output")" -eq 25 ]
    run "$TOOL" report "$BATS_FILE_TMPDIR/many" --region='MPI_Call_9'
    [ "$(grep -cE '^ +[0-9]+  MPI_Call_9\(\)' <<< "$output")" -eq 64 ]
}

@test "long_report_says_how_much_is_left_out_and_how_to_see_it" {
    cd "$BATS_FILE_TMPDIR/small"
    run "$TOOL" report
    [ "$(grep -cE '^ +[01]  ' <<< "$output")" -eq 50 ]
    [[ $output == *"72 more lines, smaller ones: --limit=0 shows all, --region=NAME one"* ]]
    run "$TOOL" report --limit=0
    [ "$(grep -cE '^ +[01]  ' <<< "$output")" -eq 122 ]
    [[ $output != *" more "* ]]
    run "$TOOL" report --limit=60 --sort=region
    [[ $output == *"2 more lines, further in the alphabet"* ]]
}

@test "limit_keeps_the_largest" {
    run "$TOOL" report --limit=1
    [ "$(grep -E '^ +[01]  ' <<< "$output" | awk '{print $2}' | paste -s -d ' ')" = "work MPI_Recv()" ]
    run "$TOOL" report --limit=1 --sort=wait
    [ "$(grep -E '^ +[01]  ' <<< "$output" | awk '{print $2}' | paste -s -d ' ')" = ".TAU .TAU" ]
}

@test "json_is_whole_unless_a_limit_says_less" {
    need_jq
    run "$TOOL" report --json "$BATS_FILE_TMPDIR/many"
    [ "$(value '.rows | length')" -eq $((64 * 31)) ]
    [ "$(value '[.rows[] | .incl_ns - .incl_comp_ns - .removed_ns] | unique | tostring')" = "[0]" ]
    run "$TOOL" report --json --limit=2 "$BATS_FILE_TMPDIR/many"
    [ "$(value '.rows | length')" -eq 128 ]
}

@test "json_of_no_row_is_a_list" {
    need_jq
    local metric
    for metric in MULTI__*; do
        sed -i -E '1s/^[0-9]+/0/; /^"/d; /userevents$/d; /^# eventname/d' "$metric/profile.0.0.0"
        rm "$metric/profile.1.0.0"
    done
    run --separate-stderr "$TOOL" report --json
    [ "$status" -eq 0 ]
    [ "$(value '.rows | tostring')" = "[]" ]
}

# A terminal of this many columns: on_terminal COLUMNS ARGUMENTS
on_terminal() {
    local columns=$1
    shift
    script -qec "stty cols $columns; env TERM=dumb $(printf '%q ' "$TOOL" "$@")" /dev/null | tr -d '\r'
}

@test "long_name_on_a_narrow_terminal_loses_its_arguments_and_then_its_beginning" {
    command -v script > /dev/null || skip "script is not installed"
    run on_terminal 80 report --sum --limit=1 "$BATS_FILE_TMPDIR/small"
    [[ $output == *$'\n...::level_0::kernel_0()  '* ]]
    run on_terminal 120 report --imbalance --limit=1 "$BATS_FILE_TMPDIR/small"
    [[ $output == *$'\napp::solver<double>::level_0::kernel_0()  '* ]]
    local name
    name=$(printf 'äöü%.0s' {1..20})
    sed -i "s/\"work\"/\"$name\"/; s/: work\"/: $name\"/" MULTI__*/profile.0.0.0
    run on_terminal 70 report
    [[ $output == *"  ..."*"äöü  "* && $output != *"$name"* ]]
    iconv -f UTF-8 -t UTF-8 <<< "$output" > /dev/null
}

@test "tables_that_exclude_each_other_are_refused" {
    run --separate-stderr "$TOOL" report --sum --imbalance
    assert_refused 2
    assert_says "--sum and --imbalance are different tables"
    run --separate-stderr "$TOOL" report --imbalance --rank=0
    assert_refused 2
    assert_says "takes no --rank"
}

@test "key_of_another_table_is_refused_with_those_of_this_one" {
    run --separate-stderr "$TOOL" report --sort=excl --imbalance
    assert_refused 2
    assert_says "--sort=excl is not one of excess, min, mean, max, imbalance, region"
    run --separate-stderr "$TOOL" report --waiting --sort=region
    assert_refused 2
    assert_says "is not one of rank, wait, wait-comp, change"
}

@test "limit_that_is_no_number_is_refused" {
    local limit
    for limit in -1 few 1.5 99999999999 ''; do
        run --separate-stderr "$TOOL" report --limit="$limit"
        assert_refused 2
        assert_says "--limit=$limit is not a whole number from 0 on"
    done
}

@test "report_that_cannot_be_written_fails" {
    [ -e /dev/full ] || skip "there is no /dev/full"
    run --separate-stderr bash -c "'$TOOL' report > /dev/full"
    [ "$status" -eq 1 ]
    assert_says "cannot write the output: "
    run --separate-stderr bash -c "'$TOOL' report --json '$BATS_FILE_TMPDIR/many' > /dev/full"
    [ "$status" -eq 1 ]
    assert_says "cannot write the output: "
}
