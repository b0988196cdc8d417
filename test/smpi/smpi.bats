#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The carriers above MPI in simulated time: what is left of the overhead, to the nanosecond. Every scene is played
# once (setup_file), and each case looks at a part of what came out.
# shellcheck disable=SC2154  # bats sets status and output; the Makefile the rest

: "${PROGRAM:?is not set: run the tests by make check}" "${RUN:?}"
bats_require_minimum_version 1.5.0
unset TARE_MODE TARE_RULE TARE_PROFILE TARE_PROFILE_DIR TARE_CARRIER_FORM TARE_VERBOSE TARE_OVERHEAD

setup_file() {
    export table=$BATS_FILE_TMPDIR/table raw=$BATS_FILE_TMPDIR/raw many=$BATS_FILE_TMPDIR/many
    "$RUN" --check --ranks 4 --ranks 16 --keep "$raw" >"$table" 2>&1 || echo "exit status $?" >>"$table"
    "$RUN" --check --ranks 64 --exact --rule exact >"$many" 2>&1 || echo "exit status $?" >>"$many"
}

# verdicts PATTERN: the scenes of these rows; at least one, and all good
verdicts() {
    local bad
    bad=$(grep -hE "^FAILED: .*$1" "$table" "$many" || true)
    [[ -z $bad ]] || { echo "$bad"; return 1; }
    grep -Eqh "^good: .*$1" "$table" "$many" || { cat "$table" "$many"; return 1; }
}

@test "datatype_leaves_nothing_of_overhead_with_4_ranks" { verdicts ', 4 ranks, datatype'; }

@test "datatype_leaves_nothing_of_overhead_with_16_ranks" { verdicts ', 16 ranks, datatype'; }

@test "datatype_leaves_nothing_of_overhead_with_64_ranks" { verdicts ', 64 ranks, datatype'; }

@test "message_leaves_nothing_of_overhead_with_4_ranks" { verdicts ', 4 ranks, message'; }

@test "message_leaves_nothing_of_overhead_with_16_ranks" { verdicts ', 16 ranks, message'; }

@test "message_leaves_nothing_of_overhead_with_64_ranks" { verdicts ', 64 ranks, message'; }

@test "copy_leaves_nothing_of_overhead_with_4_ranks" { verdicts ', 4 ranks, copy'; }

@test "copy_leaves_nothing_of_overhead_with_16_ranks" { verdicts ', 16 ranks, copy'; }

@test "copy_leaves_nothing_of_overhead_with_64_ranks" { verdicts ', 64 ranks, copy'; }

@test "carriers_need_no_common_clock" {
    for mode in datatype message copy; do
        verdicts "many_nodes, .*, $mode"
    done
}

# left TABLE SCENE MODE: what is left of the overhead in a row, ns
left() {
    awk -v scene="$2" -v mode="$3" '$1 == scene && $4 == mode { print $9; exit }' "$1"
}

# A message of 16 bytes more takes 16 ns longer at 1 GB/s; a scene has 30 steps. The twin of a message takes its time
# beside it.
@test "sixteen_bytes_a_message_are_left_where_bytes_take_time" {
    "$RUN" --bandwidth 1e9 --ranks 4 --place one_node --rule exact --scene ring --scene halo \
        >"$BATS_TEST_TMPDIR/table"
    for scene in ring halo; do
        for mode in datatype copy; do
            left=$(left "$BATS_TEST_TMPDIR/table" "$scene" "$mode")
            ((left > 0 && left <= 2 * 30 * 16)) || { echo "$scene, $mode: $left ns"; return 1; }
        done
    done
}

@test "cost_of_a_carriers_own_calls_is_overhead" {
    "$RUN" --check --call-cost 300 --ranks 4 --rule exact --scene ring --scene halo --scene pipeline --scene partners \
        --scene wildcard --scene wait_any >"$BATS_TEST_TMPDIR/table"
    # 12 rows for each of 3 modes
    (($(grep -c ^good "$BATS_TEST_TMPDIR/table") == 36))
}

@test "datatype_replaces_and_starts_again" {
    run -0 "$RUN" --list
    reasons=$(awk -F '\t' '$3 != "" { print $1 ": " $3 }' <<<"$output")
    [[ -z $reasons ]] || skip "not played in SimGrid's SMPI: ${reasons//$'\n'/; }"
}

@test "table_shows_every_scene" {
    "$RUN" --list >"$BATS_TEST_TMPDIR/list"
    while read -r name _; do
        grep -q "^$name " "$table" || { echo "$name is missing"; return 1; }
    done <"$BATS_TEST_TMPDIR/list"
    (($(wc -l <"$BATS_TEST_TMPDIR/list") > 15))
    run -1 grep -h '^exit status' "$table" "$many"
}

@test "ranks_in_threads_of_their_own_give_the_same" {
    "$RUN" --ranks 4 --rule exact --threads --keep "$BATS_TEST_TMPDIR/threads" >/dev/null
    awk '$1 == "scene" || ($2 == 4 && ($3 == "truth" || $3 ~ /-exact$/))' "$raw" >"$BATS_TEST_TMPDIR/raw"
    diff "$BATS_TEST_TMPDIR/threads" "$BATS_TEST_TMPDIR/raw"
}

# In all but two scenes: the time between polls counts as the program's own, and who matched a wildcard is not undone.
@test "bounds_hold_the_truth_also_of_what_is_not_seen" {
    awk '$1 == "limited" { limited = 1; next }
        NF == 0 { limited = 0 }
        limited && $1 != "tested" && $1 != "master_and_workers" {
            rows++
            split($11, ranks, "/")
            if (ranks[1] != ranks[2]) { print "bounds that do not hold: " $0; wrong++ }
        }
        END { print rows " rows"; exit wrong > 0 || rows < 80 }' "$table"
}

# The oracle must see what is wrong: another rule in place of the exact one.
@test "check_fails_under_the_published_rule" {
    sed 's/-exact /-unused /; s/-published /-exact /' "$raw" >"$BATS_TEST_TMPDIR/raw"
    run -1 awk -v check=yes -f "${RUN%/*}/table.awk" "$BATS_TEST_TMPDIR/raw"
    [[ $output == *"FAILED: ring, "* && $output == *"FAILED: pipeline_last, "* ]]
}

@test "check_fails_when_a_rank_is_a_nanosecond_off" {
    awk '$3 == "datatype-exact" && $4 == "partners" && $5 == 2 { $7++ } { print }' "$raw" >"$BATS_TEST_TMPDIR/raw"
    run -1 awk -v check=yes -f "${RUN%/*}/table.awk" "$BATS_TEST_TMPDIR/raw"
    [[ $output == *"FAILED: partners, "*": 1 ns are left of the overhead"* && $output != *"FAILED: ring, "* ]]
}

@test "run_refuses_what_it_does_not_know" {
    run -2 "$RUN" --ranks 3
    [[ $output == "run: --ranks 3: give an even number from 4 to 64 (see --help)" ]]
    run -2 "$RUN" --scene nowhere
    [[ $output == "run: --scene nowhere is not known: --list names them (see --help)" ]]
    run -2 "$RUN" --mode header
    [[ $output == "run: --mode header is none of datatype, message, copy (see --help)" ]]
    PROGRAM=/nowhere run -1 "$RUN"
    [[ $output == "run: /nowhere is not there: set PROGRAM, or run make table" ]]
}
