#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# TARE_TRACE=1: an OTF2 archive that tells what the profile does.
# shellcheck disable=SC2154  # bats sets status, output and stderr
load helper

traced() {
    run --separate-stderr env TARE_TRACE=1 "$@"
    [ "$status" -eq 0 ] || { echo "status $status: $stderr"; return 1; }
    [ -z "$stderr" ] || { echo "said: $stderr"; return 1; }
}

@test "trace_tells_what_the_profile_does" {
    traced "$SCENARIO" nested
    assert_trace_is_the_profile
}

@test "trace_has_a_location_for_each_thread" {
    traced "$SCENARIO" threads
    assert_trace_is_the_profile
    otf2-print -G "$archive" | grep -c '^LOCATION ' >locations
    [ "$(cat locations)" -eq "$("$ROWS" . | awk '$1 ~ /^[0-9]+$/ { print $2 }' | sort -u | wc -l)" ]
    [ "$(cat locations)" -gt 2 ]
}

@test "locations_have_the_names_of_threads" {
    traced "$SCENARIO" named
    otf2-print -G "$archive" | sed -nE 's/^LOCATION .*Name: "(.*)" <[0-9]+>, Type.*/\1/p' >names
    [ "$(cat names)" = $'Master thread: first\nThread 1\nThread 2: <last> & "least"' ]
    assert_trace_is_the_profile
}

@test "killed_program_leaves_the_names_of_its_locations" {
    TARE_TRACE=1 run "$SCENARIO" named killed
    [ "$status" -eq 137 ]
    "$TOOL" trace join
    otf2-print -G "$archive" | grep -qF 'Name: "Thread 2: <last> & "least""'
}

@test "trace_ends_regions_that_a_jump_has_left" {
    traced "$SCENARIO" jumped
    assert_trace_is_the_profile
}

@test "declared_data_and_copies_are_in_the_trace_where_they_are_asked_for" {
    printf '%s\n' SCOREP_REGION_NAMES_BEGIN 'EXCLUDE *' SCOREP_REGION_NAMES_END >rules
    for filter in "" rules; do
        rm -rf MULTI* tare-trace
        TARE_TRACE_RECORDS=data traced env ${filter:+TARE_FILTER=$filter} "$DECLARED"
        echo "$output" >did
        "$scripts/buffers.py" "$archive" 0 >saw
        diff did saw
    done
    "$TOOL" trace print | grep -qE 'Leave tare_data\(\) names field 0x[0-9a-f]+ span 80 type double$'
    rm -rf MULTI* tare-trace
    traced "$DECLARED"
    [ -z "$("$scripts/buffers.py" "$archive" 0)" ]
    ! otf2-print -G "$archive" | grep -q 'tare_data()'
}

@test "trace_alone_asks_for_the_profile_too" {
    unset TARE_PROFILE
    traced "$SCENARIO" nested
    assert_trace_is_the_profile
}

@test "trace_of_another_clock_has_measured_times" {
    TARE_TRACE_CLOCK=measured traced "$SCENARIO" nested
    # Of the measured clock incl is the difference of the stamps.
    "$SUMS" "$archive" | sed -E 's/incl_comp=([0-9]+) incl=[0-9]+/incl=\1/' | LC_ALL=C sort >trace.sums
    sums_of_profile >profile.sums
    diff <(exact_sums profile.sums) <(exact_sums trace.sums)
}

@test "archive_is_read_by_otf2_print" {
    traced "$SCENARIO" nested
    otf2-print "$archive" >printed
    grep -qE '^ENTER +0 +[0-9]+ +Region: "outer"' printed
    grep -qE 'removed_ns' printed
}

@test "files_of_a_trace_are_their_owners" {
    traced "$SCENARIO" nested
    [ "$(stat -c %a tare-trace)" = 700 ]
    [ ! -e tare-trace/rank.0 ] && [ ! -e tare-trace/joining ]
}

@test "newer_trace_takes_the_place_of_an_older_one" {
    traced "$SCENARIO" threads
    traced "$SCENARIO" nested
    assert_trace_is_the_profile
}

@test "trace_that_cannot_be_written_is_said_and_fails" {
    touch tare-trace
    run --separate-stderr env TARE_TRACE=1 "$SCENARIO" nested
    [ "$status" -eq 1 ]
    [ "$stderr" = "tare: cannot make $PWD/tare-trace: File exists" ]
    "$ROWS" . | grep -q ' outer$'
}

@test "trace_of_many_events_is_written_while_they_come" {
    traced "$LOOP" 800000
    [ "$("$SUMS" "$archive" | grep -c " calls=800000 .* inner$")" -eq 1 ]
    assert_trace_is_the_profile
}

@test "program_that_records_nothing_leaves_no_trace" {
    traced true
    [ ! -e tare-trace ]
}

@test "forked_child_leaves_the_trace_to_its_parent" {
    traced "$SCENARIO" forked
    assert_trace_is_the_profile
}

@test "killed_program_leaves_its_trace" {
    for killed in "killed 9" killed_with_threads killed_with_many_regions; do
        rm -rf ./MULTI* tare-trace .tare-live*
        TARE_TRACE=1 run "$SCENARIO" $killed  # shellcheck disable=SC2086
        [ "$status" -ge 128 ]
        [ ! -e "$archive" ]
        run --separate-stderr "$TOOL" trace join
        [ "$status" -eq 0 ] || { echo "$killed: $stderr"; return 1; }
        [ "$stderr" = "tare trace: rank 0 was killed: its trace ends with its latest event" ]
        assert_calls_are_the_profiles
    done
}

# The library has memory ready for the events that come next: it has none yet.
@test "killed_program_leaves_a_trace_of_several_pieces" {
    for threads in 1 3; do
        rm -rf ./MULTI* tare-trace .tare-live*
        TARE_TRACE=1 run "$LOOP" 30000 "$threads" killed
        [ "$status" -ge 128 ]
        run --separate-stderr "$TOOL" trace join
        [ "$status" -eq 0 ] || { echo "$threads: $stderr"; return 1; }
        [ "$stderr" = "tare trace: rank 0 was killed: its trace ends with its latest event" ]
        assert_calls_are_the_profiles
        [ "$(otf2-print "$archive" | grep -c '^ENTER ')" -eq "$(otf2-print "$archive" | grep -c '^LEAVE ')" ]
        [ "$(otf2-print "$archive" | grep -c '^ENTER ')" -eq $((threads * 30001 + threads)) ]
    done
}

@test "killed_program_that_has_written_some_of_it_says_what_is_lost" {
    TARE_TRACE=1 "$LOOP" 1000000000 3>&- &
    for ((i = 0; i < 300; i++)); do
        [ ! -s tare-trace/rank.0/traces/0.evt ] || break
        sleep 0.1
    done
    kill -KILL %1
    wait %1 || true
    run --separate-stderr "$TOOL" trace join
    [ "$status" -eq 0 ]
    [ "${stderr_lines[1]}" = "tare trace: the trace of rank 0 begins late: what it had written is lost" ]
    otf2-print -G "$archive" | grep -qE "^LOCATION .*# Events: [1-9][0-9]{6}"
}
