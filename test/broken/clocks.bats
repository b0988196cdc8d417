# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154,SC2030,SC2031  # bats and the Makefile set what is used; each test is a subshell
# Time that jumps or passes an end, and ranks that stand still for a while.
load helper

# carried COMMAND...: header mode alone; $output is what the program says
carried() {
    run --separate-stderr env -u TARE_PROFILE TARE_MODE=header timeout 100 "$@"
    [[ $status -eq 0 && -z $stderr ]] || { echo "status $status: $stderr"; return 1; }
}

# assert_delay RANK LOW HIGH: its delay is in between, and in its own bounds
assert_delay() {
    local lo delay hi
    read -r lo delay hi _ < <(sed -n "s/^delay $1 //p" <<< "$output")
    assert_between "$2" "$delay" "$3" || { echo "$output"; return 1; }
    ((lo <= delay && delay <= hi)) || { echo "rank $1: $lo $delay $hi"; return 1; }
}

# Whoever took it for a clock would have hours in the profile, or less than nothing.
@test "steps_of_the_time_of_day_change_nothing" {
    PRELOAD=$PROGRAMS/steps.so ranks 2 "$PROGRAMS/worlds" crowd
    local rank
    for rank in 0 1; do
        assert_value $rank 0 calls ring 6
        assert_between 150000000 "$(value $rank 0 incl '.TAU application')" 30000000000
        assert_between 1 "$(value $rank 0 incl 'MPI_Barrier()')" 30000000000
    done
}

stop_and_continue() {
    carried "$MPIEXEC" -n 2 "$PROGRAMS/worlds" stopped
    [ "$(sed -n 's/^longest //p' <<< "$output")" -gt 190000000 ] || { echo "nobody was stopped: $output"; return 1; }
    assert_delay 0 20001000 20001000 && assert_delay 1 20001000 20001000
}

@test "rank_that_is_stopped_and_continued_leaves_delays_as_they_are" { stop_and_continue; }

@test "profile_of_a_rank_that_was_stopped_has_the_stop_in_its_waits" {
    ranks 2 "$PROGRAMS/worlds" stopped
    assert_between 500000000 "$(value 0 0 wait '.TAU application')" 60000000000
    assert_value 1 0 calls ring 3
}

# The send time of a message has 48 bits, which CLOCK_MONOTONIC passes after 78 hours.
@test "send_times_that_pass_2_to_the_48_lose_nothing" {
    local start
    unshare --time --monotonic 1000 true 2> /dev/null || skip "only root may make a time namespace"
    start=$((281472 - $(cut -d . -f 1 /proc/uptime)))
    carried unshare --time --monotonic $start --fork "$MPIEXEC" -n 2 "$PROGRAMS/worlds" wrap
    [[ $output == *"wrap passed rounds "* ]] || { echo "$output"; return 1; }
    local rounds delay
    rounds=$(sed -n 's/^wrap passed rounds //p' <<< "$output")
    delay=$((rounds * 1000000))
    assert_delay 0 $delay $delay
    assert_delay 1 $delay $delay
}

# What the wire holds of a delay is 39 hours; beyond, the stamp says less than it is, and its bounds say so.
@test "delays_at_the_end_of_the_wire_arrive_and_those_beyond_have_honest_bounds" {
    local most=140737488355327 hour=3600000000000 given lo delay hi
    for given in $((most - 1000000000)) $((-most + 1000000000)) $((-36 * hour)) 1 0; do
        carried "$MPIEXEC" -n 2 "$PROGRAMS/worlds" carried "$given"
        assert_delay 1 "$given" "$given"
        [[ $output != *"saturated "[1-9]* ]]
    done
    for given in $((40 * hour)) $((1000 * hour)) $((-40 * hour)); do
        carried "$MPIEXEC" -n 2 "$PROGRAMS/worlds" carried "$given"
        [[ $output == *"delay 0 "*" saturated "[1-9]* ]] || { echo "$output"; return 1; }
        read -r lo delay hi < <(sed -n 's/^delay 1 //p' <<< "$output" | cut -d ' ' -f 1-3)
        ((lo <= given && given <= hi)) || { echo "$given is not in $lo $delay $hi"; return 1; }
    done
}
