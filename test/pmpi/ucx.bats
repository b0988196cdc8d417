#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154  # set by the Makefile (STAGE_UCX) and by the helper
# What MPI's calls tell does not depend on the header: every case (cases.c) over UCX, where long messages are UCX's own, with
# delays and without.
load helper

setup() {
    [[ -x $STAGE_UCX/bin/mpiexec ]] || skip "there is no MPICH for ch4:ucx: configure --with-netmod=both"
    cd "$BATS_TEST_TMPDIR" || return 1
}

# play MODE SETTING...: what the cases note, in $BATS_TEST_TMPDIR/MODE, by rank
play() {
    local names
    set -o pipefail
    mapfile -t names < <("$PROGRAMS/cases" list | cut -f1)
    [[ ${#names[@]} -gt 100 ]]
    env TARE_MODE="$1" LD_LIBRARY_PATH="$STAGE_UCX/lib" "${@:2}" timeout 60 "$STAGE_UCX/bin/mpiexec" -n 2 -l \
        "$PROGRAMS/cases" "${names[@]}" | sort -s -t] -k1,1 >"$1"
}

header_changes_nothing() {
    play off "$@"
    play header "$@"
    grep -q 'bytes: count 100000 ' header
    diff off header
}

@test "calls_tell_the_same_over_ucx_in_shared_memory" { header_changes_nothing UCX_TLS=posix,self; }
@test "calls_tell_the_same_over_ucx_s_tcp" { header_changes_nothing UCX_TLS=tcp,self; }
@test "calls_tell_the_same_over_what_ucx_chooses" { header_changes_nothing; }
