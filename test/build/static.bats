#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The sources as they are, by tools that only read them; and that each of these finds what it is for.
# shellcheck disable=SC2154,SC2016  # bats sets status and output; inner shells expand what is quoted

load helper

check() {
    [[ -n $(command -v "${2:-$1}") ]] || skip "${2:-$1} is not installed"
    run "$top_srcdir/build-aux/static-check" "$1" "${@:3}"
}

# file NAME LINE...: a file with a fault
file() {
    bad=$BATS_TEST_TMPDIR/$1
    printf '%s\n' "${@:2}" >"$bad"
}

@test "cppcheck_finds_nothing" {
    check cppcheck
    assert_status 0
}

@test "cppcheck_finds_an_index_behind_the_end" {
    file bad.cpp 'int f() { int a[4] = {0}; return a[4]; }'
    check cppcheck cppcheck "$bad"
    assert_status 1
    [[ $output == "$bad:1: arrayIndexOutOfBounds: "* ]]
}

@test "every_suppression_of_cppcheck_has_a_reason" {
    awk '/^\/\// { reason = 1; next }
        { file = $0; sub(/.*:/, "", file) }
        file != last && !reason { print "no reason: " $0; bad = 1 }
        { reason = 0; last = file }
        END { exit bad }' \
        "$top_srcdir/build-aux/static/cppcheck"
}

@test "words_are_spelt_right" {
    check codespell
    assert_status 0
}

@test "misspelt_word_is_found" {
    file bad.md "It will rec""ieve the message."
    check codespell codespell "$bad"
    assert_status 1
    [[ $output == *"==> receive"* ]]
}

@test "functions_are_below_their_ceilings" {
    check pmccabe
    assert_status 0
}

@test "function_above_the_ceilings_is_found" {
    file bad.c 'int f(int a)' '{' "$(for n in {1..16}; do echo "    if (a == $n) return $n;"; done)" \
        "$(for n in {1..30}; do echo "    a++;"; done)" '    return a;' '}'
    check pmccabe pmccabe "$bad"
    assert_status 1
    [[ ${lines[0]} == *"f has 17 paths, 15 are allowed" && ${lines[1]} == *"f has 50 lines, 40 are allowed" ]]
}

@test "files_laid_into_mpich_have_its_style" {
    check indent
    assert_status 0
}

@test "file_in_another_style_is_found" {
    file bad.c 'int f(int a)' '{' '  if( a )' '    return 1;' '    return 0;' '}'
    check indent indent "$bad"
    assert_status 1
    [[ ${lines[0]} == "$bad:3: not in MPICH's style:   if( a )" ]]
}

@test "clang_tidy_finds_nothing_in_the_core" {
    check tidy clang-tidy
    assert_status 0
}

@test "clang_tidy_finds_a_null_pointer" {
    file bad.cpp 'int f() { int *p = nullptr; return *p; }'
    cp "$top_srcdir/.clang-tidy" "$BATS_TEST_TMPDIR/"
    check tidy clang-tidy "$bad"
    assert_status 1
    [[ $output == *"clang-analyzer-core.NullDereference"* ]]
}

@test "clang_tidy_reads_a_folder_with_the_flags_that_the_build_has_for_it" {
    check tidy clang-tidy src/match/matcher.cpp
    assert_status 1
    [[ $output == *"file not found [clang-diagnostic-error]"* ]]
    run "$top_srcdir/build-aux/static-check" --build "$top_builddir" tidy src/match/matcher.cpp
    assert_status 0
}

@test "unknown_check_is_one_sentence" {
    run --separate-stderr "$top_srcdir/build-aux/static-check" beauty
    assert_status 1
    assert_sentence "which check?"
}
