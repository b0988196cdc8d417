# SPDX-License-Identifier: BSD-3-Clause
# TARE_FILTER and TARE_THROTTLE: regions that are not measured, or no more.
# shellcheck disable=SC2154  # bats sets status, output, lines and stderr
load helpers

attribute() { "$ROWS" . | sed -n "s/^$1: //p"; }

# rules LINE...: a filter file of Score-P's kind, f
rules() {
    { echo SCOREP_REGION_NAMES_BEGIN; printf '%s\n' "$@"; echo SCOREP_REGION_NAMES_END; } > f
    export TARE_FILTER=f
}

# Calls of a throttled region that were only counted; nothing where it is not throttled.
counted() { "$ROWS" . | sed -n "s/^$1 $2 counted=\([0-9]*\) $3\$/\1/p"; }

# Measured = compensated + removed in every row, and exclusive times add up to the root's.
assert_conserved() {
    "$ROWS" . | grep ' calls=' | grep -v ' TAU_CALLPATH|' | sed 's/[a-z_]*=//g' | awk '
        { thread = $1 " " $2; excl[thread] += $6 }
        !(thread in incl) { incl[thread] = $5 }
        $5 != $7 + $11 { print "not conserved: " $0; wrong = 1 }
        END { for (t in incl) if (excl[t] != incl[t]) { print "thread " t ": " excl[t] " of " incl[t]; wrong = 1 }
              exit wrong || NR == 0 }'
}

# declares DECLARED_NS CALLS: what was declared is what a counted call costs by the calibration, which is told in ps.
declares() {
    awk -v declared="$1" -v calls="$2" -v cost="$(attribute 'tare cost region counted ns')" 'BEGIN {
        wanted = cost * calls
        if (cost > 0 && declared > wanted - 0.001 * calls - 2 && declared < wanted + 0.001 * calls + 2) exit 0
        print "declared " declared " ns for " calls " calls of " cost " ns"
        exit 1 }'
}

@test "excluded_region_counts_for_its_caller" {
    rules 'EXCLUDE inner'
    "$SCENARIO" nested
    assert_no_region 0 0 inner
    assert_value 0 0 calls outer 2
    assert_value 0 0 subrs outer 1
    assert_value 0 0 calls recursive 4
    assert_conserved
    [ "$(attribute 'tare filter')" = f ]
    [ "$(attribute 'tare excluded regions')" = 1 ]
    [ "$(attribute 'tare excluded calls')" = 3 ]
}

@test "what_is_inside_an_excluded_region_counts_for_its_caller" {
    rules 'EXCLUDE outer'
    "$SCENARIO" nested
    assert_no_region 0 0 outer
    assert_value 0 0 calls inner 3
    assert_value 0 0 subrs ".TAU application" 4
    assert_conserved
}

@test "last_rule_decides_and_the_tools_own_regions_stay" {
    rules 'EXCLUDE *' 'INCLUDE inner'
    "$SCENARIO" nested
    assert_no_region 0 0 outer
    assert_no_region 0 0 recursive
    assert_value 0 0 calls inner 3
    assert_value 0 0 calls ".TAU application" 1
    is_sane_ns "$(attribute 'tare cost region pair ns')"
    is_sane_ns "$(attribute 'tare cost region counted ns')"
    [ "$(attribute 'tare excluded regions')" = 2 ]
    assert_conserved
}

@test "select_file_of_TAU_is_a_filter_too" {
    printf '%s\n' BEGIN_INCLUDE_LIST 'o#r' '"recurs#"' END_INCLUDE_LIST BEGIN_EXCLUDE_LIST outer END_EXCLUDE_LIST > f
    TARE_FILTER=f "$SCENARIO" nested
    assert_no_region 0 0 outer
    assert_no_region 0 0 inner
    assert_value 0 0 calls recursive 4
}

@test "filter_that_excludes_nothing_changes_nothing" {
    rules 'EXCLUDE other'
    "$SCENARIO" nested
    assert_value 0 0 subrs outer 4
    [ "$(attribute 'tare excluded regions')" = 0 ]
    TARE_PROFILE=0 run --separate-stderr "$SCENARIO" nested
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
}

@test "excluded_region_on_other_threads_and_left_out_of_order_is_no_trouble" {
    rules 'EXCLUDE worker a'
    "$SCENARIO" threads
    assert_no_region 0 1 worker
    assert_value 0 1 calls ".TAU application" 1
    rm -r MULTI__*
    TARE_VERBOSE=1 run --separate-stderr "$SCENARIO" unbalanced
    # Without a nobody cuts b short.
    [ -z "$stderr" ]
    assert_no_region 0 0 a
    assert_value 0 0 calls b 1
    assert_conserved
}

@test "excluded_call_declares_what_it_costs" {
    local mode
    rules 'EXCLUDE tiny'
    for mode in measured calibrated; do
        declares "$(TARE_OVERHEAD=$mode "$SCENARIO" counted 200000)" 200000
        assert_no_region 0 0 tiny
        # Not those while measuring was paused; those after the flush.
        [ "$(attribute 'tare excluded calls')" = 400005 ]
    done
}

@test "throttled_region_is_counted_and_its_time_is_its_callers" {
    local mode
    for mode in measured calibrated; do
        declares "$(TARE_OVERHEAD=$mode TARE_THROTTLE=100:1000000000 "$SCENARIO" counted 200000)" 200000
        assert_value 0 0 calls tiny 400005
        [ "$(counted 0 0 tiny)" = 399904 ]
        # 101 tiny and 1 deep that were measured.
        assert_value 0 0 subrs outer 104
        assert_conserved
        grep -q '^"tiny \[THROTTLED\]" 400005 0 [0-9.]* [0-9.]* 0 GROUP="TAU_DISABLE" $' MULTI__TIME/profile.0.0.0
        [ "$(attribute 'tare throttle')" = "100 calls, mean below 1000000000 ns" ]
    done
}

@test "region_whose_calls_take_long_is_not_throttled" {
    TARE_THROTTLE=100:0 "$SCENARIO" counted 1000
    assert_value 0 0 calls tiny 2005
    [ -z "$(counted 0 0 tiny)" ]
    TARE_THROTTLE=2005:1000000000 "$SCENARIO" counted 1000
    [ -z "$(counted 0 0 tiny)" ]
    TARE_THROTTLE=2:1000000 TARE_INJECT=region=inner,ns=2000000 "$SCENARIO" nested
    [ -z "$(counted 0 0 inner)" ]
}

# Calls of 3 ms: the limit lies below that, then above.
@test "mean_is_the_measured_inclusive_time" {
    TARE_THROTTLE=2:1000000 "$SCENARIO" slow 5 3
    [ -z "$(counted 0 0 slow)" ]
    TARE_THROTTLE=2:1000000000 "$SCENARIO" slow 5 3
    [ "$(counted 0 0 slow)" = 2 ]
    assert_value 0 0 calls slow 5
}

@test "recursion_is_throttled_when_the_outermost_call_ends" {
    TARE_THROTTLE=2:1000000000 "$SCENARIO" counted 1
    assert_value 0 0 calls deep 12
    [ "$(counted 0 0 deep)" = 8 ]
    assert_value 0 0 subrs deep 3
    assert_conserved
}

@test "each_thread_throttles_by_itself" {
    TARE_THROTTLE=10:1000000000 "$SCENARIO" counted 1000
    [ "$(counted 0 0 tiny)" = 1994 ]
    assert_value 0 1 calls tiny 3
    [ -z "$(counted 0 1 tiny)" ]
}

@test "throttling_works_with_call_paths" {
    local root=".TAU application"
    TARE_CALLPATH=10 TARE_THROTTLE=10:1000000000 "$SCENARIO" counted 1000
    [ "$(counted 0 0 tiny)" = 1994 ]
    assert_value 0 0 calls tiny 2005
    # Only what was measured.
    assert_value 0 0 calls "$root => outer => tiny" 11
    assert_conserved
    rules 'EXCLUDE outer'
    TARE_CALLPATH=10 "$SCENARIO" counted 1
    assert_value 0 0 calls "$root => tiny" 7
}

@test "repeated_probes_are_neither_excluded_nor_throttled" {
    rules 'EXCLUDE *' 'INCLUDE inner'
    TARE_REPEAT_PROBES=2 TARE_THROTTLE=1:1000000000 "$SCENARIO" nested
    assert_value 0 0 calls inner 3
    [ "$(counted 0 0 inner)" = 1 ]
    assert_value 0 0 calls "tare repeated probes" 4
    [ -z "$(counted 0 0 'tare repeated probes')" ]
}

@test "killed_process_leaves_what_was_excluded_and_throttled" {
    rules 'EXCLUDE deep'
    TARE_THROTTLE=100:1000000000 run "$SCENARIO" counted 1000 killed
    [ "$status" -eq 137 ]
    [ "$(attribute 'tare recovered')" = killed ]
    assert_value 0 0 calls tiny 2005
    [ "$(counted 0 0 tiny)" = 1904 ]
    [ "$(attribute 'tare excluded regions')" = 1 ]
    [ "$(attribute 'tare excluded calls')" = 12 ]
    assert_conserved
}

@test "filter_that_is_wrong_ends_the_program_with_one_sentence" {
    local text
    for text in 'EXCLUDE inner' '' 'MANGLED'; do
        rules "$text" 'SCOREP_FILE_NAMES_END'
        run --separate-stderr "$SCENARIO" nested
        [ "$status" -eq 1 ]
        [ "${#stderr_lines[@]}" -eq 1 ]
        [[ $stderr == "tare: TARE_FILTER=f, line "[23]", column 1: "*"; allowed: EXCLUDE, INCLUDE, SCOREP_REGION_NAMES_END"* ]]
    done
    [ ! -e MULTI__TIME ]
}

@test "filter_that_cannot_be_read_ends_the_program_with_one_sentence" {
    TARE_FILTER=none run --separate-stderr "$SCENARIO" nested
    [ "$status" -eq 1 ]
    [ "$stderr" = "tare: TARE_FILTER=none cannot be read: No such file or directory; allowed: a file of include and exclude rules" ]
    TARE_FILTER=. run --separate-stderr "$SCENARIO" nested
    [ "$status" -eq 1 ]
    [ "$stderr" = "tare: TARE_FILTER=. cannot be read: Is a directory; allowed: a file of include and exclude rules" ]
    head -c 4096 /dev/urandom > noise
    TARE_FILTER=noise run --separate-stderr "$SCENARIO" nested
    [ "$status" -eq 1 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
}

@test "rules_for_files_are_said_to_have_no_effect_once_a_run" {
    printf '%s\n' SCOREP_FILE_NAMES_BEGIN 'EXCLUDE *' SCOREP_FILE_NAMES_END > f
    TARE_FILTER=f run --separate-stderr "$SCENARIO" nested
    [ "$status" -eq 0 ]
    [ "$stderr" = "tare: TARE_FILTER=f, line 1: rules for source files have no effect: Tare does not know what file a function is from" ]
    assert_value 0 0 calls inner 3
    PMI_RANK=1 PMI_SIZE=2 TARE_FILTER=f run --separate-stderr "$SCENARIO" nested
    [ -z "$stderr" ]
}
