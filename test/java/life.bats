#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The example: four processes of seven threads each, that send and receive for themselves.
# shellcheck disable=SC2154,SC2016  # bats sets status, output and stderr; classes in classes have a $
load helper

play() {
    TARE=$TOOL LD_LIBRARY_PATH=$STAGE/lib CLASSES=$JARS/tare-mpi.jar run --separate-stderr \
        timeout 300 "$EXAMPLES/life/run" --keep . "$@"
    [ "$status" -eq 0 ] || { echo "status $status: $output $stderr"; return 1; }
}

board_is_as_played_alone() {
    [[ ${lines[0]} =~ ^$1:\ board\ ([0-9a-f]{16}),\ played\ alone\ ([0-9a-f]{16})$ ]]
    [ "${BASH_REMATCH[1]}" = "${BASH_REMATCH[2]}" ]
}

@test "board_of_four_processes_with_seven_threads_is_as_played_alone" {
    TARE_TRACE=$([ "$HAVE_OTF2" = yes ] && echo 1 || echo 0) play 7 2 32 10
    board_is_as_played_alone "28 threads in 4 processes, 56 x 32 cells, 10 steps"
    assert_times_are_conserved
    for strip in {0..27}; do
        rank=$((strip / 7))
        thread=$(thread_of "strip $strip" $rank)
        [ "$(value $rank "$thread" calls 'Life$Strip.exchange()')" -eq 10 ]
        [ "$(value $rank "$thread" calls 'Life$Cells.step()')" -ge 10 ]
        [ "$(value $rank "$thread" calls 'MPI_Isend()')" -eq 20 ]
        [ "$(value $rank "$thread" calls 'MPI_Irecv()')" -eq 20 ]
        [ "$(value $rank "$thread" calls 'MPI_Waitall()')" -eq 10 ]
    done
    [ "$HAVE_OTF2" = yes ] || return 0
    "$BATS_TEST_DIRNAME/locations.py" tare-trace/traces.otf2 >locations
    [ "$(grep -c ' strip [0-9]* exchange=10 isend=20 irecv=20 waitall=10$' locations)" -eq 28 ]
    # Each strip has got a row of each of its neighbours in each step, and of nobody else.
    for strip in {0..27}; do
        for from in $(((strip + 27) % 28)) $(((strip + 1) % 28)); do
            echo "10 from strip $from to strip $strip"
        done
    done | sort >expected
    diff expected <(grep ' from ' locations | sort)
}

@test "game_plays_by_other_numbers_of_threads" {
    play -n 2 1 3 5 4
    board_is_as_played_alone "2 threads in 2 processes, 6 x 5 cells, 4 steps"
}

@test "bad_numbers_are_refused" {
    for wrong in 0 x 1000000; do
        run --separate-stderr "$EXAMPLES/life/run" "$wrong"
        [ "$status" -eq 2 ]
        [ "$stderr" = "run: $wrong is no whole number from 1 to 999999 (see --help)" ]
    done
}
