#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2030,SC2031,SC2154  # each test runs by itself; helper and Makefile set the rest
# One layer for each family of MPI libraries, and the tool finds the one that a program needs.
load helper

tool=$top_builddir/src/tool/tare

# The layer of a family, or a skip with the reason why there is none.
need() {
    local about=ABOUT_${1^^}
    [[ " $FAMILIES " == *" $1 "* ]] || skip "$1: ${!about}"
    use_family "$1"
}

program_gets_its_layer() {
    need "$1"
    run "$tool" exec --dry-run "$PROGRAMS/calls"
    [[ $status -eq 0 && $output == *"(family $1)"* ]] || { echo "$output"; return 1; }
    [[ $output == *"LD_PRELOAD=$layer_folder/.libs/libtare-mpi.so:"* ]]
}

@test "program_of_the_patched_mpich_gets_its_layer" { program_gets_its_layer tare; }
@test "program_of_the_systems_mpich_gets_its_layer" { program_gets_its_layer mpich; }
@test "program_of_open_mpi_gets_its_layer" { program_gets_its_layer openmpi; }

# runs_under_its_launcher FAMILY MODE: the mode is what tare exec chooses
runs_under_its_launcher() {
    need "$1"
    mkdir profile
    TARE_PROFILE_DIR=$PWD/profile timeout 120 "$MPIEXEC" -n 2 "$tool" exec "$PROGRAMS/calls" counts
    expect_calls 0 'MPI_Init()' 1 'MPI_Isend()' 10 'MPI_Waitall()' 10 'MPI_Barrier()' 7
    expect_calls 1 'MPI_Irecv()' 10 'MPI_Finalize()' 1
    run "$tool" report profile
    [[ $status -eq 0 && ${lines[0]} == *": 2 ranks, mode $2,"* ]] || { echo "$output"; return 1; }
}

@test "run_on_the_patched_mpich_is_measured" { runs_under_its_launcher tare header; }
@test "run_on_the_systems_mpich_is_measured" { runs_under_its_launcher mpich datatype; }
@test "run_on_open_mpi_is_measured" { runs_under_its_launcher openmpi datatype; }

validates() {
    need "$1"
    run --separate-stderr timeout 300 "$tool" validate --json --rounds=1 -- "$MPIEXEC" -n 2 "$PROGRAMS/calls" counts
    [[ $status -eq 0 ]] || { echo "$output$stderr"; return 1; }
    [[ $(jq -r '.rows[].case' <<< "$output" | sort -u | paste -s -d ' ') == *baseline*exact* ]]
}

@test "validate_measures_the_systems_mpich" { validates mpich; }
@test "validate_measures_open_mpi" { validates openmpi; }

# A layer in front of another family's library: both kinds of handle would be misread.
another_layer_is_refused() {
    local wrong=$2
    need "$wrong"
    need "$1"
    run timeout 60 "$MPIEXEC" -n 1 "$tool" exec "--family=$wrong" "$PROGRAMS/calls" counts
    [[ $status -ne 0 && $status -ne 124 ]]
    expect_sentence "this libtare-mpi was built for $3 and the program runs on another MPI: use the one in lib/tare \
that belongs to it, or tare exec, which chooses"
}

@test "layer_of_mpich_on_open_mpi_is_refused" { another_layer_is_refused openmpi mpich MPICH; }
@test "layer_of_open_mpi_on_mpich_is_refused" { another_layer_is_refused mpich openmpi "Open MPI"; }

@test "info_names_the_families_that_were_built" {
    local built list
    read -ra built <<<"$FAMILIES"
    printf -v list ', %s' "${built[@]}"
    run "$tool" info
    [[ $status -eq 0 && $output =~ layers\ +"${list#, }"$'\n' ]] || { echo "$output"; return 1; }
}
