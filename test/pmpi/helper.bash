# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154  # bats sets status and output; the Makefile the rest
# Shared by the tests of the PMPI layer. From the Makefile: top_srcdir, top_builddir, MPIEXEC, LAYER (what is
# preloaded), PROGRAMS (where the test programs are).
: "${top_srcdir:?is not set: run the tests by make check}" "${top_builddir:?}" "${MPIEXEC:?}" "${LAYER:?}"
: "${PROGRAMS:?}"
bats_require_minimum_version 1.5.0

# Nothing of the caller's environment may change what is tested.
unset TARE_MODE TARE_RULE TARE_PROFILE TARE_PROFILE_DIR TARE_CARRIER_FORM TARE_VERBOSE TARE_OVERHEAD

# A program that crashes may leave files where it runs.
setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# The sentence for a call that the datatype carrier cannot take.
refusal() {
    echo "$1 is not carried by TARE_MODE=datatype in this version; use TARE_MODE=header or off"
}

# plain N PROGRAM [ARGUMENT]...: without the layer
plain() {
    local count=$1 program=$2
    shift 2
    timeout 120 "$MPIEXEC" -n "$count" "$PROGRAMS/$program" "$@"
}

# layered N PROGRAM [ARGUMENT]...: with the layer preloaded; variables as the caller has set them
layered() {
    local count=$1 program=$2
    shift 2
    timeout 120 "$MPIEXEC" -n "$count" env LD_PRELOAD="$LAYER" "$PROGRAMS/$program" "$@"
}

# measured N PROGRAM...: the same with a profile in $profile
measured() {
    profile=$BATS_TEST_TMPDIR/profile
    rm -rf "$profile" && mkdir "$profile"
    TARE_PROFILE=1 TARE_PROFILE_DIR=$profile layered "$@"
}

# calls RANK REGION: how often the profile says that a region was called; 0 if it is not there
calls() {
    awk -v name="\"$2\"" '$1 == name { n = $2 } END { print n + 0 }' \
        "$BATS_TEST_TMPDIR/profile/MULTI__TIME/profile.$1.0.0"
}

# expect_calls RANK REGION NUMBER [REGION NUMBER]...
expect_calls() {
    local rank=$1 n
    shift
    while [[ $# -gt 0 ]]; do
        n=$(calls "$rank" "$1")
        [[ $n -eq $2 ]] || { echo "rank $rank: $1 was called $n times, not $2"; return 1; }
        shift 2
    done
}

# One line of the output begins with `tare: `, and is this; MPI's launcher may add its own.
expect_sentence() {
    local lines
    lines=$(grep '^tare: ' <<< "$output")
    [[ $lines == "tare: $1" ]] || { printf 'said: %s\nwant: tare: %s\nall:\n%s\n' "$lines" "$1" "$output"; return 1; }
}

# The last run ended by itself, not well, and said this.
expect_refusal() {
    [[ $status -ne 0 && $status -ne 124 ]] || { echo "status $status: $output"; return 1; }
    expect_sentence "$1"
}

# The same case plain and with the carrier: the same notes.
same_as_plain() {
    local form
    plain 2 cases "$@" > "$BATS_TEST_TMPDIR/plain"
    ! grep FAILED "$BATS_TEST_TMPDIR/plain"
    [[ -s $BATS_TEST_TMPDIR/plain ]]
    for form in cached published; do
        TARE_MODE=datatype TARE_CARRIER_FORM=$form layered 2 cases "$@" > "$BATS_TEST_TMPDIR/$form"
        diff "$BATS_TEST_TMPDIR/plain" "$BATS_TEST_TMPDIR/$form"
    done
}
