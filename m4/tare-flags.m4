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

# TARE_COMPILE_FLAGS
# TARE_CXXFLAGS: every C++ file. TARE_CORE_CXXFLAGS: what is linked into libmpi, which must not need libstdc++.
AC_DEFUN([TARE_COMPILE_FLAGS], [
    AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [treat compiler warnings as errors])],
                  [], [enable_werror=no])
    TARE_WARNINGS="-Wall -Wextra"
    AS_IF([test "$enable_werror" = yes], [TARE_WARNINGS="$TARE_WARNINGS -Werror"])
    AC_SUBST([TARE_CFLAGS], ["-std=c11 $TARE_WARNINGS"])
    AC_SUBST([TARE_CXXFLAGS], ["-std=c++17 $TARE_WARNINGS"])
    AC_SUBST([TARE_CORE_CXXFLAGS],
             ["$TARE_CXXFLAGS -fno-exceptions -fno-rtti -fno-threadsafe-statics -fvisibility=hidden"])
])
