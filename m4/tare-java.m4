# SPDX-License-Identifier: BSD-3-Clause

# TARE_JAVA
# The agent of Java's virtual machine, and MPI for Java: JAVAC, JAR, JAVA (all of one JDK), JAVA_CPPFLAGS for its headers,
# ASM_DIR, where the library for class files is; HAVE_JAVA. By default they are built where all of that is there.
AC_DEFUN([TARE_JAVA], [
    AC_ARG_WITH([java],
        [AS_HELP_STRING([--with-java],
            [build what measures Java programs, and MPI for Java (default: if a JDK of version 17 and the library ASM are
             there, unless --with-sanitizer)])],
        [], [with_java=auto])
    AS_CASE([$with_java], [yes | no | auto], [],
        [AC_MSG_ERROR([--with-java takes no value: set JAVAC to the compiler of the JDK], [1])])
    AC_ARG_VAR([JAVAC], [compiler of the JDK that Tare is built for])
    AC_SUBST([ASM_DIR], [/usr/share/java])
    have_java=no
    AS_IF([test "$with_java" = no], [java_missing="--without-java"],
          [test "$with_sanitizer" != no], [java_missing="--with-sanitizer"],
          [AC_PATH_PROG([JAVAC], [javac])
           TARE_FIND_JAVA])
    AS_IF([test -z "$java_missing"], [have_java=yes java_summary="$JAVAC"],
          [test "$with_java" = yes], [AC_MSG_ERROR([--with-java: $java_missing], [1])],
          [java_summary="no ($java_missing)"])
    AM_CONDITIONAL([HAVE_JAVA], [test "$have_java" = yes])
])

# From $JAVAC: $java_missing, empty if nothing is.
AC_DEFUN([TARE_FIND_JAVA], [
    AC_MSG_CHECKING([for what Java programs need])
    java_home=`readlink -f "$JAVAC" 2>/dev/null`
    java_home=`dirname "$java_home"`/..
    AC_SUBST([JAR], ["$java_home/bin/jar"])
    AC_SUBST([JAVA], ["$java_home/bin/java"])
    AC_SUBST([JAVA_CPPFLAGS], ["-isystem $java_home/include -isystem $java_home/include/linux"])
    java_missing=
    AS_IF([test -z "$JAVAC" || ! "$JAVAC" --release 17 -version >/dev/null 2>&1],
          [java_missing="no javac of version 17 was found: openjdk-17-jdk-headless"],
          [test ! -r "$java_home/include/jvmti.h" || test ! -x "$JAR"],
          [java_missing="$java_home has no jvmti.h or no jar: openjdk-17-jdk-headless"],
          [test ! -r "$ASM_DIR/asm.jar" || test ! -r "$ASM_DIR/asm-commons.jar"],
          [java_missing="there is no ASM in $ASM_DIR: libasm-java"])
    AC_MSG_RESULT([${java_missing:-$java_home}])
])
