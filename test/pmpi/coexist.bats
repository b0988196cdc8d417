#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Tare beside other tools around MPI in the same process, and in processes that open the MPI library themselves.
# shellcheck disable=SC2154,SC2030,SC2031  # helper and bats set these
load helper

# beside FRONT ROUNDS WORK_NS PAIRS: with these libraries in front of Tare's; what the tool says is in $said
beside() {
    local front=$1
    shift
    said=$(LAYER=$front:$LAYER TARE_MODE=$own_mode measured 2 coexist "$@") || return 1
}

# us METRIC: what rank 1 has waited in MPI_Recv
us() {
    awk '$1 == "\"MPI_Recv()\"" { print int($4) }' "$profile/MULTI__$1/profile.1.0.0"
}

# The sends of rank 0 come late by what the tool takes, 40 ms altogether; without it rank 1 waits for 10 ms of work.
# wait_is CONDITION FRONT: of awk, on what was waited and what of it is left; other load may spoil an attempt.
wait_is() {
    local attempt
    for attempt in 1 2 3 4 5; do
        profile=$BATS_TEST_TMPDIR/profile
        TOOL_NS=200000 beside "$2" 200 50000 0
        awk -v wait="$(us MPI_WAIT_TIME)" -v left="$(us COMPENSATED_MPI_WAIT_TIME)" \
            "BEGIN { print \"attempt $attempt: waited\", wait, \"us, of which\", left, \"stay\"; exit !($1) }" && return
    done
    return 1
}

# The MPI library that programs of this family load.
find_libmpi() {
    libmpi=$(ldd "$PROGRAMS/calls" | awk '/libmpi(ch)?\.so/ { print $3; exit }')
    [[ -e $libmpi ]]
}

corrected='wait > 40000 && left < 0.5 * wait'
as_it_was='wait > 40000 && left > 0.8 * wait'

@test "tool_in_front_and_tare_both_see_every_call" {
    for tool in coexist_pmpi.so coexist_next.so; do
        profile=$BATS_TEST_TMPDIR/profile
        beside "$PROGRAMS/$tool" 7 0 3
        echo "$tool: $said"
        [[ $said == *"tool: rank 0: 7 sends, 0 receives, 1 barriers"* ]]
        [[ $said == *"tool: rank 1: 0 sends, 7 receives, 1 barriers"* ]]
        [[ $said == *"rank 1: sum 21"* ]]
        expect_calls 0 'MPI_Init()' 1 'MPI_Send()' 7 'MPI_Isend()' 21 'MPI_Waitall()' 21 'MPI_Finalize()' 1
        expect_calls 1 'MPI_Recv()' 7 'MPI_Barrier()' 1
    done
}

@test "tool_that_declares_its_cost_is_taken_out_of_the_other_ranks_waiting" {
    for tool in coexist_pmpi.so coexist_next.so; do
        TOOL_DECLARES=1 wait_is "$corrected" "$PROGRAMS/$tool"
    done
}

@test "tool_that_declares_nothing_is_taken_for_the_program" {
    wait_is "$as_it_was" "$PROGRAMS/coexist_next.so"
}

@test "tool_between_shims_is_taken_out_of_the_other_ranks_waiting" {
    wait_is "$corrected" "$PROGRAMS/coexist_outer.so:$PROGRAMS/coexist_next.so:$PROGRAMS/coexist_inner.so"
}

# Debian's EZTrace has a module for MPICH, which calls the next MPI_Send. Sets $eztrace, what is to be preloaded.
# EZTRACE_FOLDER: where the libraries of libeztrace0 are, if they are not installed.
need_eztrace() {
    [[ $family != openmpi ]] || skip "this is EZTrace's module for MPICH"
    local folder=${EZTRACE_FOLDER-$(dirname "$(ldconfig -p | awk '/libeztrace-mpich.so/ { print $NF; exit }')")}
    [[ -e $folder/libeztrace-mpich.so ]] || skip "libeztrace0 is not installed (its libeztrace-mpich.so)"
    [[ -n $(command -v otf2-print) ]] || skip "otf2-tools is not installed"
    find_libmpi
    export LD_LIBRARY_PATH=${libmpi%/*}:$folder EZTRACE_TRACE=mpich
    export EZTRACE_LIBRARY_PATH=$folder EZTRACE_TRACE_DIR=$BATS_TEST_TMPDIR/trace
    eztrace=$folder/libeztrace-core.so:$folder/libeztrace-lib.so:$folder/libeztrace-mpich.so
    profile=$BATS_TEST_TMPDIR/profile
}

# How many sends are in the trace.
traced_sends() {
    otf2-print "$EZTRACE_TRACE_DIR"/coexist_trace/eztrace_log.otf2 2> /dev/null | grep -c '^ENTER.*"MPI_Send"'
}

@test "eztrace_and_tare_both_see_every_call" {
    need_eztrace
    beside "$eztrace" 100 0 5
    expect_calls 0 'MPI_Send()' 100 'MPI_Isend()' 500 'MPI_Waitall()' 500
    [[ $(traced_sends) -eq 100 ]]
}

# Most of what rank 1 waits for here is EZTrace on rank 0, in 90000 calls.
eztrace_is_taken_out() {
    local attempt
    for attempt in 1 2 3 4 5; do
        rm -rf "$EZTRACE_TRACE_DIR"
        beside "$PROGRAMS/coexist_outer.so:$eztrace:$PROGRAMS/coexist_inner.so" 100 0 300
        [[ $(traced_sends) -eq 100 ]]
        awk -v wait="$(us MPI_WAIT_TIME)" -v left="$(us COMPENSATED_MPI_WAIT_TIME)" \
            'BEGIN { print "waited", wait, "us, of which", left, "stay"; exit !(left < 0.7 * wait) }' && return
    done
    return 1
}

@test "eztrace_between_shims_is_taken_out_of_the_other_ranks_waiting" {
    need_eztrace
    eztrace_is_taken_out
}

# opened WHERE HOW: a run with a profile
opened() {
    rm -rf "$BATS_TEST_TMPDIR/profile" && mkdir "$BATS_TEST_TMPDIR/profile"
    TARE_PROFILE=1 TARE_PROFILE_DIR=$BATS_TEST_TMPDIR/profile run layered 2 opened "$libmpi" "$1" "$2"
    [[ $status -eq 0 && $output == *4* ]] || { echo "$output"; return 1; }
}

@test "opened_mpi_whose_functions_the_process_looks_up_is_measured" {
    find_libmpi
    for where in local global; do
        opened "$where" default
        [[ $output == 4 ]]
        expect_calls 0 'MPI_Init()' 1 'MPI_Send()' 5
        expect_calls 1 'MPI_Recv()' 5 'MPI_Finalize()' 1
    done
}

@test "opened_mpi_whose_own_functions_are_called_gets_one_sentence" {
    find_libmpi
    for where in local global; do
        opened "$where" handle
        expect_sentence "MPI was initialized past Tare's layer, so nothing of it is measured or carried above MPI: its \
functions were looked up in the MPI library itself; with RTLD_DEFAULT (in Python ctypes.CDLL(None)) Tare's are found"
        [[ ! -e $BATS_TEST_TMPDIR/profile/MULTI__TIME ]]
    done
}

@test "opened_mpi_without_measurement_is_left_alone" {
    find_libmpi
    TARE_MODE=off run layered 2 opened "$libmpi" local handle
    [[ $status -eq 0 && $output == 4 ]]
}

@test "python_that_opens_mpi_is_measured" {
    [[ $family != openmpi ]] || skip "its handles are data of the library"
    [[ -n $(command -v python3) ]] || skip "python3 is not installed"
    find_libmpi
    cat > ring.py << 'PYTHON'
import ctypes, sys
ctypes.CDLL(sys.argv[1])
mpi = ctypes.CDLL(None)
world, integer, ignored = ctypes.c_int(0x44000000), ctypes.c_int(0x4c000405), ctypes.c_void_p(1)
rank, value = ctypes.c_int(), ctypes.c_int()
mpi.MPI_Init(None, None)
mpi.MPI_Comm_rank(world, ctypes.byref(rank))
for i in range(20):
    value.value = i if rank.value == 0 else -1
    if rank.value == 0:
        mpi.MPI_Send(ctypes.byref(value), 1, integer, 1, 1, world)
    else:
        mpi.MPI_Recv(ctypes.byref(value), 1, integer, 0, 1, world, ignored)
if rank.value == 1:
    print(value.value)
mpi.MPI_Finalize()
PYTHON
    mkdir "$BATS_TEST_TMPDIR/profile"
    TARE_PROFILE=1 TARE_PROFILE_DIR=$BATS_TEST_TMPDIR/profile run timeout 120 "$MPIEXEC" -n 2 \
        env LD_PRELOAD="$LAYER" python3 ring.py "$libmpi"
    [[ $status -eq 0 && $output == 19 ]] || { echo "$output"; return 1; }
    expect_calls 0 'MPI_Init()' 1 'MPI_Send()' 20 'MPI_Finalize()' 1
    expect_calls 1 'MPI_Recv()' 20
}
