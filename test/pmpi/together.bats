#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154  # the helper sets profile
# How much later than the first process a process leaves an operation in which all wait for all: the lines `completion` of
# tare-calls.RANK.
load helper

# completion RANK FUNCTION: calls, as measured and without measuring in ms, over all sites
completion() {
    awk -v f="$2()" '$1 == "site" { mine = $11 == f }
        $1 == "completion" && mine { n += $2; ns += $3; comp_ns += $4 }
        END { print n + 0, ns / 1000000, comp_ns / 1000000 }' "$profile/tare-calls.$1"
}

# is_late FUNCTION CALLS MEASURED_MS COMPENSATED_MS: rank 1 has left its calls so much later than rank 0, or somewhat more, which
# has hardly been later. A loaded machine may take a core away, from either.
is_late() {
    local function=$1 first last
    read -r -a first <<< "$(completion 0 "$function")"
    read -r -a last <<< "$(completion 1 "$function")"
    awk -v n="$2" -v ms="$3" -v comp_ms="$4" -v f="${first[*]}" -v l="${last[*]}" 'BEGIN {
        split(f, a, " "); split(l, b, " ")
        exit !(a[1] == n && b[1] == n && a[2] < 15 && b[2] >= ms && b[2] < ms + 40 && b[3] >= comp_ms && b[3] < comp_ms + 40) }' && return
    echo "$function: rank 0 ${first[*]}, rank 1 ${last[*]}; not $2 calls, $3 ms, $4 ms without measuring"
    return 1
}

# in_some_run CALLS MEASURED_MS COMPENSATED_MS SCENE: one of ten is not disturbed
in_some_run() {
    for _ in {1..10}; do
        measured 2 together "$4"
        is_late MPI_Allreduce "$1" "$2" "$3" && return
    done
    return 1
}

# Each of two processes reduces by itself then; where they share memory MPICH lets one do it for all after some calls.
export MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=recursive_doubling MPIR_CVAR_ALLREDUCE_POSIX_INTRA_ALGORITHM=mpir \
    OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_allreduce_algorithm=3
[[ $family == tare ]] || export TARE_MODE=off

@test "process_that_works_behind_the_last_message_leaves_later" {
    in_some_run 20 39.9 39.9 works
    TARE_MODE=off in_some_run 20 39.9 39.9 works
}

# By the clocks that a carrier has made agree.
@test "overhead_behind_the_last_message_is_no_completion" {
    [[ $family == tare ]] || skip "only the patched MPICH carries delay beside the program's own operation"
    TARE_INJECT='rank=1,region=MPI_Initialized(),ns=2000000' in_some_run 20 39.9 0 probes
}

@test "completions_are_noted_where_notes_are_not_measured_too" {
    TARE_OVERHEAD=calibrated in_some_run 20 39.9 39.9 works
    grep -q '<name>tare cost mpi exit ns</name>' "$profile/MULTI__TIME/profile.0.0.0"
}

# What a carrier above MPI sends of its own behind the operation lets all leave together.
@test "nothing_is_said_with_a_carrier_above_mpi" {
    for mode in datatype message copy; do
        TARE_MODE=$mode measured 2 together works
        expect_calls 0 'MPI_Allreduce()' 20
        run ! grep '^completion' "$profile/tare-calls.0" "$profile/tare-calls.1"
    done
}

@test "each_communicator_is_known_to_all_of_its_processes" {
    in_some_run 40 79.9 79.9 comms
}

# Rank 1 has nobody to compare with then.
@test "operations_are_counted_where_measuring_is_paused" {
    for _ in {1..10}; do
        measured 2 together paused
        read -r -a first <<< "$(completion 0 MPI_Allreduce)"
        read -r -a last <<< "$(completion 1 MPI_Allreduce)"
        awk -v f="${first[*]}" -v l="${last[*]}" 'BEGIN {
            split(f, a, " "); split(l, b, " ")
            exit !(a[1] == 10 && b[1] == 20 && a[2] < 15 && b[2] >= 19.9 && b[2] < 40) }' && return
    done
    echo "rank 0 ${first[*]}, rank 1 ${last[*]}"
    return 1
}

@test "process_that_is_alone_is_the_first" {
    measured 2 together alone
    for rank in 0 1; do
        [[ $(completion $rank MPI_Allreduce) == "20 0 0" ]]
    done
    measured 1 together alone
    [[ $(completion 0 MPI_Allreduce) == "20 0 0" ]]
}

@test "nothing_is_said_of_operations_that_are_not_known" {
    measured 2 together other
    grep -q 'MPI_Allreduce()' "$profile/tare-calls.0"
    run ! grep '^completion' "$profile/tare-calls.0" "$profile/tare-calls.1"
}

@test "every_operation_from_all_to_all_has_a_completion" {
    measured 3 together all
    for rank in 0 1 2; do
        for function in Barrier Allgather Allgatherv Alltoall Alltoallv Alltoallw Allreduce Reduce_scatter Reduce_scatter_block; do
            [[ $(completion $rank MPI_$function) == "1 "* ]] || { echo "$rank $function"; return 1; }
        done
        # No more than the call took, which its site tells.
        awk '$1 == "site" { time = $5; comp = $8 }
             $1 == "completion" { lines++; if ($3 > time || $4 > (comp < 0 ? 0 : comp) || $3 < 0 || $4 < 0) bad = 1 }
             END { exit bad || lines != 9 }' "$profile/tare-calls.$rank"
    done
    # Somebody is first, in each.
    awk '$1 == "completion" { zeros += $3 == 0 } END { exit zeros < 9 }' "$profile"/tare-calls.?
}

# The same from what lies in the live file; rank 0 is ended by the launcher.
@test "killed_process_leaves_its_completions" {
    for _ in {1..10}; do
        run measured 2 together stays
        profile=$BATS_TEST_TMPDIR/profile
        [[ $status -ne 0 && -e $profile/.tare-live.1 ]]
        found=$("$top_builddir/src/tool/tare" report --states --json "$profile" 2> /dev/null |
            jq -r '.completion[] | select(.function == "MPI_Allreduce()") | "\(.known_calls) \(.time_ns) \(.max_rank)"')
        awk -v found="$found" 'BEGIN { split(found, f, " "); exit !(f[1] >= 39 && f[2] >= 39900000 && f[2] < 80000000 && f[3] == 1) }' && return
    done
    echo "found: $found"
    return 1
}

# No memory in common: nothing is known, and the run goes on.
@test "run_without_memory_in_common_says_nothing" {
    LAYER=$PROGRAMS/no_memory.so:$LAYER
    measured 2 together works
    expect_calls 0 'MPI_Allreduce()' 20
    run ! grep '^completion' "$profile/tare-calls.0" "$profile/tare-calls.1"
}
