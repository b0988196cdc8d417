# SPDX-License-Identifier: BSD-3-Clause
# TARE_CALLPATH: call paths beside the flat profile.
load helpers

paths() { "$ROWS" . | grep -c ' TAU_CALLPATH|'; }

@test "every_way_to_a_region_has_a_row" {
    TARE_CALLPATH=10 "$SCENARIO" paths
    local root=".TAU application"
    assert_value 0 0 calls "$root => inner" 1
    assert_value 0 0 calls "$root => outer" 1
    assert_value 0 0 calls "$root => outer => inner" 3
    assert_value 0 0 calls "$root => outer => middle" 1
    assert_value 0 0 subrs "$root => outer => middle" 3
    assert_value 0 0 calls "$root => outer => middle => inner" 2
    assert_value 0 0 calls "$root => outer => middle => deep" 1
    assert_value 0 0 calls "$root => outer => middle => deep => deep => deep" 1
    [ "$("$ROWS" . | grep '^0 0 ' | grep -c ' TAU_CALLPATH|TAU_USER ')" -eq 8 ]
    assert_paths_add_up
    [ "$("$ROWS" . | sed -n 's/^tare callpath depth: //p')" = 10 ]
}

@test "thread_has_its_own_root" {
    TARE_CALLPATH=10 "$SCENARIO" paths
    assert_value 0 1 calls ".TAU application => worker => inner" 4
    assert_value 0 1 calls ".TAU application => worker" 1
    [ "$("$ROWS" . | grep '^0 1 ' | grep -c ' TAU_CALLPATH|')" -eq 2 ]
}

@test "depth_cuts_the_outermost_regions_off" {
    TARE_CALLPATH=2 "$SCENARIO" paths
    assert_value 0 0 calls "outer => inner" 3
    assert_value 0 0 calls "middle => inner" 2
    assert_value 0 0 calls "deep => deep" 2
    [ -z "$("$ROWS" . | grep ' => .* => ')" ]
    assert_paths_add_up
    # Recursion: what the outer visit has is not counted again.
    assert_between 1 "$(value 0 0 incl "deep => deep")" "$(value 0 0 incl "middle => deep")"
}

# flat_rows: without the times, which differ from run to run
flat_rows() {
    "$ROWS" . | grep calls= | grep -v TAU_CALLPATH | sed -E 's/(excl|incl|incl_comp|excl_comp|removed)=[^ ]* //g'
}

flat_profiles_are_the_same() {
    "$SCENARIO" paths && flat_rows > without && grep -q inner without && rm -r MULTI__* || return
    TARE_CALLPATH=3 "$SCENARIO" paths && flat_rows | diff without - && rm -r MULTI__*
}

# A thread that is interrupted inside a hook has a residue.
@test "flat_profile_is_the_same_with_and_without" { in_some_attempt flat_profiles_are_the_same; }

@test "zero_and_one_are_the_flat_profile" {
    for depth in 0 1; do
        TARE_CALLPATH=$depth "$SCENARIO" paths
        [ "$(paths)" -eq 0 ]
        [ -z "$("$ROWS" . | grep '^tare callpath depth')" ]
        rm -r MULTI__*
    done
}

@test "every_metric_has_the_paths_and_events_only_where_a_column_is_cut_off" {
    TARE_CALLPATH=5 "$SCENARIO" paths
    local metric
    for metric in TIME COMPENSATED_TIME MPI_WAIT_TIME COMPENSATED_MPI_WAIT_TIME; do
        [ "$(grep -c '^".* => .*" 0 GROUP="TAU_CALLPATH|TAU_USER" $\|^".* => .* GROUP="TAU_CALLPATH|TAU_USER" $' \
            MULTI__$metric/profile.0.0.0)" -eq 8 ]
    done
    # What was removed on a path is the difference of its columns, unless a compensated time below zero was cut off.
    awk -F'"' 'FNR == NR { split($3, column, " "); incl[$2] = column[4]; next }
        /^"tare removed : .* => / && incl[substr($2, length("tare removed : ") + 1)] + 0 != 0 { print; bad = 1 }
        END { exit bad }' MULTI__COMPENSATED_TIME/profile.0.0.0 MULTI__TIME/profile.0.0.0
}

@test "region_left_open_by_longjmp_ends_with_the_one_around" {
    TARE_CALLPATH=5 "$SCENARIO" jumped
    assert_value 0 0 calls ".TAU application => a => b" 1
    assert_value 0 0 calls ".TAU application => a => b => after" 1
    assert_value 0 0 calls ".TAU application => after" 1
    assert_paths_add_up
}

@test "paused_regions_are_in_no_path" {
    TARE_CALLPATH=5 "$SCENARIO" paused
    assert_value 0 0 calls ".TAU application => around => seen" 2
    [ "$(paths)" -eq 2 ]
}

@test "unbalanced_leaves_keep_the_paths_right" {
    TARE_CALLPATH=5 "$SCENARIO" unbalanced
    assert_value 0 0 calls ".TAU application => a => b" 1
    assert_value 0 0 calls ".TAU application => after" 1
    assert_paths_add_up
}

@test "exit_inside_a_region_writes_its_path" {
    TARE_CALLPATH=5 run "$SCENARIO" exited
    [ "$status" -eq 3 ]
    assert_value 0 0 calls ".TAU application => open => inside" 2
    assert_paths_add_up
}

@test "forked_child_leaves_the_paths_to_its_parent" {
    TARE_CALLPATH=5 "$SCENARIO" forked
    assert_value 0 0 calls ".TAU application => parent" 2
    [ "$(paths)" -eq 1 ]
}

@test "paths_are_written_while_another_thread_measures" {
    TARE_CALLPATH=3 "$SCENARIO" flushed_while_measuring
    [ "$(value 0 1 calls ".TAU application => busy")" = "$(value 0 1 calls busy)" ]
    rm -r MULTI__*
    TARE_CALLPATH=200 "$SCENARIO" flushed_while_threads_come_and_go
    for thread in 1 2 3 4 5 6 7 8; do
        assert_value 0 $thread calls ".TAU application => dive" 1
        assert_value 0 $thread calls ".TAU application => worker" 10
        [ "$("$ROWS" . | grep "^0 $thread " | grep -c ' TAU_CALLPATH|')" -eq 201 ]
    done
}

@test "hundred_thousand_paths_are_kept" {
    TARE_CALLPATH=10 run --separate-stderr "$SCENARIO" many_paths 5
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    [ "$(paths)" -eq 111110 ]
    assert_paths_add_up
}

@test "paths_without_room_are_said_once_and_in_the_flat_profile" {
    TARE_CALLPATH=10 run --separate-stderr "$SCENARIO" many_paths 6
    [ "$status" -eq 0 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == "tare: 980040 calls are in the flat profile only: a thread has room for 131071 call paths; "* ]]
    [ "$(paths)" -eq 131070 ]
    assert_value 0 0 calls r7 111111
    [ "$("$ROWS" . | sed -n 's/^tare calls without path: //p')" = 980040 ]
}

@test "lines_stay_shorter_than_the_format_allows" {
    TARE_CALLPATH=200 "$SCENARIO" long_path 250 5000
    [ "$(paths)" -eq 250 ]
    [ "$(awk 'length > most { most = length } END { print most }' MULTI__*/profile.0.0.0)" -lt 65536 ]
    [ "$("$ROWS" . | grep -c ' TAU_CALLPATH|TAU_USER ([0-9]* outer regions, [0-9a-f]\{16\}) => x')" -gt 200 ]
}

@test "names_of_many_long_paths_are_bounded_together" {
    TARE_CALLPATH=1000 "$SCENARIO" long_path 1000 800
    [ "$(paths)" -eq 1000 ]
    assert_between 1 "$(stat -c %s MULTI__TIME/profile.0.0.0)" 40000000
}

@test "value_that_is_not_allowed_is_refused_in_one_sentence" {
    local value
    for value in -1 three 2x 1001 99999999999999999999 ''; do
        run --separate-stderr env TARE_CALLPATH="$value" "$SCENARIO" nested
        [ "$status" -eq 1 ]
        [ "${#stderr_lines[@]}" -eq 1 ]
        [[ $stderr == *TARE_CALLPATH*"$value"*"0, or a depth up to 1000"* ]]
    done
    [ ! -e MULTI__TIME ]
}
