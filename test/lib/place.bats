# SPDX-License-Identifier: BSD-3-Clause
# Where the profile goes, what it replaces and what it refuses.
load helpers

run_of() { # run_of RANKS ID [REGION]: all ranks of a run, one after the other
    for ((rank = 0; rank < $1; rank++)); do "$SCENARIO" rank "$rank" "$1" "$2" ${3:+"$3"} > /dev/null; done
}

refused() {
    run --separate-stderr "$SCENARIO" rank 0 1 new
    [ "$status" -eq 1 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [ -z "$output" ]
}

@test "profile_says_what_run_it_is" {
    run_of 2 a-run
    run "$ROWS" .
    for line in "tare version: $VERSION" 'tare run id: a-run' 'tare ranks: 2' 'tare mode: off' 'tare rule: local' \
        'tare overhead: measured' 'tare clock: CLOCK_MONOTONIC' "tare program: ${SCENARIO##*/}" \
        'a constant ns: 12.5'; do
        grep -Fqx "$line" <<< "$output" || { echo "no line '$line'"; return 1; }
    done
    grep -q '^tare host: .' <<< "$output"
}

@test "program_of_any_name_is_in_the_profile" {
    local name=$'x<value>\n<"&\x01\xff\t'
    (exec -a "/some/folder/$name" "$SCENARIO" rank 0 1 run > /dev/null)
    run "$ROWS" .
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    [[ $output == *"tare program: x"* ]] || { echo "$output"; return 1; }
}

@test "calibrated_constants_are_in_the_profile_and_sane" {
    for mode in measured calibrated; do
        TARE_OVERHEAD=$mode run_of 1 "$mode"
        for way in region mpi; do
            for what in pair inside outside enter leave; do
                ns=$("$ROWS" . | sed -n "s/^tare cost $way $what ns: //p")
                is_sane_ns "$ns" || { echo "$way $what: '$ns'"; return 1; }
                ns=$("$ROWS" . | sed -n "s/^tare cost $way $what spread ns: //p")
                is_sane_spread "$ns" || { echo "$way $what spread: '$ns'"; return 1; }
            done
            batches=$("$ROWS" . | sed -n "s/^tare cost $way batches: //p")
            assert_between 5 "$batches" 100000
        done
    done
}

@test "enter_and_leave_together_are_the_pair_less_what_is_seen" {
    for mode in measured calibrated; do
        TARE_OVERHEAD=$mode run_of 1 "$mode"
        "$ROWS" . | awk '/^tare cost region (pair|seen|enter|leave) ns: / { ns[$4] = $6 }
            END {
                off = ns["pair"] - ns["seen"] - ns["enter"] - ns["leave"]
                print "off by " off
                exit ns["enter"] > 0 && off > -0.01 && off < 0.01 ? 0 : 1
            }'
    done
}

# constant NAME: "tare NAME" in the profile
constant() { "$ROWS" . | sed -n "s/^tare $1: //p"; }

@test "calibrating_again_is_overhead_and_counted_and_replaces_the_constants" {
    for mode in measured calibrated; do
        rm -rf MULTI__*
        read -r took_ms left < <(TARE_OVERHEAD=$mode "$SCENARIO" calibrated_again)
        assert_between 15 "$took_ms" 100000
        assert_between -20 "$left" 20
        [ "$(constant calibrations)" = 4 ]
        [ "$("$ROWS" . | grep -c '^tare cost region pair ns: ')" -eq 1 ]
        is_sane_ns "$(constant 'cost region pair ns')"
        assert_no_region 0 0 "tare calibration"
        assert_value 0 0 calls around 1
    done
}

# taken_over MODE
taken_over() {
    read -r before after < <(TARE_OVERHEAD=$1 "$SCENARIO" calibrated_for_another_thread)
    echo "$1: ten pairs $before ns, then $after ns"
    assert_between 100 "$before" "$(limit_ns 60000)" && assert_between 80000 "$after" "$(limit_ns 800000)"
}

@test "threads_take_over_what_another_one_has_calibrated" {
    in_some_attempt taken_over measured
    in_some_attempt taken_over calibrated
}

@test "calibrating_while_paused_is_left_out_and_the_first_one_is_not" {
    [ "$("$SCENARIO" calibrated_while_paused)" = "0 1" ]
    [ "$(constant calibrations)" = 2 ]
    assert_no_region 0 0 unseen
    assert_value 0 0 calls seen 1
}

@test "first_calibration_does_not_see_a_pause" {
    TARE_OVERHEAD=calibrated "$SCENARIO" left_paused
    is_sane_ns "$(constant 'cost region pair ns')"
    awk -v ns="$(constant 'cost region pair ns')" 'BEGIN { exit ns > 30 ? 0 : 1 }'
    assert_no_region 0 0 unseen
}

@test "new_run_replaces_all_ranks_of_an_older_one" {
    run_of 4 old old_work
    run_of 2 new new_work
    [ "$(ls MULTI__TIME)" = "$(printf 'profile.0.0.0\nprofile.1.0.0')" ]
    for rank in 0 1; do
        assert_value $rank 0 calls new_work 3
        assert_no_region $rank 0 old_work
    done
}

@test "ranks_may_start_in_any_order" {
    run_of 3 old
    for rank in 2 0 1; do "$SCENARIO" rank $rank 3 new > /dev/null; done
    [ "$("$ROWS" . | grep -c ' work$')" -eq 3 ]
}

@test "foreign_file_ends_the_run_at_its_start" {
    mkdir MULTI__TIME
    printf '1 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls\n' > MULTI__TIME/profile.3.0.0
    cp MULTI__TIME/profile.3.0.0 before
    refused
    [[ $stderr == *"$PWD/MULTI__TIME/profile.3.0.0 is in the profile's place"*TARE_PROFILE_DIR* ]]
    cmp before MULTI__TIME/profile.3.0.0
    [ ! -e MULTI__TIME/profile.0.0.0 ]
}

@test "foreign_file_ends_a_program_without_MPI_at_its_first_region" {
    mkdir MULTI__TIME
    echo mine > MULTI__TIME/profile.0.0.0
    run --separate-stderr "$SCENARIO" nested
    [ "$status" -eq 1 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [ "$(cat MULTI__TIME/profile.0.0.0)" = mine ]
}

@test "foreign_file_that_comes_during_the_run_fails_it_but_not_its_results" {
    echo '#!/bin/sh
mkdir -p MULTI__TIME; echo mine > MULTI__TIME/profile.0.0.0' > foreign.sh
    cat > late.c <<'C'
#include "tare.h"
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    tare_enter(tare_region("r"));
    printf("%d\n", system("sh foreign.sh"));
    return 0;
}
C
    $CC -I"$SOURCES/src/lib" late.c "$LIBTARE" -Wl,-rpath,"$(dirname "$LIBTARE")" -o late
    run --separate-stderr ./late
    [ "$status" -eq 1 ]
    [ "$output" = 0 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [ "$(cat MULTI__TIME/profile.0.0.0)" = mine ]
}

@test "unwritable_place_ends_the_run_at_its_start" {
    TARE_PROFILE_DIR=/proc/nowhere refused
    [[ $stderr == "tare: the folder /proc/nowhere/MULTI__TIME cannot be made: "* ]]
    echo file > in_the_way
    TARE_PROFILE_DIR=in_the_way refused
    [[ $stderr == *"$PWD/in_the_way/MULTI__TIME cannot be made: Not a directory"* ]]
}

@test "place_is_made_and_stays_when_the_program_changes_its_folder" {
    TARE_PROFILE_DIR=some/where "$SCENARIO" moved
    [ -e some/where/MULTI__TIME/profile.0.0.0 ]
    rm -r some
    "$SCENARIO" moved
    [ -e MULTI__TIME/profile.0.0.0 ]
}

@test "trace_is_refused_where_there_is_nothing_to_write_it_with" {
    mkdir alone
    cp "$LIBTARE" alone/libtare.so.0
    run --separate-stderr env LD_LIBRARY_PATH="$PWD/alone" TARE_TRACE=1 "$SCENARIO" rank 0 1 new
    [ "$status" -eq 1 ]
    [ "$stderr" = "tare: TARE_TRACE=1: this Tare was built without OTF2 (libotf2-trace-dev)" ]
    [ ! -e MULTI__TIME ]
}

@test "value_that_is_not_allowed_ends_a_program_without_MPI" {
    TARE_MODE=sideways run --separate-stderr "$SCENARIO" nested
    [ "$status" -eq 1 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == *TARE_MODE*sideways*header* ]]
}

@test "rank_comes_from_the_launcher_where_MPI_does_not_tell" {
    for rank in 0 1; do PMI_RANK=$rank PMI_SIZE=2 "$SCENARIO" nested; done
    assert_value 0 0 calls inner 3
    assert_value 1 0 calls inner 3
}
