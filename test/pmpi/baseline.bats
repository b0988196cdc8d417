#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# libtare-baseline: what `tare validate` knows of a run that is not measured; and the same time in a profile.
# shellcheck disable=SC2154,SC2030,SC2031  # helper and bats set these
load helper

# baseline N PROGRAM...: with the library preloaded; its files are in $times
baseline() {
    local count=$1 program=$2
    shift 2
    times=$BATS_TEST_TMPDIR/times
    rm -rf "$times" && mkdir "$times"
    timeout 120 "$MPIEXEC" -n "$count" env LIBTARE_BASELINE_DIR="$times" \
        LD_PRELOAD="$layer_folder/.libs/libtare-baseline.so" "$PROGRAMS/$program" "$@"
}

# expect_times RANK NAME CALLS [NAME CALLS]...: that often, and the time is within the total
expect_times() {
    local file=$times/baseline.$1
    shift
    while [[ $# -gt 0 ]]; do
        awk -v name="$1" -v calls="$2" '$1 == "total" { total = $3 } $1 == name { n = $2; ns = $3 }
            END { exit !(n + 0 == calls && ns <= total && total > 0) }' "$file" || { cat "$file"; return 1; }
        shift 2
    done
}

@test "baseline_total_and_waits_of_each_rank" {
    baseline 2 calls counts
    [[ $(head -n 1 "$times/baseline.0") == "tare baseline 2" ]]
    for rank in 0 1; do
        expect_times $rank total 1 'MPI_Waitall()' 10 'MPI_Barrier()' 7 'MPI_Recv()' 0
    done
}

@test "baseline_without_a_folder_leaves_nothing" {
    LD_PRELOAD=$layer_folder/.libs/libtare-baseline.so plain 2 calls counts
    [[ -z $(ls) ]]
}

@test "baseline_of_an_mpi_opened_locally" {
    baseline 2 local "$PROGRAMS/plugin.so"
    expect_times 0 total 1 'MPI_Send()' 5
    expect_times 1 total 1 'MPI_Recv()' 5
}

@test "baseline_of_a_process_without_mpi_passes" {
    LD_PRELOAD=$layer_folder/.libs/libtare-baseline.so run "$PROGRAMS/no_mpi"
    [[ $status -eq 0 && $output == "no MPI" ]]
}

# Whichever names the binding calls beneath.
fortran() {
    need_fortran "$1"
    run baseline 2 "fortran_calls_$1"
    [[ $status -eq 0 && $output == "all good" ]] || { echo "$output"; return 1; }
    for rank in 0 1; do
        expect_times $rank total 1 'MPI_Send()' 1 'MPI_Recv()' 3 'MPI_Waitall()' 2 'MPI_Wait()' 2 'MPI_Barrier()' 1
    done
}

@test "baseline_of_mpif_h" { times=$BATS_TEST_TMPDIR/times; fortran mpif_h; }
@test "baseline_of_use_mpi" { times=$BATS_TEST_TMPDIR/times; fortran use_mpi; }
@test "baseline_of_use_mpi_f08" { times=$BATS_TEST_TMPDIR/times; fortran use_mpi_f08; }

# attribute RANK NAME
attribute() {
    sed -nE "s#.*<name>$2</name><value>([^<]*)<.*#\\1#p" "$BATS_TEST_TMPDIR/profile/MULTI__TIME/profile.$1.0.0"
}

# inclusive_us RANK REGION, rounded down
inclusive_us() {
    sed -nE "s#^\"$2\" [0-9]+ [0-9]+ [0-9.]+ ([0-9]+).*#\\1#p" "$BATS_TEST_TMPDIR/profile/MULTI__TIME/profile.$1.0.0"
}

@test "profile_holds_the_total_between_init_and_finalize" {
    local rank total root inside
    TARE_MODE=$own_mode measured 2 calls counts
    for rank in 0 1; do
        total=$(attribute $rank 'tare total ns')
        root=$(inclusive_us $rank '.TAU application')
        inside=$(($(inclusive_us $rank 'MPI_Waitall\(\)') + $(inclusive_us $rank 'MPI_Barrier\(\)')))
        echo "rank $rank: $total ns of $root us, $inside us in calls"
        ((total / 1000 >= inside && inside > 0))
        ((total / 1000 <= root + 1 - $(inclusive_us $rank 'MPI_Init\(\)') - $(inclusive_us $rank 'MPI_Finalize\(\)')))
    done
}

@test "compensated_total_is_within_its_bounds" {
    local rank compensated
    TARE_MODE=$own_mode measured 2 calls counts
    for rank in 0 1; do
        compensated=$(attribute $rank 'tare total compensated ns')
        [[ $compensated -ne $(attribute $rank 'tare total ns') ]]
        (($(attribute $rank 'tare total lo ns') <= compensated && compensated <= $(attribute $rank 'tare total hi ns')))
        [[ $(attribute $rank 'tare total residue ns') =~ ^-?[0-9]+$ ]]
    done
}

# More ranks than cores wait long for each other in what the tool settles there.
@test "what_MPI_Init_takes_leaves_no_residue" {
    local rank
    TARE_MODE=$own_mode measured 4 calls counts
    for rank in 0 1 2 3; do
        echo "rank $rank: residue $(attribute $rank 'tare total residue ns') ns"
        (($(attribute $rank 'tare total residue ns') < 1000000))
    done
}

@test "profile_of_a_session_has_no_total" {
    run measured 1 calls session
    [[ $status -eq 2 ]] && skip "this MPI has no sessions"
    TARE_MODE=off measured 2 calls session
    [[ -z $(attribute 0 'tare total ns') ]]
}
