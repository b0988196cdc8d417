#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What libmpi links of Tare: nothing of the C++ library, no allocation, nothing that runs before main.

core=$top_builddir/src/core/.libs/libtarecore.a
env=$top_builddir/src/env/.libs/libtareenv.a

setup() {
    [ -z "${SANITIZER-}" ] || skip "--with-sanitizer=$SANITIZER adds symbols and constructors of its own"
    [ -s "$core" ] && [ -s "$env" ]
}

cxx_runtime='^(_Z|__gxx|__cxa|_Unwind|.*GLIBCXX|.*CXXABI)'
allocation='^(malloc|calloc|realloc|reallocarray|free|aligned_alloc|posix_memalign|memalign|strdup|strndup|_Zn|_Zd)'

# The undefined symbols of an archive that nobody in it defines, one a line.
undefined() {
    local defined
    defined=$(nm --defined-only -j "$1")
    nm --undefined-only -j "$1" | grep -v ':$' | sort -u | grep -vxF "$defined"
}

# The sections of an archive that hold functions to be run before main.
early_sections() {
    objdump -h "$1" | awk '$2 ~ /^\.(init_array|ctors|preinit_array|init)/ { print $2 }'
}

refuse() {
    local found
    found=$("$1" "$2" | grep -E "${3:-.}") || return 0
    echo "$2:" "$found"
    return 1
}

# An archive with all that is forbidden.
bad_archive() {
    cat >"$BATS_TEST_TMPDIR/bad.cpp" <<'END'
#include <cstdlib>
#include <string>
struct early { early() noexcept; };
early::early() noexcept { std::srand(1); }
early at_start;
std::string *a_string() { return new std::string("x"); }
void *memory() { return std::malloc(1); }
END
    $CXX -std=c++17 -c "$BATS_TEST_TMPDIR/bad.cpp" -o "$BATS_TEST_TMPDIR/bad.o"
    ar rc "$BATS_TEST_TMPDIR/bad.a" "$BATS_TEST_TMPDIR/bad.o"
    echo "$BATS_TEST_TMPDIR/bad.a"
}

@test "core_has_no_symbol_of_the_cxx_runtime" { refuse undefined "$core" "$cxx_runtime"; }

@test "env_has_no_symbol_of_the_cxx_runtime" { refuse undefined "$env" "$cxx_runtime"; }

@test "core_allocates_nothing" { refuse undefined "$core" "$allocation"; }

@test "env_allocates_nothing" { refuse undefined "$env" "$allocation"; }

@test "core_has_no_static_constructor" { refuse early_sections "$core"; }

@test "env_has_no_static_constructor" { refuse early_sections "$env"; }

@test "core_needs_only_the_clock" {
    run undefined "$core"
    echo "$output"
    [ "$(grep -vxE '_GLOBAL_OFFSET_TABLE_|mem(cpy|set|move)|__stack_chk_fail' <<<"$output")" = clock_gettime ]
}

@test "core_hides_every_symbol" {
    run readelf -sW "$core"
    [ "$status" -eq 0 ]
    [ "$(awk '$5 == "GLOBAL" && $7 != "UND" && $6 == "HIDDEN"' <<<"$output" | wc -l)" -ge 10 ]
    [ -z "$(awk '($5 == "GLOBAL" || $5 == "WEAK") && $7 != "UND" && $6 == "DEFAULT"' <<<"$output")" ]
}

@test "archive_with_forbidden_symbols_is_refused" {
    archive=$(bad_archive)
    run refuse undefined "$archive" "$cxx_runtime"
    [ "$status" -eq 1 ]
    run refuse undefined "$archive" "$allocation"
    [ "$status" -eq 1 ]
    [[ $output == *malloc* && $output == *_Znwm* ]]
    run refuse early_sections "$archive"
    [ "$status" -eq 1 ]
}
