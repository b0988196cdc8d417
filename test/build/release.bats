#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What `make dist` packs: complete, and it builds, tests, installs and uninstalls itself from a read-only tree, with
# its own code under sanitizers. So every test of the release runs here in another build than that of `make check`.
# shellcheck disable=SC2154,SC2016  # bats sets status and output; inner shells expand what is quoted

load helper

# automake wants the release's folder relative to the build's
setup_file() {
    export release=release-test-$$
    fresh_make -s distdir "distdir=$release"
}

teardown_file() {
    local left
    for left in "$top_builddir/$release"*; do
        [[ ! -d $left ]] || chmod -R u+w "$left"
        rm -rf "$left"
    done
}

# cases LOG: how many test cases passed, by automake's summaries
cases() {
    awk '/^# PASS: / { n += $3 } END { print n + 0 }' "$1"
}

export -f fresh fresh_make

@test "release_holds_every_patch_and_script" {
    cd "$top_srcdir"
    find mpid-patch netmod quickstart .ci mpich \
        build-aux/{check-patches,cost,{carriers,cost,samples}.awk,count-results,demo,progress.sh,real-packages.sh,real-programs} \
        -type f ! -name 'Makefile*' ! -path 'mpich/stage*' | while read -r file; do
            [[ -f $top_builddir/$release/$file ]] || { echo "$file is not in the release"; exit 1; }
        done
}

@test "release_holds_every_file_that_its_documents_name" {
    cd "$top_builddir/$release"
    for document in README.md doc/*.md doc/results/*.md; do
        grep -oE '\]\([^)#:]+' "$document" | cut -c3- | while read -r name; do
            [[ -e ${document%"${document##*/}"}$name ]] || { echo "$document names $name: not released"; exit 1; }
        done
    done
}

@test "release_passes_its_tests_under_the_address_and_undefined_sanitizers" {
    log=$BATS_TEST_TMPDIR/log
    options='--without-mpich --enable-werror --with-sanitizer=address,undefined CFLAGS="-g1 -O0" CXXFLAGS="-g1 -O0"'
    in_minutes 25 "$log" "$top_builddir/$release-check" fresh_make -j"$(nproc)" distcheck "distdir=$release-check" \
        DISTCHECK_CONFIGURE_FLAGS= "AM_DISTCHECK_CONFIGURE_FLAGS=$options"
    echo "# $(cases "$log") cases of the release passed under the address and undefined sanitizers" >&3
    (($(cases "$log") > 300))
}

# The thread sanitizer cannot map its memory where addresses are randomised more than it expects.
in_thread_build() {
    local as_it_is=(setarch -R)
    "${as_it_is[@]}" true 2>/dev/null || as_it_is=()
    fresh "${as_it_is[@]}" "$MAKE" --no-print-directory -j"$(nproc)" "$@"
}

# Only what threads share is compiled and run: libtare with its core, the core's table of latencies.
thread_build() {
    "$top_builddir/$release/configure" --without-mpich --with-sanitizer=thread CFLAGS='-g1 -O1' CXXFLAGS='-g1 -O1' &&
        in_thread_build -C src/core && in_thread_build -C src/env &&
        in_thread_build -C src/symbols && in_thread_build -C src/profile && in_thread_build -C src/filter &&
        in_thread_build -C src/lib &&
        in_thread_build -C test/core check-TESTS check_PROGRAMS=test_latency TESTS=test_latency &&
        in_thread_build -C test/lib check-TESTS "TESTS=test_recorder test_region regions.bats core.bats"
}

export -f in_thread_build thread_build

@test "threads_of_libtare_and_its_core_pass_under_the_thread_sanitizer" {
    cd "$BATS_TEST_TMPDIR"
    in_minutes 8 "$PWD/log" "$PWD" thread_build
    echo "# $(cases log) cases passed under the thread sanitizer" >&3
    (($(cases log) > 30))
}
