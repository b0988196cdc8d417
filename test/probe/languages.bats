# SPDX-License-Identifier: BSD-3-Clause
# Programs as users compile them, by tarecc, tarecxx and tarefc, in each language; and programs that leave their
# functions in unusual ways, or call them on many threads.
load ../lib/helpers

setup_file() {
    clean_environment
    cd "$BATS_FILE_TMPDIR" || return 1
    TARE_CC=$COMPILER "$WRAPPERS/tarecc" -O2 -D_FORTIFY_SOURCE=2 -fopenmp \
        "$SOURCES/test/probe/behaviour.c" -o behaviour -lpthread
    TARE_CXX=$COMPILER_CXX "$WRAPPERS/tarecxx" -O0 -std=c++17 "$SOURCES/test/probe/library_use.cpp" -o library_use
}

# probed PROGRAM [ARGUMENT]...: of this file's folder, with the hooks
probed() { LD_PRELOAD=$LIBPROBE "$BATS_FILE_TMPDIR/$1" "${@:2}"; }

names() { "$ROWS" . | sed -n 's/.* residue=[^ ]* [^ ]* //p' | LC_ALL=C sort; }

# Of every thread: exclusive times add up to the root's inclusive time, compensated times with what was removed to the
# measured ones.
assert_conserved() {
    "$ROWS" . | grep ' calls=' | sed 's/[a-z_]*=//g' | awk '
        { thread = $1 " " $2; excl[thread] += $6 }
        !(thread in incl) { incl[thread] = $5 }
        $5 != $7 + $11 { print "not conserved: " $0; wrong = 1 }
        END { for (t in incl) if (excl[t] != incl[t]) { print "thread " t ": " excl[t] " of " incl[t]; wrong = 1 }
              exit wrong || NR == 0 }'
}

@test "functions_in_C_have_their_names_and_headers_have_no_hooks" {
    probed behaviour plain
    [ "$(names | tr '\n' ' ')" = ".TAU application main plain seen_by_others work " ]
    assert_value 0 0 calls work 2
    assert_value 0 0 subrs seen_by_others 2
    assert_conserved
}

# A demangler that is asked for everything takes f for float and i for int.
@test "functions_in_C_of_one_letter_keep_their_names" {
    printf '%s\n' 'static void f(void) { __asm__ volatile(""); }' 'static void i(void) { f(); }' \
        'int main(void) { f(); i(); return 0; }' > letters.c
    TARE_CC=$COMPILER "$WRAPPERS/tarecc" -O0 letters.c -o letters
    LD_PRELOAD=$LIBPROBE ./letters
    [ "$(names | tr '\n' ' ')" = ".TAU application f i main " ]
}

@test "functions_in_C++_are_demangled_and_the_standard_library_has_no_hooks" {
    probed library_use
    assert_value 0 0 calls 'int user::sum<int>(std::vector<int, std::allocator<int> > const&)' 3
    assert_value 0 0 calls 'user::after()' 1
    # By its own name: its parameters may be of the library.
    run bash -c '"$ROWS" . | sed -n "s/.* TAU_DEFAULT //p" | grep -E "^[^(]*(std|__gnu_cxx)::"'
    [ -z "$output" ]
    assert_conserved
}

@test "without_the_wrapper_the_standard_library_has_hooks" {
    $COMPILER_CXX -O0 -std=c++17 -finstrument-functions "$SOURCES/test/probe/library_use.cpp" -o bare
    LD_PRELOAD=$LIBPROBE ./bare
    names | grep -q '^std::'
}

@test "exception_through_frames_with_hooks_leaves_all_of_them" {
    probed library_use
    assert_value 0 0 calls 'user::catch_and_throw(int)' 1
    assert_value 0 0 calls 'user::dive(int)' 5
    assert_value 0 0 subrs 'user::dive(int)' $((4 + 5 + 5))
    assert_value 0 0 calls 'user::guard::~guard()' 5
    [ "$(value 0 0 incl 'user::dive(int)')" -le "$(value 0 0 incl 'user::catch_and_throw(int)')" ]
    # Three sums, the function that throws, and the one after.
    assert_value 0 0 subrs main 5
}

@test "TARE_EXCLUDE_leaves_a_file_without_hooks" {
    TARE_EXCLUDE=behaviour.c TARE_CC=$COMPILER "$WRAPPERS/tarecc" "$SOURCES/test/probe/behaviour.c" -o bare -lpthread
    run nm -u bare
    [[ $output != *__cyg_profile_func_enter* ]]
}

@test "procedures_of_Fortran_modules_have_the_names_of_the_source" {
    command -v gfortran > /dev/null || skip "gfortran is not installed"
    TARE_FC="gfortran $SANITIZER_FLAGS" "$WRAPPERS/tarefc" -O0 "$SOURCES/test/probe/names_in_fortran.f90" -o fortran
    LD_PRELOAD=$LIBPROBE ./fortran
    assert_value 0 0 calls shapes_2d::grow 2
    assert_value 0 0 subrs shapes_2d::grow 2
    assert_value 0 0 calls shapes_2d::depth 3
    assert_value 0 0 subrs shapes_2d::depth 2
    # Its language cannot be known from the symbol.
    assert_value 0 0 calls outside_ 1
    assert_value 0 0 calls MAIN__ 1
    assert_conserved
}

@test "shared_library_of_the_wrapper_has_its_functions" {
    TARE_CXX=$COMPILER_CXX "$WRAPPERS/tarecxx" -shared -fPIC "$SOURCES/test/probe/named.cpp" -o libnamed.so
    printf 'int library_function(int); int main(void) { return library_function(-2); }\n' > user.c
    $COMPILER user.c -o user "$PWD/libnamed.so"
    LD_PRELOAD=$LIBPROBE ./user
    assert_value 0 0 calls library_function 1
    assert_value 0 0 calls 'hidden_in_library(int)' 1
    assert_no_region 0 0 main
}

@test "longjmp_out_of_functions_loses_none" {
    probed behaviour jumped
    assert_value 0 0 calls jump_out 2
    assert_value 0 0 calls is_left_by_jump 2
    assert_value 0 0 calls jumps 2
    assert_value 0 0 calls after_jump 2
    assert_value 0 0 calls work 4
    # What was left by the jump ends with the function that it jumped to.
    assert_value 0 0 subrs jumped 3
    assert_value 0 0 subrs jump_out 2
    assert_conserved
}

@test "repeated_probes_are_calls_of_one_region" {
    TARE_REPEAT_PROBES=3 probed behaviour plain
    [ "$(names | tr '\n' ' ')" = ".TAU application main plain seen_by_others tare repeated probes work " ]
    assert_value 0 0 calls work 2
    assert_value 0 0 subrs work 6
    assert_value 0 0 calls 'tare repeated probes' 15
    assert_conserved
}

@test "repeated_probes_stay_with_functions_that_are_left_by_longjmp" {
    TARE_REPEAT_PROBES=1 probed behaviour jumped
    assert_value 0 0 calls jumps 2
    assert_value 0 0 calls after_jump 2
    # One pair a call, and after_jump, which is called before anything tells of the jump.
    assert_value 0 0 subrs jumps 4
    assert_value 0 0 subrs jumped 4
    assert_value 0 0 calls 'tare repeated probes' "$("$ROWS" . | sed 's/[a-z_]*=//g' | awk '
        / TAU_DEFAULT / && !/[.]TAU application/ { calls += $3 } END { print calls }')"
    assert_conserved
}

@test "forked_children_leave_the_profile_whole" {
    probed behaviour forked
    assert_value 0 0 calls work 2
    assert_value 0 0 calls wait_for_child 2
    assert_value 0 0 calls main 1
    assert_no_region 0 0 in_child
    [ "$(ls MULTI__TIME)" = profile.0.0.0 ]
    assert_conserved
}

@test "threads_have_rows_of_their_own" {
    probed behaviour threaded
    [ "$(ls MULTI__TIME | wc -l)" -eq 5 ]
    assert_no_region 0 0 of_thread
    # In the order in which they began, which may be any.
    calls=$(for thread in 1 2 3 4; do value 0 $thread calls of_thread; done | sort | tr '\n' ' ')
    [ "$calls" = "1 2 3 4 " ]
    assert_conserved
}

@test "threads_of_OpenMP_have_rows_of_their_own" {
    probed behaviour in_team
    [ "$(ls MULTI__TIME | wc -l)" -eq 3 ]
    for thread in 0 1 2; do assert_value 0 $thread calls of_thread 2; done
    assert_value 0 0 calls in_team 1
    assert_no_region 0 1 in_team
    assert_conserved
}

@test "exit_inside_functions_writes_them" {
    run probed behaviour cut_short
    [ "$status" -eq 3 ]
    assert_value 0 0 calls main 1
    assert_value 0 0 calls cut_short 1
    assert_value 0 0 calls work 2
    assert_conserved
}
