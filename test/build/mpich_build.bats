#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154,SC2016,SC2030,SC2031  # bats sets status and output; inner shells expand what is quoted; a
# case is a subshell

load helper

setup() {
    build=$top_srcdir/mpich/mpich-build
    top=$BATS_TEST_TMPDIR/top
    tree=$BATS_TEST_TMPDIR/tree
    mkdir -p "$tree"
    printf '%s\n' one two three >"$tree/list"
    empty_series "$top"
}

# apply: the series of $top to $tree, as mpich-build does it
apply() {
    run --separate-stderr bash -euo pipefail -c \
        '. "$0/mpich/common.sh"; . "$0/mpich/patches.sh"; apply_all "$1" "$2"' "$top_srcdir" "$top" "$tree"
}

@test "mpich_build_without_command_prints_usage" {
    run --separate-stderr "$build"
    assert_status 0
    [[ $output == "Usage: mpich-build"* ]]
}

@test "mpich_build_unknown_option_is_refused" {
    run --separate-stderr "$build" stage --fast
    assert_status 1
    assert_sentence "unknown option --fast"
}

@test "mpich_build_unknown_device_names_what_is_allowed" {
    run --separate-stderr "$build" stage --device verbs
    assert_status 1
    assert_sentence "--device 'verbs' is not known" "ofi and ucx"
}

@test "mpich_build_of_one_network_module_does_not_hang_on_the_patches_of_another" {
    cp -R "$top_srcdir/mpich" "$top_srcdir/build-aux" "$top/"
    before=$("$top/mpich/mpich-build" tree --minimal)
    ucx_before=$("$top/mpich/mpich-build" tree --minimal --device ucx)
    echo '# another' >>"$top/netmod/ucx/series"
    [[ $("$top/mpich/mpich-build" tree --minimal) == "$before" ]]
    [[ $("$top/mpich/mpich-build" tree --minimal --device ucx) != "$ucx_before" && $ucx_before != "$before" ]]
}

@test "configure_unknown_netmod_names_what_is_allowed" {
    cd "$BATS_TEST_TMPDIR"
    run --separate-stderr "$top_srcdir/configure" --with-netmod=verbs
    [[ $status -ne 0 ]]
    assert_sentence "--with-netmod=verbs is not known: allowed are ofi, ucx and both"
}

@test "tarball_with_wrong_checksum_is_one_sentence" {
    echo "not MPICH" >"$BATS_TEST_TMPDIR/mpich_4.0.2.orig.tar.xz"
    run --separate-stderr "$build" verify "$BATS_TEST_TMPDIR/mpich_4.0.2.orig.tar.xz"
    assert_status 1
    assert_sentence "SHA-256" "Debian's" "upstream's"
}

# A tarball whose configure leaves a mark, under the name of MPICH's.
hostile_tarball() {
    mkdir -p "$BATS_TEST_TMPDIR/mpich-4.0.2"
    printf '#!/bin/sh\ntouch "%s/was-run"\n' "$BATS_TEST_TMPDIR" >"$BATS_TEST_TMPDIR/mpich-4.0.2/configure"
    chmod +x "$BATS_TEST_TMPDIR/mpich-4.0.2/configure"
    tar -C "$BATS_TEST_TMPDIR" -cJf "$1" mpich-4.0.2
}

@test "tarball_with_wrong_checksum_is_neither_unpacked_nor_run" {
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
    hostile_tarball "$BATS_TEST_TMPDIR/mpich_4.0.2.orig.tar.xz"
    fake tar 'echo tar >>"$BATS_TEST_TMPDIR/unpacked"'
    fake make 'echo make >>"$BATS_TEST_TMPDIR/unpacked"'
    run --separate-stderr "$build" stage --minimal --tarball "$BATS_TEST_TMPDIR/mpich_4.0.2.orig.tar.xz" \
        --stage "$BATS_TEST_TMPDIR/stage"
    assert_status 1
    [[ $stderr == *"SHA-256"* && ! -e $BATS_TEST_TMPDIR/unpacked && ! -e $BATS_TEST_TMPDIR/was-run ]]
}

@test "tarball_that_came_into_the_cache_with_another_content_is_fetched_anew" {
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
    mkdir -p "$XDG_CACHE_HOME/tare/download"
    hostile_tarball "$XDG_CACHE_HOME/tare/download/mpich_4.0.2.orig.tar.xz"
    fake tar 'echo tar >>"$BATS_TEST_TMPDIR/unpacked"'
    fake apt-get 'exit 1'
    run --separate-stderr "$build" stage --minimal --stage "$BATS_TEST_TMPDIR/stage"
    assert_status 1
    [[ ! -e $XDG_CACHE_HOME/tare/download/mpich_4.0.2.orig.tar.xz && ! -e $BATS_TEST_TMPDIR/unpacked ]]
}

# What is checked and what is unpacked is one file, which nobody else can reach.
@test "tarball_that_is_exchanged_after_it_was_checked_is_not_unpacked" {
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
    echo good >"$BATS_TEST_TMPDIR/given.tar.xz"
    run bash -euo pipefail -c '. "$0/mpich/common.sh"; . "$0/build-aux/progress.sh"; . "$0/mpich/fetch.sh"
        MPICH_SHA256_DEBIAN=$(sha256_of "$1")
        fetch_tarball "$1"
        echo evil >"$1"
        cat "$MPICH_TARBALL"
        fetch_tarball "$1"' "$top_srcdir" "$BATS_TEST_TMPDIR/given.tar.xz"
    assert_status 1
    [[ ${lines[0]} == good && ${lines[1]} == *SHA-256* ]]
}

@test "cache_that_others_may_write_is_refused" {
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
    mkdir -p "$XDG_CACHE_HOME/tare"
    chmod 777 "$XDG_CACHE_HOME/tare"
    run --separate-stderr "$build" stage --minimal --stage "$BATS_TEST_TMPDIR/stage"
    assert_status 1
    assert_sentence "$XDG_CACHE_HOME/tare: others may write there" "XDG_CACHE_HOME"
    [[ -z $(ls -A "$XDG_CACHE_HOME/tare") ]]
}

@test "cache_of_another_user_is_refused" {
    [[ $(id -u) == 0 ]] || skip "other users are root's to be"
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
    mkdir -p "$XDG_CACHE_HOME/tare"
    chown 65534 "$XDG_CACHE_HOME/tare"
    run --separate-stderr "$build" stage --minimal --stage "$BATS_TEST_TMPDIR/stage"
    assert_status 1
    assert_sentence "others may write there"
}

@test "cache_under_any_umask_is_written_by_its_owner_alone" {
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
    fake apt-get 'exit 1'
    (umask 000 && run "$build" stage --minimal --stage "$BATS_TEST_TMPDIR/stage")
    [[ -d $XDG_CACHE_HOME/tare/download && -z $(find "$XDG_CACHE_HOME" -perm /022) ]]
}

@test "patch_in_series_is_applied_after_files_are_laid" {
    mkdir -p "$top/mpid-patch/files/sub"
    rm "$tree/list"
    printf '%s\n' one two three >"$top/mpid-patch/files/list"
    echo new >"$top/mpid-patch/files/sub/new.h"
    write_patch "$top/mpid-patch/zwei.patch"
    printf '%s\n' '# a comment' 'zwei.patch   # and one more' >"$top/mpid-patch/series"
    apply
    assert_status 0
    [[ $(sed -n 2p "$tree/list") == zwei && $(cat "$tree/sub/new.h") == new ]]
}

@test "patch_folders_are_applied_in_the_fixed_order" {
    write_patch "$top/netmod/ofi/zwei.patch"
    sed -e 's/^-two/-zwei/' -e 's/^+zwei/+deux/' "$top/netmod/ofi/zwei.patch" >"$top/netmod/ucx/deux.patch"
    echo zwei.patch >"$top/netmod/ofi/series"
    echo deux.patch >"$top/netmod/ucx/series"
    apply
    assert_status 0
    [[ $(sed -n 2p "$tree/list") == deux ]]
}

@test "patch_that_does_not_apply_is_named_in_one_sentence" {
    write_patch "$top/netmod/ofi/zwei.patch"
    echo zwei.patch >"$top/netmod/ofi/series"
    printf '%s\n' one 2 three >"$tree/list"
    apply
    assert_status 1
    assert_sentence "netmod/ofi/zwei.patch does not apply" "--fuzz=0"
}

@test "patch_with_fuzzy_context_does_not_apply" {
    write_patch "$top/mpid-patch/zwei.patch"
    echo zwei.patch >"$top/mpid-patch/series"
    printf '%s\n' ONE two three >"$tree/list"
    apply
    assert_status 1
    assert_sentence "mpid-patch/zwei.patch does not apply"
}

@test "series_that_names_a_missing_patch_is_refused" {
    echo gone.patch >"$top/mpid-patch/series"
    apply
    assert_status 1
    assert_sentence "mpid-patch/series names gone.patch, which does not exist"
}

@test "patch_folder_without_series_is_refused" {
    rm "$top/netmod/ucx/series"
    apply
    assert_status 1
    assert_sentence "netmod/ucx/series is missing"
}

archives() {
    run --separate-stderr bash -euo pipefail -c \
        '. "$0/mpich/common.sh"; . "$0/build-aux/progress.sh"; . "$0/mpich/fetch.sh"; "$@"' "$top_srcdir" "$@"
}

@test "source_archives_are_those_that_the_machine_uses" {
    fake apt-get 'printf "%s\n" "http://a.example/d/ bookworm main" "http://a.example/d/ bookworm contrib" \
        "http://a.example/s/ bookworm-security main" "http://b.example/ sid main" "cdrom:[x]/ bookworm main"'
    archives archive_lines
    assert_status 0
    [[ ${#lines[@]} -eq 2 && ${lines[0]} == "deb-src [signed-by="*"] http://a.example/d/ bookworm main" ]]
    [[ ${lines[1]} == *" http://a.example/s/ bookworm-security main" ]]
}

@test "machine_without_debian_archive_is_told_to_bring_the_tarball" {
    fake apt-get 'echo "http://b.example/ sid main"'
    archives download_tarball "$BATS_TEST_TMPDIR/mpich.tar.xz"
    assert_status 1
    assert_sentence "no Debian 12" "--with-mpich-tarball=FILE"
}

@test "download_leaves_etc_apt_alone_and_uses_security_when_main_fails" {
    fake apt-get 'case $* in
        indextargets*)
            printf "%s\n" "http://a.example/d/ bookworm main" "http://a.example/s/ bookworm-security main" ;;
        *)
            echo "$*" >>"$BATS_TEST_TMPDIR/apt"
            cat "$BATS_TEST_TMPDIR/apt.d/apt/sources.list" >>"$BATS_TEST_TMPDIR/used"
            exit 1 ;;
        esac'
    mkdir "$BATS_TEST_TMPDIR/apt.d"
    archives download_tarball "$BATS_TEST_TMPDIR/apt.d/mpich.tar.xz"
    assert_status 1
    assert_sentence "could not be downloaded" "--with-mpich-tarball=FILE"
    [[ $(grep -c . "$BATS_TEST_TMPDIR/used") -eq 2 ]]
    [[ $(sed -n 1p "$BATS_TEST_TMPDIR/used") == *"bookworm main" ]]
    run ! grep -v "Dir::State::Lists=$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/apt"
}

@test "stage_placed_elsewhere_names_its_new_place_and_can_be_removed" {
    stage=$BATS_TEST_TMPDIR/stage
    mkdir -p "$stage/bin" "$stage/lib/pkgconfig"
    echo "prefix=$stage" >"$stage/bin/mpicc"
    ln -s mpicc "$stage/bin/mpilink"
    echo "prefix=$stage" >"$stage/lib/pkgconfig/mpich.pc"
    DESTDIR=$BATS_TEST_TMPDIR/dest run "$build" place "$stage" /opt/tare
    assert_status 0
    [[ $(cat "$BATS_TEST_TMPDIR/dest/opt/tare/bin/mpicc") == "prefix=/opt/tare" ]]
    [[ $(cat "$BATS_TEST_TMPDIR/dest/opt/tare/lib/pkgconfig/mpich.pc") == "prefix=/opt/tare" ]]
    echo mine >"$BATS_TEST_TMPDIR/dest/opt/tare/bin/mine"
    DESTDIR=$BATS_TEST_TMPDIR/dest run "$build" remove "$stage" /opt/tare
    assert_status 0
    [[ $(find "$BATS_TEST_TMPDIR/dest" -type f) == "$BATS_TEST_TMPDIR/dest/opt/tare/bin/mine" ]]
}

@test "configure_without_a_compiler_is_one_sentence" {
    cd "$BATS_TEST_TMPDIR"
    run --separate-stderr "$top_srcdir/configure" CXX=no-such-compiler
    [[ $status -ne 0 ]]
    assert_sentence "no C++ compiler found (looked for: no-such-compiler)" "install the package g++"
}

@test "configure_tarball_that_does_not_exist_is_one_sentence" {
    cd "$BATS_TEST_TMPDIR"
    run --separate-stderr "$top_srcdir/configure" --with-mpich-tarball=/no/such.tar.xz
    [[ $status -ne 0 ]]
    assert_sentence "--with-mpich-tarball=/no/such.tar.xz: no such readable file"
}

@test "configure_wrapper_of_an_mpi_that_is_not_there_or_another_is_one_sentence" {
    cd "$BATS_TEST_TMPDIR"
    printf '#!/bin/sh\nexec "%s" -I"%s" "$@"\n' "${CC:-cc}" "$PWD" > mpicc
    chmod +x mpicc
    echo '#define MPI_VERSION 3' > mpi.h
    run --separate-stderr "$top_srcdir/configure" --without-mpich --with-openmpi=no-such-mpicc
    [[ $status -ne 0 ]]
    assert_sentence "--with-openmpi: there is no program no-such-mpicc: name the compiler wrapper of Open MPI"
    run --separate-stderr "$top_srcdir/configure" --without-mpich "--with-openmpi=$PWD/mpicc"
    [[ $status -ne 0 ]]
    assert_sentence "--with-openmpi: $PWD/mpicc finds no mpi.h of Open MPI"
    echo '#define OPEN_MPI 1' > mpi.h
    run --separate-stderr "$top_srcdir/configure" --without-mpich "--with-system-mpich=$PWD/mpicc"
    [[ $status -ne 0 ]]
    assert_sentence "--with-system-mpich: $PWD/mpicc finds no mpi.h of an unpatched MPICH"
}

@test "configure_says_why_a_layer_is_not_built" {
    cd "$BATS_TEST_TMPDIR"
    run --separate-stderr "$top_srcdir/configure" --without-mpich --without-openmpi
    [[ $status -eq 0 ]]
    [[ $output == *"system's MPICH    no layer (--without-mpich)"* ]]
    [[ $output == *"Open MPI          no layer (--without-openmpi)"* ]]
}
