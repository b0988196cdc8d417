# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# Shared by the tests of comms. Set by make: TOOL, MPIEXEC, LAYER, SENDS.
load ../lib/helpers

all_records=sites,buffers,data,contents

# traced N KIND [RECORDS]: a run of sends in this folder
traced() {
    run --separate-stderr timeout 100 "$MPIEXEC" -n "$1" env LD_PRELOAD="$LAYER" TARE_MODE="${mode:-header}" TARE_TRACE=1 \
        TARE_TRACE_RECORDS="${3-$all_records}" "$SENDS" "$2"
    [ "$status" -eq 0 ] || { echo "$2: status $status: $stderr"; return 1; }
    [ -z "$stderr" ] || { echo "$2: said: $stderr"; return 1; }
}

# comms ARGUMENT...: nothing is said on stderr
comms() {
    run --separate-stderr "$TOOL" comms "$@"
    [ "$status" -eq 0 ] || { echo "status $status: $stderr"; return 1; }
    [ -z "$stderr" ] || { echo "said: $stderr"; return 1; }
}

# as_json ARGUMENT...: into ./comms.json
as_json() {
    comms --json "$@"
    echo "$output" >comms.json
}

# is_so FILTER: of what as_json has written
is_so() { jq -e "$1" comms.json >/dev/null || { echo "not so: $1"; cat comms.json; return 1; }; }

# What every analysis has.
assert_sums_are_exact() {
    is_so '([.rows[].transfers] | add // 0) == .transfers and ([.rows[].bytes] | add // 0) == .bytes'
    is_so 'all(.rows[]; .transfers == ([.pairs[].transfers] | add) and .bytes == ([.pairs[].bytes] | add))'
    is_so 'all(.rows[]; .transfers == ([.previous[].transfers] | add))'
    is_so '([.rows[] | .sender_ns + .receiver_ns] | add // 0) + .unpaired_ns <= .communicating_ns'
}
