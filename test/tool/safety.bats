#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What the tool makes of files: who may read them, and whose links it follows.
# shellcheck disable=SC2154,SC2016  # bats sets status; $ in single quotes is meant
load helpers

setup() {
    in_a_copy_of two_ranks
    echo mine > ../victim
}

teardown() {
    [ -z "${shared-}" ] || rm -rf "$shared"
}

# made FILE: one of each kind
made() {
    "$TOOL" convert --to=json -o ../out/run.json
    "$TOOL" convert --to=cube -o ../out/run.cubex
    "$TOOL" convert --to=tau -o ../out/tau
    "$TOOL" report --html ../out/run.html
}

modes() { find "$1" -mindepth 1 -printf '%y %m\n' | sort -u | paste -s -d ,; }

@test "files_of_convert_and_report_are_for_their_owner_alone_unless_it_is_asked" {
    for line in "000::d 700,f 600" "077::d 700,f 600" "000:group:d 750,f 640" "022:all:d 755,f 644" "077:all:d 700,f 600"; do
        IFS=: read -r mask access wanted <<< "$line"
        rm -rf ../out
        mkdir ../out
        (umask "$mask" && export ${access:+TARE_FILE_ACCESS=$access} && made)
        [ "$(modes ../out)" = "$wanted" ] || { echo "$line: $(modes ../out)"; return 1; }
    done
}

@test "link_at_a_name_that_could_be_guessed_is_not_followed" {
    for name in .tare-report.$$.new run.html.new.$$ run.json.new.$$; do ln -sf "$PWD/../victim" "../$name"; done
    (exec "$TOOL" report --html ../run.html)
    bash -c 'for name in .tare-report.$$.new run.json.new.$$; do ln -sf "$PWD/../victim" "../$name"; done
        exec "$0" convert --to=json -o ../run.json' "$TOOL"
    bash -c 'ln -sf "$PWD/../victim" "../.tare-report.$$.new"; exec "$0" report --html ../other.html' "$TOOL"
    [ "$(cat ../victim)" = mine ]
    [ -s ../run.json ]
    [ -s ../other.html ]
}

@test "link_that_another_user_has_made_is_not_followed" {
    [ "$(id -u)" = 0 ] || skip "other users are root's to be"
    ln -s "$PWD/../nowhere" ../there.json
    ln -s "$PWD/../nowhere" ../there.html
    chown -h 65534 ../there.json ../there.html
    run --separate-stderr "$TOOL" convert --to=json --force -o ../there.json
    assert_refused 1
    assert_says "cannot write ../there.json: it is a symbolic link that another user has made"
    run --separate-stderr "$TOOL" report --html ../there.html
    assert_refused 1
    assert_says "../there.html: it is a symbolic link that another user has made"
    [ ! -e ../nowhere ]
}

@test "link_of_the_users_own_is_followed_to_what_is_there_and_else_replaced" {
    "$TOOL" convert --to=json -o ../real.json
    cp ../real.json ../wanted.json
    ln -s "$PWD/../real.json" ../there.json
    "$TOOL" convert --to=json -o ../there.json
    [ -L ../there.json ]
    ln -s "$PWD/../nowhere" ../lost.json
    "$TOOL" convert --to=json -o ../lost.json
    [ ! -L ../lost.json ]
    [ ! -e ../nowhere ]
    cmp ../lost.json ../wanted.json
    "$TOOL" convert --to=json -o /dev/stdout | cmp - ../wanted.json
}

@test "link_in_the_place_of_a_folder_of_tau_is_refused" {
    mkdir ../out ../elsewhere
    ln -s "$PWD/../elsewhere" ../out/MULTI__TIME
    run --separate-stderr "$TOOL" convert --to=tau -o ../out
    assert_refused 1
    assert_says "../out/MULTI__TIME: it is a symbolic link"
    [ -z "$(ls -A ../elsewhere)" ]
}

@test "folder_that_is_kept_is_for_its_owner_alone" {
    printf '#!/bin/sh\nexit 3\n' > mpiexec
    chmod +x mpiexec
    (umask 000; ! "$TOOL" validate -n 1 --keep=../kept/here --baseline ./mpiexec -- ./mpiexec ./mpiexec)
    [ ! -e ../kept ] || [ "$(find ../kept -printf '%y %m\n' | sort -u | paste -s -d ,)" = "d 700,f 600" ] ||
        { find ../kept -printf '%y %m %p\n'; return 1; }
}

@test "set_uid_tool_refuses_to_work" {
    [ "$(id -u)" = 0 ] || skip "other users are root's to be"
    shared=$(mktemp -d)
    chmod 755 "$shared"
    cp "$TOOL" "$shared/tare"
    chmod 4755 "$shared/tare"
    run --separate-stderr setpriv --reuid=65534 --regid=65534 --clear-groups "$shared/tare" --version
    [ "$status" -ne 0 ] || skip "set-uid has no effect in $shared"
    assert_refused 1
    assert_says "must not be set-uid"
}
