# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Gets MPICH's source from Debian's source package with a private apt configuration: its own sources file and lists,
# nothing written below /etc/apt or /var/lib/apt.  The archive is the one this machine already uses.

DEBIAN_KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

# archive_lines: a deb-src line for Debian 12 and one for its security suite, from the configured binary archives.
archive_lines() {
    local uri suite component
    apt-get indextargets --format "\$(REPO_URI) \$(RELEASE) \$(COMPONENT)" 'Created-By: Packages' |
        sort -u | while read -r uri suite component; do
            [[ $component == main && $uri != cdrom:* ]] || continue
            case $suite in
            bookworm | bookworm-security | bookworm/updates)
                echo "deb-src [signed-by=$DEBIAN_KEYRING] $uri $suite main" ;;
            esac
        done
}

private_apt() {
    local dir=$1
    shift
    apt-get -q -o "Dir::Etc::SourceList=$dir/sources.list" -o "Dir::Etc::SourceParts=$dir/none" \
        -o "Dir::State::Lists=$dir/lists" -o "Dir::Cache=$dir/cache" -o APT::Sandbox::User=root \
        -o APT::Get::List-Cleanup=0 "$@"
}

# download_source DIR LINE [OPTION...] PACKAGE: leaves a source package in DIR, found by one deb-src line.
download_source() {
    local dir=$1
    mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial" "$dir/none"
    echo "$2" >"$dir/sources.list"
    private_apt "$dir" update || return 1
    (cd "$dir" && private_apt "$dir" source --download-only "${@:3}")
}

# download_suite DIR LINE: downloads the tarball with one deb-src line.
download_suite() {
    download_source "$1" "$2" --tar-only mpich || return 1
    [[ -f $1/$MPICH_ORIG ]]
}

# download_tarball DEST: the main suite first, then the security suite.
download_tarball() {
    local dest=$1 work line
    work=$(dirname "$dest")/apt
    command -v apt-get >/dev/null ||
        die "MPICH's source comes from Debian's archive and there is no apt-get here; bring the tarball:" \
            "--with-mpich-tarball=FILE"
    archive_lines >"$(dirname "$dest")/archives"
    [[ -s $(dirname "$dest")/archives ]] ||
        die "no Debian 12 (bookworm) archive is configured on this machine; bring MPICH $MPICH_VERSION's tarball:" \
            "--with-mpich-tarball=FILE"
    while read -r line; do
        rm -rf "$work"
        mkdir -p "$work"
        if download_suite "$work" "$line"; then
            verify_tarball "$work/$MPICH_ORIG"
            mv "$work/$MPICH_ORIG" "$dest"
            rm -rf "$work"
            return
        fi
    done < <(sort -k4 "$(dirname "$dest")/archives")
    die "$MPICH_ORIG could not be downloaded from the configured Debian archives; bring the tarball:" \
        "--with-mpich-tarball=FILE"
}

# keep_given GIVEN DIR: the copy in the cache is what is checked and unpacked: the file itself may be another by then.
keep_given() {
    local new=$2/given.new
    verify_tarball "$1"
    MPICH_TARBALL=$2/$(tarball_of "$(sha256_of "$1")")
    is_kept "$MPICH_TARBALL" && return
    cp "$1" "$new"
    verify_tarball "$new"
    mv "$new" "$MPICH_TARBALL"
}

# is_kept FILE: it is in the cache, and still what its name says.
is_kept() {
    [[ -f $1 && $(tarball_of "$(sha256_of "$1")") == "${1##*/}" ]]
}

# fetch_tarball GIVEN: prints nothing, leaves the checked tarball's path in MPICH_TARBALL.
fetch_tarball() {
    local given=$1 dir
    make_cache
    dir=$(cache_root)/download
    MPICH_TARBALL=$dir/$MPICH_ORIG
    mkdir -p "$dir"
    exec 8>"$dir/lock"
    flock 8
    if [[ -n $given ]]; then
        keep_given "$given" "$dir"
    elif ! is_kept "$MPICH_TARBALL"; then
        rm -f "$MPICH_TARBALL"
        step "MPICH $MPICH_VERSION: download the source" "$dir/download.log" download_tarball "$MPICH_TARBALL"
    fi
    exec 8>&-
}
