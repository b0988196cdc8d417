#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Traces of several ranks: one archive, whatever each knows.
# shellcheck disable=SC2154  # bats sets status, output and stderr
load helper

# ranks N COMMAND...: with the layer and a trace
ranks() {
    run --separate-stderr timeout 100 "$MPIEXEC" -n "$1" env LD_PRELOAD="$LAYER" TARE_MODE=header TARE_TRACE=1 "${@:2}"
}

ranks_end_well() {
    ranks "$@"
    [ "$status" -eq 0 ] || { echo "status $status: $stderr"; return 1; }
    [ -z "$stderr" ] || { echo "said: $stderr"; return 1; }
}

@test "ranks_make_one_archive_that_tells_what_their_profiles_do" {
    ranks_end_well 2 "$STEPS"
    assert_trace_is_the_profile
    "$SUMS" "$archive" >sums
    grep -q '^0 0 calls=20 .* only on rank 0$' sums
    [ "$(grep -c ' calls=20 .* work$' sums)" -eq 2 ]
    [ "$(grep -c ' calls=20 .* MPI_Allreduce$' sums)" -eq 2 ]
    [ ! -e tare-trace/rank.0 ] && [ ! -e tare-trace/rank.1 ]
}

@test "regions_of_mpi_are_of_its_paradigm_and_have_roles" {
    ranks_end_well 2 "$STEPS"
    otf2-print -G "$archive" >printed
    grep -E '^REGION .*"MPI_Allreduce".*COLL_ALL2ALL.*MPI' printed
    grep -E '^REGION .*"MPI_Init".*FUNCTION.*MPI' printed
    grep -E '^REGION .*"work".*CODE.*USER' printed
    [ "$(grep -c '^LOCATION_GROUP .*MPI Rank' printed)" -eq 2 ]
}

@test "newer_run_of_fewer_ranks_takes_the_place_of_an_older_one" {
    ranks_end_well 3 "$STEPS"
    ranks_end_well 1 "$STEPS"
    assert_trace_is_the_profile
    [ "$("$SUMS" "$archive" | awk '{ print $1 }' | sort -u)" = 0 ]
}

# Rank 1 is killed, and the launcher may kill the other one while it writes.
ranks_with_a_victim() {
    ranks 2 "$STEPS" victim
    for ((i = 0; i < 100; i++)); do pgrep -f "$STEPS victim" >/dev/null || break; sleep 0.1; done
    [ ! -e "$archive" ]
}

join_traces() {
    run --separate-stderr "$TOOL" trace join
    [ "$status" -eq 0 ] || { echo "$stderr"; return 1; }
    [ "$output" = "tare-trace/traces.otf2" ]
    "$SUMS" "$archive" >sums
}

@test "killed_rank_leaves_its_trace_and_join_makes_it" {
    ranks_with_a_victim
    join_traces
    grep -qxF "tare trace: rank 1 was killed: its trace ends with its latest event" <<<"$stderr"
    [[ $stderr != *"whole trace"* ]]
    grep -q '^1 0 calls=10 .* work$' sums
    grep -qE '^0 0 calls=(9|10) .* work$' sums
    [ ! -e tare-trace/rank.0 ] && [ ! -e tare-trace/rank.1 ]
}

@test "rank_that_left_nothing_is_named" {
    ranks_with_a_victim
    rm .tare-live.1
    join_traces
    grep -qxF "tare trace: no whole trace of this run was left by rank 1" <<<"$stderr"
    [ "$(awk '/ work$/ { print $1 }' sums)" = 0 ]
}
