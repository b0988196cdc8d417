#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154,SC2016  # bats sets status and output; inner shells expand what is quoted
# What failed among other tests is played again alone, once.

load helper

# A tree with one folder of tests, whose one program lies in a folder without a Makefile. What `make check` and `make
# recheck` find is in the files check.result and recheck.result.
setup() {
    tree=$BATS_TEST_TMPDIR/tree
    tests=$tree/test/core
    mkdir -p "$tests/inner"
    cat >"$tree/Makefile" <<'END'
check:
	@case "$(MAKEFLAGS)" in *TESTS=*) ;; *) $(MAKE) -C test/core check ;; esac
END
    cat >"$tests/Makefile" <<'END'
check recheck:
	@echo "$@" >>played
	@test "$@" = check || test -n "$$PLAYED_AGAIN"
	@cp $@.result inner/one.trs && echo "$@ said" >inner/one.log
	@grep -q PASS $@.result
END
}

# play FIRST SECOND: the results of check and of recheck; none: it cannot be made
play() {
    [[ $1 == none ]] || echo ":global-test-result: $1" >"$tests/check.result"
    [[ $2 == none ]] || echo ":global-test-result: $2" >"$tests/recheck.result"
    unset CHECK_UNTIL_S
    run env -u MAKEFLAGS -u MAKELEVEL ${until_s:+CHECK_UNTIL_S=$until_s} "$top_srcdir/build-aux/run-tests" "$tree"
}

@test "what_passes_is_played_once" {
    play PASS FAIL
    assert_status 0
    [[ $(cat "$tests/played") == check && ! -e $tests/inner/one.first ]]
}

@test "what_failed_is_played_again_and_keeps_what_it_said_first" {
    play FAIL PASS
    assert_status 0
    [[ $(paste -sd, "$tests/played") == check,recheck ]]
    [[ $(cat "$tests/inner/one.first") == "check said" && $(cat "$tests/inner/one.log") == "recheck said" ]]
}

@test "what_fails_again_has_failed" {
    play FAIL FAIL
    assert_status 1
    [[ $(paste -sd, "$tests/played") == check,recheck ]]
}

@test "what_could_not_be_made_has_failed" {
    play none none
    assert_status 1
    [[ $(cat "$tests/played") == check ]]
}

@test "nothing_is_played_again_where_no_time_is_left" {
    until_s=$EPOCHSECONDS
    play FAIL PASS
    assert_status 1
    [[ $(cat "$tests/played") == check && $output == *"no time is left to try again"* ]]
}

@test "tests_that_still_run_when_the_run_must_be_over_are_ended_and_have_failed" {
    printf '%s\n' 'check: slow.log' 'slow.log:' $'\t@echo "1..2" >$@; sleep 300' >"$tests/Makefile"
    until_s=$((EPOCHSECONDS + 3))
    play none none
    assert_status 1
    [[ $output == *"FAIL: this run had to be over before all of its tests had ended"* ]]
    printf '%s\n' "$output" >"$BATS_TEST_TMPDIR/log"
    run "$top_srcdir/build-aux/count-results" "$tree" "$BATS_TEST_TMPDIR/log"
    assert_status 1
    # make may name what it was about to make, or not.
    [[ $output == *"FAIL: this run had to be over"* && $output == *"0 passed, "[12]" failed, 0 skipped" ]]
}
