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
# the epoch; .ci/run sets it). Where its file has failed before (PLAYED_AGAIN) that is no reason to forget it.
need_minutes() {
    [[ -z ${CHECK_UNTIL_S-} ]] || ((EPOCHSECONDS + 60 * $1 <= CHECK_UNTIL_S)) || {
        [[ -z ${PLAYED_AGAIN-} ]] || { echo "to be played again, and no $1 minutes are left to this run"; return 1; }
        skip "takes up to $1 minutes, and only $(((CHECK_UNTIL_S - EPOCHSECONDS) / 60)) are left to this run"
    }
}

# fresh COMMAND...: without what an outer `make check` was given (-k, TESTS=...)
fresh() {
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u TESTS "$@"
}

# fresh_make ARGUMENT...: make in the build folder
fresh_make() {
    fresh "${MAKE:-make}" --no-print-directory -C "$top_builddir" "$@"
}
