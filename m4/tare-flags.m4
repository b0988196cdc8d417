# SPDX-License-Identifier: BSD-3-Clause

# TARE_REQUIRE_COMPILER(VARIABLE, CANDIDATES, WHAT, PACKAGE)
# One sentence instead of autoconf's report when there is no such compiler.
AC_DEFUN([TARE_REQUIRE_COMPILER], [
    tare_found=no
    for tare_candidate in ${$1:-$2}; do
        AS_IF([command -v "$tare_candidate" >/dev/null 2>&1], [tare_found=yes; break])
        AS_IF([test -n "$$1"], [break])
    done
    AS_IF([test "$tare_found" = no],
          [AC_MSG_ERROR([no $3 found (looked for: ${$1:-$2}): install the package $4 or set $1 to one], [1])])
])

# TARE_SANITIZER
# SANITIZER_FLAGS: for every file of ours that is compiled or linked. SANITIZER_TESTS: for the environment of tests:
# those that look at symbols or at single nanoseconds know, and libraries may be preloaded before the runtime.
AC_DEFUN([TARE_SANITIZER], [
    AC_ARG_WITH([sanitizer],
        [AS_HELP_STRING([--with-sanitizer=LIST],
            [compile Tare with address, undefined, address,undefined, thread, thread,undefined or, by clang,
             fuzzer,address,undefined; wants --without-mpich (default: no)])],
        [], [with_sanitizer=no])
    AS_CASE([$with_sanitizer],
        [no | address | undefined | thread | address,undefined | undefined,address | thread,undefined | \
         undefined,thread | fuzzer,address,undefined], [],
        [AC_MSG_ERROR([--with-sanitizer=$with_sanitizer: allowed are no, address, undefined, thread, \
address,undefined, thread,undefined and fuzzer,address,undefined], [1])])
    SANITIZER_FLAGS= SANITIZER_TESTS=
    AS_IF([test "$with_sanitizer" != no], [TARE_SANITIZER_NEEDS])
    AC_SUBST([SANITIZER_FLAGS])
    AC_SUBST([SANITIZER_TESTS])
    AM_CONDITIONAL([WITH_FUZZER], [test "$with_sanitizer" = fuzzer,address,undefined])
])

# libmpi takes the core in, and MPI programs, which are not ours, load libmpi without a sanitizer's runtime.
AC_DEFUN([TARE_SANITIZER_NEEDS], [
    AS_IF([test "${with_mpich-yes}" != no],
          [AC_MSG_ERROR([--with-sanitizer=$with_sanitizer works only --without-mpich: what is linked into libmpi \
cannot need a sanitizer's runtime], [1])])
    SANITIZER_TESTS="SANITIZER=$with_sanitizer; ASAN_OPTIONS=verify_asan_link_order=0; export SANITIZER ASAN_OPTIONS;"
    # What is no target of test/fuzz has a main of its own.
    tare_sanitizer=`echo "$with_sanitizer" | sed 's/fuzzer/fuzzer-no-link/'`
    SANITIZER_FLAGS="-fsanitize=$tare_sanitizer -fno-sanitize-recover=all -fno-omit-frame-pointer"
    # libtare's fences are unknown to it; what they order is named in test/lib/thread.suppressions.
    AS_CASE([$with_sanitizer], [*thread*], [SANITIZER_FLAGS="$SANITIZER_FLAGS -Wno-tsan"])
    tare_saved_cflags=$CFLAGS
    CFLAGS="$CFLAGS $SANITIZER_FLAGS"
    AC_LINK_IFELSE([AC_LANG_PROGRAM], [],
        [AC_MSG_ERROR([--with-sanitizer=$with_sanitizer: $CC cannot link with -fsanitize=$with_sanitizer: install \
its sanitizer libraries or take another compiler], [1])])
    CFLAGS=$tare_saved_cflags
])

# TARE_COMPILE_FLAGS
# TARE_CXXFLAGS: every C++ file. TARE_CORE_CXXFLAGS: what is linked into libmpi, which must not need libstdc++.
AC_DEFUN([TARE_COMPILE_FLAGS], [
    AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [treat compiler warnings as errors])],
                  [], [enable_werror=no])
    TARE_WARNINGS="-Wall -Wextra"
    AS_IF([test "$enable_werror" = yes], [TARE_WARNINGS="$TARE_WARNINGS -Werror"])
    AC_SUBST([TARE_CFLAGS], ["-std=c11 $TARE_WARNINGS $SANITIZER_FLAGS"])
    AC_SUBST([TARE_CXXFLAGS], ["-std=c++17 $TARE_WARNINGS $SANITIZER_FLAGS"])
    AC_SUBST([TARE_CORE_CXXFLAGS],
             ["$TARE_CXXFLAGS -fno-exceptions -fno-rtti -fno-threadsafe-statics -fvisibility=hidden"])
])
