#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tare convert --to=tau: back to the files that a run leaves.
# shellcheck disable=SC2154,SC2016  # bats sets status; $ in single quotes is meant
load helpers

setup() {
    in_a_copy_of two_ranks
}

with_paths() {
    add_path '.TAU application => MPI_Send()' MPI 6 60 50 4 3
    add_path '.TAU application => work' TAU_USER 10 1000 800 0 0
    add_path '.TAU application => work => MPI_Send()' MPI 3 30 25 2 1
    add_path 'helper => work => MPI_Send()' MPI 1 10 5 1 1
}

# Three of the calls of rank 0's work were only counted.
with_throttling() {
    sed -i 's/^"work" /"work [THROTTLED]" /; s/TAU_USER/TAU_DISABLE/' MULTI__*/profile.0.0.0
    sed -i -E 's/^([0-9]+) userevents/echo $((\1 + 1)) userevents/e' MULTI__TIME/profile.0.0.0
    echo '"tare counted calls : work" 1 3 3 3 9' >> MULTI__TIME/profile.0.0.0
    sed -i 's#</metadata>#<attribute><name>tare throttle</name><value>7 calls, mean below 10 ns</value></attribute>&#' \
        MULTI__*/profile.*
}

# What a directory holds, whatever the order of its rows: figures, call paths if there are any, and metadata.
all_of() {
    "$TOOL" convert --to=csv "$1" | LC_ALL=C sort
    "$TOOL" convert --to=csv --callpath "$1" 2> /dev/null | LC_ALL=C sort
    "$TOOL" convert --to=chrome "$1" | grep tare_attributes
}

# TAU -> FORMAT -> TAU is the same profile: there_and_back FORMAT
there_and_back() {
    rm -rf ../there ../back
    "$TOOL" convert --to="$1" -o ../there && "$TOOL" convert --to=tau -o ../back ../there 2> ../said || return 1
    all_of . > ../wanted
    all_of ../back > ../found
    [ -s ../wanted ]
    diff ../wanted ../found
}

@test "tau_to_cube_or_chrome_and_back_is_the_same_profile" {
    for format in cube chrome; do
        there_and_back $format
        [ "$(cat ../said)" = "tare convert: the bytes of messages have no place in a TAU profile and are left out" ]
        [ "$("$TOOL" report --waiting --json ../back)" = "$("$TOOL" report --waiting --json)" ]
    done
}

@test "call_paths_come_back_with_their_groups" {
    with_paths
    for format in cube chrome; do
        there_and_back $format
        grep -q '^"helper => work => MPI_Send()" 1 0 10 10 0 GROUP="TAU_CALLPATH|MPI" $' \
            ../back/MULTI__TIME/profile.0.0.0
    done
}

@test "throttled_regions_come_back_throttled" {
    with_throttling
    "$TOOL" report --json | grep -q '"counted_calls": 3'
    for format in cube chrome; do
        there_and_back $format
        grep -q '^"work \[THROTTLED\]" 10 .*GROUP="TAU_DISABLE" $' ../back/MULTI__TIME/profile.0.0.0
        [ "$("$TOOL" report --json ../back)" = "$("$TOOL" report --json)" ]
    done
}

@test "tau_to_csv_and_back_has_the_figures_without_the_metadata" {
    "$TOOL" convert --to=csv -o ../there
    "$TOOL" convert --to=tau -o ../back ../there
    "$TOOL" convert --to=csv ../back | cmp - ../there
    grep -q '<name>tare version</name>' ../back/MULTI__TIME/profile.1.0.0
    run -1 grep -q 'tare mode' ../back/MULTI__TIME/profile.1.0.0
}

@test "tau_to_tau_is_the_same_to_the_byte_with_tables_of_calls" {
    with_paths
    with_throttling
    "$TOOL" convert --to=tau -o ../one .
    "$TOOL" convert --to=tau --from=tau -o ../two ../one
    diff -r ../one ../two
    [ "$(all_of .)" = "$(all_of ../one)" ]
    [ -n "$("$TOOL" report --callsites ../one)" ]
    for rank in 0 1; do cmp tare-calls.$rank ../one/tare-calls.$rank; done
}

@test "rank_alone_is_written_alone" {
    "$TOOL" convert --to=tau --rank=1 -o ../back
    (cd ../back && find . -type f | sort) > ../found
    printf './MULTI__%s/profile.1.0.0\n' COMPENSATED_MPI_WAIT_TIME COMPENSATED_TIME MPI_WAIT_TIME TIME > ../wanted
    echo ./tare-calls.1 >> ../wanted
    diff ../wanted ../found
}

# What no program but Tare's reads becomes what TAU's do.
@test "what_a_killed_rank_left_becomes_files" {
    mkdir ../killed
    (cd ../killed && TARE_PROFILE=1 bash -c '"$NOTED" 0 1 run > /dev/null 2>&1') 2> /dev/null || true
    [ -e ../killed/.tare-live.0 ] && [ ! -e ../killed/MULTI__TIME/profile.0.0.0 ]
    "$TOOL" convert --to=tau -o ../back ../killed 2> ../said
    [ -e ../back/MULTI__TIME/profile.0.0.0 ] && [ ! -e ../back/.tare-live.0 ]
    grep -q '<name>tare recovered</name><value>' ../back/MULTI__TIME/profile.0.0.0
    [ "$("$TOOL" report --json ../back 2> /dev/null)" = "$("$TOOL" report --json ../killed 2> /dev/null)" ]
    "$TOOL" report --callsites --json ../killed > ../wanted 2> /dev/null
    "$TOOL" report --callsites --json ../back 2> /dev/null | cmp - ../wanted
    "$TOOL" report --states --json ../killed > ../wanted.states 2> /dev/null
    "$TOOL" report --states --json ../back 2> /dev/null | cmp - ../wanted.states
    grep -q '"known_calls": 4' ../wanted.states
    grep -q '"calls": [1-9]' ../wanted
}

@test "file_that_lacks_figures_is_refused_with_their_names" {
    "$TOOL" convert --to=json -o ../there
    run --separate-stderr "$TOOL" convert --to=tau -o ../back ../there
    assert_refused 1
    assert_says "../there does not hold subrs, wait_excl_ns, wait_comp_excl_ns, counted_calls, which a TAU profile needs"
    "$TOOL" convert --to=speedscope | "$TOOL" convert --to=tau -o ../back - 2> ../said || true
    grep -q "standard input does not hold calls, incl_ns" ../said
    [ ! -e ../back ]
}

@test "call_paths_alone_are_refused" {
    with_paths
    "$TOOL" convert --to=csv --callpath -o ../there
    run --separate-stderr "$TOOL" convert --to=tau -o ../back ../there
    assert_refused 1
    assert_says "../there has no regions of rank 0, which a TAU profile needs beside call paths"
    [ ! -e ../back ]
}

@test "directory_with_a_profile_is_left_alone" {
    "$TOOL" convert --to=cube -o ../there
    cp -r . ../before
    run --separate-stderr "$TOOL" convert --to=tau -o . ../there
    assert_refused 1
    assert_says "there is a profile in . already: another directory is needed"
    rm -r MULTI__*
    run --separate-stderr "$TOOL" convert --to=tau -o . ../there
    assert_refused 1
    mkdir -p ../other/MULTI__TIME
    echo mine > ../other/MULTI__TIME/profile.x
    run --separate-stderr "$TOOL" convert --to=tau -o ../other ../there
    assert_refused 1
    [ "$(find ../other -type f)" = ../other/MULTI__TIME/profile.x ]
    [ "$(cat ../other/MULTI__TIME/profile.x)" = mine ]
}

@test "directory_that_cannot_be_is_said" {
    run --separate-stderr "$TOOL" convert --to=tau -o /proc/nowhere
    assert_refused 1
    assert_says "the folder /proc/nowhere/MULTI__TIME cannot be made: "
    echo file > ../file
    run --separate-stderr "$TOOL" convert --to=tau -o ../file
    assert_refused 1
    assert_says "../file"
    [ "$(cat ../file)" = file ]
}

@test "options_that_do_not_fit_are_refused" {
    run --separate-stderr "$TOOL" convert --to=tau
    assert_refused 2
    assert_says "--to=tau needs a directory: -o DIRECTORY"
    for option in --callpath --clock=measured --force --dry-run; do
        run --separate-stderr "$TOOL" convert --to=tau -o ../back $option
        assert_refused 2
        assert_says "${option%=*} is not about --to=tau"
    done
}

@test "directory_on_a_full_disk_is_said_and_nothing_is_left" {
    run --separate-stderr bash -c 'ulimit -f 1; "$0" convert --to=tau -o ../back' "$TOOL"
    assert_refused 1
    assert_says "cannot write ../back/MULTI__TIME/.profile.0.0.0.new: File too large"
    [ ! -e ../back ]
    mkdir ../back
    run --separate-stderr bash -c 'ulimit -f 1; "$0" convert --to=tau -o ../back' "$TOOL"
    assert_refused 1
    [ -z "$(ls -A ../back)" ]
}
