#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154  # set by the Makefile and by bats
# Processes that were not started together, and those that never call MPI_Init, over OFI.
bats_require_minimum_version 1.5.0

setup() {
    [[ $STAGE != "$STAGE_UCX" ]] || skip "of ch4:ofi alone"
    export FI_PROVIDER="tcp;ofi_rxm"
    file=$BATS_TEST_TMPDIR/name
}

# Ends what waits on.
teardown() { [[ -z ${accepting-} ]] || kill "$accepting" 2>/dev/null || true; }

accept() {
    env "$@" timeout 60 "$MPIEXEC" -n 1 ./port accept "$file" >"$file.out" 2>"$file.err" &
    accepting=$!
}

connect() {
    run --separate-stderr env "$@" timeout 60 "$MPIEXEC" -n 1 ./port connect "$file"
    echo "$output" "$stderr" "accepted: $(cat "$file.out" "$file.err")"
}

# Children in pairs, one after the other: each has its own address table, the second in the place of the first.
spawn_twice() {
    TARE_MODE=header TARE_VERBOSE=1 run timeout 60 "$MPIEXEC" -n 1 ./spawn
    echo "$output"
    [[ $status -eq 0 && $output != *"other clocks"* && $(grep -c " message \| allreduce " <<<"$output") -eq 12 ]]
}

# refused WORD...: one sentence, which has these words; the job that accepts goes on waiting
refused() {
    [[ $status -ne 0 && $status -ne 124 ]]
    [[ $(grep -c '^tare: ' <<<"$stderr") -eq 1 ]]
    for word; do [[ $stderr == *"$word"* ]]; done
    kill -0 "$accepting"
    [[ ! -s $file.err ]]
}

@test "jobs_of_one_layout_meet_and_delay_goes_over" {
    accept TARE_MODE=header
    connect TARE_MODE=header
    [[ $status -eq 0 && $output -gt 0 ]]
    wait "$accepting"
    [[ $(<"$file.out") == "$output" ]]
}

@test "jobs_that_carry_nothing_meet_as_always" {
    accept TARE_MODE=off
    connect TARE_MODE=off
    [[ $status -eq 0 ]]
    wait "$accepting"
}

@test "job_that_carries_nothing_does_not_meet_one_that_does" {
    accept TARE_MODE=header
    connect TARE_MODE=off
    refused "rank 0 runs without TARE_MODE=header" "the port is of a job that runs wire-" "they must be the same"
}

@test "job_that_carries_delay_does_not_meet_one_that_does_not" {
    accept TARE_MODE=off
    connect TARE_MODE=header
    refused "rank 0 runs wire-" "the port is of a job that runs without TARE_MODE=header"
}

@test "jobs_of_different_rules_do_not_meet" {
    accept TARE_MODE=header
    connect TARE_MODE=header TARE_RULE=published
    refused /header/published, /header/exact:
}

@test "jobs_that_trace_meet" {
    accept TARE_MODE=header TARE_TRACE=1
    connect TARE_MODE=header TARE_TRACE=1
    [[ $status -eq 0 && $output -gt 0 ]]
    wait "$accepting"
}

@test "job_that_traces_does_not_meet_one_that_does_not" {
    accept TARE_MODE=header TARE_TRACE=1
    connect TARE_MODE=header
    refused /header/exact, "+threads/header/exact: they must be the same"
}

@test "processes_that_trace_spawn_others" { TARE_TRACE=1 spawn_twice; }

@test "mpich_without_tare_does_not_meet_a_job_that_carries_delay" {
    [[ -x $UNPATCHED/bin/mpiexec ]] || skip "no unpatched MPICH was built (configure --enable-unpatched)"
    accept TARE_MODE=header
    connect LD_LIBRARY_PATH="$UNPATCHED/lib"
    [[ $status -ne 0 && $status -ne 124 ]]
    kill -0 "$accepting"
}

# Three processes on two cores: what one of them comes late is no delay, so the first that has all of it is taken.
@test "spawned_processes_carry_delay_on_one_clock" {
    local all=0
    for ((i = 0; i < 5 && all < 6; i++)); do
        spawn_twice
        all=$(grep -c "^parent message 20 \|^child allreduce 50 \|^parent allreduce 50 " <<<"$output") || true
    done
    [[ $all -eq 6 ]]
}

@test "sessions_carry_delay" {
    TARE_MODE=header run timeout 60 "$MPIEXEC" -n 2 ./session
    echo "$output"
    [[ $status -eq 0 && ${#lines[@]} -eq 2 && ${lines[0]} == "${lines[1]}" && ${lines[0]} -gt 0 ]]
}

@test "sessions_of_different_modes_do_not_start" {
    run --separate-stderr timeout 60 "$MPIEXEC" -n 1 -env TARE_MODE header ./session : -n 1 -env TARE_MODE off ./session
    echo "$output" "$stderr"
    [[ $status -ne 0 && ${#stderr_lines[@]} -eq 1 && $stderr == *"they must be the same" ]]
}
