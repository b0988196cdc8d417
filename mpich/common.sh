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

# What is unpacked, compiled and run here nobody else may write, whatever the caller's umask.
umask go-w

die() {
    echo "${0##*/}: $*" >&2
    exit 1
}

cache_root() {
    echo "${XDG_CACHE_HOME:-$HOME/.cache}/tare"
}

# make_cache: the cache's own folder. What others may have put there is neither compiled nor run.
make_cache() {
    local root owner mode
    root=$(cache_root)
    mkdir -p "$root"
    read -r owner mode < <(stat -L -c '%u %a' "$root")
    [[ $owner == "$(id -u)" && $((8#$mode & 8#022)) == 0 ]] ||
        die "$root: others may write there, and what it holds is compiled and run; make it yours alone, or set" \
            "XDG_CACHE_HOME"
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

# tarball_of SUM: the name of the tarball that has this SHA-256, as Debian or upstream published it; nothing: neither.
tarball_of() {
    case $1 in
    "$MPICH_SHA256_DEBIAN") echo "$MPICH_ORIG" ;;
    "$MPICH_SHA256_UPSTREAM") echo "mpich-$MPICH_VERSION.tar.gz" ;;
    esac
}

# verify_tarball FILE: ends the script unless FILE is MPICH 4.0.2 as Debian or upstream published it.
verify_tarball() {
    local file=$1 sum
    [[ -f $file && -r $file ]] || die "$file: no such readable file; give MPICH $MPICH_VERSION's source tarball"
    sum=$(sha256_of "$file")
    [[ -n $(tarball_of "$sum") ]] ||
        die "$file: SHA-256 $sum is neither that of Debian's $MPICH_ORIG ($MPICH_SHA256_DEBIAN)" \
            "nor that of upstream's mpich-$MPICH_VERSION.tar.gz ($MPICH_SHA256_UPSTREAM)"
}
