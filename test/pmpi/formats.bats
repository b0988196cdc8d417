#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# TARE_PROFILE_FORMAT of several ranks: rank 0 makes files of all ranks' profiles in MPI_Finalize.
# shellcheck disable=SC2154,SC2030,SC2031  # the helper and bats set them; each test has a shell of its own
load helper

tool=$top_builddir/src/tool/tare

# The files of the profile's folder, in one line, without tau's
others() { (cd "$profile" && find . -maxdepth 1 -type f | sed 's#^\./##' | LC_ALL=C sort | paste -s -d ' '); }

@test "formats_of_all_ranks_are_made_and_tau_goes" {
    for mode in "${modes[@]}"; do
        TARE_MODE=$mode TARE_PROFILE_FORMAT=json,cube,csv measured 2 calls counts
        [[ $(others) == "profile.csv profile.cubex profile.json" ]] || { echo "$mode: $(others)"; return 1; }
        [[ ! -e $profile/MULTI__TIME ]]
        for rank in 0 1; do
            grep -q "^$rank,0,MPI_Isend(),MPI,10," "$profile/profile.csv"
            grep -q "^$rank,0,MPI_Finalize(),MPI,1," "$profile/profile.csv"
        done
        "$tool" convert --to=csv "$profile/profile.cubex" | LC_ALL=C sort | cmp - <(LC_ALL=C sort "$profile/profile.csv")
        grep -q "\"mode\": \"$mode\"" "$profile/profile.json"
    done
}

@test "tau_that_is_asked_for_stays_beside_the_others" {
    TARE_MODE=off TARE_PROFILE_FORMAT=csv,tau measured 2 calls counts
    [[ $(others) == "profile.csv tare-calls.0 tare-calls.1" ]]
    expect_calls 0 'MPI_Isend()' 10
    expect_calls 1 'MPI_Isend()' 10
    [[ -z $(find "$profile" -name '.tare*') ]]
}

# with_tool 'SHELL': a library that finds another tool beside it, which runs the shell's words before it becomes ours
with_tool() {
    mkdir -p copy/lib/.libs copy/tool
    cp "$top_builddir/src/lib/.libs/libtare.so" copy/lib/.libs/libtare.so.0
    printf '#!/bin/sh\n%s\nexec "%s" "$@"\n' "$1" "$tool" > copy/tool/tare
    chmod +x copy/tool/tare
    LAYER=$layer_folder/.libs/libtare-mpi.so:$PWD/copy/lib/.libs/libtare.so.0
}

# A tool that takes half a second takes none of the program's.
@test "making_them_is_overhead_and_nobodys_waiting" {
    with_tool 'sleep 0.5'
    for mode in "${modes[@]}"; do
        TARE_MODE=$mode TARE_PROFILE_FORMAT=json,tau measured 2 calls counts
        "$tool" convert --to=csv "$profile" | tr -d '\r' | awk -F , '$3 == "MPI_Finalize()" {
            found++
            if ($6 < 500000000 || $6 - $8 < 450000000 || $11 > 100000000) bad = 1
        } END { exit bad || found != 2 }' || { "$tool" report --each "$profile"; return 1; }
    done
}

@test "rank_0_alone_decides" {
    profile=$BATS_TEST_TMPDIR/profile
    export TARE_PROFILE=1 TARE_PROFILE_DIR=$profile TARE_MODE=off
    for rank in 0 1; do
        rm -rf "$profile"
        # shellcheck disable=SC2016  # the ranks' shell expands them
        timeout 120 "$MPIEXEC" -n 2 bash -c '[[ ${PMI_RANK:-$OMPI_COMM_WORLD_RANK} != "$0" ]] || export TARE_PROFILE_FORMAT=csv
            LD_PRELOAD=$1 exec "$2" counts' $rank "$LAYER" "$PROGRAMS/calls"
        if [[ $rank == 0 ]]; then
            [[ $(others) == profile.csv ]]
        else
            [[ $(others) == "tare-calls.0 tare-calls.1" ]]
        fi
    done
}

@test "foreign_file_ends_the_run_at_its_start_and_stays" {
    profile=$BATS_TEST_TMPDIR/profile
    mkdir "$profile"
    echo mine > "$profile/profile.json"
    export TARE_PROFILE=1 TARE_PROFILE_DIR=$profile TARE_MODE=off
    TARE_PROFILE_FORMAT=json run layered 2 calls counts
    expect_refusal "$profile/profile.json is there, was not written by tare convert and will not be overwritten; \
TARE_PROFILE_DIR says where it goes"
    [[ $(cat "$profile/profile.json") == mine ]]
}

@test "file_that_cannot_be_written_is_said_once_and_the_profile_stays" {
    profile=$BATS_TEST_TMPDIR/profile
    with_tool 'ulimit -f 8'
    export TARE_PROFILE=1 TARE_PROFILE_DIR=$profile TARE_MODE=off
    TARE_PROFILE_FORMAT=cube run layered 2 calls counts
    expect_refusal "TARE_PROFILE_FORMAT: cannot write $profile/profile.cubex: File too large; the profile stays in \
$profile as tau: tare convert makes the others of it"
    [[ $(others) == "tare-calls.0 tare-calls.1" ]]
    expect_calls 1 'MPI_Isend()' 10
}

@test "aborted_job_leaves_tau" {
    export TARE_PROFILE_FORMAT=json TARE_MODE=off
    measured 2 calls abort || true
    [[ ! -e $profile/profile.json ]]
    [[ $(calls 0 'MPI_Abort()') -eq 1 || $(calls 1 'MPI_Abort()') -eq 1 ]]
}
