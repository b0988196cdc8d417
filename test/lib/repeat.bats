# SPDX-License-Identifier: BSD-3-Clause
# TARE_REPEAT_PROBES: further pairs of enter and leave behind each enter.
load helpers

repeated="tare repeated probes"

# Measured = compensated + removed in every row, and exclusive times add up to the root's.
assert_conserved() {
    "$ROWS" . | grep ' calls=' | grep -v ' TAU_CALLPATH|' | sed 's/[a-z_]*=//g' | awk '
        { thread = $1 " " $2; excl[thread] += $6 }
        !(thread in incl) { incl[thread] = $5 }
        $5 != $7 + $11 { print "not conserved: " $0; wrong = 1 }
        END { for (t in incl) if (excl[t] != incl[t]) { print "thread " t ": " excl[t] " of " incl[t]; wrong = 1 }
              exit wrong || NR == 0 }'
}

# injected_declare PAIRS LOW_NS HIGH_NS: of 10 calls that spin 0.2 ms each, as do the repeated pairs. A spin that is
# interrupted declares all of the time, and never more than that. One more call has warmed up.
injected_declare() {
    local spent delay
    read -r spent delay < <(TARE_REPEAT_PROBES=$1 TARE_INJECT="region=work,ns=200000;region=$repeated,ns=200000" \
        "$SCENARIO" injected)
    echo "$1 pairs: spent $spent ns, declared $delay"
    assert_between "$2" "$delay" "$(limit_ns "$3")" && assert_between 0 "$delay" "$spent" &&
        [ "$(($(value 0 0 calls "$repeated")))" -eq $((11 * $1)) ]
}

@test "each_enter_is_followed_by_so_many_pairs" {
    TARE_REPEAT_PROBES=2 "$SCENARIO" nested
    assert_value 0 0 calls outer 2
    assert_value 0 0 calls inner 3
    assert_value 0 0 calls recursive 4
    assert_value 0 0 calls "$repeated" 18
    assert_value 0 0 subrs "$repeated" 0
    # Three of inner, one recursive, and two pairs for each of two calls.
    assert_value 0 0 subrs outer 8
    assert_conserved
    [ "$("$ROWS" . | sed -n "s/^$repeated: //p")" = 2 ]
}

@test "calibrated_pairs_are_as_many" {
    TARE_OVERHEAD=calibrated TARE_REPEAT_PROBES=9 "$SCENARIO" nested
    assert_value 0 0 calls "$repeated" 81
    assert_conserved
}

@test "without_repeats_the_region_is_not_there" {
    local pairs
    for pairs in 0 ''; do
        env ${pairs:+TARE_REPEAT_PROBES=$pairs} "$SCENARIO" nested
        assert_value 0 0 subrs outer 4
        [ -z "$("$ROWS" . | grep "$repeated")" ]
        rm -r MULTI__*
    done
}

# What a pair declares is its own: three more make it four times as much. The limits allow for a busy machine.
@test "each_pair_declares_its_own_cost" {
    in_some_attempt injected_declare 0 2000000 4000000
    in_some_attempt injected_declare 3 8000000 16000000
}

@test "region_left_by_longjmp_keeps_its_pairs" {
    TARE_REPEAT_PROBES=3 "$SCENARIO" jumped
    assert_value 0 0 calls a 1
    assert_value 0 0 calls b 1
    assert_value 0 0 calls after 2
    assert_value 0 0 subrs b 4
    assert_value 0 0 calls "$repeated" 12
    assert_conserved
}

@test "leaves_without_enter_have_no_pairs" {
    TARE_REPEAT_PROBES=1 "$SCENARIO" unbalanced
    assert_value 0 0 calls "$repeated" 4
    assert_conserved
}

@test "paused_regions_have_no_pairs" {
    TARE_REPEAT_PROBES=2 "$SCENARIO" paused
    assert_value 0 0 calls seen 2
    assert_value 0 0 calls "$repeated" 6
    assert_conserved
}

@test "threads_have_their_own_pairs" {
    TARE_REPEAT_PROBES=2 "$SCENARIO" threads
    local thread
    for thread in 1 2 3 4; do assert_value 0 $thread calls "$repeated" 20; done
    assert_value 0 0 calls "$repeated" 2
    assert_conserved
}

@test "pairs_are_on_the_paths_of_their_regions" {
    TARE_CALLPATH=10 TARE_REPEAT_PROBES=2 "$SCENARIO" paths
    local root=".TAU application"
    assert_value 0 0 calls "$root => outer => middle => inner" 2
    assert_value 0 0 calls "$root => outer => middle => inner => $repeated" 4
    assert_value 0 0 calls "$root => outer => middle => deep => deep => deep => $repeated" 2
    assert_value 0 1 calls "$root => worker => inner => $repeated" 8
    assert_paths_add_up
    assert_conserved
}

@test "forked_child_leaves_the_pairs_to_its_parent" {
    TARE_REPEAT_PROBES=2 "$SCENARIO" forked
    assert_value 0 0 calls parent 2
    assert_value 0 0 calls "$repeated" 4
    assert_conserved
}

@test "killed_process_leaves_its_pairs" {
    TARE_REPEAT_PROBES=2 run "$SCENARIO" killed 9
    [ "$status" -eq 137 ]
    assert_value 0 0 calls inner 5
    assert_value 0 0 calls "$repeated" 14
    assert_conserved
}

@test "calls_of_MPI_are_not_repeated" {
    TARE_REPEAT_PROBES=5 "$SCENARIO" waited
    assert_value 0 0 calls "MPI_Recv()" 1
    assert_no_region 0 0 "$repeated"
}

@test "value_that_is_not_allowed_is_refused_in_one_sentence" {
    local value
    for value in -1 10 1x two ''; do
        run --separate-stderr env TARE_REPEAT_PROBES="$value" "$SCENARIO" nested
        [ "$status" -eq 1 ]
        [ "${#stderr_lines[@]}" -eq 1 ]
        [[ $stderr == *"TARE_REPEAT_PROBES=$value is not allowed; allowed: 0, or a number up to 9"* ]]
    done
    [ ! -e MULTI__TIME ]
}

# In ns for one call, which has four pairs. Shown; what is asserted allows for a busy machine.
@test "compensated_loop_of_repeated_regions_is_near_the_plain_loop" {
    export TARE_REPEAT_PROBES=3
    in_some_attempt residual measured "$ACCURACY"
    in_some_attempt residual calibrated "$ACCURACY"
}
