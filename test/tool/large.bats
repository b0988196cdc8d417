#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# A profile of 64 ranks and 10,000 regions is read in little memory and time, and what is printed can be read.
#
# The limits are for slow and busy machines: they hold processor time to ten times what was measured, and memory to
# what the tool may take. That no part of it takes more than in proportion is counted in instructions.
# shellcheck disable=SC2154  # bats sets status, output, lines and stderr
load helpers
: "${MAKER:?run by make check}"

most_seconds=20
most_kilobytes=1000000
regions=10000

setup_file() {
    [ -z "${SANITIZER:-}" ] || return 0
    "$MAKER" "$BATS_FILE_TMPDIR/a" 64 "$regions" 0
    "$MAKER" "$BATS_FILE_TMPDIR/b" 64 "$regions" 20
}

setup() {
    clean_environment
    [ -z "${SANITIZER:-}" ] || skip "sanitizers take more of both"
    cd "$BATS_FILE_TMPDIR" || return 1
}

# The tool with bounds on processor time and memory: bounded ARGUMENT...
bounded() {
    (
        ulimit -t "$most_seconds" -v "$most_kilobytes" || exit 9
        exec "$TOOL" "$@"
    )
}

@test "limits_are_enforced" {
    # shellcheck disable=SC2030,SC2031  # for this test alone
    most_kilobytes=50000
    run --separate-stderr bounded report a
    assert_refused 1
    [ "$stderr" = "tare report: there is not enough memory" ]
}

@test "report_of_many_regions_is_short_and_within_the_limits" {
    run bounded report a
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -le 50 ]
    [[ $output == *"All 64 ranks and threads together"*"9976 more lines, smaller ones: --limit=0"* ]]
    [[ $output == *$'\nall ranks '*"Each of the 64 ranks: --waiting"* ]]
    [ "$(awk '/kernel_0\(/ { print $6 }' <<< "$output")" = 4321.984 ]
}

@test "json_of_many_regions_is_whole_and_within_the_limits" {
    bounded report --json a > report.json
    [ "$(grep -c '"region"' report.json)" -eq $((64 * (regions + 1))) ]
    [ "$(tail -n 1 report.json)" = "}" ]
    rm report.json
}

@test "imbalance_of_many_regions_is_within_the_limits" {
    run bounded report --imbalance a
    [ "$status" -eq 0 ]
    [[ $output == *"9976 more regions"* ]]
    # Ranks take 10, 11, ... 17 parts, so the mean is 13.5 and the largest 17.
    [ "$(awk '/kernel_0\(/ { print $5, $NF }' <<< "$output")" = "64 25.93" ]
}

@test "comparison_of_many_regions_finds_the_one_that_changed" {
    run --separate-stderr bounded compare a b --max-change=5
    [ "$status" -eq 1 ]
    [[ ${lines[4]} == *"kernel_2("* ]]
    [ "${#lines[@]}" -le 35 ]
    [[ $output == *"9976 more regions: --limit=0"* ]]
    [ "${#stderr_lines[@]}" -eq 1 ]
    assert_says "kernel_2(double*, double const*, int) by +20.00 %"
}

# Instructions of `tare ARGUMENT...`: instructions ARGUMENT...
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$TOOL" "$@" 2>&1 > /dev/null |
        awk '/Collected :/ { print $NF }'
}

@test "instructions_grow_in_proportion_to_the_regions" {
    command -v valgrind > /dev/null || skip "valgrind is not installed"
    local of command few some many
    for of in 1000 2000 4000; do "$MAKER" "$BATS_TEST_TMPDIR/$of" 4 $of 0; done
    for command in "report" "report --json" "report --limit=0 --each" "report --imbalance" "compare 1000"; do
        # shellcheck disable=SC2086  # words of a command
        few=$(cd "$BATS_TEST_TMPDIR" && instructions $command 1000)
        # shellcheck disable=SC2086
        some=$(cd "$BATS_TEST_TMPDIR" && instructions $command 2000)
        # shellcheck disable=SC2086
        many=$(cd "$BATS_TEST_TMPDIR" && instructions $command 4000)
        echo "tare $command: $few, $some, $many; $(((many - some) / 8000)) a line"
        ((some > few && (many - some) * 10 < 2 * (some - few) * 13))
    done
}
