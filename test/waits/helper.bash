# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# Shared by the tests of waits. Set by make: TOOL, MPIEXEC, LAYER, CAUSES.
load ../lib/helpers
load ../lib/analyses

analysis=waits

# traced N KIND: a run of causes in this folder
traced() { traced_run "$1" header "$CAUSES" "$2"; }

waits() { analyse "$@"; }

# What every analysis has, to the nanosecond.
assert_sums_are_exact() {
    is_so '([.rows[].waiting_ns] | add // 0) == .waiting_ns'
    is_so '([.ranks[].waiting_ns] | add // 0) == .waiting_ns'
    is_so '([.ranks[] | .waiting_ns + .own_ns] | add // 0) == .total_ns'
    is_so '([.causes[].explained_ns] | add // 0) == .waiting_ns'
    is_so 'all(.rows[]; ([.causes[].explained_ns] | add) == .waiting_ns)'
}
