# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# Shared by the tests of waits. Set by make: TOOL, MPIEXEC, LAYER, CAUSES.
load ../lib/helpers

# traced N KIND: a run of causes in this folder
traced() {
    run --separate-stderr timeout 100 "$MPIEXEC" -n "$1" env LD_PRELOAD="$LAYER" TARE_MODE=header TARE_TRACE=1 "$CAUSES" "$2"
    [ "$status" -eq 0 ] || { echo "$2: status $status: $stderr"; return 1; }
    [ -z "$stderr" ] || { echo "$2: said: $stderr"; return 1; }
}

# waits ARGUMENT...: nothing is said on stderr
waits() {
    run --separate-stderr "$TOOL" waits "$@"
    [ "$status" -eq 0 ] || { echo "status $status: $stderr"; return 1; }
    [ -z "$stderr" ] || { echo "said: $stderr"; return 1; }
}

# as_json ARGUMENT...: into ./waits.json
as_json() {
    waits --json "$@"
    echo "$output" >waits.json
}

# is_so FILTER: of what as_json has written
is_so() { jq -e "$1" waits.json >/dev/null || { echo "not so: $1"; cat waits.json; return 1; }; }

# What every analysis has, to the nanosecond.
assert_sums_are_exact() {
    is_so '([.rows[].waiting_ns] | add // 0) == .waiting_ns'
    is_so '([.ranks[].waiting_ns] | add // 0) == .waiting_ns'
    is_so '([.ranks[] | .waiting_ns + .own_ns] | add // 0) == .total_ns'
    is_so '([.causes[].explained_ns] | add // 0) == .waiting_ns'
    is_so 'all(.rows[]; ([.causes[].explained_ns] | add) == .waiting_ns)'
}
