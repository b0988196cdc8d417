#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What `make install DESTDIR=...` of the whole tree, MPICH with it, leaves behind.
# shellcheck disable=SC2154,SC2016  # bats sets status and output; inner shells expand what is quoted

load helper

setup_file() {
    : "${prefix:?is not set: run the tests by make check}" "${libdir:?}"
    export dest=$BATS_FILE_TMPDIR/dest
    touch "$BATS_FILE_TMPDIR/before"
    fresh_make install "DESTDIR=$dest" >"$BATS_FILE_TMPDIR/log" 2>&1 || { tail -n 20 "$BATS_FILE_TMPDIR/log"; return 1; }
}

# root: where MPICH and the tool are; lib: where Tare's own libraries are
setup() {
    root=$dest$prefix
    lib=$dest$libdir
}

# elf_files: programs and shared libraries that were installed
elf_files() {
    find "$root/bin" "$root/lib" "$lib" -type f | sort -u | while read -r file; do
        if [[ $(head -c 4 "$file" | tr -d '\0') == $'\177ELF' ]]; then
            echo "$file"
        fi
    done
}

@test "staged_installation_is_complete" {
    for file in "$root"/bin/{tare,tarecc,tarecxx,tarefc,tare_latency,mpicc,mpiexec} "$root"/include/{tare,mpi}.h \
        "$root/lib/libmpi.so.12" "$root/lib/pkgconfig/mpich.pc" "$lib"/libtare{,-probe,-mpi}.so \
        "$lib"/tare/tare/libtare-{mpi,baseline}.so \
        "$lib"/pkgconfig/tare{,-mpi}.pc "$root/share/tare/examples/waiting/run"; do
        [[ -s $file ]] || { echo "$file is missing"; return 1; }
    done
    [[ $(find "$dest" -name tare.1 -o -name tare.7 | wc -l) -eq 2 ]]
}

@test "staged_installation_writes_below_destdir_and_prefix_only" {
    run find "$dest" ! -type d ! -path "$root/*" ! -path "$lib/*"
    assert_status 0
    [[ -z $output ]]
    [[ ! -d $prefix ]] || run find "$prefix" -newer "$BATS_FILE_TMPDIR/before"
    [[ -z $output ]]
}

@test "staged_text_names_neither_build_nor_destdir" {
    run grep -rIlF -e "$top_builddir" -e "$dest" "$root"
    assert_status 1
}

@test "staged_benchmarks_answer_to_their_names" {
    for program in tare_latency tare_iallgather tare_get_acc_latency tare_kernel; do
        run env -u LD_LIBRARY_PATH "$root/bin/$program" --version
        assert_status 0
        [[ $output == "$program (Tare) "* ]]
    done
}

@test "staged_links_stay_inside_the_installation" {
    run find "$root" -type l \( -lname "$dest*" -o -lname "$top_builddir*" -o -xtype l \)
    assert_status 0
    [[ -z $output ]]
}

@test "staged_run_paths_name_the_prefix_or_the_program" {
    files=$(elf_files)
    [[ $files == *"$root/bin/tare"* && $files == *"$root/lib/libmpi.so.12"* ]]
    wrong=$(while read -r file; do
        readelf -d "$file" | sed -n 's/.*(R\(UN\)*PATH).*\[\(.*\)\]/\2/p' | tr ':' '\n' |
            grep -vxF -e "$prefix/lib" -e "$libdir" -e "\$ORIGIN/../lib" -e "\$ORIGIN/../../lib" | sed "s|^|$file: |" || true
    done <<<"$files")
    echo "$wrong"
    [[ -z $wrong ]]
}

@test "staged_pkg_config_files_name_the_prefix" {
    for module in tare tare-mpi mpich; do
        PKG_CONFIG_PATH=$lib/pkgconfig:$root/lib/pkgconfig run pkg-config --variable=prefix "$module"
        assert_status 0
        [[ $output == "$prefix" ]]
    done
}

@test "staged_mpicc_names_the_prefix" {
    for wrapper in mpicc mpicxx; do
        run "$root/bin/$wrapper" -show x.c
        assert_status 0
        [[ $output == *" -I$prefix/include "* && $output == *" -L$prefix/lib "* ]]
    done
}

@test "program_built_against_a_staged_installation_runs" {
    cd "$BATS_TEST_TMPDIR"
    printf '%s\n' '#include <tare.h>' '#include <stdio.h>' 'int main(void) { return puts(tare_version()) < 0; }' >version.c
    flags=$(PKG_CONFIG_SYSROOT_DIR=$dest PKG_CONFIG_PATH=$lib/pkgconfig:$root/lib/pkgconfig pkg-config --cflags --libs tare)
    # shellcheck disable=SC2086  # a list of flags
    ${CC:-cc} version.c -o version $flags
    LD_LIBRARY_PATH=$lib run ./version
    assert_status 0
    [[ $output == "$("$root/bin/tare" --version | sed -n '1s/.* //p')" ]]
}

@test "uninstall_takes_away_every_file_and_no_other" {
    cp -a "$dest" "$BATS_TEST_TMPDIR/dest"
    echo mine >"$BATS_TEST_TMPDIR/dest$prefix/lib/mine"
    fresh_make -s uninstall "DESTDIR=$BATS_TEST_TMPDIR/dest"
    run find "$BATS_TEST_TMPDIR/dest" ! -type d
    [[ $output == "$BATS_TEST_TMPDIR/dest$prefix/lib/mine" ]]
}
