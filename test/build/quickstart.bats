#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154,SC2016  # bats sets status and output; inner shells expand what is quoted

load helper

# A copy in a folder of its own: no state of a real run is read or written.
setup() {
    top=$BATS_TEST_TMPDIR/top
    mkdir -p "$top"
    cp -R "$top_srcdir/quickstart" "$top_srcdir/build-aux" "$top_srcdir/mpich" "$top_srcdir/configure.ac" "$top/"
    cp -R "$top_srcdir/src" "$top/"
    chmod -R u+w "$top"
    quickstart=$top/quickstart
    unset CI
}

no_packages() {
    fake dpkg-query 'exit 1'
}

@test "quickstart_asked_for_help_prints_usage_to_stdout" {
    run --separate-stderr "$quickstart" --help
    assert_status 0
    [[ ${lines[0]} == "Usage: ./quickstart"* && -z $stderr ]]
}

@test "quickstart_asked_for_version_prints_that_of_configure" {
    version=$(sed -n 's/^AC_INIT(\[Tare\], \[\([0-9.]*\)\].*/\1/p' "$top_srcdir/configure.ac")
    run --separate-stderr "$quickstart" --version
    assert_status 0
    [[ -n $version && $output == "quickstart (Tare) $version" ]]
}

@test "quickstart_tarball_that_is_not_verified_ends_it_before_anything_is_installed_or_made" {
    echo "not MPICH" >"$BATS_TEST_TMPDIR/mpich.tar.xz"
    for name in apt-get autoreconf make tar; do fake $name 'echo "$0" >>"$BATS_TEST_TMPDIR/was-run"'; done
    no_packages
    run --separate-stderr "$quickstart" --yes --mpich-tarball "$BATS_TEST_TMPDIR/mpich.tar.xz"
    assert_status 1
    assert_sentence "SHA-256"
    [[ ! -e $BATS_TEST_TMPDIR/was-run && ! -e $top/build ]]
}

# A folder that was made by somebody else's checkout may hold any text: it is read by name, never run.
@test "quickstart_state_is_read_and_never_run" {
    mkdir -p "$top/build"
    printf '%s\n' 'prefix=$(touch "$BATS_TEST_TMPDIR/was-run")' 'minimal=no; touch "$BATS_TEST_TMPDIR/was-run"' \
        'PATH=/nowhere' >"$top/build/quickstart.state"
    wanted
    [[ ! -e $BATS_TEST_TMPDIR/was-run ]]
}

@test "quickstart_unknown_argument_is_bad_usage" {
    run --separate-stderr "$quickstart" --frobnicate
    assert_status 2
    assert_sentence "unknown argument '--frobnicate'"
}

@test "quickstart_option_without_value_is_bad_usage" {
    run --separate-stderr "$quickstart" --prefix
    assert_status 2
    assert_sentence "--prefix needs a value"
}

# wanted ARGUMENT...: what quickstart says is missing where nothing is installed
wanted() {
    no_packages
    fake id 'echo 1000'
    run --separate-stderr "$quickstart" "$@"
    assert_status 1
}

@test "quickstart_asks_for_the_library_of_the_network_module_that_is_built" {
    wanted
    [[ $output == *libfabric-dev* && $output != *libucx-dev* ]]
    wanted --netmod ucx
    [[ $output != *libfabric-dev* && $output == *libucx-dev* ]]
    wanted --netmod both
    [[ $output == *libfabric-dev* && $output == *libucx-dev* ]]
}

@test "quickstart_check_of_a_clean_tree_builds_both_network_modules" {
    wanted check
    [[ $output == *libfabric-dev* && $output == *libucx-dev* ]]
    wanted check --netmod ofi
    [[ $output == *libfabric-dev* && $output != *libucx-dev* ]]
}

@test "quickstart_check_tests_the_network_module_that_was_set_up" {
    mkdir -p "$top/build"
    printf '%s\n' prefix=/opt/tare netmod=ofi >"$top/build/quickstart.state"
    wanted check
    [[ $output == *libfabric-dev* && $output != *libucx-dev* ]]
}

@test "quickstart_unknown_netmod_names_what_is_allowed" {
    run --separate-stderr "$quickstart" --netmod verbs
    assert_status 2
    assert_sentence "--netmod verbs" "allowed are ofi, ucx and both"
}

@test "quickstart_tarball_with_wrong_checksum_stops_before_anything_else" {
    echo "not MPICH" >"$BATS_TEST_TMPDIR/mpich.tar.xz"
    run --separate-stderr "$quickstart" --mpich-tarball "$BATS_TEST_TMPDIR/mpich.tar.xz"
    assert_status 1
    assert_sentence "$BATS_TEST_TMPDIR/mpich.tar.xz: SHA-256" "neither"
    [[ ! -e $top/build ]]
}

@test "quickstart_tarball_that_does_not_exist_is_named" {
    run --separate-stderr "$quickstart" --mpich-tarball "$BATS_TEST_TMPDIR/none.tar.xz"
    assert_status 1
    assert_sentence "none.tar.xz: no such readable file"
}

@test "quickstart_without_root_lists_missing_packages_and_stops" {
    no_packages
    fake id 'echo 1000'
    fake apt-get 'touch "$BATS_TEST_TMPDIR/apt-was-called"'
    run --separate-stderr "$quickstart"
    assert_status 1
    assert_sentence "not root" "apt-get install autoconf" "gfortran" "libfabric-dev"
    [[ $output == *"missing: autoconf"* && ! -e $BATS_TEST_TMPDIR/apt-was-called ]]
}

@test "quickstart_minimal_does_not_ask_for_fortran" {
    no_packages
    fake id 'echo 1000'
    run --separate-stderr "$quickstart" --minimal
    assert_status 1
    [[ $output == *libfabric-dev* && $output != *gfortran* ]]
}

@test "quickstart_check_asks_for_the_test_packages_too" {
    no_packages
    fake id 'echo 1000'
    run --separate-stderr "$quickstart" check
    assert_status 1
    [[ $output == *libcmocka-dev* && $output == *bats* && $output == *libmpich-dev* && $output == *libopenmpi-dev* ]]
}

@test "quickstart_says_which_layers_are_built" {
    fake dpkg-query 'echo installed'
    cat > "$BATS_TEST_TMPDIR/configure" <<'END'
#!/bin/sh
: > config.status
printf "%s\n" "system_mpich_summary='no layer (mpicc.mpich was not found)'" "openmpi_summary='/x/mpicc'" > config.log
END
    fake autoreconf 'install "$BATS_TEST_TMPDIR/configure" "$BATS_TEST_TMPDIR/top/configure"'
    fake make 'exit 5'
    run --separate-stderr "$quickstart"
    assert_status 5
    [[ $output == *"PMPI layers: for this MPICH; for the system's MPICH: no layer (mpicc.mpich was not found); \
for Open MPI: /x/mpicc"* ]]
}

@test "quickstart_root_without_terminal_installs_without_asking" {
    no_packages
    fake id 'echo 0'
    fake apt-get 'echo "$*" >>"$BATS_TEST_TMPDIR/apt"'
    fake autoreconf 'exit 3'
    run --separate-stderr "$quickstart" </dev/null
    assert_status 3
    grep -q 'update' "$BATS_TEST_TMPDIR/apt"
    grep -q -- '-y .*install autoconf automake' "$BATS_TEST_TMPDIR/apt"
}

@test "quickstart_failed_step_shows_end_of_log_its_place_and_what_to_do" {
    no_packages
    fake id 'echo 0'
    fake apt-get 'seq 100 130; exit 7'
    run --separate-stderr "$quickstart" --yes
    assert_status 7
    [[ $stderr == *"FAILED after"* && $stderr == *"| 130"* && $stderr == *"| 111"* && $stderr != *"| 110"* ]]
    [[ $stderr == *"$top/build/log/packages.log"* && $stderr == *"apt-get update"* ]]
}

@test "quickstart_keeps_the_options_of_the_last_run" {
    mkdir -p "$top/build"
    printf '%s\n' "prefix=/opt/tare" tarball= unpatched=no minimal=yes >"$top/build/quickstart.state"
    no_packages
    fake id 'echo 1000'
    run --separate-stderr "$quickstart" check
    assert_status 1
    [[ $output == *libfabric-dev* && $output != *gfortran* ]]
}
