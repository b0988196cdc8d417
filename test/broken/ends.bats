# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154,SC2030,SC2031,SC2016  # bats and the Makefile set what is used; each test is a subshell
# MPI jobs that end before their time, or have nowhere to leave their profiles: those of all ranks can be read.
load helper

# worlds N SCENE...: does not end well, and not by the test's own limit of time
broken() {
    run --separate-stderr ranks "$1" "$PROGRAMS/worlds" "${@:2}"
    [[ $status -ne 0 && $status -ne 124 ]] || { echo "status $status: $stderr"; return 1; }
}

# assert_rings N: so many ranks with all of their exchanges, and nothing else
assert_rings() {
    local rank
    for ((rank = 0; rank < $1; rank++)); do
        assert_value "$rank" 0 calls ring 3
        assert_value "$rank" 0 calls 'MPI_Sendrecv()' 3
    done
    [ "$("$ROWS" . | grep -c ' calls=.* ring$')" -eq "$1" ]
}

@test "rank_killed_in_the_middle_leaves_four_profiles" {
    broken 4 killed
    assert_rings 4
    run --separate-stderr "$TOOL" report
    [[ $status -eq 0 && $stderr == *killed* && $stderr != *missing* ]]
}

# Its profile was written before MPI's own MPI_Finalize began.
@test "rank_killed_inside_MPI_Finalize_leaves_a_whole_profile" {
    broken 3 finalize
    assert_rings 3
    assert_value 2 0 calls 'MPI_Finalize()' 1
    [ ! -e .tare-live.2 ]
    [[ $("$TOOL" report --rank=2 2>&1 > /dev/null) != *"rank 2 was"* ]]
}

@test "rank_that_aborts_leaves_three_profiles" {
    broken 3 abort
    [ "$status" -eq 3 ]
    assert_rings 3
    assert_value 2 0 calls 'MPI_Abort()' 1
}

@test "error_that_ends_the_job_leaves_three_profiles" {
    broken 3 error
    [[ $(<said) == *"nvalid rank"* ]]
    assert_rings 3
}

# Rank 1 is killed at some steps of writing, first, in the middle and last; rank 0 may have ended well.
@test "rank_killed_while_it_writes_leaves_both_profiles" {
    local n
    for n in 1 6 11 14; do
        rm -rf MULTI__* .tare* tare-calls*
        PRELOAD=$PROGRAMS/killer.so KILL_IN=$PWD/ KILL_AT=$n KILL_RANK=1 broken 2 writing
        assert_rings 2 || { echo "killed at step $n"; return 1; }
        run "$TOOL" report
        [ "$status" -eq 0 ]
    done
}

# with_disk KIB SCENE...: the profile goes to a disk with so much room, in a name space of its own; what is on it at the
# end is kept. Does not end well.
with_disk() {
    mkdir disk kept
    unshare -m mount -t tmpfs -o size=8k tmpfs disk 2> /dev/null || skip "only root may mount a tmpfs"
    export -f ranks
    export TARE_PROFILE_DIR=$PWD/disk
    run --separate-stderr unshare -m bash -c 'mount -t tmpfs -o size="$0"k tmpfs disk && ranks 2 "$PROGRAMS/worlds" "$@"
        status=$?; cp -a disk/. kept; exit $status' "$@"
    [[ $status -ne 0 && $status -ne 124 ]]
}

@test "disk_without_room_is_said_once_and_the_program_runs" {
    with_disk 16 nothing
    [ "$(grep -c 'tare: a process that is killed leaves no profile: .*: No space left' <<< "$stderr")" -eq 1 ]
    [ "$(grep -c 'tare: cannot write .*: No space left on device; TARE_PROFILE_DIR says' <<< "$stderr")" -eq 1 ]
    [ "$(grep -c 'tare: ' <<< "$stderr")" -eq 2 ]
    [ -z "$(find kept -name '*.new')" ]
}

# There is room for the records, and then none for the profile: the records stay.
@test "disk_that_fills_up_is_said_once_and_the_records_stay" {
    with_disk 6144 fill "$PWD/disk/filler"
    assert_sentence "cannot write $PWD/disk/MULTI__"
    cd kept
    assert_rings 2
    assert_report "ranks 0, 1 could not write their profiles: their figures end at their last enter or leave"
}

@test "folder_without_permission_ends_the_job_in_MPI_Init" {
    export TARE_PROFILE_DIR
    TARE_PROFILE_DIR=$(mktemp -d)       # the folders of bats are for its own user
    chmod 555 "$TARE_PROFILE_DIR"
    cd /
    as_nobody test -x "$PROGRAMS/worlds" || skip "an unprivileged user cannot reach the tests"
    run --separate-stderr as_nobody timeout 60 "$MPIEXEC" -n 2 env LD_PRELOAD="$LAYER" "$PROGRAMS/worlds" nothing
    [[ $status -ne 0 && $status -ne 124 ]]
    assert_sentence "the folder $TARE_PROFILE_DIR/MULTI__TIME cannot be made: Permission denied; TARE_PROFILE_DIR"
    [ -z "$output" ]
    rmdir "$TARE_PROFILE_DIR"
}

# They sleep between their calls: two cores are enough for that.
@test "64_ranks_on_few_cores_end_in_time_and_leave_64_profiles" {
    run --separate-stderr timeout 60 "$MPIEXEC" -n 64 "$TOOL" exec "$PROGRAMS/worlds" crowd
    [ "$status" -eq 0 ] || { echo "status $status: $stderr"; return 1; }
    [ "$stderr" = "" ]
    [ "$(find MULTI__TIME -name 'profile.*' | wc -l)" -eq 64 ]
    [ -z "$(find . -name '.tare*')" ]
    local rank
    for rank in 0 31 63; do
        assert_value $rank 0 calls ring 6
        assert_value $rank 0 calls 'MPI_Barrier()' 3
    done
    [[ $("$TOOL" report | head -n 1) == *": 64 ranks, mode header,"* ]]
}
