#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tare exec: which libraries it puts in front of which program. The MPI libraries here are made up: what tells them
# apart are the symbols that they export.
load helpers

setup_file() {
    local mpi='int MPI_Init(void) { return 0; } int PMPI_Init(void) { return 0; }'
    local main='int MPI_Init(void); int main(void) { return MPI_Init(); }'
    cd "$BATS_FILE_TMPDIR" || return 1
    install_tool inst
    library patched/libmpi.so.12 "$mpi int tare_transport_v1;"
    library mpich/libmpi.so.12 "$mpi"
    library openmpi/libmpi.so.40 "$mpi int ompi_mpi_comm_world;"
    program app "$main" -Wl,-rpath,"$PWD/patched" patched/libmpi.so.12
    program app_mpich "$main" -Wl,-rpath,"$PWD/mpich" mpich/libmpi.so.12
    program app_openmpi "$main" -Wl,-rpath,"$PWD/openmpi" openmpi/libmpi.so.40
    program app_probed "$main" -finstrument-functions -Wl,-rpath,"$PWD/patched" patched/libmpi.so.12
    library lib/libprobed.so 'int MPI_Init(void); int work(void) { return MPI_Init(); }' -finstrument-functions \
        patched/libmpi.so.12
    program app_probed_library 'int work(void); int main(void) { return work(); }' lib/libprobed.so \
        -Wl,-rpath,"$PWD/lib:$PWD/patched" -Wl,-rpath-link,"$PWD/patched"
    program app_pathless "$main" mpich/libmpi.so.12
    program serial 'int main(void) { return 0; }'
    program show '#include <stdio.h>
#include <stdlib.h>
int main(void) {
    return printf("TARE_PROFILE=%s\nLD_PRELOAD=%s\n", getenv("TARE_PROFILE"), getenv("LD_PRELOAD")) < 0;
}'
}

setup() {
    clean_environment
    cd "$BATS_FILE_TMPDIR" || return 1
    tare=$BATS_FILE_TMPDIR/inst$TOOL_BINDIR/tare
}

dry_run() {
    run "$@" "$tare" exec --dry-run "$program"
    [ "$status" -eq 0 ]
}

assert_preloaded() {
    [ "$(preloaded)" = "$1" ] || { echo "preloaded: $(preloaded)"; echo "wanted: $1"; return 1; }
}

@test "program_of_the_patched_mpich_gets_its_layer_and_the_library" {
    program=./app dry_run
    assert_preloaded "tare/libtare-mpi.so libtare.so"
    [[ $output == *"$PWD/patched/libmpi.so.12 (family tare)"* ]]
}

@test "library_path_decides_which_libmpi_counts" {
    program=./app_pathless dry_run env LD_LIBRARY_PATH=patched
    [[ $output == *"(family tare)"* ]]
    program=./app_pathless dry_run env LD_LIBRARY_PATH=mpich
    [[ $output == *"(family mpich)"* ]]
}

@test "another_mpich_gets_its_own_layer_where_there_is_one" {
    program=./app_mpich dry_run
    [[ $output == *"(family mpich)"* ]]
    assert_preloaded "tare/libtare-mpi.so libtare.so"
    cp -r inst with_mpich
    library "with_mpich$TOOL_LIBDIR/tare/mpich/libtare-mpi.so" 'int fake_layer;'
    tare=$PWD/with_mpich$TOOL_BINDIR/tare program=./app_mpich dry_run
    assert_preloaded "mpich/libtare-mpi.so libtare.so"
}

@test "open_mpi_without_its_layer_is_refused" {
    run --separate-stderr "$tare" exec ./app_openmpi
    assert_refused 1
    assert_says "$PWD/openmpi/libmpi.so.40"
    assert_says "openmpi/libtare-mpi.so is missing"
}

@test "instrumented_program_gets_the_probes" {
    program=./app_probed dry_run
    assert_preloaded "tare/libtare-mpi.so libtare.so libtare-probe.so"
}

@test "threads_are_followed_on_demand" {
    run "$tare" exec --threads --dry-run ./app
    [[ $status -eq 0 && $output == *libtare.so*:*libtare-threads.so* ]]
    run "$tare" exec --dry-run ./app
    [[ $status -eq 0 && $output != *libtare-threads.so* ]]
}

@test "heap_is_told_of_on_demand" {
    TARE_TRACE=1 TARE_TRACE_RECORDS=sites,heap run "$tare" exec --dry-run ./app
    [[ $status -eq 0 && $output == *libtare.so*:*libtare-heap.so* ]]
    TARE_TRACE_RECORDS=heap run "$tare" exec --dry-run ./app
    [[ $status -eq 0 && $output != *libtare-heap.so* ]]
    TARE_TRACE=1 TARE_TRACE_RECORDS=data run "$tare" exec --dry-run ./app
    [[ $status -eq 0 && $output != *libtare-heap.so* ]]
}

@test "instrumented_library_of_a_program_gets_the_probes" {
    program=./app_probed_library dry_run
    assert_preloaded "tare/libtare-mpi.so libtare.so libtare-probe.so"
}

@test "script_and_program_without_mpi_get_everything" {
    printf '#!/bin/sh\n' > script
    chmod +x script
    for program in ./script ./serial; do
        dry_run
        assert_preloaded "tare/libtare-mpi.so libtare.so libtare-probe.so"
    done
}

@test "family_option_overrides_the_program" {
    run "$tare" exec --dry-run --family=tare ./app_openmpi
    assert_preloaded "tare/libtare-mpi.so libtare.so"
    run --separate-stderr "$tare" exec --dry-run --family=openmpi ./app
    assert_refused 1
}

@test "users_preloads_stay_behind_ours_and_ours_come_once" {
    program=./app dry_run env LD_PRELOAD="/x/liba.so /x/libb.so"
    assert_preloaded "tare/libtare-mpi.so libtare.so liba.so libb.so"
    run "$tare" exec "$tare" exec env LD_PRELOAD_SHOWN=1 "$PWD/show"
    [ "$(preloaded)" = "tare/libtare-mpi.so libtare.so libtare-probe.so" ]
}

# Behind ours they would see no call: the layer goes straight to PMPI.
@test "users_tools_around_mpi_stay_in_front_with_what_stands_before_them" {
    library tools/libtracer.so 'int MPI_Send(void) { return 0; }'
    library tools/libother.so 'int unlike;'
    program=./app dry_run env LD_PRELOAD="$PWD/tools/libother.so:$PWD/tools/libtracer.so:/x/liba.so"
    assert_preloaded "libother.so libtracer.so tare/libtare-mpi.so libtare.so liba.so"
    program=./app dry_run env LD_PRELOAD="$PWD/tools/libother.so:$PWD/patched/libmpi.so.12"
    assert_preloaded "tare/libtare-mpi.so libtare.so libother.so libmpi.so.12"
}

@test "what_a_dry_run_prints_is_what_the_program_gets" {
    run "$tare" exec --dry-run ./show
    local promised=${lines[1]}$'\n'${lines[2]}
    run "$tare" exec ./show
    [ "$output" = "$promised" ]
}

@test "loader_really_loads_the_libraries_in_this_order" {
    run "$tare" exec grep -o '[^/]*/libtare[^/]*$' /proc/self/maps
    [ "$status" -eq 0 ]
    local loaded=$output
    [[ $loaded == *tare/libtare-mpi.so* && $loaded == *libtare.so* && $loaded == *libtare-probe.so* ]]
    run env LD_DEBUG=files "$tare" exec true
    local order
    order=$(sed -n 's#.*calling init: .*/\(libtare[a-z-]*\)\.so$#\1#p' <<< "$output" | paste -s -d ' ')
    [ "$order" = "libtare-probe libtare libtare-mpi" ] # the loader initialises the last one first
}

@test "profile_variable_is_1_unless_it_is_set" {
    run "$tare" exec ./show
    [ "${lines[0]}" = "TARE_PROFILE=1" ]
    TARE_PROFILE=0 run "$tare" exec ./show
    [ "${lines[0]}" = "TARE_PROFILE=0" ]
}

@test "nothing_is_preloaded_where_no_variable_needs_it" {
    for mode in off header; do
        program=./app_probed dry_run env TARE_PROFILE=0 TARE_MODE=$mode
        [ "${lines[2]}" = "LD_PRELOAD=" ]
    done
}

@test "carrier_above_mpi_needs_the_layer_and_no_probes" {
    program=./app_probed dry_run env TARE_PROFILE=0 TARE_MODE=datatype
    assert_preloaded "tare/libtare-mpi.so libtare.so"
}

@test "unset_mode_needs_the_layer_that_chooses_it" {
    program=./app dry_run env TARE_PROFILE=0
    assert_preloaded "tare/libtare-mpi.so libtare.so"
}

@test "header_mode_on_an_unpatched_libmpi_is_refused_by_rank_0" {
    TARE_MODE=header run --separate-stderr "$tare" exec ./app_mpich
    assert_refused 1
    assert_says "TARE_MODE=header"
    assert_says "$PWD/mpich/libmpi.so.12"
    TARE_MODE=header PMI_RANK=1 run --separate-stderr "$tare" exec ./app_mpich
    [ "$status" -eq 1 ]
    [ -z "$stderr" ]
    TARE_MODE=header run "$tare" exec ./app
    [ "$status" -eq 0 ]
}

@test "moved_installation_finds_its_own_libraries" {
    cp -r inst moved
    tare=$PWD/moved$TOOL_BINDIR/tare program=./app dry_run
    [[ $output == *"LD_PRELOAD=$PWD/moved$TOOL_LIBDIR/"* ]]
    assert_preloaded "tare/libtare-mpi.so libtare.so"
}

@test "libraries_with_only_their_versioned_names_are_found" {
    cp -r inst versioned
    mv "versioned$TOOL_LIBDIR/libtare.so" "versioned$TOOL_LIBDIR/libtare.so.0"
    tare=$PWD/versioned$TOOL_BINDIR/tare program=./app dry_run
    assert_preloaded "tare/libtare-mpi.so libtare.so.0"
}

# An installation without a library that PROGRAM needs and OTHER does not. assert_missed LIBRARY WHAT PROGRAM OTHER
assert_missed() {
    local place=without-${1##*/}
    cp -r inst "$place"
    rm "$place$TOOL_LIBDIR/$1"
    tare=$PWD/$place$TOOL_BINDIR/tare
    run --separate-stderr "$tare" exec "$3"
    assert_refused 1
    assert_says "$2"
    run "$tare" exec "$4"
    [ "$status" -eq 0 ]
}

@test "incomplete_installation_is_said" {
    assert_missed tare/tare/libtare-mpi.so "tare/tare/libtare-mpi.so is missing" ./app ./serial
}

@test "missing_probes_are_said_where_the_program_needs_them" {
    assert_missed libtare-probe.so "cannot find libtare-probe.so" ./app_probed ./app
}

@test "installation_in_a_folder_with_a_blank_is_said" {
    cp -r inst 'with blank'
    run --separate-stderr "with blank$TOOL_BINDIR/tare" exec ./app
    assert_refused 1
    assert_says "no blank and no colon"
}

@test "missing_libtare_is_said" {
    [ ! -e "$TOOL_LIBDIR/libtare.so" ] || skip "the prefix already holds an installation, which is found instead"
    cp -r inst bare
    rm "bare$TOOL_LIBDIR/libtare.so"
    run --separate-stderr "bare$TOOL_BINDIR/tare" exec ./app
    assert_refused 1
    assert_says "libtare.so"
}
