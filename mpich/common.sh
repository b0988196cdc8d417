# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
# Facts and small helpers shared by the scripts of this folder.

MPICH_VERSION=4.0.2
MPICH_ORIG=mpich_$MPICH_VERSION.orig.tar.xz
# Debian repacked the release; the second is upstream's own mpich-4.0.2.tar.gz.
MPICH_SHA256_DEBIAN=b27039f964afeb6b8a3e009c56b441cbe368c26d6d6476ad3bb7190996875860
MPICH_SHA256_UPSTREAM=5a42f1a889d4a2d996c26e48cbf9c595cbf4316c6814f7c181e3320d21dedd42

# The patch folders, in the order in which they are applied.
MPICH_PATCH_DIRS=(mpid-patch netmod/ofi netmod/ucx)

die() {
    echo "${0##*/}: $*" >&2
    exit 1
}

cache_root() {
    echo "${XDG_CACHE_HOME:-$HOME/.cache}/tare"
}

# use_and_prune TREE: marks it as used now. A tree of MPICH takes half a gigabyte: of those beside it the eight used
# last stay (each network module patched and unpatched, twice), and those in use.
use_and_prune() {
    local mark old
    touch "$1/used"
    find "$(dirname "$1")" -mindepth 2 -maxdepth 2 -name used -printf '%T@ %h\n' | sort -rn | tail -n +9 |
        while read -r mark old; do
            (flock -n 7 && rm -rf "$old") 7>"$old.lock" || echo "kept, in use (${mark%.*}): $old" >>"$1/log/prune.log"
        done
}

sha256_of() {
    local sum _
    read -r sum _ < <(sha256sum "$1")
    echo "$sum"
}

# verify_tarball FILE: ends the script unless FILE is MPICH 4.0.2 as Debian or upstream published it.
verify_tarball() {
    local file=$1 sum
    [[ -f $file && -r $file ]] || die "$file: no such readable file; give MPICH $MPICH_VERSION's source tarball"
    sum=$(sha256_of "$file")
    case $sum in
    "$MPICH_SHA256_DEBIAN" | "$MPICH_SHA256_UPSTREAM") ;;
    *) die "$file: SHA-256 $sum is neither that of Debian's $MPICH_ORIG ($MPICH_SHA256_DEBIAN)" \
           "nor that of upstream's mpich-$MPICH_VERSION.tar.gz ($MPICH_SHA256_UPSTREAM)" ;;
    esac
}
