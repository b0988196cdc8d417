#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The script around MPICH's own tests, on a suite and an MPI that are made up here.
# shellcheck disable=SC2154,SC2016  # bats sets status and output; inner shells expand what is quoted

load helper

setup() {
    suite=$top_srcdir/mpich/mpich-suite
    fake_mpi "$BATS_TEST_TMPDIR/mpi"
    fake_mpi "$BATS_TEST_TMPDIR/unpatched"
    fake_suite "$BATS_TEST_TMPDIR/tests"
    cd "$BATS_TEST_TMPDIR" || return
}

fake_mpi() {
    mkdir -p "$1/bin" "$1/lib"
    printf '#!/bin/sh\n' >"$1/bin/mpiexec"
    chmod +x "$1/bin/mpiexec"
    touch "$1/lib/libmpi.so.12"
}

# A test is a script that passes with status 0; runtests calls it as MPICH's own would, and writes the same TAP.
fake_suite() {
    mkdir -p "$1/first" "$1/second/inner"
    touch "$1"/{first,second,second/inner}/Makefile
    printf '%s\n' first second '#third' >"$1/testlist"
    printf '%s\n' 'good 2' 'good 2 env=A=1 # again' '# gone 1' 'other 1 arg=-x timeLimit=5' >"$1/first/testlist"
    printf '%s\n' inner 'alone' >"$1/second/testlist"
    echo 'deep 4' >"$1/second/inner/testlist"
    cat >"$1/runtests" <<'END'
#!/bin/bash
for word; do
    case $word in
    -tests=*) read -r program ranks _ <"${word#*=}" ;;
    -tapfile=*) tap=${word#*=} ;;
    esac
done
echo "$PWD/$program $ranks" >>"$RAN"
if why=$("./$program"); then echo "ok  - ./$program"; else printf 'not ok  - x\n## \n## %s\n' "$why"; fi >"$tap"
END
    chmod +x "$1/runtests"
    RAN=$BATS_TEST_TMPDIR/ran
    export RAN
    program first/good
    program first/other
    program second/alone
    program second/inner/deep
}

# program NAME [BODY]
program() {
    printf '#!/bin/bash\n%s\n' "${2:-exit 0}" >"$BATS_TEST_TMPDIR/tests/$1"
    chmod +x "$BATS_TEST_TMPDIR/tests/$1"
}

suite() {
    local command=$1
    shift
    run --separate-stderr "$suite" "$command" --mpi mpi --suite tests --columns off,header "$@"
}

# results COLUMN LINE...: recorded results; a LINE is `TEST,VERDICT,SECONDS,RUNS,WHY`
results() {
    local column=$1
    shift
    printf '%s\n' "$@" | tr ',' '\t' >"$column.results"
}

compare() {
    run --separate-stderr "$suite" compare "$@"
}

@test "suite_without_command_prints_usage" {
    run --separate-stderr "$suite"
    assert_status 0
    [[ ${lines[0]} == "Usage: mpich-suite run"* ]]
}

# refused WORD...: one sentence and status 2
refused() {
    run --separate-stderr "$suite" "$@"
    assert_status 2
    assert_sentence "mpich-suite: "
}

@test "suite_bad_usage_is_one_sentence_and_status_2" {
    refused walk first
    refused run --mpi mpi
    refused run --mpi mpi --fast first
    refused run --mpi mpi --over pigeons first
    refused run --mpi mpi first --again
    refused run --mpi mpi --again often first
    refused run --mpi mpi --jobs 0 first
    refused run --mpi mpi --columns heder first
    refused run --mpi mpi --results one,two first
    refused run --mpi mpi --go-on first
    refused run --mpi mpi --suite nowhere first
    refused run --mpi mpi --unpatched nowhere first
    refused run --mpi nowhere first
    refused compare
    refused compare nothing.results
}

@test "suite_unknown_folder_names_those_that_there_are" {
    suite run third
    assert_status 2
    assert_sentence "third: no such folder" "first second"
}

@test "suite_unknown_test_names_its_folder" {
    suite run first/gone
    assert_status 2
    assert_sentence "first/gone: first has no such test" "mpich-suite list first"
}

@test "suite_folder_holds_the_lines_of_its_list_and_repeated_ones_are_numbered" {
    suite list first
    assert_status 0
    [[ $output == $'first/good 2\nfirst/good 2 (2)\nfirst/other 1' ]]
}

@test "suite_list_that_names_a_folder_goes_into_it_and_ranks_are_2_without_a_number" {
    suite list second
    [[ $output == $'second/inner/deep 4\nsecond/alone 2' ]]
}

@test "suite_program_and_test_can_be_chosen_and_none_is_run_twice" {
    suite list first/good 'first/other 1' 'first/good 2 (2)'
    [[ $output == $'first/good 2\nfirst/good 2 (2)\nfirst/other 1' ]]
    suite list second/inner
    [[ $output == "second/inner/deep 4" ]]
}

@test "suite_that_passes_everywhere_has_no_difference" {
    suite run first second --unpatched unpatched
    assert_status 0
    [[ $output == *"No test differs."* && $(grep -c . ran) -eq 15 ]]
}

@test "suite_test_that_fails_in_one_mode_only_is_a_row_with_the_reason" {
    program first/other '[[ ${TARE_MODE-} != header ]] || { echo "lost a message"; exit 1; }'
    suite run first --unpatched unpatched
    assert_status 1
    [[ $output =~ "first/other 1 "+pass\ +pass\ +FAIL && $output == *"header: lost a message"* ]]
    [[ $output != *"first/good 2   "* ]]
}

@test "suite_failed_test_is_run_again_and_that_is_said" {
    program first/other 'echo x >>"$RAN.tries"
        (($(grep -c . "$RAN.tries") % 2 == 0)) || { echo "too early"; exit 1; }'
    suite run first/other
    assert_status 0
    [[ $output == *"passed only when run again:"* ]]
    [[ $output == *"first/other 1, header: 2 runs, before: too early"* ]]
}

@test "suite_failed_test_is_run_again_as_often_as_told" {
    program first/other 'exit 1'
    suite run first/other --again 4 --columns off
    assert_status 1
    [[ $(grep -c . ran) -eq 5 ]]
}

@test "suite_that_goes_on_runs_what_has_not_passed" {
    program first/other 'echo no; exit 1'
    suite run --again 0 first
    assert_status 1
    program first/other
    : >"mpich-suite-results/header/first/good 2/result"
    : >"$RAN"
    suite run --go-on first
    assert_status 0
    [ "$(sed 's,.*/,,' "$RAN" | sort | paste -s -d ,)" = "good 2,other 1,other 1" ]
    [[ $output == *"header first: 3 passed, 0 failed"* ]]
    suite run --go-on --over shm first
    assert_status 2
    assert_sentence "holds no run of $PWD/mpi over shm"
}

@test "suite_known_to_be_bad_is_left_out_unless_asked_for" {
    cp -R "$top_srcdir/mpich" "$top_srcdir/build-aux" .
    chmod -R u+w mpich
    echo 'first/good 2 (2)  never ends' >mpich/suite_known_bad
    local options=(--mpi mpi --suite tests --columns 'off,header')
    run mpich/mpich-suite run "${options[@]}" --tap first
    assert_status 0
    [[ $output == *"ok 2 - off: first/good 2 (2) # SKIP known to be bad: never ends"* && $(grep -c . ran) -eq 4 ]]
    run mpich/mpich-suite run "${options[@]}" --known-bad first
    assert_status 0
    [[ $(grep -c . ran) -eq 10 ]]
}

@test "suite_as_tap_has_a_case_a_test_and_the_plan" {
    program first/other 'echo "lost a message"; exit 1'
    suite run first --tap --columns header
    assert_status 1
    [[ ${lines[0]} == "ok 1 - header: first/good 2" && ${lines[2]} == "not ok 3 - header: first/other 1" ]]
    [[ ${lines[3]} == "# 3 runs; at first: lost a message" && ${lines[4]} == "1..3" ]]
}

@test "suite_side_by_side_gives_the_same_results_in_the_same_order" {
    program first/good 'sleep 0.2'
    suite run first second --tap --columns header --jobs 3
    assert_status 0
    [[ ${lines[0]} == "ok 1 - header: first/good 2" && ${lines[4]} == "ok 5 - header: second/alone 2" ]]
}

@test "suite_callers_variables_do_not_reach_a_test" {
    program first/other 'env | grep -E "^(TARE_|MPIR_|PMI_)" >>"$RAN.env"'
    export TARE_RULE=local MPIR_CVAR_NOLOCAL=1 PMI_RANK=3
    suite run first/other --unpatched unpatched
    assert_status 0
    [[ $(grep -v PROFILE_DIR ran.env) == $'TARE_MODE=off\nTARE_MODE=header' ]]
}

@test "suite_over_a_path_has_its_settings_in_every_column" {
    program first/other 'env | grep -E "^(TARE_MODE|MPIR_|FI_|UCX_)" | sort >>"$RAN.env"'
    export FI_PROVIDER=none UCX_TLS=none
    suite run first/other --unpatched unpatched --columns header --over tcp
    assert_status 0
    local settings=$'FI_PROVIDER=tcp;ofi_rxm\nMPIR_CVAR_NOLOCAL=1'
    [[ $(<ran.env) == "$settings"$'\n'"$settings"$'\nTARE_MODE=header' ]]
}

@test "suite_that_is_stopped_leaves_no_test_behind" {
    program first/good 'echo $$ >"$RAN.pid"; exec sleep 60'
    "$suite" run --mpi mpi --suite tests --columns off first/good >out 2>&1 3>&- &
    stopped=$!
    for _ in {1..100}; do
        [[ -s ran.pid ]] && break
        sleep 0.1
    done
    kill "$stopped"
    wait "$stopped" && false
    sleep 0.5
    [[ -z $(tr -d '\0' <"/proc/$(<ran.pid)/cmdline") ]]
}

@test "compared_results_that_are_alike_pass" {
    results unpatched 'a/x 2,pass,1.5,1' 'a/y 1,fail,9,3,timeout'
    results header 'a/x 2,pass,1.5,1' 'a/y 1,fail,9,3,timeout'
    compare unpatched.results header.results
    assert_status 0
    [[ $output == *"No test differs."* && $output == *"a/y 1: timeout"* ]]
    [[ $output =~ a\ +1/1/0\ 11s\ +1/1/0\ 11s ]]
}

@test "compared_test_that_fails_only_unpatched_is_a_row_and_no_failure" {
    results unpatched 'a/x 2,fail,1,3,timeout'
    results header 'a/x 2,pass,1,1'
    compare unpatched.results header.results
    assert_status 0
    [[ $output =~ a/x\ 2\ +fail\ +pass ]]
}

@test "compared_failure_without_unpatched_results_fails" {
    results off 'a/x 2,fail,1,3,timeout'
    compare off.results
    assert_status 1
    [[ $output =~ a/x\ 2\ +FAIL && $output == *"off: timeout"* ]]
}

@test "compared_column_that_lacks_a_test_fails" {
    results unpatched 'a/x 2,pass,1,1' 'a/y 1,pass,1,1'
    results header 'a/x 2,pass,1,1'
    compare unpatched.results header.results
    assert_status 1
    [[ $output =~ a/y\ 1\ +pass\ +NO\ RESULT ]]
}

@test "compared_results_without_a_run_fail" {
    results off 'a/x 2,skip,0,0,known to be bad'
    compare off.results
    assert_status 1
    assert_sentence "nothing has run"
}

# rank LIBMPI [TOOL]: what stands in front of a rank, for a program that loads ./lib/libmpi.so.12
rank() {
    mkdir -p lib
    echo 'int one(void) { return 0; }' | gcc -shared -fPIC -x c - -o lib/libmpi.so.12 -Wl,-soname,libmpi.so.12
    echo 'int one(void); int main(void) { return one(); }' | gcc -x c - -x none -o prog lib/libmpi.so.12
    LD_LIBRARY_PATH=$PWD/lib SUITE_LIBMPI=$1 SUITE_TARE=${2-} \
        run --separate-stderr "$top_srcdir/mpich/suite-rank" ./prog
}

@test "rank_that_loads_the_wanted_libmpi_runs" {
    rank "$BATS_TEST_TMPDIR/lib/libmpi.so.12"
    assert_status 0
    [[ -z $output && -z $stderr ]]
}

@test "rank_that_loads_another_libmpi_is_refused" {
    rank "$BATS_TEST_TMPDIR/mpi/lib/libmpi.so.12"
    assert_status 99
    assert_sentence "prog loads $BATS_TEST_TMPDIR/lib/libmpi.so.12, not $BATS_TEST_TMPDIR/mpi/lib/libmpi.so.12"
}

@test "rank_whose_preloaded_library_brings_another_libmpi_is_refused" {
    fake tare 'echo "LD_PRELOAD=$BATS_TEST_TMPDIR/other/libmpi.so.12"'
    mkdir other
    echo 'int one(void) { return 1; }' | gcc -shared -fPIC -x c - -o other/libmpi.so.12 -Wl,-soname,libmpi.so.12
    rank "$BATS_TEST_TMPDIR/lib/libmpi.so.12" "$(command -v tare)"
    assert_status 99
    assert_sentence "prog loads $BATS_TEST_TMPDIR/other/libmpi.so.12"
}

@test "suite_stops_when_a_test_loads_another_libmpi" {
    program first/good 'echo "mpich-suite: good loads /lib/libmpi.so.12, not /mine"; exit 1'
    suite run first
    assert_status 1
    assert_sentence "mpich-suite: good loads /lib/libmpi.so.12, not /mine"
    [[ $(grep -c . ran) -eq 1 ]]
}

@test "rank_is_started_with_the_library_of_short_turns" {
    mkdir -p lib
    touch lib/libmpi.so.12
    printf '#!/bin/bash\necho "preloaded: $LD_PRELOAD"\n' >prog
    chmod +x prog
    # shellcheck disable=SC2097,SC2098
    SUITE_LIBMPI=$PWD/lib/libmpi.so.12 SUITE_TARE='' SUITE_TURNS=$PWD/turns.so PMI_RANK=1 \
        run "$top_srcdir/mpich/suite-rank" ./prog
    assert_status 0
    [[ $output == *"preloaded: $PWD/turns.so"* ]]
}

# What short turns do to a program that does not poll: nothing.
@test "program_with_short_turns_sleeps_as_long_as_it_asks_and_is_asked_to_yield" {
    gcc -O1 -Wall -Werror -shared -fPIC -o turns.so "$top_srcdir/mpich/suite_turns.c" -lrt
    cat >sleeper.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static long ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int main(void)
{
    const struct timespec some = { 0, 100000000 }, bad = { 0, -1 };
    struct timespec left = { 7, 7 };
    struct rusage used;
    const long begin = ms();
    const int kept = nanosleep(&some, &left) == 0 && left.tv_sec == 0 && left.tv_nsec == 0 && usleep(100000) == 0 &&
                     sleep(1) == 0 && clock_nanosleep(CLOCK_REALTIME, 0, &some, NULL) == 0;
    const long took = ms() - begin;
    const int refused = nanosleep(&bad, NULL) == -1 && errno == EINVAL;
    getrusage(RUSAGE_SELF, &used);
    printf("%s %s %s %s\n", kept ? "kept" : "ended early", took >= 1300 ? "in time" : "not in time",
           refused ? "refused" : "took", used.ru_nvcsw > 500 ? "woken" : "undisturbed");
    return 0;
}
END
    gcc -O1 sleeper.c -o sleeper
    LD_PRELOAD=$PWD/turns.so run ./sleeper
    assert_status 0
    [[ $output == "kept in time refused woken" ]]
}
