#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Collective calls with a carrier above MPI: whose delay goes where, in every form, and that nobody waits longer.
load helper

# Expects that a case says `all right`: collectives N CASE
# More ranks than two share processors: one that is not run in time changes what is true, so the case has three tries.
goes_well() {
    local attempt
    for ((attempt = 1; attempt <= ($1 > 2 ? 3 : 1); attempt++)); do
        run layered "$1" collectives "$2"
        [[ $status -ne 0 || $output != *"all right"* ]] || return 0
        echo "attempt $attempt: $output"
    done
    return 1
}

@test "delays_go_where_the_data_go_2_ranks" { TARE_MODE=datatype goes_well 2 intra; }
@test "delays_go_where_the_data_go_2_ranks_mode_message" { TARE_MODE=message goes_well 2 intra; }
@test "delays_go_where_the_data_go_5_ranks_mode_copy" { TARE_MODE=copy goes_well 5 intra; }
@test "counts_of_zero_are_no_edges_4_ranks" { TARE_MODE=datatype goes_well 4 zero_counts; }
@test "neighbourhoods_have_the_edges_of_their_topology_3_ranks" { TARE_MODE=datatype goes_well 3 neighbours; }
@test "two_groups_wait_for_each_other_only_4_ranks" { TARE_MODE=datatype goes_well 4 two_groups; }
@test "nonblocking_calls_complete_in_every_way_3_ranks" { TARE_MODE=datatype goes_well 3 ways_to_complete; }
@test "nonblocking_calls_complete_in_every_way_mode_message" { TARE_MODE=message goes_well 2 ways_to_complete; }
@test "persistent_calls_are_started_again_over_a_network" {
    MPIR_CVAR_NOLOCAL=1 FI_PROVIDER='tcp;ofi_rxm' TARE_MODE=datatype goes_well 2 ways_to_complete
}
@test "test_of_a_missing_member_comes_back" { TARE_MODE=datatype goes_well 3 tests_come_back; }

# Without a carrier the delays stay where they are, so the case must fail.
@test "delays_without_a_carrier_go_nowhere" {
    TARE_MODE=off run layered 2 collectives zero_counts
    [[ $status -ne 0 && $output == *"delay 0, not 5000000"* ]]
}

# The published rule takes the smallest delay of all.
@test "delays_by_the_published_form_are_the_smallest" {
    TARE_MODE=datatype TARE_CARRIER_FORM=published run layered 3 collectives published
    [[ $status -eq 0 && $output == *"all right"* ]] || { echo "$output"; return 1; }
}

# Partners come 50 ms late.
@test "early_ranks_leave_as_early_as_without_a_carrier" {
    TARE_MODE=datatype run layered 3 collectives early_leavers
    [[ $status -eq 0 && $(wc -l <<< "$output") -eq 7 ]]
    awk '$2 > 15 { print "late:", $0; late = 1 } END { exit late }' <<< "$output"
}
