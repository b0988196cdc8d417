# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# MPICH's tests, configured and compiled once in the cache: all builds of MPICH here have one ABI, so the same
# programs run on each of them, and LD_LIBRARY_PATH says on which.

suite_flags=(--disable-fortran --disable-cxx --disable-romio --enable-xfail --disable-dependency-tracking
    --disable-maintainer-mode --enable-threads=multiple)

# What the compiled tests depend on: MPICH's headers as installed, its release, the flags, the compiler.
suite_key() {
    local file
    {
        for file in "$mpi"/include/*.h; do
            echo "$(sha256_of "$file") ${file##*/}"
        done
        printf '%s\n' "$MPICH_VERSION" "${suite_flags[@]}" "$(algorithm_lists)"
        "$mpi/bin/mpicc" --version | head -n 1
        echo "recipe=1"
    } | sha256sum | cut -c1-16
}

# MPICH makes the lists of its collective algorithms with Python, which nothing else here needs.
algorithm_lists() {
    if command -v python3 >/dev/null; then
        echo --enable-collalgo-tests
    else
        echo --disable-collalgo-tests
    fi
}

suite_unpack() {
    rm -rf "$cache/src" "$cache/build"
    mkdir -p "$cache/src"
    tar -C "$cache/src" --strip-components=1 --no-same-owner --no-same-permissions --wildcards -xf "$MPICH_TARBALL" \
        'mpich-*/test/mpi'
}

# The folder of the MPI is given by a link: the cache outlives the checkout whose MPICH compiled first.
suite_configure() {
    rm -rf "$cache/build"
    mkdir -p "$cache/build"
    cd "$cache/build" || return
    "$cache/src/test/mpi/configure" --with-mpi="$cache/mpi" "${suite_flags[@]}" "$(algorithm_lists)"
}

lock_suite() {
    make_cache
    mkdir -p "$cache"
    exec 9>"$cache.lock"
    flock -n 9 && return
    echo "==> MPICH's tests: another run compiles in $cache; waiting for it" >&2
    flock 9
}

# find_suite: leaves the configured test/mpi in `suite`.
find_suite() {
    if [[ -n $suite ]]; then
        [[ -x $suite/runtests && -f $suite/testlist ]] ||
            bad_usage "$suite is no configured test/mpi (runtests, testlist)"
        suite=$(realpath "$suite") cache=''
        return
    fi
    unset MAKEFLAGS MFLAGS CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LIBS CC
    cache=$(cache_root)/suite/$(suite_key)
    suite=$cache/build
    lock_suite
    ln -sfn "$mpi" "$cache/mpi"
    if [[ ! -f $cache/done.configured ]]; then
        fetch_tarball "$tarball"
        step "MPICH's tests: unpack" "$cache/log/unpack.log" suite_unpack >&2
        step "MPICH's tests: configure" "$cache/log/configure.log" suite_configure >&2
        touch "$cache/done.configured"
    fi
}

suite_make() {
    make -C "$suite/util" -j"$(nproc)"
    make -C "$suite/dtpools" -j"$(nproc)"
    make -C "$suite/$1" -j"$(nproc)"
}

# What makes ranks that poll share cores in short turns: suite_turns.c says why.
compile_turns() {
    turns=$cache/libsuite-turns.so
    [[ $turns -nt $here/suite_turns.c ]] ||
        step "MPICH's tests: compile suite_turns.c" "$cache/log/turns.log" \
            cc -O2 -Wall -shared -fPIC -o "$turns" "$here/suite_turns.c" -lrt >&2
}

# compile_folders: those of the chosen tests; a folder is compiled whole.
compile_folders() {
    [[ -n $cache ]] || return 0
    local folder
    [[ $turns == none ]] || compile_turns
    for folder in "${folders[@]}"; do
        [[ ! -f $cache/done.${folder//\//-} ]] || continue
        step "MPICH's tests: compile $folder" "$cache/log/${folder//\//-}.log" suite_make "$folder" >&2
        touch "$cache/done.${folder//\//-}"
    done
    use_and_prune "$cache"
    exec 9>&-
}
