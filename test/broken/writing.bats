# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154,SC2030,SC2031  # bats and the Makefile set what is used; each test is a subshell
# Processes that are killed while they write their profile, and places where they cannot.
load helper

# killed_at N [FLUSHES]: false when the process had ended by itself
killed_at() {
    run env KILL_AT="$1" KILL_IN="$PWD/" LD_PRELOAD="$PROGRAMS/killer.so" "$PROGRAMS/plain" "${@:2}"
    [ "$status" -eq 137 ]
}

# Both threads are there with all their calls, whatever was written of them.
assert_plain() {
    assert_value 0 0 calls work "$1"
    assert_value 0 1 calls thread 7
    assert_value 0 0 calls '.TAU application' 1
    assert_between 30000000 "$(value 0 0 incl work)" 5000000000
}

@test "process_killed_at_any_step_of_writing_leaves_its_profile" {
    local n
    for ((n = 1; ; n++)); do
        rm -rf MULTI__* .tare*
        killed_at $n || break
        assert_plain 3 || { echo "killed at step $n"; return 1; }
    done
    [ "$status" -eq 0 ]
    # For each of 8 files a name is cleared; it is made, written and renamed; and the live file goes.
    [ "$n" -gt 32 ] || { echo "there are only $n steps"; return 1; }
}

# What was written on the way is older than the records: none of it is mixed with them. Not every step is tried.
@test "process_killed_at_any_step_of_its_second_writing_leaves_the_newer_one" {
    local n calls
    for ((n = 35; ; n += 5)); do
        rm -rf MULTI__* .tare*
        killed_at $n 2 || break
        calls=$(value 0 0 calls work)
        assert_between 4 "$calls" 5
        assert_plain "$calls" || { echo "killed at step $n"; return 1; }
    done
    [ "$status" -eq 0 ]
    [ "$n" -gt 94 ] || { echo "there are only $n steps"; return 1; }
    assert_plain 5
}

# refused_pipe PIPE SENTENCE
refused_pipe() {
    rm -rf MULTI__* .tare* tare-calls*
    mkdir MULTI__TIME
    mkfifo "$1"
    run --separate-stderr timeout 20 "$PROGRAMS/plain"
    [ "$status" -eq 1 ] || { echo "$1: status $status"; return 1; }
    assert_sentence "$2"
}

@test "pipe_in_the_place_of_a_file_is_refused_and_nobody_waits_for_it" {
    local pipe
    for pipe in MULTI__TIME/profile.0.0.0 MULTI__TIME/profile.3.0.1 tare-calls.0 .tare-live.0; do
        refused_pipe $pipe "$PWD/$pipe is in the profile's place, was not written by Tare and will not be overwritten"
        [ -p $pipe ]
    done
}

# That name is Tare's own: whatever has it is replaced.
@test "pipe_in_the_place_of_a_file_that_is_being_written_makes_nobody_wait" {
    mkdir MULTI__TIME
    mkfifo MULTI__TIME/.profile.0.0.0.new
    timeout 20 "$PROGRAMS/plain"
    assert_plain 3
    "$TOOL" report > /dev/null
}
