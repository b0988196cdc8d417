# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154  # bats sets stderr, the Makefile the rest
# Handlers of signals whose functions have hooks, a thousand times a second.
load helper

setup() {
    [ -z "${SANITIZER-}" ] || skip "--with-sanitizer=$SANITIZER handles signals when it thinks fit"
    measure_here
}

in_storm() {
    run --separate-stderr env LD_PRELOAD="$LIBPROBE" timeout 60 "$PROGRAMS/handlers" "$1"
    [ "$status" -eq 0 ] || { echo "status $status: $stderr"; return 1; }
}

# What a handler calls while it has interrupted a hook is not recorded, but counted: none is lost without a word.
all_calls_are_there() {
    local work tick
    in_storm calls
    read -r _ work _ tick <<< "$output"
    refused=$("$ROWS" . | sed -n 's/^tare refused calls: //p')
    assert_value 0 0 calls work "$work"
    assert_value 0 0 calls tick $((tick - ${refused:-0}))
    assert_between 500 "$tick" 600
}

@test "calls_in_handlers_and_outside_are_all_counted" {
    all_calls_are_there
    [ "${refused:-0}" -eq 0 ] || assert_sentence "$refused calls of rank 0 are not in the profile: a handler of"
    TARE_OVERHEAD=calibrated all_calls_are_there
    TARE_CALLPATH=10 all_calls_are_there
    assert_paths_add_up
}

@test "functions_first_called_in_a_handler_inside_malloc_are_measured" {
    in_storm malloc
    [ "$output" = "new 500" ]
    refused=$("$ROWS" . | sed -n 's/^tare refused calls: //p')
    [ "$("$ROWS" . | grep -c ' calls=1 .* f[0-9]*$')" -eq $((500 - ${refused:-0})) ]
}

@test "handler_that_leaves_a_hook_by_a_jump_is_told_of" {
    in_storm jump
    [ "$output" = "jumps 300" ]
    refused=$("$ROWS" . | sed -n 's/^tare refused calls: //p')
    assert_sentence "$refused calls of rank 0 are not in the profile: a handler of"
    assert_value 0 0 calls jump_out 1
}
