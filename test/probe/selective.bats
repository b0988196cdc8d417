# SPDX-License-Identifier: BSD-3-Clause
# TARE_FILTER and TARE_THROTTLE on functions: names of all kinds, and what the hooks of such functions still do.
# shellcheck disable=SC2154  # bats sets status, output, lines and stderr
load ../lib/helpers

attribute() { "$ROWS" . | sed -n "s/^$1: //p"; }

# rules LINE...: a filter file of Score-P's kind, f
rules() {
    { echo SCOREP_REGION_NAMES_BEGIN; printf '%s\n' "$@"; echo SCOREP_REGION_NAMES_END; } > f
    export TARE_FILTER=f
}

functions() { "$ROWS" . | sed -n 's/.* residue=[^ ]* TAU_DEFAULT //p' | LC_ALL=C sort -u | paste -s -d '|'; }

# Compiles C, instrumented, with the probes: selected PROGRAM 'text'
selected() {
    # shellcheck disable=SC2086  # words of a command
    $COMPILER -O1 -finstrument-functions -x c - -x none -o "$1" -Wl,--no-as-needed "$LIBPROBE" \
        -Wl,-rpath,"$(dirname "$LIBPROBE")" <<< "$2"
}

# main calls middle as often as its argument says, which calls tiny 100 times.
calls_of_tiny='#include <stdlib.h>
__attribute__((noipa)) void tiny(void) {}
__attribute__((noipa)) void middle(void) { for (int i = 0; i < 100; i++) tiny(); }
int main(int argc, char **argv) { for (int i = atoi(argv[argc - 1]); i > 0; i--) middle(); }'

@test "functions_are_excluded_by_their_names_with_and_without_parameters" {
    rules 'EXCLUDE static_function space::thing::*' '  recursive(int) library_function'
    "$NAMES"
    [ "$(functions)" = ".TAU application|after_throw()|hidden_in_library(int)|long space::twice<long>(long)|main|\
space::(anonymous namespace)::unnamed(int)|thread_function|thrower(int)" ]
    # Of main: two of namespace space, the library's inner function, thrower and after_throw.
    assert_value 0 0 subrs main 5
    assert_value 0 0 calls 'thrower(int)' 4
    # On the other thread, too.
    assert_value 0 1 calls thread_function 1
    [ "$(attribute 'tare excluded regions')" = 5 ]
    [ "$(attribute 'tare excluded calls')" = 16 ]
}

@test "functions_are_excluded_by_what_the_linker_calls_them" {
    rules 'EXCLUDE MANGLED _ZN5space*' 'INCLUDE MANGLED _ZNK5space5thing6methodEv'
    "$NAMES"
    run functions
    [ -z "$(tr '|' '\n' <<< "$output" | sed -n '/space::/{/^space::thing::method() const$/!p}')" ]
    assert_value 0 0 calls 'space::thing::method() const' 1
    assert_value 0 0 calls 'static_function(int)' 7
    assert_value 0 0 subrs main 12
}

@test "everything_can_be_excluded_and_calibration_is_as_before" {
    local usual
    "$NAMES"
    usual=$(attribute 'tare cost probe pair ns')
    rm -r MULTI__*
    rules 'EXCLUDE *'
    "$NAMES"
    [ "$(functions)" = ".TAU application" ]
    awk -v usual="$usual" -v now="$(attribute 'tare cost probe pair ns')" \
        'BEGIN { exit now > usual / 3 && now < usual * 3 ? 0 : 1 }'
    is_sane_ns "$(attribute 'tare cost probe counted ns')"
}

@test "select_file_of_TAU_may_name_types" {
    printf '%s\n' BEGIN_EXCLUDE_LIST 'int library_function(int) C' '"#recursive#"' 'space::#' END_EXCLUDE_LIST > f
    TARE_FILTER=f "$NAMES"
    [ "$(functions)" = ".TAU application|after_throw()|hidden_in_library(int)|long space::twice<long>(long)|main|\
static_function(int)|thread_function|thrower(int)" ]
}

@test "excluded_function_costs_a_third_of_a_measured_one_at_most" {
    rules 'EXCLUDE tiny'
    selected program "$calls_of_tiny"
    ./program 100
    assert_no_region 0 0 tiny
    assert_value 0 0 subrs middle 0
    [ "$(attribute 'tare excluded calls')" = 10000 ]
    [ -n "${SANITIZER-}" ] || awk -v pair="$(attribute 'tare cost probe pair ns')" \
        -v counted="$(attribute 'tare cost probe counted ns')" 'BEGIN { exit counted > 0 && counted < pair / 3 ? 0 : 1 }'
}

@test "throttled_functions_are_counted" {
    local mode
    selected program "$calls_of_tiny"
    for mode in measured calibrated; do
        TARE_OVERHEAD=$mode TARE_THROTTLE=1000:1000000000 ./program 100
        assert_value 0 0 calls tiny 10000
        assert_value 0 0 calls middle 100
        assert_value 0 0 subrs middle 1001
        "$ROWS" . | grep -Fqx '0 0 counted=8999 tiny'
        [ "$("$ROWS" . | grep -c 'counted=.* middle')" -eq 0 ]
    done
}

@test "exceptions_and_jumps_out_of_excluded_functions_keep_the_nesting" {
    rules 'EXCLUDE thrower'
    "$NAMES"
    assert_value 0 0 calls 'after_throw()' 1
    assert_value 0 0 subrs main 14
}

# compensated OVERHEAD SETTING: main without measuring, against the program that has no hooks. Loose: the machine may
# be busy; without compensation it is dozens of times as much.
compensated() {
    local comp plain
    comp=$(env TARE_OVERHEAD="$1" "$2" ./program 20000 > /dev/null; value 0 0 incl_comp main)
    plain=$(env TARE_PROFILE=0 ./plain 20000)
    echo "# $1 $2: compensated $((comp / 1000)) us, without hooks $((plain / 1000)) us" >&3
    [ "$comp" -gt $((plain / 3)) ] && [ "$comp" -lt $((plain * 3)) ]
}

@test "compensated_time_of_a_caller_is_near_that_without_hooks" {
    [ -z "${SANITIZER-}" ] || skip "--with-sanitizer=$SANITIZER makes every instruction of the hooks dearer"
    local text='#include <stdio.h>
#include <stdlib.h>
#include <time.h>
__attribute__((noipa)) void tiny(void) { for (int i = 0; i < 10; i++) __asm__ volatile (""); }
__attribute__((noipa)) void middle(void) { for (int i = 0; i < 100; i++) tiny(); }
int main(int argc, char **argv) {
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int i = atoi(argv[argc - 1]); i > 0; i--) middle();
    clock_gettime(CLOCK_MONOTONIC, &b);
    printf("%ld\n", (b.tv_sec - a.tv_sec) * 1000000000L + b.tv_nsec - a.tv_nsec);
}'
    selected program "$text"
    # shellcheck disable=SC2086
    $COMPILER -O1 -x c - -o plain <<< "$text"
    printf '%s\n' BEGIN_EXCLUDE_LIST tiny END_EXCLUDE_LIST > f
    in_some_attempt compensated measured TARE_FILTER=f
    in_some_attempt compensated calibrated TARE_FILTER=f
    in_some_attempt compensated measured TARE_THROTTLE=1000:10000
    in_some_attempt compensated calibrated TARE_THROTTLE=1000:10000
}
