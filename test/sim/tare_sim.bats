#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The program around the simulator: its options, its table, its exit status.

setup() {
    sim=${TARE_SIM:-./tare_sim}
    cat > "$BATS_TEST_TMPDIR/right.scenario" <<'END'
scenario late
title message waited for
processes 2
steps 1
overhead 0.5
latency 2
call 0
program 0: work 48 100, send 1
program 1: recv 0
expect measured=+100 local=+100 published=0 exact=0
END
    sed 's/measured=+100/measured=+90/' "$BATS_TEST_TMPDIR/right.scenario" > "$BATS_TEST_TMPDIR/wrong.scenario"
}

@test "scenario_as_expected_prints_its_row_and_succeeds" {
    run "$sim" "$BATS_TEST_TMPDIR/right.scenario"
    [ "$status" -eq 0 ]
    [[ ${lines[2]} =~ ^"message waited for "\ +"+100.00"\ +"+100.00"\ +"+0.00"\ +"+0.00"\ +"+0.00" ]]
    [[ ${lines[3]} =~ "expected "\ +"+100.00"\ +"+100.00"\ +"+0.00"\ +"."\ +"+0.00" ]]
    [ "${lines[4]}" = "1 scenarios as expected, 0 not" ]
}

@test "scenario_not_as_expected_says_so_and_fails" {
    run "$sim" "$BATS_TEST_TMPDIR/wrong.scenario"
    [ "$status" -eq 1 ]
    [[ $output == *"tare_sim: scenario 'late' is not as expected:"* ]]
    [[ $output == *"measured is 100 %, expected 90 % within 0.006 %"* ]]
}

@test "list_names_every_scenario_once" {
    run "$sim" --list
    [ "$status" -eq 0 ]
    [ "$(printf '%s\n' "${lines[@]}" | cut -d' ' -f1 | sort -u | wc -l)" -eq "${#lines[@]}" ]
    [[ $output == *"ring_one_rank "* && $output == *"irecv_work_wait "* && $output == *"scale_ring "* ]]
}

@test "chosen_scenario_runs_alone" {
    run "$sim" --scenario late_messages
    [ "$status" -eq 0 ]
    [[ $output == *"1 scenarios as expected, 0 not" ]]
}

@test "unknown_scenario_is_refused_with_a_sentence" {
    run "$sim" --scenario nonesuch
    [ "$status" -eq 2 ]
    [ "$output" = "tare_sim: there is no scenario 'nonesuch'; 'tare_sim --list' names all" ]
}

@test "missing_file_is_refused_with_a_sentence" {
    run "$sim" /no/such/file
    [ "$status" -eq 2 ]
    [ "$output" = "tare_sim: /no/such/file: this scenario file cannot be opened for reading" ]
}

@test "help_and_version_succeed" {
    run "$sim" --help
    [ "$status" -eq 0 ]
    [[ $output == "Usage: tare_sim "* ]]
    run "$sim" --version
    [ "$status" -eq 0 ]
    [[ $output == "tare_sim (Tare) "* ]]
}
