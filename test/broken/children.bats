# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154  # bats sets status and stderr, the Makefile the rest
# Processes that measured ones start: none of them touches the profile of the one that has started it.
load helper

# Well, on 2 ranks
good() {
    run --separate-stderr ranks 2 "$PROGRAMS/worlds" "$@"
    [ "$status" -eq 0 ] || { echo "status $status: $stderr"; return 1; }
}

assert_ranks_only() {
    assert_value 0 0 calls ring 3
    assert_value 1 0 calls ring 3
    [ "$(find . -name 'profile.*' | wc -l)" -eq 8 ]
    [ -z "$(find . -name '.tare*')" ]
}

@test "forked_child_that_exits_leaves_the_profile_to_its_parent" {
    good fork
    [ "$(grep -o 'child 0' <<< "$output" | wc -l)" -eq 2 ]
    [ "$stderr" = "" ]
    assert_ranks_only
    assert_no_region 0 0 of_the_child
    assert_no_region 1 0 of_the_child
}

@test "child_without_regions_is_no_trouble" {
    good system "ls / > /dev/null; exit 3"
    [ "$(grep -o 'child 3' <<< "$output" | wc -l)" -eq 2 ]
    [ "$stderr" = "" ]
    assert_ranks_only
}

# Both ranks start one.
@test "child_with_regions_of_its_own_is_not_measured_in_its_parents_place" {
    good system "$PROGRAMS/plain"
    [ "$(grep -o 'child 0' <<< "$output" | wc -l)" -eq 2 ]
    local said="^tare: this program is not measured: process [0-9]* is being measured in $PWD; TARE_PROFILE_DIR says "
    [ "$(grep -c "$said" <<< "$stderr")" -eq 2 ] || { echo "$stderr"; return 1; }
    assert_ranks_only
    assert_no_region 0 0 work
}

@test "rank_killed_after_its_child_with_regions_leaves_its_profile" {
    run --separate-stderr ranks 2 "$PROGRAMS/worlds" system_killed "$PROGRAMS/plain"
    [[ $status -ne 0 && $status -ne 124 ]]
    assert_value 0 0 calls ring 3
    assert_value 1 0 calls ring 3
    [[ $("$TOOL" report 2> /dev/null | head -n 1) == *": 2 ranks, "* ]]
}

@test "child_with_a_place_of_its_own_is_measured_there" {
    good system "TARE_PROFILE_DIR=\$PWD/own-\$PMI_RANK $PROGRAMS/plain"
    [ "$stderr" = "" ]
    [ "$(find MULTI__* -name 'profile.*' | wc -l)" -eq 8 ]
    cd own-1
    assert_value 1 0 calls work 3
}

@test "second_job_in_the_same_place_is_not_measured_and_the_first_is_whole" {
    local first n
    ranks 2 "$PROGRAMS/worlds" until "$PWD/go" > /dev/null 2>&1 3>&- &
    first=$!
    for ((n = 0; n < 500; n++)); do [ ! -e .tare-live.0 ] || [ ! -e .tare-live.1 ] || break; sleep 0.02; done
    run --separate-stderr ranks 3 "$PROGRAMS/worlds" nothing
    [ "$status" -eq 0 ] || { touch go; echo "status $status: $stderr"; return 1; }
    assert_sentence "this program is not measured: process "
    touch go
    wait $first
    assert_ranks_only
    [ ! -e MULTI__TIME/profile.2.0.0 ]
}
