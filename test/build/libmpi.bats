#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What the staged MPICH must be, whatever it does.
# shellcheck disable=SC2154,SC2016  # bats sets status and output; inner shells expand what is quoted

load helper

setup() {
    : "${MPICH_STAGE:?is not set: run the tests by make check}"
    libmpi=$MPICH_STAGE/lib/libmpi.so.12
}

@test "libmpi_needs_nothing_of_cxx" {
    undefined=$(nm -D --undefined-only "$libmpi")
    [[ $undefined == *libc* || $undefined == *GLIBC* ]]
    run ! grep -E '_Z|GLIBCXX|__gxx' <<<"$undefined"
}

@test "libmpi_exports_of_tare_only_what_is_public" {
    exported=$(nm -D --defined-only "$libmpi")
    [[ $exported == *" MPI_Send"* ]]
    run ! grep -E ' _Z' <<<"$exported"
    [[ $(grep -i tare <<<"$exported") == *" tare_transport_v1" ]]
}

@test "libmpi_has_debians_name_too" {
    [[ $(readlink "$MPICH_STAGE/lib/libmpich.so.12") == libmpi.so.12 && -e $MPICH_STAGE/lib/libmpich.so.12 ]]
}

@test "libmpifort_has_debians_name_too" {
    [[ -e $MPICH_STAGE/lib/libmpifort.so.12 ]] || skip "--enable-minimal: there is no Fortran library"
    [[ $(readlink "$MPICH_STAGE/lib/libmpichfort.so.12") == libmpifort.so.12 ]]
}

@test "compiler_wrappers_pass_on_none_of_the_builds_own_flags" {
    for wrapper in mpicc mpicxx; do
        run "$MPICH_STAGE/bin/$wrapper" -show x.c
        assert_status 0
        [[ $output != *ccache* && $output != *HAVE_TARE* && $output != *-O2* && $output != *.cache* ]]
    done
}

@test "mpich_pc_names_the_stage" {
    PKG_CONFIG_PATH=$MPICH_STAGE/lib/pkgconfig run pkg-config --cflags --libs mpich
    assert_status 0
    [[ $output == *"-I$MPICH_STAGE/include"* && $output == *"-rpath -Wl,$MPICH_STAGE/lib "* ]]
}

@test "installed_copy_finds_its_own_libmpi" {
    "$top_srcdir/mpich/mpich-build" place "$MPICH_STAGE" "$BATS_TEST_TMPDIR/copy"
    run env -u LD_LIBRARY_PATH ldd "$BATS_TEST_TMPDIR/copy/bin/mpichversion"
    [[ $output == *"libmpi.so.12 => $BATS_TEST_TMPDIR/copy/"* ]]
    cat >"$BATS_TEST_TMPDIR/two.c" <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("of %d\n", size);
    return MPI_Finalize();
}
END
    "$BATS_TEST_TMPDIR/copy/bin/mpicc" "$BATS_TEST_TMPDIR/two.c" -o "$BATS_TEST_TMPDIR/two"
    run "$BATS_TEST_TMPDIR/copy/bin/mpiexec" -n 2 "$BATS_TEST_TMPDIR/two"
    assert_status 0
    [[ $(grep -c 'of 2' <<<"$output") -eq 2 ]]
}

@test "second_make_of_mpich_does_nothing" {
    run make -s --no-print-directory -C "$top_builddir/mpich"
    assert_status 0
    [[ -z $output ]]
}

@test "patches_of_this_tree_apply_and_their_folders_compile" {
    run make -s --no-print-directory -C "$top_builddir" check-patches
    assert_status 0
    [[ ${lines[-1]} == "check-patches: good" ]]
}

@test "benchmarks_name_no_folder_of_the_build" {
    run readelf -d "$top_builddir/src/bench/tare_latency"
    assert_status 0
    [[ $output == *"[\$ORIGIN/../lib]"* && $output != *"$MPICH_STAGE"* ]]
}
