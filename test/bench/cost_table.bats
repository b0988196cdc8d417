#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154  # set by the Makefile and by bats
# The arithmetic of build-aux/cost. No MPI.
load helper

# computed FORM [MACHINE]: from samples on stdin
computed() {
    awk -v form="$1" -v version=1.2.3 -v machine="${2:-0 0 0 0 500 0 1000 500}" \
        -f "$top_srcdir/build-aux/samples.awk" -f "$top_srcdir/build-aux/cost.awk"
}

# samples DECLARED CASE OFF HEADER: five rounds in which a build takes so many times what the unpatched one does
samples() {
    local round
    for round in 1.00 1.04 0.98 3.00 1.01; do
        awk -v key="$1 $2" -v us="$round" -v off="$3" -v header="$4" \
            'BEGIN { print key, "unpatched", us; print key, "off", us * off; print key, "header", us * header }'
    done
}

@test "row_holds_medians_ratios_and_the_mark" {
    run computed table < <(samples none 8 1.01 1.02)
    echo "$output"
    [[ $status -eq 0 ]]
    row="none      8 B              1.0100    1.0201    1.0302    1.010   1.010     1.020   1.020   1.020  yes"
    [[ ${lines[3]} == "$row" ]]
}

@test "bound_of_rounds_that_are_slower_together_is_the_ratio" {
    run computed json < <(samples event 1048576 1 1.5)
    jq -e '.rows[2] | .build == "header" and .ratio == 1.5 and .upper == 1.5 and .mark == 1.01 and .holds == false' \
        <<<"$output"
}

# The unpatched build takes 1, 2 and 3 us, as the machine is: 1.1 times that in two of three rounds.
@test "ratio_is_the_median_of_those_of_the_rounds" {
    run computed json < <(for us in "1 1.1" "2 2" "3 3.3"; do
        printf 'none 8 %s\n' "unpatched ${us% *}" "off ${us% *}" "header ${us#* }"
    done)
    jq -e '.rows[2] | .median_us == 2 and .ratio == 1.1' <<<"$output"
}

# Six of eleven rounds at 1.1, five at 1: a drawn median is 1.1 or 1, and 1.1 in more than 5 of 100 draws.
@test "bound_of_rounds_that_differ_is_above_the_ratio" {
    run computed json < <(for ((i = 0; i < 11; i++)); do
        printf 'none 8 %s\n' "unpatched 1" "off 1" "header $((i < 5 ? 11 : 10))e-1"
    done)
    jq -e '.rows[2] | .ratio == 1 and .upper == 1.1 and .holds == false' <<<"$output"
    jq -e '.rows[1] | .ratio == 1 and .upper == 1' <<<"$output"
}

@test "mark_is_missed_by_one_in_a_thousand" {
    for case in "8 1.021" "1024 1.016" "65536 1.011" "1048576 1.011" "barrier 1.051"; do
        read -r name ratio <<<"$case"
        run computed table < <(samples none "$name" 1 "$ratio")
        [[ ${lines[3]} == *" NO" ]]
        run computed table < <(samples event "$name" 1 "$(awk "BEGIN { print $ratio - 0.002 }")")
        [[ ${lines[3]} == *" yes" ]]
    done
}

@test "mark_is_not_asked_of_overhead_nor_of_messages" {
    for case in "overhead 8" "none messages"; do
        # shellcheck disable=SC2086  # words on purpose
        run computed table < <(samples $case 1 2)
        [[ ${lines[3]} == *"2.000   2.000" ]]
    done
}

@test "json_holds_the_samples_in_their_order" {
    run computed json < <(samples none 8 1.01 1.02)
    jq -e '.tare == "1.2.3" and .schema == 1 and .command == "cost" and .others_pct == 0
        and [.rows[].build] == ["unpatched", "off", "header"]
        and .rows[0].samples_us == [1, 1.04, 0.98, 3, 1.01] and .rows[0].median_us == 1.01' <<<"$output"
}

@test "samples_that_are_missing_end_with_one_sentence" {
    run --separate-stderr computed table < <(samples none 8 1 1 | sed '$d')
    [[ $status -eq 1 ]]
    assert_sentence "cost: none 8: 4 samples of header and 5 of unpatched"
}

@test "other_load_is_noted" {
    run computed table "10 0 100 10 540 0 1100 520" < <(samples none 8 1 1)
    [[ $output == *"Other programs took 2.0 % of the cores' time, the host of a virtual machine 0.0 %."* ]]
    [[ $output != *note:* ]]
    run computed table "10 0 100 10 540 1 1100 520" < <(samples none 8 1 1)
    [[ $output == *"note: the machine was not quiet"* ]]
}

# --- carriers.awk ---

# carriers FORM: of a table off,datatype,copy by rounds
carriers() {
    awk -v form="$1" -v family=openmpi -v names="off datatype copy" \
        -f "$top_srcdir/build-aux/samples.awk" -f "$top_srcdir/build-aux/carriers.awk"
}

# Rounds in which the whole machine is slower: only the differences count, 0.1 0.2 0.3 of datatype, 0.2 of copy.
carrier_samples='none 8 off 1.0
none 8 datatype 1.1
none 8 copy 1.2
none 8 off 5.0
none 8 datatype 5.3
none 8 copy 5.2
none 8 off 2.0
none 8 datatype 2.2
none 8 copy 2.2'

@test "what_a_carrier_adds_is_the_median_of_the_rounds" {
    run carriers json <<<"$carrier_samples"
    [[ $status -eq 0 ]]
    jq -e '[.rows[] | .median_us, .more_us] == [2, 0, 2.2, 0.2, 2.2, 0.2]' <<<"$output"
    jq -e '[.rows[] | .holds] == [null, true, false] and .rows[1].samples_us == [1.1, 5.3, 2.2]' <<<"$output"
    run carriers table <<<"$carrier_samples"
    [[ ${lines[3]} == "datatype              2.200   +0.200    +0.150 to +0.250   +0.25  yes" ]]
    [[ ${lines[4]} == "copy                  2.200   +0.200    +0.200 to +0.200   +0.18  NO" ]]
}

@test "carrier_without_a_sample_of_each_round_is_refused" {
    run carriers table <<<"${carrier_samples%$'\n'*}"
    echo "$output"
    [[ $status -eq 1 && $output == "cost: 2 samples of copy and 3 of off" ]]
}
