#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What a program sees with each carrier above MPI, beside what it sees without: the traps of such carriers.
# shellcheck disable=SC2030,SC2031  # each test exports for itself
load helper

@test "larger_buffer_counts_and_bytes_as_without_a_carrier" { same_as_plain larger_buffer; }
@test "partial_elements_byte_exact_counts" { same_as_plain partial_elements; }
@test "zero_bytes_and_zero_size_type_as_without_a_carrier" { same_as_plain zero_bytes; }
@test "proc_null_statuses_as_without_a_carrier" { same_as_plain proc_null; }
@test "chain_ends_send_and_receive_apart" { same_as_plain chain_ends; }
@test "probe_then_allocate_counts_fit" { same_as_plain probe_then_allocate; }
@test "truncation_same_error_class" { same_as_plain truncation; }
@test "wrong_arguments_same_error_class" { same_as_plain wrong_arguments; }
@test "bottom_absolute_types_arrive" { same_as_plain bottom; }
@test "derived_types_arrive" { same_as_plain derived_types; }
@test "overlapping_type_arrives" { same_as_plain overlapping_type; }
@test "type_freed_and_made_again_is_not_mistaken" { same_as_plain type_freed_and_made_again; }
@test "large_messages_arrive" { same_as_plain large_messages; }
@test "large_count_calls_arrive" { same_as_plain large_count_calls; }
@test "send_kinds_all_match_receives" { same_as_plain send_kinds; }
@test "sendrecv_kinds_arrive" { same_as_plain sendrecv_kinds; }
@test "any_source_then_named_in_order" { same_as_plain any_source_then_named; }
@test "to_itself_arrives" { same_as_plain to_itself; }
@test "communicators_of_every_kind_carry" { same_as_plain communicators; }
@test "other_operations_pass_between_carried_messages" { same_as_plain others_pass; }
@test "message_from_callback_is_carried" { same_as_plain message_from_callback; }
@test "two_threads_lose_nothing" { same_as_plain two_threads; }
@test "reverse_tags_200_sends_arrive" { same_as_plain reverse_tags; }
@test "nine_thousand_requests_in_one_waitall" { same_as_plain nine_thousand; }
@test "null_requests_are_no_trap" { same_as_plain null_requests; }
@test "test_of_a_missing_message_comes_back" { same_as_plain test_comes_back; }
@test "ways_to_complete_all_correct_their_statuses" { same_as_plain ways_to_complete; }
@test "cancelled_receive_leaves_no_trace" { same_as_plain cancel; }
@test "freed_requests_still_arrive" { same_as_plain freed_requests; }
@test "request_get_status_twice_then_wait_same_status" { same_as_plain request_get_status; }
@test "one_buffer_in_many_sends_at_once" { same_as_plain one_buffer_many_sends; }

@test "cases_all_tested_here" {
    for name in $("$PROGRAMS/cases" list); do
        grep -q "same_as_plain $name;" "$BATS_TEST_FILENAME" || { echo "$name is not tested"; return 1; }
    done
}

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
    [[ $(grep -c 'collective, one-sided, partitioned and file operations pass unchanged' <<< "$output") -eq 1 ]]
}
