#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What holds for the source tree as a whole.
# shellcheck disable=SC2154,SC2016  # bats sets status and output; inner shells expand what is quoted

load helper

# automake wants the release's folder relative to the build's
setup() {
    dist=release-test-$$
}

teardown() {
    [[ ! -d $top_builddir/$dist ]] || chmod -R u+w "$top_builddir/$dist"
    rm -rf "${top_builddir:?}/$dist"
}

# sources: what somebody has written, below the folders that hold code
sources() {
    find src test examples mpich build-aux m4 \
        \( -name '*.[ch]pp' -o -name '*.[ch]' -o -name '*.bats' -o -name '*.awk' -o -name 'tare-*.m4' \) -print
}

@test "source_files_begin_with_the_licence" {
    cd "$top_srcdir"
    bare=$(sources | while read -r file; do
        head -n 3 "$file" | grep -q 'SPDX-License-Identifier: BSD-3-Clause' || echo "$file"
    done)
    echo "without licence: $bare"
    [[ -n $(sources) && -z $bare ]]
}

@test "editorconfig_leaves_patches_alone" {
    section=$(sed -n '/^\[\*\.patch\]/,/^\[/p' "$top_srcdir/.editorconfig")
    [[ $section == *"trim_trailing_whitespace = unset"* && $section == *"insert_final_newline = unset"* ]]
}

@test "release_holds_every_patch_and_script" {
    run make -s -C "$top_builddir" distdir "distdir=$dist"
    assert_status 0
    cd "$top_srcdir"
    find mpid-patch netmod quickstart .ci build-aux/check-patches build-aux/cost build-aux/cost.awk build-aux/demo mpich -type f \
        ! -name 'Makefile*' ! -path 'mpich/stage*' | while read -r file; do
            [[ -f $top_builddir/$dist/$file ]] || { echo "$file is not in the release"; exit 1; }
        done
}
