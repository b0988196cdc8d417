#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Archives that are damaged, or are none: one sentence for what cannot be read, and all else is.
# shellcheck disable=SC2154  # bats sets status, output and stderr
load helper

setup() {
    clean_environment
    cd "$BATS_TEST_TMPDIR" || return 1
    mkdir whole
    "$WRITE_ARCHIVE" random 3 2 2 3000 10 whole
}

damaged_copy() {
    rm -rf damaged
    cp -r whole damaged
}

match() { run --separate-stderr timeout 20 "$TOOL" trace match "$@"; }

# With sentences on stderr, and no other end than status 0 or 1.
assert_read() {
    [[ $status -le 1 ]] || { echo "status $status: $stderr"; return 1; }
    [[ $status -eq 0 || $stderr == "tare trace: "* ]] || { echo "said: $stderr"; return 1; }
    ! grep -v '^tare trace: ' <<<"$stderr" | grep . || { echo "said: $stderr"; return 1; }
}

assert_refused() {
    [ "$status" -eq 1 ] || { echo "status $status"; return 1; }
    [ -z "$output" ] || { echo "printed $output"; return 1; }
    [ "$stderr" = "tare trace: $1" ] || { echo "said: $stderr"; return 1; }
}

@test "folders_without_an_archive_are_named" {
    match nowhere
    assert_refused "cannot read nowhere: No such file or directory"
    mkdir empty
    match empty
    assert_refused "there is no archive of a trace in empty"
    mkdir -p apart/rank.0 apart/rank.1
    match apart
    assert_refused "the traces in apart are still one for each rank: 'tare trace join apart' makes one archive of them"
    touch empty/a.otf2 empty/b.otf2
    match empty
    assert_refused "empty has more than one archive: give the .otf2 file of one of them"
}

@test "file_that_is_no_anchor_is_named" {
    damaged_copy
    echo nonsense >damaged/traces.otf2
    match damaged
    [ "$status" -eq 1 ]
    [[ $stderr == "tare trace: cannot read damaged/traces.otf2: "* ]]
}

@test "location_that_is_missing_is_named_and_the_others_are_read" {
    damaged_copy
    rm damaged/traces/1003.evt
    match damaged
    [ "$status" -eq 1 ]
    [[ $stderr == "tare trace: rank 0, thread 1: 0 of "*" events can be read: "* ]] || { echo "$stderr"; return 1; }
    [ "$(grep -c . <<<"$stderr")" -eq 1 ]
    [[ $output == "method"*"fifo "* ]]
}

@test "location_that_is_cut_is_read_up_to_there" {
    damaged_copy
    truncate -s 4000 damaged/traces/1000.evt
    match damaged
    [ "$status" -eq 1 ]
    [[ $stderr == "tare trace: rank 0, thread 0: "*" of "*" events can be read: "* ]] || { echo "$stderr"; return 1; }
    [[ $output == "method"*"fifo "* ]]
}

# set_stamp FILE OLD NEW: the one time stamp of that value, which is behind a 5 in OTF2's files
set_stamp() {
    python3 -c 'import struct, sys
path, old, new = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
data = open(path, "rb").read()
stamp = b"\5" + struct.pack("<Q", old)
assert data.count(stamp) == 1
open(path, "wb").write(data.replace(stamp, b"\5" + struct.pack("<Q", new)))' "$@"
}

@test "clock_that_goes_back_is_named_and_the_events_are_read" {
    local stamps
    TARE_TRACE=1 "$SCENARIO" nested
    mapfile -t stamps < <(otf2-print "$archive" | awk '/^(ENTER|LEAVE) / { print $3 }' | uniq -u)
    [ "${#stamps[@]}" -gt 4 ]
    "$TOOL" trace stats tare-trace >before
    set_stamp tare-trace/traces/0.evt "${stamps[3]}" $((stamps[1] - 1))
    for action in stats print show; do
        run --separate-stderr "$TOOL" trace $action $([ $action != show ] || echo -o page.html) tare-trace
        [ "$status" -eq 1 ] || { echo "$action: status $status"; return 1; }
        [ "$stderr" = "tare trace: rank 0, thread 0: its clock goes back 1 time" ] || { echo "$action: $stderr"; return 1; }
        [ $action != stats ] || [ "$output" = "$(cat before)" ]
    done
    run --separate-stderr "$TOOL" waits tare-trace
    [ "$status" -eq 1 ]
    [ "$stderr" = "tare waits: rank 0, thread 0: its clock goes back 1 time" ]
}

@test "location_whose_own_definitions_are_cut_is_named_and_the_others_are_read" {
    TARE_TRACE=1 "$SCENARIO" threads
    truncate -s 25 tare-trace/traces/0.def
    run --separate-stderr "$TOOL" trace stats tare-trace
    [ "$status" -eq 1 ]
    [[ $stderr == "tare trace: rank 0, thread 0: 0 of "*" events can be read: its definitions are damaged: "* ]]
    [ "$(grep -c . <<<"$stderr")" -eq 1 ]
    [[ $output == *" 0.1 "* ]]
}

@test "definitions_that_are_missing_are_named" {
    damaged_copy
    rm damaged/traces.def
    match damaged
    assert_read
    [ "$status" -eq 1 ]
    [ -z "$output" ]
}

@test "every_file_that_is_cut_anywhere_is_refused_or_read" {
    for file in traces.otf2 traces.def traces/1000.evt; do
        size=$(stat -c %s "whole/$file")
        for ((at = 0; at < size; at += size / 12 + 1)); do
            damaged_copy
            truncate -s "$at" "damaged/$file"
            match damaged
            assert_read || { echo "$file, cut at $at"; return 1; }
        done
    done
}

# OTF2 takes as much memory as a wrong count in its first file says, or frees what it has not got.
@test "every_file_with_a_wrong_byte_anywhere_is_refused_or_read" {
    # A wrong count is memory that OTF2 takes, which the address sanitizer ends the program for.
    local files=(traces.otf2 traces.def traces/1000.evt) parts=80
    [ -z "${SANITIZER-}" ] || { files=(traces.def traces/1000.evt) && parts=20; }
    for file in "${files[@]}"; do
        size=$(stat -c %s "whole/$file")
        for ((at = 0; at < size; at += size / parts + 1)); do
            damaged_copy
            printf '\xff' | dd of="damaged/$file" bs=1 seek="$at" conv=notrunc status=none
            match damaged
            assert_read || { echo "$file, wrong at $at"; return 1; }
        done
    done
}
