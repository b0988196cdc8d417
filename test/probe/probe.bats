# SPDX-License-Identifier: BSD-3-Clause
# Functions compiled with -finstrument-functions, and what they are called.
load ../lib/helpers

names() { "$ROWS" . | sed -n 's/.* residue=[^ ]* [^ ]* //p' | sort; }

@test "functions_of_every_kind_have_their_names" {
    "$NAMES"
    assert_value 0 0 calls main 1
    assert_value 0 0 calls 'static_function(int)' 7
    assert_value 0 0 calls 'space::thing::thing(int)' 1
    assert_value 0 0 calls 'space::thing::method() const' 1
    assert_value 0 0 calls 'long space::twice<long>(long)' 1
    assert_value 0 0 calls 'space::(anonymous namespace)::unnamed(int)' 1
    assert_value 0 1 calls thread_function 1
    "$ROWS" . | grep -q ' TAU_DEFAULT static_function(int)$'
}

@test "functions_of_a_shared_library_have_their_names" {
    "$NAMES"
    assert_value 0 0 calls library_function 1
    assert_value 0 0 calls 'hidden_in_library(int)' 1
    assert_value 0 0 subrs library_function 1
}

@test "recursion_and_exceptions_keep_the_nesting" {
    "$NAMES"
    assert_value 0 0 calls 'recursive(int)' 6
    assert_value 0 0 subrs 'recursive(int)' 5
    [ "$(value 0 0 incl 'recursive(int)')" -eq "$(value 0 0 excl 'recursive(int)')" ]
    assert_value 0 0 calls 'thrower(int)' 4
    assert_value 0 0 calls 'after_throw()' 1
    # main calls 7 static functions, 4 of namespace space, recursive, the library, thrower and after_throw.
    assert_value 0 0 subrs main 15
}

@test "recursion_exceptions_and_threads_have_their_call_paths" {
    TARE_CALLPATH=4 "$NAMES"
    local root=".TAU application"
    assert_value 0 0 calls "$root => main => thrower(int)" 1
    assert_value 0 0 calls "thrower(int) => thrower(int) => thrower(int) => thrower(int)" 1
    # Whatever was left by the exception: the next function is called by main again.
    assert_value 0 0 calls "$root => main => after_throw()" 1
    assert_value 0 0 calls "$root => main => recursive(int) => recursive(int)" 1
    assert_value 0 0 calls "recursive(int) => recursive(int) => recursive(int) => recursive(int)" 3
    # The visits inside the first one are not added to it.
    assert_between 1 "$(value 0 0 incl "recursive(int) => recursive(int) => recursive(int) => recursive(int)")" \
        "$(value 0 0 incl "$root => main => recursive(int)")"
    assert_value 0 1 calls "$root => thread_function" 1
}

@test "names_without_symbols_are_module_and_offset_and_always_the_same" {
    cp "$NAMES" stripped
    strip --strip-all stripped
    ./stripped
    names > first
    grep -Eq '^stripped\+0x[0-9a-f]+$' first
    run ! grep -Eq '^(0x|unknown)' first
    ./stripped
    names > second
    diff first second
}

static_function_has_injected() {
    TARE_INJECT='region=static_function,ns=1000000' "$NAMES"
    assert_between 7000000 "$(value 0 0 incl main)" 100000000000 &&
        assert_between 7000000 "$(value 0 0 removed main)" 100000000000 &&
        assert_between 0 "$(value 0 0 incl_comp 'static_function(int)')" "$(limit_ns 3500000)"
}

@test "injection_finds_a_static_function_by_its_plain_name" {
    in_some_attempt static_function_has_injected
}

@test "hooks_are_quiet_without_TARE_PROFILE" {
    unset TARE_PROFILE
    run "$NAMES"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    [ ! -e MULTI__TIME ]
}

@test "hooks_stand_in_for_the_C_librarys_when_preloaded" {
    LD_PRELOAD=$LIBPROBE "$NAMES_PLAIN"
    assert_value 0 0 calls 'static_function(int)' 7
}

@test "hooks_are_exported_without_a_version_and_nothing_else_is" {
    run bash -c "nm -D --defined-only '$LIBPROBE' | awk '{ print \$3 }' | sort"
    [ "$output" = "$(printf '__cyg_profile_func_enter\n__cyg_profile_func_exit')" ]
}

@test "constants_of_the_probes_are_in_the_profile_and_sane" {
    "$NAMES"
    for what in pair inside outside; do
        ns=$("$ROWS" . | sed -n "s/^tare cost probe $what ns: //p")
        is_sane_ns "$ns" || { echo "$what: '$ns'"; return 1; }
    done
}

@test "compensated_loop_of_functions_is_near_the_plain_loop" {
    in_some_attempt residual measured "$ACCURACY"
    in_some_attempt residual calibrated "$ACCURACY"
}
