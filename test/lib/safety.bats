# SPDX-License-Identifier: BSD-3-Clause
# What a process makes of files: who may read them, whose links it follows (nobody's), and that a program with another
# identity than its caller's takes no orders from the environment.
load helpers

formats=tau,cube,json,csv

setup() {
    clean_environment
    mkdir "$BATS_TEST_TMPDIR/run"
    cd "$BATS_TEST_TMPDIR/run" || return 1
    export TARE_PROFILE=1
}

teardown() {
    [ -z "${shared-}" ] || rm -rf "$shared"
}

# modes FOLDER: the kinds and modes of all that is in it, and of itself
modes() { find "$1" -printf '%y %m\n' | sort -u | paste -s -d ,; }

# written MASK [ASSIGNMENT...]: a run's files in out, under this umask
written() {
    rm -rf out
    (umask "$1" && shift && env TARE_PROFILE_DIR=out/there TARE_PROFILE_FORMAT=$formats TARE_CALLPATH=10 "$@" \
        "$SCENARIO" nested)
    [ -e out/there/profile.callpath.csv ]
}

@test "files_under_any_umask_are_for_their_owner_alone" {
    for mask in 000 002 022 077; do
        written $mask
        [ "$(modes out)" = "d 700,f 600" ] || { echo "umask $mask: $(modes out)"; return 1; }
    done
}

@test "files_are_for_others_where_that_is_asked_and_as_far_as_the_umask_lets_them" {
    written 000 TARE_FILE_ACCESS=group
    [ "$(modes out)" = "d 750,f 640" ] || { modes out; return 1; }
    written 022 TARE_FILE_ACCESS=all
    [ "$(modes out)" = "d 755,f 644" ] || { modes out; return 1; }
    written 027 TARE_FILE_ACCESS=all
    [ "$(modes out)" = "d 750,f 640" ] || { modes out; return 1; }
}

@test "live_file_is_for_its_owner_alone" {
    (umask 000; "$SCENARIO" killed 9) || [ $? -eq 137 ]
    [ "$(stat -c %a .tare-live.0)" = 600 ]
}

# refused_at_start NAME: a run ends with one sentence that names the file, and has written nothing to ../victim
refused_at_start() {
    run --separate-stderr timeout 20 "$SCENARIO" rank 0 1 new
    [ "$status" -eq 1 ] || { echo "$1: status $status"; return 1; }
    [ "${#stderr_lines[@]}" -eq 1 ] || { echo "$1: $stderr"; return 1; }
    [[ $stderr == *"$PWD/$1"* ]] || { echo "$1: $stderr"; return 1; }
    [ "$(cat ../victim)" = mine ]
}

@test "link_in_the_place_of_a_file_is_refused" {
    echo mine > ../victim
    for name in MULTI__TIME/profile.0.0.0 MULTI__COMPENSATED_MPI_WAIT_TIME/profile.0.0.0 .tare-live.0 tare-calls.0; do
        for to in ../victim ../nowhere; do
            mkdir -p "$(dirname "$name")"
            ln -s "$PWD/$to" "$name"
            refused_at_start "$name"
            [ ! -e ../nowhere ]
            rm -rf MULTI__* "$name"
        done
    done
}

@test "link_in_the_place_of_another_format_is_refused" {
    echo mine > ../victim
    for name in profile.cubex profile.json profile.csv; do
        for to in ../victim ../nowhere; do
            ln -s "$PWD/$to" $name
            TARE_PROFILE_FORMAT=$formats refused_at_start $name
            [ ! -e ../nowhere ]
            rm $name
        done
    done
}

@test "link_in_the_place_of_a_folder_is_refused" {
    echo mine > ../victim
    mkdir ../elsewhere
    for name in MULTI__TIME MULTI__MPI_WAIT_TIME; do
        ln -s "$PWD/../elsewhere" $name
        refused_at_start $name
        [ -z "$(ls -A ../elsewhere)" ]
        rm -r MULTI__*
    done
}

@test "link_that_comes_during_the_run_in_the_place_of_a_folder_is_refused" {
    mkdir ../elsewhere
    cat > late.c <<'C'
#include "tare.h"
#include <stdlib.h>
int main(void)
{
    tare_enter(tare_region("r"));
    return system("mv MULTI__TIME away; ln -s ../elsewhere MULTI__TIME");
}
C
    $CC -I"$SOURCES/src/lib" late.c "$LIBTARE" -Wl,-rpath,"$(dirname "$LIBTARE")" -o late
    run --separate-stderr ./late
    [ "$status" -eq 1 ]
    [[ $stderr == *"$PWD/MULTI__TIME: it is a symbolic link"* ]] || { echo "$stderr"; return 1; }
    [ -z "$(ls -A ../elsewhere)" ]
}

@test "link_under_a_temporary_name_is_replaced_and_not_followed" {
    echo mine > ../victim
    mkdir MULTI__TIME
    for name in MULTI__TIME/.profile.0.0.0.new .tare-live.0.new; do ln -s "$PWD/../victim" $name; done
    "$SCENARIO" rank 0 1 new > /dev/null
    [ "$(cat ../victim)" = mine ]
    assert_value 0 0 calls work 3
    [ ! -L MULTI__TIME/profile.0.0.0 ]
}

@test "pipe_or_device_in_the_place_of_a_file_is_refused_at_once" {
    echo mine > ../victim
    for name in MULTI__TIME/profile.0.0.0 .tare-live.0 tare-calls.0; do
        mkdir -p "$(dirname "$name")"
        mkfifo "$name"
        refused_at_start "$name"
        rm "$name"
        mknod "$name" c 1 5 2> /dev/null || continue
        refused_at_start "$name"
        rm "$name"
    done
}

@test "pipe_under_a_temporary_name_is_replaced" {
    mkdir MULTI__TIME
    mkfifo MULTI__TIME/.profile.0.0.0.new .tare-live.0.new
    timeout 20 "$SCENARIO" rank 0 1 new > /dev/null
    assert_value 0 0 calls work 3
}

# A folder where everybody may write, and the program in it that tells whether the kernel calls it secure.
share_folder() {
    [ "$(id -u)" = 0 ] || skip "other users are root's to be"
    shared=$(mktemp -d)
    chmod 1777 "$shared"
    cp "$LIBTARE" "$shared/libtare.so.0"
    cat > secure.c <<'C'
#include "tare.h"
#include <stdio.h>
#include <sys/auxv.h>
int main(void)
{
    tare_region_t *r = tare_region("r");
    tare_enter(r);
    tare_leave(r);
    printf("secure %lu\n", getauxval(AT_SECURE));
    return 0;
}
C
    $CC -I"$SOURCES/src/lib" secure.c "$shared/libtare.so.0" -Wl,-rpath,"$shared" -o "$shared/secure"
    chmod 755 "$shared"/libtare.so.0 "$shared/secure"
}

# nobody COMMAND...: in the shared folder, as another user
nobody() { (cd "$shared" && setpriv --reuid=65534 --regid=65534 --clear-groups "$@"); }

@test "folder_that_another_user_has_made_where_everybody_may_is_refused" {
    share_folder
    nobody mkdir MULTI__TIME
    cd "$shared" || return 1
    run --separate-stderr ./secure
    [ "$status" -eq 1 ]
    [[ $stderr == *"$shared/MULTI__TIME: another user has made it"* ]] || { echo "$stderr"; return 1; }
    [ -z "$(ls -A MULTI__TIME)" ]
}

@test "set_uid_program_ignores_the_environment" {
    share_folder
    orders=(TARE_PROFILE=1 TARE_PROFILE_DIR="$shared/out" TARE_FILTER=/etc/shadow TARE_INJECT=region=r,ns=1000)
    run --separate-stderr nobody env "${orders[@]}" ./secure
    [ "$status" -eq 1 ]                                              # without the bit it takes them: the file is no filter
    nobody env TARE_PROFILE=1 TARE_PROFILE_DIR="$shared/before" ./secure
    [ -d "$shared/before/MULTI__TIME" ]
    chmod u+s "$shared/secure"
    [ "$(nobody ./secure)" = "secure 1" ] || skip "set-uid has no effect in $shared"
    for more in TARE_MODE=sideways TARE_NONSENSE=1 TARE_TRACE=1; do
        run --separate-stderr nobody env "${orders[@]}" $more ./secure
        [ "$status" -eq 0 ] || { echo "$more: $stderr"; return 1; }
        [ "$output" = "secure 1" ]
        [ -z "$stderr" ]
        [ ! -e "$shared/out" ]
    done
}
