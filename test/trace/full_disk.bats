#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Traces on a disk that is full, or becomes so: one sentence, nothing that is not whole, and all of it when there is room.
# shellcheck disable=SC2154,SC2016  # bats sets status, output and stderr; the parts are scripts of their own
load helper

setup() {
    clean_environment
    cd "$BATS_TEST_TMPDIR" || return 1
    mkdir disk
    unshare -m mount -t tmpfs -o size=8k tmpfs disk 2>/dev/null || skip "only root may mount a tmpfs"
}

# on_disk MIB SCRIPT: in the folder of a disk of that size, which is there as long as the script
on_disk() { unshare -m bash -c 'mount -t tmpfs -o size="$0"m tmpfs disk && cd disk && set -u; eval "$1"' "$1" "$helpers
$2"; }

# What the scripts share. at_each_room MAKES SENTENCE COMMAND...: the command with no room on the disk, then with ever more
# until it ends well. Before that it says the sentence, a regular expression, and MAKES is not there. The room, in KiB, goes to
# the file room.
helpers='
fill() { cat /dev/zero >>filler 2>/dev/null; [ "$(df --output=avail . | tail -n 1)" -eq 0 ]; }
wrong() { echo "room $room KiB: $*: $(cat ../said)" >&2; exit 1; }
at_each_room() {
    local makes=$1 sentence=$2 status=1 room
    shift 2
    fill || exit 1
    for ((room = 0; status != 0 && room < 4096; room += 4)); do
        "$@" >../out 2>../said && status=0 || status=$?
        [ "$status" -le 1 ] || wrong "status $status"
        [ "$status" -eq 0 ] || grep -qE "^tare( trace)?: $sentence.*: No space left on device$" ../said || wrong "not said"
        [ "$status" -eq 0 ] || [ ! -e "$makes" ] || wrong "$makes is there"
        [ "$status" -eq 0 ] || truncate -s "-4K" filler
    done
    [ "$status" -eq 0 ] || wrong "never"
    echo "$room" >../room
}
'

@test "trace_that_outgrows_its_disk_is_said_and_joined_where_there_is_room" {
    on_disk 80 'TARE_TRACE=1 "$LOOP" 6000000 2>../said; echo $? >../ended
        mkdir ../small ../kept && mount -t tmpfs -o size=$(($(stat -c %b .tare-live.0) / 2 + 8192))k tmpfs ../small || exit 1
        cd ../small && mkdir -p tare-trace/rank.0 && cp ../disk/.tare-live.0 . || exit 1
        "$TOOL" trace join >../out 2>../join_said; echo $? >../joined; cp -a . ../kept'
    [ "$(cat ended)" -eq 1 ]
    [ "$(grep -cxF "tare: cannot write the trace in $PWD/disk/tare-trace/rank.0: No space left on device" said)" -eq 1 ]
    [ "$(cat joined)" -eq 1 ] || { echo "status $(cat joined): $(cat join_said)"; return 1; }
    [ ! -s out ]
    diff - join_said <<<$'tare trace: cannot write the trace in tare-trace/rank.0: No space left on device
tare trace: no rank has left a whole trace in tare-trace'
    [ ! -e kept/tare-trace/traces.otf2 ]
    run --separate-stderr "$TOOL" trace join kept/tare-trace
    [ "$status" -eq 0 ] || { echo "$stderr"; return 1; }
    [[ $stderr == *"the trace of rank 0 begins late: what it had written is lost"* ]]
    [ "$("$SUMS" kept/tare-trace/traces.otf2 | grep -cE ' calls=[1-9][0-9]{5,} .* inner$')" -eq 1 ]
}

# All of a small one is written when it is closed.
@test "killed_program_is_joined_when_there_is_room_and_not_before" {
    mkdir apart
    (cd apart && TARE_TRACE=1 run "$LOOP" 2000 1 killed && "$TOOL" trace join >/dev/null 2>&1)
    on_disk 400 'TARE_TRACE=1 "$LOOP" 2000 1 killed; at_each_room tare-trace/traces.otf2 "cannot (write|make) " "$TOOL" trace join
        cp -a tare-trace ../joined'
    [ "$(cat room)" -gt 16 ]
    diff <("$SUMS" apart/tare-trace/traces.otf2 | sed 's/ incl.* / /') <("$SUMS" joined/traces.otf2 | sed 's/ incl.* / /')
    [ -z "$(find joined -name 'rank.*')" ]
}

@test "program_that_ends_on_a_full_disk_leaves_a_whole_trace_or_none_and_says_so" {
    on_disk 40 'run() { rm -rf tare-trace ./MULTI*; TARE_TRACE=1 TARE_TRACE_RECORDS=none "$LOOP" 2000; }
        at_each_room tare-trace/traces.otf2 "(cannot|a process that is killed) .*" run; cp -a tare-trace ../whole'
    [ "$(cat room)" -gt 16 ]
    [ "$("$SUMS" whole/traces.otf2 | grep -c ' calls=2000 .* inner$')" -eq 1 ]
}

@test "new_archives_that_do_not_fit_are_said_and_nothing_is_left" {
    TARE_TRACE=1 "$LOOP" 2000
    TARE_TRACE=1 TARE_PROFILE_DIR=other bash -c 'mkdir other && "$0" 2000' "$LOOP"
    on_disk 1 'at_each_room new "cannot (write|make) " "$TOOL" trace cut -o new ../tare-trace; cp -a new ../cut; rm -r new
        at_each_room new "cannot (write|make) " "$TOOL" trace merge -o new ../tare-trace ../other/tare-trace; cp -a new ../merged'
    diff <("$SUMS" tare-trace/traces.otf2) <("$SUMS" cut/traces.otf2)
    [ "$("$SUMS" merged/traces.otf2 | grep -c ' calls=2000 .* inner$')" -eq 2 ]
}

# OTF2 writes 4 MiB at a time.
@test "large_archive_that_does_not_fit_is_said_and_nothing_is_left" {
    TARE_TRACE=1 "$LOOP" 400000
    on_disk 8 '"$TOOL" trace cut -o new ../tare-trace >../out 2>../said; echo $? >../status; [ ! -e new ] && : >../gone'
    [ "$(cat status)" -eq 1 ] || { echo "status $(cat status): $(cat said)"; return 1; }
    [ "$(cat said)" = "tare trace: cannot write the trace in new: No space left on device" ]
    [ -e gone ]
}
