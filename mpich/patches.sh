# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# The patch folders: each holds `series` (one patch a line, in order; # begins a comment) and may hold `files/`, new
# files that are laid into the source tree at the same relative paths before the patches are applied.

# patch_list DIR: the patches of DIR/series, one a line.
patch_list() {
    [[ -f $1/series ]] || die "$1/series is missing: each patch folder lists its patches there"
    sed -e 's/[[:space:]]*#.*//' -e '/^[[:space:]]*$/d' "$1/series"
}

lay_files() {
    local dir=$1 tree=$2
    [[ -d $dir/files ]] || return 0
    cp -R "$dir/files/." "$tree/"
}

# apply_patch DIR NAME TREE: exact context only; ends the script with one sentence when the patch does not fit.
apply_patch() {
    local dir=$1 name=$2 tree=$3 out why
    [[ -f $dir/$name ]] || die "$dir/series names $name, which does not exist"
    out=$(patch -d "$tree" -p1 --fuzz=0 --forward --batch --no-backup-if-mismatch 2>&1 <"$dir/$name") && return
    why=$(grep -m1 -E "FAILED|No file|malformed|garbage|Reversed|can't find" <<<"$out") || why=${out##*$'\n'}
    die "$dir/$name does not apply to MPICH $MPICH_VERSION (patch -p1 --fuzz=0): $why"
}

# apply_all TOP TREE: every folder of the source tree TOP, in the fixed order.
apply_all() {
    local top=$1 tree=$2 sub names name
    for sub in "${MPICH_PATCH_DIRS[@]}"; do
        lay_files "$top/$sub" "$tree"
        names=$(patch_list "$top/$sub") || exit 1
        for name in $names; do
            apply_patch "$top/$sub" "$name" "$tree"
        done
    done
}
