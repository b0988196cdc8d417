# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154,SC2153
# Shared by the tests of Java programs. Set by make: ROWS, TOOL, JAVA, CLASSES (the test programs), JARS (where the jars of
# Tare are), AGENT, LIBTARE, STAGE, MPIEXEC.
load ../lib/helpers

setup() {
    measure_here
    unset JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS CLASSPATH
}

# A small machine: a test is one of several at once.
options=(-XX:+UseSerialGC -Xmx64m -Xshare:auto -cp "$CLASSES:$JARS/tare-mpi.jar")

# measured WHAT...: Scenario with the agent, by tare exec
measured() {
    run --separate-stderr timeout 100 "$TOOL" exec "$JAVA" "${options[@]}" Scenario "$@"
}

ends_well() {
    [ "$status" -eq 0 ] || { echo "status $status: $stderr"; return 1; }
    [ -z "$stderr" ] || { echo "said: $stderr"; return 1; }
}

# with_agent OPTIONS WHAT...: without tare exec
with_agent() {
    local agent=$AGENT=$1
    shift
    run --separate-stderr timeout 100 env LD_LIBRARY_PATH="$LIBTARE" "$JAVA" "-agentpath:$agent" "${options[@]}" Scenario "$@"
}

# ranks N PROGRAM [ARGUMENT]...: of Java, with the agent and MPI
ranks() {
    run --separate-stderr timeout 100 "$MPIEXEC" -n "$1" env LD_LIBRARY_PATH="$STAGE/lib" "$TOOL" exec "$JAVA" "${options[@]}" "${@:2}"
}

# bare N PROGRAM [ARGUMENT]...: the same without tare exec
bare() {
    run --separate-stderr timeout 100 "$MPIEXEC" -n "$1" env LD_LIBRARY_PATH="$STAGE/lib" "$JAVA" "${options[@]}" "${@:2}"
}

# thread_of NAME [RANK]: its number in the profile
thread_of() {
    grep -lF "<name>tare thread name</name><value>$1</value>" MULTI__TIME/profile."${2:-0}".0.* | sed 's/.*[.]//'
}

# calls THREAD REGION
calls() { value 0 "$1" calls "$2"; }

# What a region's calls are together, on all threads.
all_calls() {
    "$ROWS" . | awk -v name=" $1" '
        / calls=.* residue=/ && substr($0, length($0) - length(name) + 1) == name { split($3, n, "="); sum += n[2] }
        END { print sum + 0 }'
}

# Of each thread: what its regions have by themselves is together what it has, as measured; and nothing is negative.
assert_times_are_conserved() {
    "$ROWS" . | awk '
        / calls=.* residue=/ {
            for (i = 3; i <= 12; i++) { split($i, pair, "="); v[pair[1]] = pair[2] }
            excl[$1 " " $2] += v["excl"]
            if (/ [.]TAU application$/) root[$1 " " $2] = v["incl"]
            if (v["calls"] < 0 || v["excl"] < 0 || v["incl"] < 0) { print; bad = 1 }
        }
        END {
            for (t in root) if (excl[t] != root[t]) { print t ": " excl[t] " of " root[t]; bad = 1 }
            exit bad || length(root) == 0
        }'
}
