#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154  # bats sets status and output
# The program around the simulation of many processes: its words, its table, its exit status.

setup() {
    scale=${TARE_SCALE:-./tare_scale}
}

# refused SENTENCE WORD...
refused() {
    local sentence=$1
    shift
    run "$scale" "$@"
    echo "$output"
    [ "$status" -eq 2 ]
    [ "$output" = "tare_scale: $sentence" ]
}

# cell NAME: of the first line behind the head
cell() {
    awk -F '\t' -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
        NR == 2 { print $at }' <<<"$output"
}

@test "combinations_of_values_are_played_the_last_name_first" {
    run "$scale" pattern=tree processes=4,8 rule=exact,local
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 5 ]
    [ "$(cut -f 1,2,4 <<<"$output" | tail -n +2 | tr '\t\n' '  ')" = \
        "tree 4 exact tree 4 local tree 8 exact tree 8 local " ]
}

@test "line_holds_what_was_played_and_what_is_left" {
    run "$scale" processes=64 calibration=10 who=all spread_us=0 per_host=1 steps=1
    [ "$status" -eq 0 ]
    [ "$(cell processes)" = 64 ]
    [ "$(cell calibration)" = 10 ]
    [ "$(cell dilation_ns)" = 21200 ]
    [ "$(cell error_ns)" = 2120 ]
    [ "$(cell left)" = 10 ]
}

@test "no_head_leaves_the_names_out" {
    run "$scale" --no-head processes=2
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 1 ]
    [[ $output == "dissemination	2	"* ]]
}

@test "bad_words_are_refused_with_one_sentence_and_nothing_is_played" {
    refused "argument:1: 'fast' is not NAME=VALUE[,VALUE]..." fast
    refused "argument:2: 'speed' is no parameter; 'tare_scale --list' names all" processes=2 speed=1
    refused "argument:1: rule must be exact, published or local, not 'best'" rule=exact,best
    refused "argument:1: processes must be a whole number from 2 to 2097152, not '1'" processes=1
    refused "argument:1: jitter_ns must be a number from 0 to 1e+09, not 'much'" jitter_ns=much
    refused "argument:1: pattern must be tree, dissemination, ring, stencil2 or stencil3, not 'star'" pattern=star
    refused "a stencil needs a power of two of processes, not 12" pattern=stencil2 processes=12
    refused "stamp=short is for 262144 processes at most: libfabric has no bits for more" stamp=short processes=262145
}

@test "matrix_holds_means_of_sizes_by_two_columns" {
    run awk -f "$BATS_TEST_DIRNAME/scale.awk" -v x=n -v y=e -v by=pattern -v size=1 -v where=rule=exact \
        -v factor=10 <<'END'
pattern	n	rule	e
tree	4	exact	1
tree	4	exact	-2
ring	4	exact	7
tree	4	local	100
tree	16	exact	5
END
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "x	tree	ring" ]
    [ "${lines[1]}" = "4	15	70" ]
    [ "${lines[2]}" = "16	50	nan" ]
}

@test "list_names_every_column" {
    run "$scale" --list
    [ "$status" -eq 0 ]
    list=$output
    for name in $("$scale" processes=2 | head -n 1); do
        grep -q "^  $name " <<<"$list"
    done
}
