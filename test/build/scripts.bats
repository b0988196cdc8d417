#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154,SC2016  # bats sets status and output; inner shells expand what is quoted

load helper

with_progress() {
    run --separate-stderr bash -euo pipefail -c '. "$0/build-aux/progress.sh"; '"$1" "$top_srcdir"
}

@test "scripts_are_shellcheck_clean" {
    [[ -n $(command -v shellcheck) ]] || skip "shellcheck is not installed"
    cd "$top_srcdir"
    shellcheck -x quickstart .ci/run mpich/mpich-build mpich/mpich-suite mpich/suite-rank mpich/*.sh \
        build-aux/check-patches build-aux/count-results build-aux/cost build-aux/demo build-aux/progress.sh \
        build-aux/real-programs build-aux/rebase-check build-aux/run-bats build-aux/static-check \
        test/build/*.bats test/build/helper.bash test/mpich/suite.test test/accuracy/run \
        test/accuracy/accuracy.bats test/accuracy/attempts.bash \
        test/cost/counts test/cost/counts.test test/cost/memory test/cost/memory.test test/cost/arithmetic.bats \
        test/hosts/hosts test/hosts/hosts.bats test/coll/coll.test test/threads/cost.sh test/threads/threads.test \
        test/fuzz/run test/fuzz/run.bats test/mpi/early.bats test/mpi/events.bats test/mpi/liar.bats \
        test/mpi/multiple.bats test/mpi/ports.bats test/mpi/variables.bats \
        test/pmpi/coexist.bats \
        test/smpi/run test/smpi/without_simgrid test/smpi/smpi.bats test/sim/scale.sh \
        test/sim/tare_scale.bats src/probe/tarecc.in \
        src/tool/completion/tare
}

# in `run`: what is skipped, and why, is output
said_to_be_skipped() {
    # shellcheck disable=SC2317  # what is run calls it
    skip() { echo "skipped: $1"; exit 0; }
    "$@"
}

@test "case_that_needs_more_minutes_than_are_left_is_skipped" {
    unset CHECK_UNTIL_S PLAYED_AGAIN
    run said_to_be_skipped need_minutes 1000000
    [[ $status -eq 0 && -z $output ]]
    CHECK_UNTIL_S=$((EPOCHSECONDS + 605)) run said_to_be_skipped need_minutes 10
    [[ $status -eq 0 && -z $output ]]
    CHECK_UNTIL_S=$((EPOCHSECONDS + 125)) run said_to_be_skipped need_minutes 10
    [[ $status -eq 0 && $output == "skipped: takes up to 10 minutes, and only 2 are left to this run" ]]
}

@test "case_that_is_played_again_has_the_time_that_is_left_to_the_run" {
    unset PLAYED_AGAIN
    export CHECK_UNTIL_S=$((EPOCHSECONDS + 125))
    fake timeout 'echo "$1" >"$BATS_TEST_TMPDIR/limit"; exit 124'
    run said_to_be_skipped in_minutes 1 "$BATS_TEST_TMPDIR/log" "$BATS_TEST_TMPDIR" true
    [[ $status -eq 0 && $output == "skipped: was not done in 1 minutes" && $(cat "$BATS_TEST_TMPDIR/limit") == 1m ]]
    fake timeout 'echo "$1" >"$BATS_TEST_TMPDIR/limit"; shift; "$@"'
    PLAYED_AGAIN=1 run said_to_be_skipped in_minutes 10 "$BATS_TEST_TMPDIR/log" "$BATS_TEST_TMPDIR" true
    [[ $status -eq 0 && -z $output && $(cat "$BATS_TEST_TMPDIR/limit") == 0m ]]
}

@test "step_says_start_and_time" {
    with_progress 'step "the work" "$BATS_TEST_TMPDIR/log/work" echo inside'
    assert_status 0
    [[ ${lines[0]} == "==> the work" && ${lines[1]} == "    the work: done in "*" s" ]]
    [[ $(cat "$BATS_TEST_TMPDIR/log/work") == inside ]]
}

@test "long_step_shows_elapsed_time_on_the_way" {
    with_progress 'TARE_HEARTBEAT=1; step "the work" "$BATS_TEST_TMPDIR/work" sh -c "sleep 3; exit 0"'
    assert_status 0
    [[ ${lines[1]} == "    the work ... "[12]" s" ]]
}

@test "long_step_shows_where_it_is" {
    with_progress 'TARE_HEARTBEAT=1; step "the work" "$BATS_TEST_TMPDIR/work" sh -c "echo one; echo two; echo; sleep 3"'
    assert_status 0
    [[ ${lines[1]} == "    the work ... "[12]" s: two" ]]
}

@test "failed_step_ends_the_script_with_its_status" {
    with_progress 'step "the work" "$BATS_TEST_TMPDIR/work" bash -c "echo why; exit 5"; echo not reached'
    assert_status 5
    [[ $output != *"not reached"* && $stderr == *"| why"* && $stderr == *"$BATS_TEST_TMPDIR/work"* ]]
}

@test "function_in_step_stops_at_its_first_failure" {
    with_progress 'work() { false; echo went on; }; step "the work" "$BATS_TEST_TMPDIR/work" work'
    assert_status 1
    [[ ! -s $BATS_TEST_TMPDIR/work ]]
}

@test "minutes_are_spelt_out" {
    with_progress 'elapsed_words 59; elapsed_words 60; elapsed_words 754'
    [[ ${lines[0]} == "59 s" && ${lines[1]} == "1 min 00 s" && ${lines[2]} == "12 min 34 s" ]]
}

@test "case_of_bats_that_hangs_is_ended_with_all_that_it_started" {
    CASE_LIMIT_S=1 run "$top_srcdir/build-aux/run-bats" \
        bash -c 'echo "ok 1"; (sleep 300 & echo $! >"$0"; wait) | cat; echo "ok 2"' "$BATS_TEST_TMPDIR/pid"
    echo "status $status: $output"
    [[ $status -ne 0 && ${lines[0]} == "ok 1" && ${lines[1]} == "Bail out! a case took longer than 1 s" ]]
    [[ $output != *"ok 2"* && -s $BATS_TEST_TMPDIR/pid ]]
    run ! kill -0 "$(cat "$BATS_TEST_TMPDIR/pid")"
}

@test "signals_that_were_ignored_are_not_in_tests" {
    trap '' HUP
    run "$top_srcdir/build-aux/run-bats" bash -c 'kill -HUP $$; echo "not ok 1"'
    [[ $status -eq 129 && -z $output ]]
}

@test "bats_that_ends_in_time_passes_on_lines_and_status" {
    CASE_LIMIT_S=2 run "$top_srcdir/build-aux/run-bats" \
        bash -c 'for ((n = 1; n <= 6; n++)); do sleep 0.5; echo "ok $n"; done; exit 3'
    assert_status 3
    [[ ${#lines[@]} -eq 6 && ${lines[5]} == "ok 6" ]]
}
