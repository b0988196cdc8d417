#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154  # set by the Makefile and by bats
# --turn: several runs at the same time, of which one measures.
load helper

# in_turn RUNS ARGUMENT...: that many runs of tare_latency; leaves their output in out.NUMBER and the sum of statuses.
in_turn() {
    local runs=$1 number pids=()
    shift
    rm -f "$BATS_TEST_TMPDIR/turn"
    for ((number = 0; number < runs; number++)); do
        ranks 2 tare_latency --json --turn "$BATS_TEST_TMPDIR/turn:$number:$runs" "$@" \
            >"$BATS_TEST_TMPDIR/out.$number" &
        pids+=($!)
    done
    for number in "${!pids[@]}"; do
        wait "${pids[number]}"
    done
}

# A library that notes the time of every MPI_Send.
make_observer() {
    cat >"$BATS_TEST_TMPDIR/observer.c" <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int MPI_Send(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    static FILE *file;
    struct timespec now;
    if (file == NULL)
        file = fopen(getenv("OBSERVED"), "w");
    clock_gettime(CLOCK_MONOTONIC, &now);
    fprintf(file, "%lld\n", now.tv_sec * 1000000000LL + now.tv_nsec);
    return PMPI_Send(buf, count, type, dest, tag, comm);
}
END
    "$MPICC" -shared -fPIC "$BATS_TEST_TMPDIR/observer.c" -o "$BATS_TEST_TMPDIR/observer.so"
}

@test "every_run_measures_all_its_sizes" {
    in_turn 3 -m 8:64 -i 50 -x 5
    for number in 0 1 2; do
        jq -e '[.rows[].size] == [8, 16, 32, 64] and ([.rows[].samples_us | length] | unique) == [50]
            and ([.rows[].samples_us[]] | min) > 0' "$BATS_TEST_TMPDIR/out.$number"
    done
}

@test "barriers_take_turns_too" {
    rm -f "$BATS_TEST_TMPDIR/turn"
    ranks 2 tare_barrier --turn "$BATS_TEST_TMPDIR/turn:1:2" -i 20 &
    ranks 2 tare_barrier --turn "$BATS_TEST_TMPDIR/turn:0:2" -i 20
    wait $!
}

# 100 batches of 40 messages and 11 before the clock starts: by time, the sends of two runs change places 200 times, not
# with every message.
@test "runs_alternate" {
    local run=("$top_builddir/src/bench/tare_latency" -m 8:8 -i 4000 -x 5 --turn) number changes
    make_observer
    rm -f "$BATS_TEST_TMPDIR/turn"
    for number in 0 1; do
        OBSERVED=$BATS_TEST_TMPDIR/seen.$number "$MPIEXEC" \
            -n 1 env LD_PRELOAD="$BATS_TEST_TMPDIR/observer.so" "${run[@]}" "$BATS_TEST_TMPDIR/turn:$number:2" : \
            -n 1 "${run[@]}" "$BATS_TEST_TMPDIR/turn:$number:2" &
    done
    wait
    [[ $(wc -l <"$BATS_TEST_TMPDIR/seen.0") -ge 5000 ]]
    changes=$(for number in 0 1; do sed "s/$/ $number/" "$BATS_TEST_TMPDIR/seen.$number"; done | sort -n |
        awk 'NR > 1 && $2 != last { n++ } { last = $2 } END { print n + 0 }')
    echo "changes: $changes"
    ((changes >= 195 && changes <= 210))
}

@test "bad_turns_end_with_one_sentence" {
    for turn in file file:0 :0:2 file:2:2 file:x:2 file:0:0 file:0:17; do
        run --separate-stderr ranks 2 tare_latency --turn "$turn"
        [[ $status -eq 2 ]]
        assert_sentence "tare_latency: --turn $turn: give FILE:NUMBER:RUNS, 0 <= NUMBER < RUNS <= 16 (see --help)"
    done
}

@test "file_that_cannot_be_shared_ends_with_one_sentence" {
    run --separate-stderr ranks 2 tare_latency --turn "$BATS_TEST_TMPDIR/none/turn:0:1"
    [[ $status -eq 1 ]]
    assert_sentence "tare_latency: $BATS_TEST_TMPDIR/none/turn cannot be shared: No such file or directory"
}
