#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2030,SC2031,SC2046,SC2154  # words on purpose; bats has a subshell for each test
# What kernels say of their times. Nothing here judges how near they are: `tare bench --accuracy` does.
load helper

setup() {
    command -v jq > /dev/null || skip "jq is not installed"
}

# json RANKS KERNEL OPTION...
json() {
    local count=$1 name=$2
    shift 2
    run --separate-stderr ranks "$count" $(small "$name") --json "$@" "$name"
    echo "$output $stderr"
    [[ $status -eq 0 && -z $stderr ]]
}

holds() { jq -e "$1" <<< "$output"; }

@test "times_without_probes_are_their_own_truth" {
    for name in $(kernels); do
        json 2 "$name"
        holds '.tare and .schema == 1 and .command == "tare_kernel" and .mode == "off" and (.rows | length) == 2'
        holds ".kernel == \"$name\" and .dilation_pct == 0 and (.result | length) == 16"
        holds 'all(.rows[]; .overhead_ns == 0 and .total_ns > 0 and .wait_ns > 0 and .work_ns + .wait_ns <= .total_ns)'
        holds 'all(.rows[]; .total_lo_ns == .total_comp_ns and .total_hi_ns == .total_comp_ns and .inversions == 0)'
    done
}

@test "probes_cost_what_they_are_told_to_or_more" {
    json 2 pipe --dilation 300 --others 0
    holds '.rows[0] | .work_ns > 0 and .overhead_ns >= 3 * .work_ns'
    holds '.rows[1].overhead_ns == 0'
    json 2 pipe --dilation 300 --rank 1
    holds '.rows[1].overhead_ns > .rows[0].overhead_ns and .rows[0].overhead_ns > 0 and .others_pct == 10'
}

@test "times_in_header_mode_are_compensated_on_both_ranks" {
    export TARE_MODE=header
    for clock in "" --own-clock; do
        json 2 jacobi --dilation 1000 --size 100 --steps 100 $clock
        holds '.mode == "header" and .rule == "exact"'
        holds 'all(.rows[]; .total_comp_ns < .total_ns)'
        holds 'all(.rows[]; .total_lo_ns <= .total_comp_ns and .total_comp_ns <= .total_hi_ns)'
    done
}

@test "laps_have_times_of_their_own_and_one_result" {
    for name in jacobi pipe montecarlo; do
        json 2 "$name"
        whole=$(jq -r .result <<< "$output")
        json 2 "$name" --laps 2 --dilation 100
        holds ".result == \"$whole\" and .laps == 2"
        holds '[.rows[] | [.lap, .rank]] == [[0, 0], [0, 1], [1, 0], [1, 1]]'
        # Sums that went on from lap to lap would be more than the second one takes.
        holds 'all(.rows[]; .work_ns + .wait_ns + .overhead_ns <= .total_ns and .total_lo_ns <= .total_hi_ns)'
        holds '([.rows[2:][] | .overhead_ns] | add) > 0'
    done
}

@test "times_by_the_local_rule_are_not_compensated_where_there_is_no_probe" {
    export TARE_MODE=header TARE_RULE=local
    json 2 jacobi --dilation 1000 --others 0
    holds '.rule == "local" and .rows[0].total_comp_ns < .rows[0].total_ns'
    holds '.rows[1] | (.total_comp_ns - .total_ns | fabs) < .total_ns / 100'
}

@test "inversions_are_counted_where_two_workers_contest" {
    export TARE_MODE=header
    run --separate-stderr ranks 3 --dilation 500 --size 20000 --json contest
    echo "$output $stderr"
    [[ $status -eq 0 ]]
    holds '.repairable == false and ([.rows[].inversions] | add) > 0'
    run --separate-stderr ranks 2 --dilation 500 --size 2000 --json montecarlo
    [[ $status -eq 0 ]]
    holds '.repairable and ([.rows[].inversions] | add) == 0'
}

@test "probes_alone_need_libtare" {
    export LD_LIBRARY_PATH=$MPICH_STAGE/lib
    mkdir "$BATS_TEST_TMPDIR/alone"
    cp "$kernel" "$BATS_TEST_TMPDIR/alone/tare_kernel"
    kernel=$BATS_TEST_TMPDIR/alone/tare_kernel
    run --separate-stderr ranks 2 $(small cg) cg
    [[ $status -eq 0 ]]
    run --separate-stderr ranks 2 $(small cg) --dilation 20 cg
    [[ $status -eq 1 && ${#stderr_lines[@]} -eq 1 ]]
    [[ $stderr == "tare_kernel: probes need libtare: libtare.so.0: cannot open shared object file"* ]]
}
