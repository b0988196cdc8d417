#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What holds for the source tree as a whole.
# shellcheck disable=SC2154,SC2016  # bats sets status and output; inner shells expand what is quoted

load helper

# sources: what somebody has written, below the folders that hold code
sources() {
    find src test examples mpich build-aux m4 \
        \( -name '*.[ch]pp' -o -name '*.[ch]' -o -name '*.bats' -o -name '*.awk' -o -name '*.js' \
           -o -name '*.css' -o -name 'tare-*.m4' \) -print
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

# value NAME FILE: of a #define
value() {
    sed -nE "s/^#define $1 +([0-9]+)$/\1/p" "$2"
}

@test "wire_format_is_described_in_its_version" {
    cd "$top_srcdir"
    layout=$(value TARE_LAYOUT mpid-patch/files/src/mpi/init/mpir_tare_init.c)
    version=$(value TARE_WIRE_VERSION src/core/tare_wire.h)
    [[ $(cat doc/wire.md) == *"Version $version, layout $layout "* ]]
}
