#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The PMPI layer around a program: what is counted, how MPI begins and ends, what cannot be.
# shellcheck disable=SC2154  # the helper sets them
load helper

@test "calls_counted_once_each" {
    TARE_MODE=off measured 2 calls counts
    for rank in 0 1; do
        expect_calls $rank 'MPI_Init()' 1 'MPI_Comm_rank()' 1 'MPI_Isend()' 10 'MPI_Irecv()' 10 'MPI_Waitall()' 10 \
            'MPI_Barrier()' 7 'MPI_Finalize()' 1
    done
}

@test "calls_counted_once_each_with_a_carrier" {
    for mode in datatype message copy; do
        echo "mode $mode"
        TARE_MODE=$mode measured 2 calls counts
        expect_calls 1 'MPI_Init()' 1 'MPI_Isend()' 10 'MPI_Irecv()' 10 'MPI_Waitall()' 10 'MPI_Barrier()' 7 \
            'MPI_Allreduce()' 0 'MPI_Bcast()' 0 'MPI_Comm_dup()' 0 'MPI_Type_create_struct()' 0 \
            'MPI_Get_elements_x()' 0
    done
}

@test "calls_inside_calls_not_counted" {
    TARE_MODE=off measured 2 calls calls_inside_calls
    expect_calls 0 'MPI_Type_create_struct()' 1 'MPI_Comm_dup()' 1 'MPI_Comm_free()' 1
    [[ $family == openmpi ]] || expect_calls 0 'MPI_Attr_put()' 1 'MPI_Comm_set_attr()' 0
}

@test "calls_of_romio_not_counted" {
    for mode in "${modes[@]}"; do
        OMPI_MCA_io=romio321 TARE_MODE=$mode measured 2 calls file > out
        [[ $(cat out) != "no file"* ]] || skip "this MPI has no ROMIO"
        [[ ! -s out ]]
        rm calls.file
        expect_calls 0 'MPI_File_open()' 1 'MPI_File_write_at_all()' 1 'MPI_File_close()' 1 'MPI_Comm_rank()' 1 \
            'MPI_Get_count()' 1 'MPI_Comm_size()' 0 'MPI_Allreduce()' 0 'MPI_Bcast()' 0 'MPI_Barrier()' 0 \
            'MPI_Comm_dup()' 0 'MPI_Type_size_x()' 0
    done
}

@test "other_names_counted_and_carried" {
    for mode in datatype message copy; do
        echo "mode $mode"
        TARE_MODE=$mode measured 2 calls other_names
        expect_calls 0 'MPI_Send()' 1
        expect_calls 1 'MPI_Recv()' 1 'MPI_Get_count()' 1
        TARE_MODE=$mode run layered 2 calls other_names
        [[ $output == "0 -1 1" ]]
    done
}

@test "pcontrol_0_and_1_pause_and_resume" {
    TARE_MODE=datatype measured 2 calls pause_measuring
    expect_calls 0 'MPI_Isend()' 2 'MPI_Waitall()' 2
}

@test "abort_profile_is_written_first" {
    TARE_MODE=off measured 2 calls abort || true
    expect_calls 0 'MPI_Isend()' 1 'MPI_Waitall()' 1
}

@test "run_id_and_mode_same_in_all_profiles" {
    TARE_MODE=off measured 2 calls counts
    cd "$BATS_TEST_TMPDIR/profile/MULTI__TIME"
    ids=$(grep -ho '<name>[^<]*run[^<]*id</name><value>[^<]*' profile.*.0.0 | sort -u)
    echo "$ids"
    [[ $(wc -l <<< "$ids") -eq 1 && -n $ids ]]
}

@test "session_profile_without_a_world" {
    run measured 1 calls session
    [[ $status -eq 2 ]] && skip "this MPI has no sessions"
    TARE_MODE=off measured 2 calls session
    expect_calls 0 'MPI_Session_init()' 1 'MPI_Allreduce()' 1 'MPI_Session_finalize()' 1
    expect_calls 1 'MPI_Allreduce()' 1
}

@test "session_with_a_carrier_ends_with_a_sentence" {
    for mode in datatype message copy; do
        TARE_MODE=$mode run layered 2 calls session
        [[ $status -eq 2 ]] && skip "this MPI has no sessions"
        expect_refusal "$(refusal MPI_Session_init $mode)"
    done
}

@test "mode_unset_without_tare_exec_is_off" {
    TARE_VERBOSE=1 run layered 2 calls counts
    [[ $status -eq 0 && $output == *"PMPI layer: mode off,"* ]]
}

@test "mode_unset_under_tare_exec_is_a_carrier" {
    TARE_VERBOSE=1 run measured 2 calls counts
    [[ $status -eq 0 && $output == *"PMPI layer: mode $own_mode,"* ]]
}

@test "mode_header_on_an_unpatched_mpi_ends_with_a_sentence" {
    [[ $family != tare ]] || skip "this MPI is patched"
    TARE_MODE=header run layered 2 calls counts
    [[ $status -eq 1 ]]
    [[ $(grep -c '^tare: TARE_MODE=header needs the patched MPICH, and this program runs on ' <<< "$output") -eq 1 ]]
}

@test "mode_unknown_ends_with_one_sentence" {
    TARE_MODE=heder run layered 2 calls counts
    [[ $status -ne 0 && $status -ne 124 ]]
    [[ $(grep -c 'TARE_MODE=heder' <<< "$output") -eq 1 ]]
}

@test "modes_that_differ_end_with_a_sentence" {
    local with=(env "LD_PRELOAD=$LAYER")
    run timeout 120 "$MPIEXEC" -n 1 "${with[@]}" TARE_MODE=off "$PROGRAMS/calls" counts : \
        -n 1 "${with[@]}" TARE_MODE=datatype "$PROGRAMS/calls" counts
    [[ $status -ne 0 && $status -ne 124 ]]
    # The patched MPI compares its ranks itself, before the layer can.
    [[ $output == *"rank 1 runs "*"/datatype/"*", but rank 0 runs "*"/off/"* ]] ||
        expect_sentence "TARE_MODE is off on rank 0 and datatype on rank 1: all ranks need the same"
}

@test "carrier_forms_that_differ_end_with_a_sentence" {
    for mode in datatype message copy; do
        run timeout 120 "$MPIEXEC" -n 1 env "LD_PRELOAD=$LAYER" "TARE_MODE=$mode" "$PROGRAMS/calls" counts : \
            -n 1 env "LD_PRELOAD=$LAYER" "TARE_MODE=$mode" TARE_CARRIER_FORM=published "$PROGRAMS/calls" counts
        expect_refusal "TARE_CARRIER_FORM is cached on rank 0 and published on rank 1: all ranks need the same"
    done
}

@test "versions_that_differ_end_with_a_sentence" {
    for mode in "${modes[@]}"; do
        run timeout 120 "$MPIEXEC" -n 1 env "LD_PRELOAD=$LAYER" "TARE_MODE=$mode" "$PROGRAMS/calls" counts : \
            -n 1 env "LD_PRELOAD=$LAYER:$PROGRAMS/other_version.so" "TARE_MODE=$mode" "$PROGRAMS/calls" counts
        [[ $status -ne 0 && $status -ne 124 ]]
        [[ $(grep '^tare: ' <<< "$output") =~ ^"tare: Tare's carriers have protocol version "([0-9]+)" on rank 0 and \
"([0-9]+)" on rank 1: all ranks need the same installation"$ ]] || { echo "$output"; return 1; }
        [[ ${BASH_REMATCH[2]} -eq $((BASH_REMATCH[1] + 256)) ]]
    done
}

@test "process_without_mpi_loads_and_runs" {
    LD_PRELOAD=$LAYER run "$PROGRAMS/no_mpi"
    [[ $status -eq 0 && $output == "no MPI" ]]
}

@test "process_without_mpi_may_ask_whether_it_is_initialized" {
    LD_PRELOAD=$LAYER run "$PROGRAMS/no_mpi" initialized
    [[ $status -eq 0 && $output == "flag 0" ]]
}

@test "process_without_mpi_that_calls_it_gets_a_sentence" {
    LD_PRELOAD=$LAYER run "$PROGRAMS/no_mpi" barrier
    [[ $status -eq 1 ]]
    expect_sentence "MPI_Barrier was called, but this process has loaded no MPI library"
}

@test "mpi_opened_locally_is_found" {
    TARE_MODE=datatype measured 2 local "$PROGRAMS/plugin.so"
    expect_calls 0 'MPI_Init()' 1 'MPI_Send()' 5
    expect_calls 1 'MPI_Recv()' 5 'MPI_Get_count()' 1
    TARE_MODE=datatype run layered 2 local "$PROGRAMS/plugin.so"
    [[ $status -eq 0 && $output == "4 -1 1" ]]
}
