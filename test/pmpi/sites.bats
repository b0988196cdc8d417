#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154  # the helper sets profile
# The notes of each place that calls MPI, and of the sizes of messages: tare-calls.RANK.
load helper

# numbers RANK FUNCTION WHERE: of the places of a function of the program, one a line: calls, bytes sent and received
numbers() {
    awk -v f="$2()" -v where="^$3[+]0x[0-9a-f]+$" '$1 == "site" && $11 == f && $12 ~ where { print $2, $3, $4 }' \
        "$profile/tare-calls.$1"
}

# expect_numbers RANK FUNCTION WHERE NUMBERS
expect_numbers() {
    local found
    found=$(numbers "$1" "$2" "$3" | paste -s -d ,)
    [[ $found == "$4" ]] && return
    echo "rank $1, $2 in $3: '$found', not '$4'"
    grep "$2" "$profile/tare-calls.$1"
    return 1
}

# On every rank, for every region of MPI: the sites have as many calls as the region on all threads, and its time.
sums_are_the_regions() {
    local rank
    for rank in 0 1; do
        awk '/ GROUP="MPI" *$/ { calls[$1] += $2; time_ns[$1] += $5 * 1000 }
             $1 == "site" { n["\"" $11 "\""] += $2; t["\"" $11 "\""] += $5 }
             END {
                 for (f in calls) {
                     regions++
                     d = t[f] - time_ns[f]
                     if (n[f] != calls[f] || d > 1 || d < -1) {
                         print f, "has", calls[f], "calls in", time_ns[f], "ns; its sites", n[f] + 0, "in", t[f]
                         bad = 1
                     }
                 }
                 for (f in n) if (!(f in calls)) { print f, "has sites only"; bad = 1 }
                 exit bad || regions < 10
             }' "$profile"/MULTI__TIME/profile."$rank".0.* "$profile/tare-calls.$rank"
    done
}

# What every mode must find.
expect_places() {
    expect_numbers 0 MPI_Send send_ten_ints "5 200 0"
    expect_numbers 1 MPI_Recv receive_ignoring "5 0 200"
    expect_numbers 0 MPI_Send one_way "1 1048576 0"
    expect_numbers 1 MPI_Recv receive_with_status "1 0 1048576"
    for rank in 0 1; do
        [[ $(numbers $rank MPI_Barrier two_places | sort | paste -s -d ,) == "2 0 0,3 0 0" ]]
        expect_numbers $rank MPI_Isend nonblocking "2 16 0"
        expect_numbers $rank MPI_Irecv nonblocking "2 0 32"
        expect_numbers $rank MPI_Waitall nonblocking "1 0 0"
        expect_numbers $rank MPI_Sendrecv shapes "1 24 24"
        expect_numbers $rank MPI_Sendrecv_replace shapes "1 0 0"
        expect_numbers $rank MPI_Send shapes "1 0 0"
        expect_numbers $rank MPI_Recv shapes "1 0 0"
        expect_numbers $rank MPI_Bcast collective "1 24 0"
        expect_numbers $rank MPI_Allreduce collective "2 48 0"
        expect_numbers $rank MPI_Send wrong "1 0 0"
        expect_numbers $rank MPI_Comm_size in_thread "100 0 0"
        [[ $(numbers $rank MPI_Initialized many_places | sort | uniq -c | tr -s ' ') == " 80 3 0 0" ]]
    done
    expect_numbers 1 MPI_Test polling "$(sed -n 's/^looks //p' <<< "$output") 0 0"
}

# sizes RANK: the classes of messages, one after the other
sizes() {
    sed -n 's/^size //p' "$profile/tare-calls.$1" | paste -s -d ,
}

@test "places_have_their_calls_and_bytes_mode_off" {
    TARE_MODE=off measured 2 sites persistent > out
    output=$(cat out)
    expect_places
    sums_are_the_regions
}

@test "places_have_their_calls_and_bytes_mode_header" {
    [[ $family == tare ]] || skip "this MPI is not patched"
    TARE_MODE=header measured 2 sites persistent > out
    output=$(cat out)
    expect_places
    sums_are_the_regions
}

@test "places_have_their_calls_and_bytes_mode_datatype" {
    TARE_MODE=datatype measured 2 sites > out
    output=$(cat out)
    expect_places
    sums_are_the_regions
}

@test "persistent_requests_move_their_data_when_started" {
    TARE_MODE=off measured 2 sites persistent > out
    for rank in 0 1; do
        [[ $(numbers $rank MPI_Start persistent | sort | paste -s -d ,) == "3 0 72,3 72 0" ]]
        expect_numbers $rank MPI_Startall persistent "2 48 48"
        expect_numbers $rank MPI_Send_init persistent "1 0 0"
        [[ $(numbers $rank MPI_Waitall persistent | sort | paste -s -d ,) == "2 0 0,3 0 0" ]]
    done
}

# Without data: one. 1 byte: rank 0's. 8 bytes: two. 24 bytes: sendrecv and five persistent. 40 bytes: five. 1 MiB: one.
@test "messages_sent_are_counted_by_power_of_two" {
    TARE_MODE=off measured 2 sites persistent > out
    [[ $(sizes 0) == "0 1 0,1 1 1,4 2 16,5 6 144,6 5 200,21 1 1048576" ]] || { sizes 0; return 1; }
    [[ $(sizes 1) == "0 1 0,4 2 16,5 6 144" ]] || { sizes 1; return 1; }
}

@test "times_of_a_place_fit_each_other" {
    TARE_MODE=$own_mode measured 2 sites > out
    awk '$1 == "site" { sites++; if ($6 > $7 || $5 < $6 * $2 || $5 > $7 * $2) { print; bad = 1 } }
         END { exit bad || sites < 40 }' "$profile"/tare-calls.*
    # rank 1 looks for the message for 20 ms
    awk '$1 == "site" && $11 == "MPI_Test()" && $5 < 5000000 { bad = 1 } END { exit bad }' "$profile/tare-calls.1"
}

@test "places_have_one_name_on_all_ranks" {
    TARE_MODE=off measured 2 sites > out
    names() {
        awk '$1 == "site" && $12 ~ /^(two_places|nonblocking|shapes|main|many_places|in_thread)[+]/ {
                 print $11, $12
             }' "$1"
    }
    names "$profile/tare-calls.0" | sort > rank_0
    names "$profile/tare-calls.1" | sort > rank_1
    [[ $(wc -l < rank_0) -ge 90 ]]
    cmp rank_0 rank_1
}

@test "places_of_a_stripped_program_are_module_and_offset" {
    cp "$PROGRAMS/sites" stripped_sites
    strip stripped_sites
    PROGRAMS=$PWD TARE_MODE=off measured 2 stripped_sites > out
    [[ $(grep -cE ' MPI_Initialized\(\) stripped_sites\+0x[0-9a-f]+$' "$profile/tare-calls.0") -eq 80 ]]
}

@test "nothing_is_noted_while_measuring_is_paused" {
    TARE_MODE=off measured 2 calls pause_measuring
    expect_numbers 0 MPI_Isend exchange "2 8 0"
    [[ $(sizes 1) == "3 2 8" ]]
}

@test "nothing_is_left_where_nothing_is_measured" {
    mkdir profile
    TARE_PROFILE=0 TARE_PROFILE_DIR=$PWD/profile TARE_MODE=$own_mode layered 2 sites > out
    [[ -z $(ls profile) ]]
}

@test "new_run_replaces_the_notes_of_an_older_one" {
    TARE_MODE=off measured 2 calls counts
    older=$(sed -n 's/^run //p' "$profile/tare-calls.0")
    TARE_PROFILE=1 TARE_PROFILE_DIR=$profile TARE_MODE=off layered 1 calls abort || true
    [[ ! -e $profile/tare-calls.1 ]]
    [[ $(sed -n 's/^run //p' "$profile/tare-calls.0") != "$older" ]]
}

@test "file_of_anothers_in_the_place_is_refused" {
    mkdir profile
    echo "mine" > profile/tare-calls.0
    TARE_PROFILE=1 TARE_PROFILE_DIR=$PWD/profile TARE_MODE=off run layered 2 calls counts
    [[ $status -ne 0 ]]
    expect_sentence "$PWD/profile/tare-calls.0 is in the profile's place, was not written by Tare and will not be \
overwritten; TARE_PROFILE_DIR says where it goes"
    [[ $(cat profile/tare-calls.0) == "mine" ]]
}

# A place in Fortran is in the MPI library's binding: one a function.
@test "fortran_calls_are_all_there" {
    need_fortran mpif_h
    TARE_MODE=off measured 2 fortran_calls_mpif_h > out
    sums_are_the_regions
    [[ $(grep -c ' MPI_Sendrecv() ' "$profile/tare-calls.0") -eq 1 ]]
}
