#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The example of OpenMP threads that send and receive for themselves: who has sent to whom, in its trace.
# shellcheck disable=SC2154  # bats sets status, output and stderr
load helper

setup_file() {
    "$(dirname "$MPIEXEC")/mpicxx" -std=c++17 -Wall -Werror -O2 -fopenmp "$examples/hybrid/hybrid.cpp" -o "$BATS_FILE_TMPDIR/hybrid"
}

hybrid() {
    run --separate-stderr timeout 100 "$MPIEXEC" -n 2 env LD_PRELOAD="$LAYER" TARE_PROFILE=1 "$@"
}

@test "messages_of_openmp_threads_are_between_neighbours" {
    TARE_TRACE=1 hybrid "$BATS_FILE_TMPDIR/hybrid" 3 50 20
    [ "$status" -eq 0 ] || { echo "$output $stderr"; return 1; }
    [ "$output" = "6 threads in 2 processes, 50 cells each, 20 steps: as played alone" ]
    for strip in {0..5}; do
        printf '20 from %d to %d\n' $(((strip + 5) % 6)) "$strip" $(((strip + 1) % 6)) "$strip"
    done | sort >expected
    diff expected <("$scripts/strips.py" "$archive" | sort)
}

@test "bad_number_of_openmp_threads_is_refused" {
    hybrid "$BATS_FILE_TMPDIR/hybrid" none
    [ "$status" -eq 2 ]
    [ "$(grep -c '^hybrid: none: allowed are THREADS, CELLS and STEPS, each from 1 to 10000$' <<<"$stderr")" -eq 1 ]
}
