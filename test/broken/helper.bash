# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# Shared by the tests of broken worlds. Set by make: PROGRAMS, ROWS, TOOL, LIBPROBE, LAYER, MPIEXEC, STAGE.
load ../lib/helpers

# ranks N COMMAND...: on N ranks with the layer, and a profile in this folder; variables as the caller has set them
ranks() {
    timeout "${LIMIT_S:-100}" "$MPIEXEC" -n "$1" env LD_PRELOAD="${PRELOAD:+$PRELOAD:}$LAYER" "${@:2}"
}

# as_nobody COMMAND...: without the rights of root, if the test has them
as_nobody() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    else
        "$@"
    fi
}

# One sentence of Tare's on stderr, which begins so.
assert_sentence() {
    local said
    said=$(grep -a 'tare: ' <<< "$stderr") || true
    [[ $said == "tare: $1"* && $(grep -c . <<< "$said") -eq 1 ]] && return
    printf 'said: %s\nwant: tare: %s\n' "$stderr" "$1"
    return 1
}

# What `tare report` says on stderr of the profile here.
assert_report() {
    run --separate-stderr "$TOOL" report
    [ "$status" -eq 0 ] || { echo "status $status: $stderr"; return 1; }
    [ "$stderr" = "${1:+tare report: $1}" ] && return
    printf 'said: %s\nwant: tare report: %s\n' "$stderr" "$1"
    return 1
}
