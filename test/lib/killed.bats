# SPDX-License-Identifier: BSD-3-Clause
# What is left of a process that does not end well: its live file, and what is read from it. And the signal that makes
# a running one write its profile.
load helpers

# attribute NAME
attribute() { "$ROWS" . | sed -n "s/^$1: //p"; }

assert_attribute() {
    [ "$(attribute "$1")" = "$2" ] || { echo "$1 is '$(attribute "$1")', wanted '$2'"; return 1; }
}

# Measured = compensated + removed in every row, exclusive times add up to the root's, and nothing is negative.
assert_conserved() {
    "$ROWS" . | grep calls= | grep -v ' TAU_CALLPATH|' | sed 's/[a-z_]*=//g' | awk '
        NR == 1 || $1 != rank || $2 != thread {
            if (NR > 1 && excl != incl) exit bad = 1
            rank = $1; thread = $2; incl = $5; excl = 0
        }
        { excl += $6; if ($5 != $7 + $11 || $5 < 0 || $6 < 0) exit bad = 1 }
        END { exit bad || excl != incl }' || { "$ROWS" .; return 1; }
}

one_sentence() { # one_sentence PART: rows refuses the profile
    run --separate-stderr "$ROWS" .
    [ "$status" -eq 1 ] || { echo "status $status"; return 1; }
    [ "${#stderr_lines[@]}" -eq 1 ] || { echo "$stderr"; return 1; }
    [[ $stderr == *"$1"* ]] || { echo "$stderr"; return 1; }
}

# A process that enters and leaves until it is killed; $busy is its number. It holds nothing of the test's open.
start_busy() {
    "$SCENARIO" killed_anywhere > /dev/null 2>&1 < /dev/null 3>&- &
    busy=$!
    local tries
    for ((tries = 0; tries < 500; tries++)); do [ ! -e .tare-live.0 ] || return 0; sleep 0.01; done
    echo "there is no live file"
    return 1
}

busy_is_seen() { [ -n "$(value 0 0 calls '.TAU application => around => busy')" ]; }

# has_calls N: so many of the region have been seen
has_calls() { local n; n=$(value 0 0 calls busy 2> /dev/null) && [ "${n:-0}" -ge "$1" ]; }

# wait_for COMMAND...: until it succeeds, or 5 s
wait_for() {
    local tries
    for ((tries = 0; tries < 500; tries++)); do ! "$@" || return 0; sleep 0.01; done
}

kill_busy() {
    kill -KILL "$busy"
    wait "$busy" || true
    busy=
}

teardown() {
    [ -z "${busy-}" ] || kill -KILL "$busy" || true
}

# The address sanitizer would make an exit of SIGSEGV.
@test "killed_process_leaves_its_profile_whatever_the_signal" {
    local number
    export ASAN_OPTIONS=${ASAN_OPTIONS-}:handle_segv=0
    for number in 9 15 11 6 1; do
        run "$SCENARIO" killed $number
        [ "$status" -eq $((128 + number)) ]
        [ ! -e MULTI__TIME/profile.0.0.0 ]
        assert_value 0 0 calls ".TAU application" 1
        assert_value 0 0 calls outer 1
        assert_value 0 0 subrs outer 4
        assert_value 0 0 calls open 1
        assert_value 0 0 calls inner 5
        assert_between 2000000 "$(value 0 0 excl outer)" 1000000000
        assert_conserved
        assert_attribute 'tare recovered' killed
        assert_attribute 'a constant ns' 12.5
    done
}

@test "killed_ranks_are_read_beside_those_that_ended_well" {
    "$SCENARIO" rank 0 3 a-run > /dev/null
    run "$SCENARIO" killed 9 1 3 a-run
    "$SCENARIO" rank 2 3 a-run > /dev/null
    [ "$(ls -A | grep '^[.]tare')" = .tare-live.1 ]
    assert_value 0 0 calls work 3
    assert_value 1 0 calls inner 5
    assert_value 2 0 calls work 3
    [ "$("$ROWS" . | grep calls= | awk '{ print $1 }' | uniq | paste -s -d ' ')" = "0 1 2" ]
}

@test "killed_rank_of_another_run_is_refused" {
    "$SCENARIO" rank 0 2 new > /dev/null
    run "$SCENARIO" killed 9 1 2 old
    one_sentence ".tare-live.1 belongs to another run than ./MULTI__TIME/profile.0.0.0 beside it"
}

@test "new_run_removes_live_files_of_an_older_one" {
    local rank
    for rank in 0 1 2 3; do run "$SCENARIO" killed 9 $rank 4 old; done
    for rank in 0 1; do "$SCENARIO" rank $rank 2 new > /dev/null; done
    [ -z "$(find . -name '.tare*')" ]
    assert_value 1 0 calls work 3
}

@test "threads_of_a_killed_process_are_all_there" {
    run "$SCENARIO" killed_with_threads
    [ "$status" -eq 137 ]
    assert_value 0 0 calls first 1
    local thread
    for ((thread = 1; thread <= 32; thread++)); do
        assert_value 0 "$thread" calls worker 10
        if ((thread > 2)); then assert_value 0 "$thread" calls forever 1; fi
    done
    assert_conserved
}

@test "many_regions_and_a_deep_stack_of_a_killed_process_are_all_there" {
    run "$SCENARIO" killed_with_many_regions
    [ "$status" -eq 137 ]
    [ "$("$ROWS" . | grep -c ' calls=1 .* region [0-9]*$')" -eq 3000 ]
    assert_value 0 0 calls deep 600
    assert_conserved
}

@test "process_killed_at_any_moment_leaves_a_profile_that_adds_up" {
    local round before=0 torn=0
    for round in {1..20}; do
        rm -f .tare-live.0
        start_busy
        sleep "0.0$((RANDOM % 9 + 1))"
        kill_busy
        [ -n "$("$ROWS" .)" ]
        [ "$(value 0 0 calls ".TAU application")" -eq 1 ]
        before=$(value 0 0 calls busy)
        if [ -n "$before" ]; then assert_between 0 $((before - 10 * ($(value 0 0 calls around) - 1))) 10; fi
        case $(attribute 'tare recovered') in
        killed) assert_conserved ;;
        'killed inside a hook') torn=$((torn + 1)) ;;
        *) false ;;
        esac
    done
    echo "# $torn of 20 were killed inside a hook" >&3
}

# Its figures change while they are read, so they may be some calls apart.
@test "running_process_is_read_as_it_is_now" {
    start_busy
    wait_for has_calls 1
    assert_attribute 'tare recovered' running
    local more=$(($(value 0 0 calls busy) + 1))
    wait_for has_calls "$more"
    has_calls "$more"
    kill_busy
    [[ $(attribute 'tare recovered') == killed* ]]
}

@test "call_paths_of_a_killed_process_are_all_there" {
    local root=".TAU application" number thread
    export ASAN_OPTIONS=${ASAN_OPTIONS-}:handle_segv=0 TARE_CALLPATH=10
    for number in 9 11; do
        run "$SCENARIO" killed $number
        [ "$status" -eq $((128 + number)) ]
        assert_value 0 0 calls "$root => outer" 1
        assert_value 0 0 subrs "$root => outer" 4
        assert_value 0 0 calls "$root => outer => inner" 3
        assert_value 0 0 calls "$root => outer => open" 1
        assert_value 0 0 calls "$root => outer => open => inner" 2
        [ "$("$ROWS" . | grep -c ' TAU_CALLPATH|TAU_USER ')" -eq 4 ]
        assert_between 2000000 "$(value 0 0 excl "$root => outer")" 1000000000
        assert_paths_add_up
        assert_conserved
        assert_attribute 'tare callpath depth' 10
        assert_attribute 'tare recovered' killed
        rm .tare-live.0
    done
    run "$SCENARIO" killed_with_threads
    for thread in 1 2 3 17 32; do assert_value 0 "$thread" calls "$root => worker" 10; done
    for thread in 3 32; do assert_value 0 "$thread" calls "$root => forever" 1; done
    assert_paths_add_up
}

@test "many_and_deep_call_paths_of_a_killed_process_are_all_there" {
    TARE_CALLPATH=100 run "$SCENARIO" killed_with_many_regions
    [ "$status" -eq 137 ]
    [ "$("$ROWS" . | grep -c ' calls=1 .* TAU_CALLPATH|TAU_USER .TAU application => region [0-9]*$')" -eq 3000 ]
    [ "$("$ROWS" . | grep -c ' TAU_CALLPATH|.* => deep$')" -eq 100 ]
    assert_value 0 0 calls "$(printf 'deep => %.0s' {1..99})deep" 501
    assert_paths_add_up
    rm .tare-live.0
    TARE_CALLPATH=10 run "$SCENARIO" killed_with_many_paths 6
    [ "$("$ROWS" . | grep -c ' TAU_CALLPATH|')" -eq 131070 ]
    assert_attribute 'tare calls without path' 980040
    assert_conserved
}

# Under a sanitizer the process is inside a hook most of the time: as many rounds as it takes to meet it outside of one.
@test "call_paths_of_a_process_killed_at_any_moment_add_up" {
    local round whole=0 seen=0
    export TARE_CALLPATH=3
    for round in {1..200}; do
        rm -f .tare-live.0
        start_busy
        sleep "0.0$((RANDOM % 9 + 1))"
        [ "$round" -lt 10 ] || wait_for busy_is_seen
        if busy_is_seen; then seen=$((seen + 1)); fi
        kill_busy
        case $(attribute 'tare recovered') in
        killed)
            whole=$((whole + 1))
            [ -z "$(value 0 0 calls around)" ] || assert_paths_add_up
            ;;
        'killed inside a hook') ;;
        *) false ;;
        esac
        [ "$round" -lt 10 ] || [ "$whole" -eq 0 ] || break
    done
    echo "# $((round - whole)) of $round were killed inside a hook" >&3
    [ "$whole" -gt 0 ]
    [ "$seen" -gt 0 ]
}

@test "process_that_ends_well_leaves_no_live_file" {
    local scenario
    for scenario in nested threads forked exited moved; do
        run "$SCENARIO" "$scenario"
        [ -z "$(find . -name '.tare*')" ] || { echo "$scenario: $(find . -name '.tare*')"; return 1; }
        [ -z "$("$ROWS" . | grep 'tare recovered')" ]
    done
    TARE_PROFILE=0 run "$SCENARIO" killed 9
    [ -z "$(find . -name '.tare*')" ]
}

@test "process_that_leaves_without_exit_is_not_lost" {
    run "$SCENARIO" left_in_a_hurry
    [ "$status" -eq 7 ]
    assert_value 0 0 calls work 1
}

@test "forked_child_does_not_touch_the_record_of_a_parent_that_is_killed_later" {
    run "$SCENARIO" killed_after_fork
    [ "$status" -eq 137 ]
    assert_value 0 0 calls parent 1
    assert_value 0 0 calls after 2
    assert_value 0 0 subrs parent 2
    assert_no_region 0 0 child
    assert_conserved
}

@test "live_file_cut_short_is_refused_in_one_sentence" {
    local bytes
    run "$SCENARIO" killed 9
    cp .tare-live.0 whole
    for bytes in 0 7 40 200 4096 100000 $(($(stat -c %s whole) - 1)); do
        head -c "$bytes" whole > .tare-live.0
        one_sentence ".tare-live.0 is"
    done
}

@test "live_file_of_another_tool_or_version_is_refused_in_one_sentence" {
    run "$SCENARIO" killed 9
    cp .tare-live.0 whole
    printf '\377' | dd of=.tare-live.0 bs=1 seek=8 conv=notrunc status=none
    one_sentence ".tare-live.0 was written by another version of Tare"
    echo mine > .tare-live.0
    one_sentence ".tare-live.0 is not a live file of Tare's"
    run --separate-stderr "$SCENARIO" nested
    [ "$status" -eq 1 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == *".tare-live.0 is in the profile's place, was not written by Tare"* ]]
    [ "$(cat .tare-live.0)" = mine ]
}

@test "live_file_with_any_byte_changed_is_read_or_refused" {
    local round at           # i is changed by bats' run
    run "$SCENARIO" killed 9
    cp .tare-live.0 whole
    for ((round = 0; round < 80; round++)); do
        cp whole .tare-live.0
        at=$((round < 45 ? round * 4 : RANDOM * 8))
        printf '\xa5\xa5' | dd of=.tare-live.0 bs=1 seek="$at" conv=notrunc status=none
        run --separate-stderr timeout 20 "$ROWS" .
        [ "$status" -le 1 ] || { echo "byte $at: status $status"; return 1; }
        [ "$status" -eq 0 ] || [ "${#stderr_lines[@]}" -eq 1 ]
    done
}

# What the live file has at an offset: bytes4 OFFSET, bytes8 OFFSET
bytes4() { od -An -t u4 -j "$1" -N 4 whole | tr -d ' '; }
bytes8() { od -An -t u8 -j "$1" -N 8 whole | tr -d ' '; }

# with_bytes OFFSET BYTES: the live file with these in their place
with_bytes() {
    cp whole .tare-live.0
    # shellcheck disable=SC2059  # the bytes are a format
    printf "$2" | dd of=.tare-live.0 bs=1 seek="$1" conv=notrunc status=none
}

# Where the parts are: live_header, live_layout and live_path_layout.
@test "call_paths_that_cannot_be_are_refused_in_one_sentence" {
    local base thread record sums bytes
    TARE_CALLPATH=10 run "$SCENARIO" killed 9
    cp .tare-live.0 whole
    base=$(bytes8 16)
    thread=$(($(bytes8 64) - base))
    record=$(($(bytes8 $((thread + $(bytes4 104)))) - base))
    sums=$(($(bytes8 $((record + $(bytes4 164)))) - base))
    # Of the path with number 2: its region, the path that it is entered from, and its length.
    for bytes in '\xff\xff\xff\x7f' '\xff\xff\xff\xff'; do
        with_bytes $((sums + 2 * 176 + 160)) "$bytes"
        one_sentence ".tare-live.0 is damaged: a call path leads nowhere"
    done
    for bytes in '\x02' '\x03' '\xff\xff\xff\xff'; do
        with_bytes $((sums + 2 * 176 + 164)) "$bytes"
        one_sentence ".tare-live.0 is damaged: a call path leads nowhere"
    done
    for bytes in '\x00' '\x01' '\xff\xff\xff\xff'; do
        with_bytes $((sums + 2 * 176 + 168)) "$bytes"
        one_sentence ".tare-live.0 is damaged: a call path leads nowhere"
    done
    with_bytes $((sums + 2 * 176)) '\xff\xff\xff\xff\xff\xff\xff\x7f'
    one_sentence ".tare-live.0 is damaged: its figures cannot be"
    # More paths than there are; a depth of none.
    with_bytes $((record + $(bytes4 160))) '\xff\xff\xff\xff'
    one_sentence ".tare-live.0 is damaged: a call path leads nowhere"
    with_bytes $((record + $(bytes4 144))) '\x00'
    one_sentence ".tare-live.0 is damaged: a call path leads nowhere"
    # Open regions whose paths are not known leave what was summed up before.
    with_bytes $((record + $(bytes4 156))) '\x00\x00\x00\x00\x00\x00\x00\x00'
    assert_value 0 0 calls ".TAU application => outer => open => inner" 2
}

@test "live_file_with_call_paths_and_any_byte_changed_is_read_or_refused" {
    local round at
    TARE_CALLPATH=10 run "$SCENARIO" killed 9
    cp .tare-live.0 whole
    for ((round = 0; round < 80; round++)); do
        at=$((round < 20 ? 100 + round * 4 : RANDOM * 2))
        with_bytes "$at" '\xa5\xa5'
        run --separate-stderr timeout 20 "$ROWS" .
        [ "$status" -le 1 ] || { echo "byte $at: status $status"; return 1; }
        [ "$status" -eq 0 ] || [ "${#stderr_lines[@]}" -eq 1 ]
    done
}

@test "live_file_that_is_a_pipe_is_refused_in_one_sentence" {
    "$SCENARIO" nested
    mkfifo .tare-live.1
    run timeout 20 "$ROWS" .
    [ "$status" -eq 1 ]
    [[ $output == "rows: ./.tare-live.1 is not a live file of Tare's: "* ]]
}

@test "live_file_under_the_name_of_another_rank_is_refused_in_one_sentence" {
    run "$SCENARIO" killed 9
    mv .tare-live.0 .tare-live.3
    one_sentence ".tare-live.3 is damaged: it says that it is rank 0's"
}

@test "place_without_room_for_the_live_file_is_said_and_the_run_goes_on" {
    run --separate-stderr bash -c 'ulimit -f 512; "$SCENARIO" nested'
    [ "$status" -eq 0 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == "tare: a process that is killed leaves no profile: $PWD/.tare-live.0 cannot be made: File too large" ]]
    assert_value 0 0 calls inner 3
    [ -z "$(find . -name '.tare*')" ]
}

@test "live_file_that_cannot_grow_is_said_once_and_the_run_goes_on" {
    run --separate-stderr bash -c 'ulimit -f 1536; "$SCENARIO" flushed_while_threads_come_and_go'
    [ "$status" -eq 0 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == "tare: what is measured from now on is lost if the process is killed: $PWD/.tare-live."*": File too large" ]]
    assert_value 0 8 calls dive 600
    rm -r MULTI__*
    run --separate-stderr bash -c 'ulimit -f 1536; "$SCENARIO" killed_with_threads'
    [ "$("$ROWS" . | grep -c ' calls=1 .* unnamed region [0-9]*$')" -eq 1 ]
    assert_value 0 1 calls worker 10
    assert_conserved
    rm .tare-live.0
    run --separate-stderr bash -c 'ulimit -f 1536; TARE_CALLPATH=10 "$SCENARIO" killed_with_many_paths 4'
    assert_value 0 0 calls r3 1111
    assert_between 1 "$("$ROWS" . | grep -c ' TAU_CALLPATH|')" 11109
    assert_conserved
}

@test "profile_that_cannot_be_written_is_said_and_its_figures_are_kept" {
    run --separate-stderr env TARE_PROFILE_DIR=full "$SCENARIO" unwritable
    [ "$status" -eq 1 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == "tare: cannot write $PWD/full/MULTI__TIME/.profile.0.0.0.new: File too large; TARE_PROFILE_DIR says"* ]]
    [ -z "$(find full -name '*.new')" ]
    cd full
    assert_value 0 0 calls work 5
    assert_attribute 'tare recovered' 'not written'
}

# A disk of 2 MiB that is almost full.
@test "full_disk_is_said_and_the_run_goes_on" {
    mkdir disk
    mount -t tmpfs -o size=2m tmpfs disk 2> /dev/null || skip "only root may mount a tmpfs"
    head -c 1500000 /dev/zero > disk/filler
    run --separate-stderr env TARE_PROFILE_DIR=disk "$SCENARIO" nested
    umount disk
    [ "$status" -eq 0 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == "tare: a process that is killed leaves no profile: $PWD/disk/.tare-live.0 cannot be made: No space left on device" ]]
}

# refusing CALL ERROR: a library under which this call fails so; mmap fails for files that are shared, as on a file
# system that cannot do that.
refusing() {
    cat > refusing.c <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef REFUSE_mmap
void *mmap(void *at, size_t bytes, int access, int flags, int descriptor, off_t offset)
{
    if (descriptor >= 0 && (flags & MAP_SHARED) && (access & PROT_WRITE)) {
        errno = REFUSE_mmap;
        return MAP_FAILED;
    }
    return (void *) syscall(SYS_mmap, at, bytes, access, flags, descriptor, offset);
}
#else
int posix_fallocate(int descriptor, off_t from, off_t bytes)
{
    return REFUSE_posix_fallocate;
}
#endif
C
    $CC -shared -fPIC -D"REFUSE_$1=$2" -o refusing.so refusing.c
}

@test "file_system_that_refuses_a_file_is_said_and_the_run_goes_on" {
    local call
    [ -z "${SANITIZER-}" ] || skip "--with-sanitizer=$SANITIZER wants to be loaded first"
    for call in mmap:ENODEV:'No such device' posix_fallocate:ENOSPC:'No space left on device'; do
        IFS=: read -r call error words <<< "$call"
        refusing "$call" "$error"
        run --separate-stderr env LD_PRELOAD="$PWD/refusing.so" "$SCENARIO" nested
        [ "$status" -eq 0 ]
        [ "${#stderr_lines[@]}" -eq 1 ]
        [[ $stderr == "tare: a process that is killed leaves no profile: $PWD/.tare-live.0 cannot be made: $words" ]]
        assert_value 0 0 calls inner 3
        [ -z "$(find . -name '.tare*')" ]
    done
}

@test "place_without_permission_is_said_and_the_run_goes_on" {
    local as_user=()
    mkdir -p place/MULTI__{TIME,COMPENSATED_TIME,MPI_WAIT_TIME,COMPENSATED_MPI_WAIT_TIME}
    chmod 777 place/MULTI__*
    chmod 555 place
    if [ "$(id -u)" -eq 0 ]; then
        as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
        "${as_user[@]}" test -x "$SCENARIO" -a -r "$PWD/place" || skip "an unprivileged user cannot reach the tests"
    fi
    run --separate-stderr env TARE_PROFILE_DIR="$PWD/place" "${as_user[@]}" "$SCENARIO" nested
    [ "$status" -eq 0 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == "tare: a process that is killed leaves no profile: $PWD/place/.tare-live.0 cannot be made: Permission denied" ]]
    [ -e place/MULTI__TIME/profile.0.0.0 ]
}

@test "signal_makes_a_running_process_write_its_profile" {
    run "$SCENARIO" signalled 12 MULTI__TIME/profile.0.0.0
    [ "$status" -eq 0 ]
    [ "$output" = written ]
    assert_value 0 0 calls before 5
    assert_value 0 0 calls after 1
    [ "$(ls MULTI__TIME | wc -l)" -eq 1 ]
    rm -r MULTI__*
    TARE_SIGNAL=SIGHUP run "$SCENARIO" signalled 1 MULTI__TIME/profile.0.0.0
    [ "$output" = written ]
}

@test "signal_that_the_program_handles_is_left_to_it" {
    run "$SCENARIO" signalled 12 not-there own
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "own handler" ]
}

@test "signal_is_the_systems_where_none_is_wanted" {
    TARE_SIGNAL=none run "$SCENARIO" signalled 12 MULTI__TIME/profile.0.0.0
    [ "$status" -eq 140 ]
    assert_value 0 0 calls before 5
}
