# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# Shared by the tests of comms. Set by make: TOOL, MPIEXEC, LAYER, SENDS.
load ../lib/helpers
load ../lib/analyses

analysis=comms

all_records=sites,buffers,data,contents

# traced N KIND [RECORDS]: a run of sends in this folder
traced() { TARE_TRACE_RECORDS="${3-$all_records}" traced_run "$1" "${mode:-header}" "$SENDS" "$2"; }

comms() { analyse "$@"; }

# What every analysis has.
assert_sums_are_exact() {
    is_so '([.rows[].transfers] | add // 0) == .transfers and ([.rows[].bytes] | add // 0) == .bytes'
    is_so 'all(.rows[]; .transfers == ([.pairs[].transfers] | add) and .bytes == ([.pairs[].bytes] | add))'
    is_so 'all(.rows[]; .transfers == ([.previous[].transfers] | add))'
    is_so '([.rows[] | .sender_ns + .receiver_ns] | add // 0) + .unpaired_ns + .of_neighbours_ns + .not_ended_ns
           == .communicating_ns and .communicating_ns <= .total_ns and .unpaired_ns >= 0'
    is_so '.communicating_ns as $all | [.without_site_ns, .without_memory_ns, .without_contents_ns, .without_lifetime_ns,
           .without_users_ns, .unnamed_ns, .taken_whole_ns] | min >= 0 and max <= $all'
}
