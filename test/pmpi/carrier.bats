#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The carriers above MPI: what becomes of the delays, and what is refused. What programs see: traps.test.
# shellcheck disable=SC2030,SC2031  # each test exports for itself
load helper

# What becomes of the delays; expected: a line `TITLE NS` for each title, the same for every kind of call.
expect_delays() {
    local titles
    layered 2 carry_delay > "$BATS_TEST_TMPDIR/delays"
    titles=$(awk '{ kind = $(NF - 1); ns = $NF; NF -= 2; print $0, ns }' "$BATS_TEST_TMPDIR/delays" | sort -u)
    diff <(printf '%s\n' "$@") <(printf '%s\n' "$titles") || { cat "$BATS_TEST_TMPDIR/delays"; return 1; }
    [[ $(wc -l < "$BATS_TEST_TMPDIR/delays") -eq 45 ]]
}

@test "delays_exact_rule_as_the_rule_says" {
    export TARE_RULE=exact
    for mode in datatype message copy; do
        echo "mode $mode"
        TARE_MODE=$mode expect_delays 'early, receiver delayed: 5000000' 'early, sender delayed: 0' \
            'late, both delayed: 7000000' 'late, receiver delayed: 0' 'late, sender delayed: 5000000'
    done
}

# MPICH over libfabric looks into the types of what it receives. Other MPI libraries do not read these variables.
@test "delays_exact_rule_the_same_over_a_network" {
    export MPIR_CVAR_NOLOCAL=1 FI_PROVIDER='tcp;ofi_rxm' TARE_MODE=datatype
    expect_delays 'early, receiver delayed: 5000000' 'early, sender delayed: 0' 'late, both delayed: 7000000' \
        'late, receiver delayed: 0' 'late, sender delayed: 5000000'
}

@test "delays_exact_rule_the_same_with_a_type_per_message" {
    export TARE_MODE=datatype TARE_CARRIER_FORM=published
    expect_delays 'early, receiver delayed: 5000000' 'early, sender delayed: 0' 'late, both delayed: 7000000' \
        'late, receiver delayed: 0' 'late, sender delayed: 5000000'
}

@test "delays_published_rule_loses_the_slack_of_early_messages" {
    export TARE_MODE=datatype TARE_RULE=published
    expect_delays 'early, receiver delayed: 0' 'early, sender delayed: 0' 'late, both delayed: 7000000' \
        'late, receiver delayed: 0' 'late, sender delayed: 5000000'
}

@test "delays_local_rule_stay_where_they_are" {
    export TARE_MODE=datatype TARE_RULE=local
    expect_delays 'early, receiver delayed: 5000000' 'early, sender delayed: 0' 'late, both delayed: 3000000' \
        'late, receiver delayed: 5000000' 'late, sender delayed: 0'
}

@test "delays_without_a_carrier_stay_where_they_are" {
    export TARE_MODE=off
    expect_delays 'early, receiver delayed: 5000000' 'early, sender delayed: 0' 'late, both delayed: 3000000' \
        'late, receiver delayed: 5000000' 'late, sender delayed: 0'
}

@test "spawn_ends_the_run_with_a_sentence" {
    for mode in datatype message copy; do
        TARE_MODE=$mode run layered 2 calls spawn
        expect_refusal "rank 0: $(refusal MPI_Comm_spawn $mode)"
    done
}

@test "verbose_datatype_says_once_what_passes_unchanged" {
    TARE_MODE=datatype TARE_VERBOSE=1 run layered 2 calls counts
    [[ $status -eq 0 ]]
    [[ $(grep -c 'one-sided, partitioned and file operations, ways back and edges inside collective calls are not seen' <<< "$output") -eq 1 ]]
}
