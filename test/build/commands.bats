#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What `make install` puts into bin, with MPICH's commands if that is built: each has a page and is completed.
# shellcheck disable=SC2154,SC2016  # bats sets status and output; inner shells expand what is quoted

load helper

setup_file() {
    : "${prefix:?is not set: run the tests by make check}"
    export dest=$BATS_FILE_TMPDIR/dest
    local log=$BATS_FILE_TMPDIR/log
    fresh_make install "DESTDIR=$dest" >"$log" 2>&1 || { tail -n 20 "$log"; return 1; }
}

setup() {
    bin=$dest$prefix/bin
    man=$dest$prefix/share/man
    completions=$dest$prefix/share/bash-completion/completions
    own=$(cd "$bin" && ls -d tare*)
}

# target PAGE: the page that this one is a link to by `.so`, or this one
target() {
    local link
    link=$(sed -n '1s/^\.so //p' "$1")
    if [[ -n $link ]]; then echo "$man/$link"; else echo "$1"; fi
}

@test "commands_of_tare_are_installed" {
    echo "$own"
    [[ $(wc -w <<<"$own") -ge 4 ]]
    [[ ! -e $bin/mpiexec || $(wc -w <<<"$own") -ge 85 ]]
}

# names PAGE NAME
names() {
    sed 's/\\-/-/g; s/\\f[BIPR]//g' "$1" | grep -qE -e "(^|[^a-zA-Z_.-])${2//+/\\+}([^a-zA-Z_+.-]|\.?\$)"
}

@test "every_command_has_a_page" {
    for name in $(cd "$bin" && ls); do
        page=$man/man1/$name.1
        [[ -s $page && -s $(target "$page") ]] || { echo "$name has no page"; return 1; }
    done
}

@test "page_of_each_command_of_tare_names_it_and_that_of_mpich_names_the_others" {
    for name in $(cd "$bin" && ls); do
        page=$man/man7/tare-mpich.7
        [[ $name != tare* ]] || page=$(target "$man/man1/$name.1")
        names "$page" "$name" || { echo "$page does not name $name"; return 1; }
    done
    ! names "$man/man1/tare.1" tare_nonsense || return 1
}

@test "every_page_of_tare_that_is_installed_formats_without_warnings" {
    command -v groff >/dev/null || skip "groff is not installed"
    pages=$(find "$man" -name 'tare*')
    [[ $(wc -l <<<"$pages") -ge 12 ]]
    while read -r page; do
        (cd "$man" && groff -man -ww -Tutf8 -z "$(target "$page")") >"$BATS_TEST_TMPDIR/said" 2>&1
        [[ ! -s $BATS_TEST_TMPDIR/said ]] || { echo "$page:" && cat "$BATS_TEST_TMPDIR/said" && return 1; }
    done <<<"$pages"
}

@test "every_link_page_leads_to_a_page" {
    links=$(grep -rlE '^\.so ' "$man")
    [[ $(wc -l <<<"$links") -ge 3 ]]
    while read -r page; do
        [[ -s $(target "$page") && $(target "$page") != "$page" ]] || { echo "$page leads nowhere"; return 1; }
    done <<<"$links"
}

@test "every_command_of_tare_is_completed_by_a_file_of_its_name" {
    for name in $own; do
        bash -c 'source "$1" && complete -p "$2"' bash "$completions/$name" "$name"
    done
    # And there is no file of a command that is not installed.
    diff <(echo "$own") <(ls "$completions")
}

@test "uninstall_takes_pages_and_completion_away" {
    cp -a "$dest" "$BATS_TEST_TMPDIR/dest"
    fresh_make -s uninstall "DESTDIR=$BATS_TEST_TMPDIR/dest"
    run find "$BATS_TEST_TMPDIR/dest" ! -type d
    assert_status 0
    [[ -z $output ]]
}
