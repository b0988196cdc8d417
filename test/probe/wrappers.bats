# SPDX-License-Identifier: BSD-3-Clause
# tarecc, tarecxx and tarefc: what they hand to which compiler, and what they refuse. The compilers are made up.
load ../lib/helpers

headers=/usr/include,/usr/lib/gcc,/include/c++/,/mpicxx.h

# fake FILE: a compiler that prints its arguments, one a line
fake() {
    mkdir -p "$(dirname "$1")"
    printf '#!/bin/sh\nprintf "%%s\\n" "${0##*/}" "$@"\n' > "$1"
    chmod +x "$1"
}

# A folder with the wrappers and the compilers that are named.
installed() {
    mkdir -p 'a prefix/bin'
    cp "$WRAPPERS"/tarecc "$WRAPPERS"/tarecxx "$WRAPPERS"/tarefc 'a prefix/bin'
    for compiler; do fake "a prefix/bin/$compiler"; done
}

# assert_sentence STATUS SENTENCE
assert_sentence() {
    echo "status $status, stderr: $stderr"
    [ "$status" -eq "$1" ] && [ -z "$output" ] && [ "$stderr" = "$2" ]
}

@test "wrapper_calls_the_compiler_beside_it_with_hooks" {
    installed mpicc mpicxx mpifort
    run 'a prefix/bin/tarecc' -c 'a file.c' -DX='"y z"'
    [ "$output" = "$(printf '%s\n' mpicc -finstrument-functions \
        "-finstrument-functions-exclude-file-list=$headers" -c 'a file.c' '-DX="y z"')" ]
    run 'a prefix/bin/tarecxx' x.cpp
    [ "$output" = "$(printf '%s\n' mpicxx -finstrument-functions \
        "-finstrument-functions-exclude-file-list=$headers" x.cpp)" ]
    run 'a prefix/bin/tarefc' x.f90
    [ "$output" = "$(printf '%s\n' mpifort -finstrument-functions x.f90)" ]
}

@test "wrapper_finds_the_compiler_through_a_link" {
    installed mpicc
    mkdir elsewhere
    ln -s '../a prefix/bin/tarecc' elsewhere/tarecc
    run elsewhere/tarecc x.c
    [ "${lines[0]}" = mpicc ]
}

@test "variable_names_another_compiler_with_arguments" {
    installed mpicc
    fake bin/other
    PATH=$PWD/bin:$PATH TARE_CC='other -Q *' run 'a prefix/bin/tarecc' x.c
    [ "${lines[0]}" = other ]
    [ "${lines[1]}" = -Q ]
    [ "${lines[2]}" = '*' ]
    [ "${lines[-1]}" = x.c ]
}

@test "wrapper_gives_the_status_of_the_compiler" {
    installed
    printf '#!/bin/sh\nexit 7\n' > 'a prefix/bin/mpicc'
    chmod +x 'a prefix/bin/mpicc'
    run 'a prefix/bin/tarecc' x.c
    [ "$status" -eq 7 ]
}

@test "TARE_EXCLUDE_adds_to_the_list" {
    installed mpicc mpifort
    TARE_EXCLUDE=small.h,src/tiny run 'a prefix/bin/tarecc' x.c
    [ "${lines[2]}" = "-finstrument-functions-exclude-file-list=$headers,small.h,src/tiny" ]
    TARE_EXCLUDE=small.f90 run 'a prefix/bin/tarefc' x.f90
    [ "${lines[2]}" = "-finstrument-functions-exclude-file-list=small.f90" ]
}

@test "TARE_EXCLUDE_with_an_empty_part_is_refused" {
    installed mpicc
    for list in a, ,a a,,b ,; do
        TARE_EXCLUDE=$list run --separate-stderr 'a prefix/bin/tarecc' x.c
        assert_sentence 1 "tarecc: TARE_EXCLUDE=$list has an empty part: allowed are parts of file names, separated \
by commas"
    done
}

@test "compiler_that_is_not_there_is_one_sentence" {
    installed
    run --separate-stderr 'a prefix/bin/tarecxx' x.cpp
    assert_sentence 1 "tarecxx: there is no mpicxx in $PWD/a prefix/bin: set TARE_CXX to a compiler"
    TARE_CXX='no-such-compiler -x' run --separate-stderr 'a prefix/bin/tarecxx' x.cpp
    assert_sentence 1 "tarecxx: TARE_CXX=no-such-compiler -x is not a compiler: no-such-compiler is not a command \
that can be run"
}

@test "MPI_without_Fortran_is_one_sentence" {
    installed mpicc mpicxx
    run --separate-stderr 'a prefix/bin/tarefc' x.f90
    assert_sentence 1 "tarefc: the MPICH in $PWD/a prefix/bin has no Fortran (quickstart --minimal): build it with \
Fortran, or set TARE_FC to a compiler"
}

@test "show_is_that_of_the_MPI_compiler" {
    installed mpicc
    run 'a prefix/bin/tarecc' -show x.c
    [ "${lines[0]}" = mpicc ]
    [ "${lines[-2]}" = -show ]
}

@test "show_of_a_compiler_that_does_not_know_it_prints_the_command" {
    TARE_CC=$COMPILER run "$WRAPPERS/tarecc" -c x.c -show
    [ "$status" -eq 0 ]
    [ "$output" = "${COMPILER% } -finstrument-functions -finstrument-functions-exclude-file-list=$headers -c x.c" ]
}

@test "help_names_every_variable_and_version_is_the_tools" {
    for wrapper in tarecc/TARE_CC tarecxx/TARE_CXX tarefc/TARE_FC; do
        run --separate-stderr "$WRAPPERS/${wrapper%/*}" --tare-help
        [ "$status" -eq 0 ]
        [[ $output == "Usage: ${wrapper%/*} "*" ${wrapper#*/} "*" mpi"* && $output == *TARE_EXCLUDE* ]]
        run --separate-stderr "$WRAPPERS/${wrapper%/*}" --tare-version
        [ "$status" -eq 0 ]
        [ "$output" = "${wrapper%/*} (Tare) $VERSION" ]
    done
}

@test "page_names_every_option_and_variable_of_the_help" {
    page=$(sed -E 's/\\-/-/g; s/\\f[BIPR]//g' "$SOURCES/doc/man/tarecc.1")
    for word in -show --tare-help --tare-version TARE_CC TARE_CXX TARE_FC TARE_EXCLUDE; do
        grep -qF -e "$word" <<< "$page" || { echo "the page does not name $word"; return 1; }
    done
}
