#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154,SC2016  # bats sets status and output; inner shells expand what is quoted

load helper

setup() {
    mkdir -p "$BATS_TEST_TMPDIR/b/test/core"
}

# results NAME CASE...: a .trs file and its log as automake's driver writes them; a CASE is `RESULT NUMBER - TEXT`
results() {
    local file=$BATS_TEST_TMPDIR/b/test/core/$1
    shift
    printf '%s\n' ':global-test-result: PASS' ':recheck: no' >"$file.trs"
    printf ':test-result: %s\n' "${@%% *}" >>"$file.trs"
    printf '%s\n' "${@/ /: ${file##*/}.test }" >"$file.log"
}

count() {
    run "$top_srcdir/build-aux/count-results" "$BATS_TEST_TMPDIR/b"
}

last_line() {
    echo "${lines[-1]}"
}

@test "results_of_all_files_are_summed_on_the_last_line" {
    results one 'PASS 1 - a' 'PASS 2 - b' 'XFAIL 3 - c'
    results two 'PASS 1 - d' 'SKIP 2 - e # SKIP no second host'
    count
    assert_status 0
    [[ $(last_line) == "4 passed, 0 failed, 1 skipped" ]]
}

@test "program_that_took_a_minute_or_more_is_printed_with_its_seconds" {
    results quick 'PASS 1 - a'
    results slow 'PASS 1 - a'
    [[ $(stat -c %W "$BATS_TEST_TMPDIR/b/test/core/slow.log") -gt 0 ]] || skip "this file system has no times of birth"
    touch -d '+90 seconds' "$BATS_TEST_TMPDIR/b/test/core/slow.trs"
    count
    assert_status 0
    [[ ${#lines[@]} -eq 2 && ${lines[0]} =~ ^(89|90|91)" s: test/core/slow"$ ]]
    [[ $(last_line) == "2 passed, 0 failed, 0 skipped" ]]
}

@test "results_without_their_log_count" {
    results one 'PASS 1 - a'
    rm "$BATS_TEST_TMPDIR/b/test/core/one.log"
    count
    assert_status 0
    [[ $(last_line) == "1 passed, 0 failed, 0 skipped" ]]
}

@test "skipped_case_is_printed_with_its_reason" {
    results two 'PASS 1 - d' 'SKIP 2 - e # SKIP no second host'
    count
    [[ $output == *"SKIP: test/core/two.test 2 - e # SKIP no second host"* ]]
}

@test "program_that_ends_in_an_error_is_a_failure" {
    results one 'PASS 1 - a' 'ERROR - exited with status 139'
    count
    assert_status 1
    [[ $(last_line) == "1 passed, 1 failed, 0 skipped" ]]
}

@test "failed_case_is_printed_and_counted_once" {
    results one 'PASS 1 - a' 'FAIL 2 - b' 'FAIL 3 - c' 'ERROR - exited with status 1'
    results two 'PASS 1 - d'
    count
    assert_status 1
    [[ $output == *"FAIL: test/core/one.test 2 - b"* && $(last_line) == "2 passed, 2 failed, 0 skipped" ]]
}

# So the end of what a run prints tells why it failed.
@test "what_failed_cases_said_is_printed_behind_the_skips" {
    results one 'PASS 1 - a' 'FAIL 2 - b'
    printf '# %s\n' {1..40} >>"$BATS_TEST_TMPDIR/b/test/core/one.log"
    results two 'SKIP 1 - d # SKIP no second host'
    count
    [[ ${lines[0]} == "SKIP: test/core/two.test 1 - d # SKIP no second host" ]]
    [[ ${lines[1]} == "FAIL: test/core/one.test 2 - b" && ${lines[2]} == "    # 1" && ${lines[31]} == "    # 30" ]]
    ((${#lines[@]} == 33))
}

@test "case_that_failed_at_first_and_passed_alone_is_told" {
    results one 'PASS 1 - a' 'FAIL 2 - b'
    printf '# %s\n' 'late by 3 ms' >>"$BATS_TEST_TMPDIR/b/test/core/one.log"
    mv "$BATS_TEST_TMPDIR/b/test/core/one.log" "$BATS_TEST_TMPDIR/b/test/core/one.first"
    results one 'PASS 1 - a' 'PASS 2 - b'
    count
    assert_status 0
    [[ ${lines[0]} == "among others, then played again alone: FAIL: test/core/one.test 2 - b" ]]
    [[ ${lines[1]} == "    # late by 3 ms" && $(last_line) == "2 passed, 0 failed, 0 skipped" ]]
}

@test "no_results_fail" {
    count
    assert_status 1
    [[ $(last_line) == "0 passed, 0 failed, 0 skipped" ]]
}

@test "only_skips_fail" {
    results one 'SKIP 1 - a'
    count
    assert_status 1
}

@test "what_was_not_built_is_a_failure_each" {
    results one 'PASS 1 - a'
    cat >"$BATS_TEST_TMPDIR/log" <<'END'
make[4]: *** [Makefile:709: compiled_before] Error 1
---- the tests themselves ----
make[4]: *** [Makefile:709: carriers.so] Error 1
make[3]: *** [Makefile:1036: check-am] Error 2
make[4]: *** [Makefile:709: carriers.so] Error 1
make[4]: *** [Makefile:731: test-suite.log] Error 1
make[1]: *** [Makefile:398: check-recursive] Error 1
make: *** [Makefile:479: check] Error 2
END
    run "$top_srcdir/build-aux/count-results" "$BATS_TEST_TMPDIR/b" "$BATS_TEST_TMPDIR/log"
    assert_status 1
    [[ $output == *"FAIL: make carriers.so"* && $(last_line) == "1 passed, 1 failed, 0 skipped" ]]
}
