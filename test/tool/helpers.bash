# SPDX-License-Identifier: BSD-3-Clause
# Shared by the tests of the tool. Set by make: TOOL, SOURCES, TOOL_BINDIR, TOOL_LIBDIR, CC, and
# MAKER, which writes large profiles, and NOTED, which leaves a live file with notes of MPI calls.

bats_require_minimum_version 1.5.0
: "${TOOL:?run by make check}" "${SOURCES:?}" "${TOOL_BINDIR:?}" "${TOOL_LIBDIR:?}" "${CC:=cc}"
FIXTURES=$SOURCES/test/tool/fixtures

# No variable of the caller's reaches a test: neither Tare's nor a launcher's.
clean_environment() {
    local name
    for name in $(compgen -v | grep -E '^(TARE_|PMI|OMPI_|MV2_|SLURM_|MPI_LOCAL)'); do unset "$name"; done
    unset LD_PRELOAD
}

# One sentence on stderr and nothing on stdout, with this status. Use after `run --separate-stderr`.
assert_refused() {
    [ "$status" -eq "$1" ] || { echo "status $status, wanted $1"; return 1; }
    [ -z "$output" ] || { echo "on stdout: $output"; return 1; }
    [ "${#stderr_lines[@]}" -eq 1 ] || { echo "not one sentence: $stderr"; return 1; }
}

assert_says() {
    [[ $stderr == *"$1"* ]] || { echo "stderr does not hold '$1': $stderr"; return 1; }
}

# LD_PRELOAD in what `tare exec --dry-run` prints: the names of the files, the layer's with its family in front.
preloaded() {
    sed -n 's/^LD_PRELOAD=//p' <<< "$output" | tr ':' '\n' |
        sed -E 's#.*/(tare|mpich|openmpi)/(libtare-mpi)#\1/\2#; s#^/.*/(lib)#\1#' | paste -s -d ' '
}

# Compiles C text to a shared library: library PATH 'text' [flags]
library() {
    local path=$1 text=$2
    shift 2
    mkdir -p "$(dirname "$path")"
    $CC -shared -fPIC -x c - -x none -o "$path" -Wl,-soname,"$(basename "$path")" "$@" <<< "$text"
}

# Compiles C text to a program: program PATH 'text' [flags, behind the source]
program() {
    local path=$1 text=$2
    shift 2
    $CC -x c - -x none -o "$path" "$@" <<< "$text"
}

# A made-up installation of the tool under $1, where configure said that it would be. Its libraries do nothing.
install_tool() {
    mkdir -p "$1$TOOL_BINDIR"
    cp "$TOOL" "$1$TOOL_BINDIR/tare"
    library "$1$TOOL_LIBDIR/libtare.so" 'int fake_tare;'
    library "$1$TOOL_LIBDIR/libtare-probe.so" 'int fake_probe;'
    library "$1$TOOL_LIBDIR/libtare-threads.so" 'int fake_threads;'
    library "$1$TOOL_LIBDIR/libtare-heap.so" 'int fake_heap;'
    library "$1$TOOL_LIBDIR/tare/tare/libtare-mpi.so" 'int fake_layer;'
}

# Adds a call path to the files of rank 0 in this folder: add_path NAME GROUP CALLS TIME COMPENSATED WAIT
# COMPENSATED_WAIT, in usec
add_path() {
    local at=4 metric file
    for metric in TIME COMPENSATED_TIME MPI_WAIT_TIME COMPENSATED_MPI_WAIT_TIME; do
        file=MULTI__$metric/profile.0.0.0
        awk -v row="\"$1\" $3 0 ${!at} ${!at} 0 GROUP=\"TAU_CALLPATH|$2\" " '
            NR == 1 { $1++ }
            $0 == "0 aggregates" { print row }
            { print }' "$file" > new
        mv new "$file"
        at=$((at + 1))
    done
}

# in_a_copy_of FIXTURE: the current folder, which may be changed
in_a_copy_of() {
    clean_environment
    cp -r "$FIXTURES/$1" "$BATS_TEST_TMPDIR/run"
    chmod -R u+w "$BATS_TEST_TMPDIR/run"
    cd "$BATS_TEST_TMPDIR/run" || return 1
}
