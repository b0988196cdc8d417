#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What other programs were compiled for, against what is kept in golden/. `make abi-golden` renews that, where a
# change is meant: a removed or changed line of a library is another soname, of a packet another TARE_LAYOUT.
# shellcheck disable=SC2154,SC2016,SC2030,SC2031  # bats sets status and output; $ in single quotes is meant; a case is
# a subshell

bats_require_minimum_version 1.5.0
: "${top_srcdir:?is not set: run the tests by make check}" "${top_builddir:?}"
golden=$top_srcdir/test/abi/golden
describe=$top_srcdir/test/abi/describe

need() {
    command -v "$1" >/dev/null || skip "$1 is not installed: install the package $2"
}

# library NAME: where the build has it
library() { echo "$top_builddir"/src/*/.libs/"$1".so; }

# A sanitizer has names of its own in each library.
as_users_have_it() { [[ -z ${SANITIZER-} ]] || skip "built with a sanitizer"; }

# same NAME COMMAND...: what a command prints is golden/NAME
same() {
    local name=$1
    shift
    "$@" >"$BATS_TEST_TMPDIR/now"
    [[ -s $BATS_TEST_TMPDIR/now ]]
    diff -u "$golden/$name" "$BATS_TEST_TMPDIR/now"
}

@test "libraries_export_what_they_did" {
    as_users_have_it
    for name in libtare libtare-probe libtare-threads; do
        same $name.symbols "$describe" symbols "$(library $name)"
    done
}

@test "functions_of_libtare_have_the_types_that_they_had" {
    as_users_have_it
    need abidw abigail-tools
    "$describe" types "$(library libtare)" "$top_srcdir/src/lib/tare.h" >"$BATS_TEST_TMPDIR/now.abi"
    abidiff "$golden/libtare.abi" "$BATS_TEST_TMPDIR/now.abi"
}

@test "another_type_of_a_function_is_found" {
    need abidw abigail-tools
    int=$(sed -n "s/.*<type-decl name='int' .* id='\([^']*\)'.*/\1/p" "$golden/libtare.abi")
    sed "s/type-id='[^']*' name='ns'/type-id='$int' name='ns'/" "$golden/libtare.abi" >"$BATS_TEST_TMPDIR/now.abi"
    run ! cmp -s "$golden/libtare.abi" "$BATS_TEST_TMPDIR/now.abi"
    run ! abidiff "$golden/libtare.abi" "$BATS_TEST_TMPDIR/now.abi"
}

@test "layer_exports_functions_of_mpi_alone" {
    layer=$top_builddir/src/pmpi/tare/.libs/libtare-mpi.so
    [[ -e $layer && -n $MPICH_STAGE ]] || skip "there is no MPICH of this tree"
    [[ -z $("$describe" own-symbols "$layer") && $("$describe" symbols "$layer") == *"FUNC PMPI_Send"* ]]
    run comm -23 <("$describe" symbols "$layer") <("$describe" symbols "$MPICH_STAGE/lib/libmpi.so.12")
    [[ -z $output ]] || { echo "not in libmpi: $output"; return 1; }
}

need_stage() {
    [[ -n $MPICH_STAGE && -e $MPICH_STAGE/lib/libmpi.so.12 ]] || skip "there is no MPICH of this tree"
}

# Beside MPICH's own, of which each has its list: QMPI's and those that its C++ and Fortran libraries call.
@test "libmpi_adds_one_name_to_mpichs_own" {
    need_stage
    own=$("$describe" own-symbols "$MPICH_STAGE/lib/libmpi.so.12" | grep -v -e ' MPII_' -e ' QMPI_')
    [[ $own == "OBJECT tare_transport_v1 "* && $(wc -l <<<"$own") -eq 1 ]] || { echo "$own"; return 1; }
}

@test "libraries_and_header_are_the_unpatched_mpichs_but_for_that_name" {
    need_stage
    [[ -e $MPICH_STAGE-unpatched/lib/libmpi.so.12 ]] || skip "the unpatched MPICH is not built (--enable-unpatched)"
    cmp "$MPICH_STAGE-unpatched/include/mpi.h" "$MPICH_STAGE/include/mpi.h"
    for name in libmpi libmpifort libmpicxx; do
        [[ -e $MPICH_STAGE/lib/$name.so.12 ]] || continue
        diff <("$describe" symbols "$MPICH_STAGE-unpatched/lib/$name.so.12" | grep -v ' MPII_Version_') \
            <("$describe" symbols "$MPICH_STAGE/lib/$name.so.12" | grep -v -e ' MPII_Version_' -e ' tare_transport_v1 ')
    done
}

# A symbol that a program copies (OBJECT) has its size as well.
@test "nothing_that_debians_mpich_has_is_missing_or_of_another_size" {
    need_stage
    for name in mpich mpichfort mpichcxx; do
        of_debian=$(ldconfig -p | sed -n "s/.*lib$name.so.12 .*=> //p" | head -n 1)
        [[ -n $of_debian ]] || skip "lib$name.so.12 of Debian is not installed"
        [[ -e $MPICH_STAGE/lib/lib$name.so.12 ]] || continue
        run comm -23 <("$describe" symbols "$of_debian" | grep -v ' MPII_Version_') \
            <("$describe" symbols "$MPICH_STAGE/lib/lib$name.so.12")
        [[ -z $output ]] || { echo "$name: $output"; return 1; }
    done
}

@test "packets_are_laid_out_as_they_were" {
    need_stage
    need gdb gdb
    same packets.ofi "$describe" packets "$MPICH_STAGE/lib/libmpi.so.12" ||
        { echo "the wire format has changed: raise TARE_LAYOUT, and renew golden/ by make abi-golden"; return 1; }
}

@test "packets_over_ucx_are_those_over_libfabric" {
    [[ -n $UCX_STAGE && -e $UCX_STAGE/lib/libmpi.so.12 ]] || skip "there is no MPICH over UCX"
    need gdb gdb
    mpidig() { awk '/^[^ ]/ { is_one = /^(tare_wire_t|MPIDIG_)/ } is_one'; }
    diff <(mpidig <"$golden/packets.ofi") <("$describe" packets "$UCX_STAGE/lib/libmpi.so.12" | mpidig) ||
        { echo "the wire format has changed: raise TARE_LAYOUT, and renew golden/ by make abi-golden"; return 1; }
}

# ---- programs that Debian's compilers made ----

# ran MODE PROGRAM [ARGUMENT]...: what two ranks of it print on the MPICH of this tree, which is what it has loaded
ran() {
    local mode=$1
    shift
    [[ $(LD_LIBRARY_PATH=$MPICH_STAGE/lib ldd "$1") == *"=> $MPICH_STAGE/lib/libmpi"* ]]
    LD_LIBRARY_PATH=$MPICH_STAGE/lib TARE_MODE=$mode run timeout 60 "$MPICH_STAGE/bin/mpiexec" -n 2 "$@"
    [[ $status -eq 0 ]] || { echo "$mode: status $status: $output"; return 1; }
}

# compiled WRAPPER SOURCE: by Debian's compiler, to $program
compiled() {
    need_stage
    need "$1" libmpich-dev
    program=$BATS_TEST_TMPDIR/program
    "$1" "$top_srcdir/test/abi/programs/$2" -o "$program"
    [[ $(readelf -d "$program") != *RUNPATH* && $(readelf -d "$program") != *RPATH* ]]
}

goes_round() {
    for mode in off header; do
        ran $mode "$program"
        [[ $(grep -c '^ring 1 of 2$' <<<"$output") -eq 2 ]] || { echo "$mode: $output"; return 1; }
    done
}

@test "program_of_debians_mpicc_runs_unmodified" {
    compiled mpicc.mpich ring.c
    goes_round
}

@test "programs_of_debians_mpif90_run_unmodified" {
    [[ -n $MPICH_STAGE && -e $MPICH_STAGE/lib/libmpifort.so.12 ]] || skip "there is no Fortran library of this tree"
    for kind in mpif mpi f08; do
        compiled mpif90.mpich ring_$kind.f90
        goes_round
    done
}

@test "program_of_debians_mpicc_with_files_runs_unmodified" {
    compiled mpicc.mpich file.c
    [[ $(nm -D "$MPICH_STAGE/lib/libmpi.so.12") == *" MPI_File_open"* ]] || skip "MPICH was built without ROMIO"
    for mode in off header; do
        rm -f "$BATS_TEST_TMPDIR/data"
        ran $mode "$program" "$BATS_TEST_TMPDIR/data"
        [[ $(sort <<<"$output") == $'file 0 of 2\nfile 1 of 2' ]] || { echo "$mode: $output"; return 1; }
    done
}

# ---- set-uid ----

@test "libmpi_in_a_set_uid_program_ignores_the_environment" {
    need_stage
    [[ $(id -u) == 0 ]] || skip "other users are root's to be"
    shared=$(mktemp -d)
    chmod 755 "$shared"
    "$MPICH_STAGE/bin/mpicc" "$top_srcdir/test/abi/programs/ring.c" -o "$shared/ring"
    nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups env TARE_MODE=sideways TARE_NONSENSE=1 TARE_VERBOSE=2)
    if ! setpriv --reuid=65534 --regid=65534 --clear-groups timeout 60 "$shared/ring" >/dev/null; then
        rm -rf "$shared"
        skip "another user cannot run it here"
    fi
    run --separate-stderr timeout 60 "${nobody[@]}" "$shared/ring"
    [[ $status -ne 0 && $stderr == *TARE_MODE=sideways* ]]
    chmod u+s "$shared/ring"
    run --separate-stderr timeout 60 "${nobody[@]}" "$shared/ring"
    rm -rf "$shared"
    echo "status $status: $output; $stderr"
    [[ $status -eq 0 && $output == "ring 0 of 1" && -z $stderr ]]
}
