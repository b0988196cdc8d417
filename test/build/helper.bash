# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154  # bats sets status, output, stderr; the Makefile the rest
# Shared by the tests of the scripts around the build. From the Makefile: top_srcdir, top_builddir, MPICH_STAGE.
: "${top_srcdir:?is not set: run the tests by make check}" "${top_builddir:?}"
bats_require_minimum_version 1.5.0

# stderr of the last `run --separate-stderr` is one line that contains each argument
assert_sentence() {
    echo "status $status; stdout: $output; stderr: $stderr"
    [[ ${#stderr_lines[@]} -eq 1 ]] || return 1
    local part
    for part in "$@"; do
        [[ $stderr == *"$part"* ]] || return 1
    done
}

assert_status() {
    echo "status $status (wanted $1); stdout: $output; stderr: ${stderr-}"
    [[ $status -eq $1 ]]
}

# fake NAME BODY: a command of that name comes first in PATH
fake() {
    mkdir -p "$BATS_TEST_TMPDIR/bin"
    printf '#!/bin/bash\n%s\n' "$2" >"$BATS_TEST_TMPDIR/bin/$1"
    chmod +x "$BATS_TEST_TMPDIR/bin/$1"
    PATH=$BATS_TEST_TMPDIR/bin:${PATH#"$BATS_TEST_TMPDIR/bin:"}
}

# write_patch FILE [HEADER-LINE-TO-LEAVE-OUT]: changes the line `two` of a file `list` to `zwei`
write_patch() {
    {
        printf '%s\n' 'Description: a test' 'Author: Tare developers' 'Forwarded: not-needed' \
            'Last-Update: 2026-01-31' | grep -v "^${2:-none}:"
        printf '%s\n' '' '--- a/list' '+++ b/list' '@@ -1,3 +1,3 @@' ' one' '-two' '+zwei' ' three'
    } >"$1"
}

# empty_series TOP: a tree with the three patch folders and nothing in them
empty_series() {
    local folder
    for folder in mpid-patch netmod/ofi netmod/ucx; do
        mkdir -p "$1/$folder"
        : >"$1/$folder/series"
    done
}

# need_minutes N: a case that takes so many is left out where the run has to be over before (CHECK_UNTIL_S, seconds of
# the epoch; .ci/run sets it). Where its file has failed before (PLAYED_AGAIN) it is played with what time is left:
# run-tests ends what is not done then, which is a failure.
need_minutes() {
    [[ -z ${CHECK_UNTIL_S-} || -n ${PLAYED_AGAIN-} ]] || ((EPOCHSECONDS + 60 * $1 <= CHECK_UNTIL_S)) ||
        skip "takes up to $1 minutes, and only $(((CHECK_UNTIL_S - EPOCHSECONDS) / 60)) are left to this run"
}

# in_minutes N LOG BUILD COMMAND...: runs COMMAND, of exported functions; if it fails, shows the end of LOG and, last,
# which cases in BUILD failed. Where the whole run has to be over some time, it is no failure that a slow machine needs
# more than N minutes, unless its file has failed before.
in_minutes() {
    local minutes=$1 log=$2 build=$3 limit_min=0 status=0
    shift 3
    need_minutes "$minutes"
    [[ -z ${CHECK_UNTIL_S-} || -n ${PLAYED_AGAIN-} ]] || limit_min=$minutes
    timeout "${limit_min}m" bash -c '"$@"' bash "$@" >"$log" 2>&1 || status=$?
    ((status)) || return 0
    ((status != 124)) || skip "was not done in $minutes minutes"
    grep -vE '^(PASS|SKIP): ' "$log" | tail -n 10
    grep -E 'SUMMARY: |: error: ' "$log" || true
    "$top_srcdir/build-aux/count-results" "$build" | grep -vE '^(SKIP|[0-9]+ s): ' || true
    return 1
}

# fresh COMMAND...: without what an outer `make check` was given (-k, TESTS=...)
fresh() {
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u TESTS "$@"
}

# fresh_make ARGUMENT...: make in the build folder
fresh_make() {
    fresh "${MAKE:-make}" --no-print-directory -C "$top_builddir" "$@"
}
