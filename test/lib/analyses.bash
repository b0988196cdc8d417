# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# Shared by the tests of commands that analyse a trace. `analysis` is the command: waits, comms. Set by make: TOOL, MPIEXEC,
# LAYER.

# silent WHAT COMMAND...: it succeeds, and says nothing on stderr
silent() {
    local what=$1
    shift
    run --separate-stderr "$@"
    [ "$status" -eq 0 ] || { echo "$what: status $status: $stderr"; return 1; }
    [ -z "$stderr" ] || { echo "$what: said: $stderr"; return 1; }
}

# traced_run N MODE PROGRAM KIND: in this folder, with a trace
traced_run() {
    silent "$4" timeout 100 "$MPIEXEC" -n "$1" env LD_PRELOAD="$LAYER" TARE_MODE="$2" TARE_TRACE=1 "$3" "$4"
}

# analyse ARGUMENT...
analyse() { silent "$analysis" "$TOOL" "$analysis" "$@"; }

# as_json ARGUMENT...: into ./waits.json, ./comms.json
as_json() {
    analyse --json "$@"
    echo "$output" >"$analysis.json"
}

# is_so FILTER: of what as_json has written
is_so() { jq -e "$1" "$analysis.json" >/dev/null || { echo "not so: $1"; cat "$analysis.json"; return 1; }; }
