#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154  # bats sets status and output
# What `make fuzz` refuses before it builds anything, and that the driver of make check can fail.

fuzz() {
    run bash "$RUN" --source "$SOURCES" --build "$BATS_TEST_TMPDIR/clang" "$@"
    [ ! -e "$BATS_TEST_TMPDIR/clang" ]
}

# Where neither clang nor OTF2 is installed.
fuzz_with_little_else() {
    mkdir "$BATS_TEST_TMPDIR/bin"
    for tool in bash sed tr; do ln -s "$(command -v $tool)" "$BATS_TEST_TMPDIR/bin"; done
    PATH=$BATS_TEST_TMPDIR/bin fuzz "$@"
}

@test "fuzz_without_clang_says_what_to_install" {
    fuzz_with_little_else --seconds 1
    [ "$status" -eq 1 ]
    [ "$output" = "fuzz: clang++ is missing, which has libFuzzer: install the package clang" ]
}

@test "fuzz_for_no_number_of_seconds_is_refused" {
    for seconds in 0 -1 1m ""; do
        fuzz --seconds "$seconds"
        [ "$status" -eq 2 ]
        [ "$output" = "fuzz: FUZZ_SECONDS is '$seconds' and not a number of seconds" ]
    done
}

@test "fuzz_of_a_target_that_is_none_is_refused" {
    fuzz --seconds 1 stamp stamps
    [ "$status" -eq 2 ]
    [[ $output == "fuzz: stamps is not one of stamp messages "* ]]
}

@test "fuzz_of_archives_without_otf2_says_what_to_install" {
    fuzz_with_little_else --seconds 1 archive
    [ "$status" -eq 1 ]
    [ "$output" = "fuzz: archive needs OTF2: install the package libotf2-trace-dev" ]
}

@test "target_without_inputs_fails" {
    CORPUS=$BATS_TEST_TMPDIR run ./stamp
    [ "$status" -ne 0 ]
    [[ $output == *"not ok 1 - stamp_with_each_kept_input_holds"* ]]
}

@test "target_reads_the_files_that_are_named" {
    printf x > "$BATS_TEST_TMPDIR/input"
    run ./stamp "$BATS_TEST_TMPDIR/input"
    [ "$status" -eq 0 ]
    [[ $output == *"# 1 inputs"* ]]
}
