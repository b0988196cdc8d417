#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154  # the helper sets profile
# For whom calls have waited, without a trace: the lines `wait` of tare-calls.RANK.
load helper

# What a rank's calls of a function have waited for: waited RANK FUNCTION: whom and ms, one a line.
waited() {
    awk -v f="$2()" '$1 == "wait" && $6 == f && $4 >= 10000000 { print $2, $4 / 1000000 }' "$profile/tare-calls.$1"
}

# expect_wait RANK FUNCTION [WHOM MS]...: about so long, or longer, and 10 ms or more for nobody else. Ranks share the cores of a
# loaded machine: who waits may begin late, and who is late come later.
expect_wait() {
    local rank=$1 function=$2 found
    shift 2
    found=$(waited "$rank" "$function")
    awk -v want="$*" -v found="$(paste -s -d ' ' <<< "$found")" 'BEGIN {
        n = split(want, w, " "); m = split(found, f, " ")
        for (i = 1; i < m; i += 2) ms[f[i]] = f[i + 1]
        for (i = 1; i < n; i += 2) if (ms[w[i]] < 0.5 * w[i + 1]) bad = 1
        exit bad || n != m }' && return
    echo "rank $rank, $function has waited for ($(paste -s -d , <<< "$found")), not ($*)"
    return 1
}

# On every rank, for every function: its waits for somebody are those of its sites to the ns, and those of its region.
# A rank that comes last everywhere has none.
waits_add_up() {
    local file rank
    for file in "$profile"/tare-calls.*; do
        rank=${file##*.}
        awk '/^"MPI_/ { region_ns[FILENAME ~ /COMPENSATED/, substr($1, 2, length($1) - 2)] += $4 * 1000 }
             $1 == "site" { functions[$11]; s[0, $11] += $9; s[1, $11] += $10 }
             $1 == "wait" { functions[$6]; w[0, $6] += $4; w[1, $6] += $5 }
             END {
                 for (f in functions)
                     for (c = 0; c < 2; c++) {
                         d = region_ns[c, f] - w[c, f]
                         if (s[c, f] + 0 != w[c, f] + 0 || d > 1 || d < -1) {
                             print f, c ? "compensated" : "measured", s[c, f] + 0, w[c, f] + 0, region_ns[c, f] + 0
                             bad = 1
                         }
                     }
                 exit bad
             }' "$profile"/MULTI__{,COMPENSATED_}MPI_WAIT_TIME/profile."$rank".0.* "$file" ||
            { echo "rank $rank"; return 1; }
    done
    grep -q '^wait ' "$profile"/tare-calls.* || { echo "nobody waited"; return 1; }
}

# What every mode must find; where stamps are carried WHOM has come last of several: expect_late_senders_and_all WHOM
expect_late_senders_and_all() {
    expect_wait 0 MPI_Recv 1 50 2 100
    expect_wait 2 MPI_Sendrecv 0 40
    expect_wait 3 MPI_Sendrecv_replace 2 40
    expect_wait 2 MPI_Wait 1 80
    expect_wait 3 MPI_Waitany 0 55
    expect_wait 1 MPI_Waitall "$1" 65
    for rank in 0 2 3; do expect_wait $rank MPI_Allreduce all 75; done
    for rank in 0 1 3; do expect_wait $rank MPI_Bcast 2 90; done
}

# Where the whole call counts as waiting, or every edge is seen.
expect_more() {
    expect_wait 0 MPI_Probe 3 60
    expect_wait 1 MPI_Ssend 3 70
    expect_wait 3 MPI_Mprobe 1 25
    expect_wait 0 MPI_Wait 3 45 unknown 35 all 85
}

@test "waits_are_for_whom_is_late_mode_off" {
    TARE_MODE=off measured 4 waited
    expect_late_senders_and_all several
    expect_more
    waits_add_up
}

@test "waits_are_for_whom_is_late_mode_header" {
    [[ $family == tare ]] || skip "this MPI is not patched"
    TARE_MODE=header measured 4 waited
    expect_late_senders_and_all 0
    expect_more
    waits_add_up
}

@test "waits_are_for_whom_is_late_above_mpi" {
    for mode in datatype message copy; do
        TARE_MODE=$mode measured 4 waited
        expect_late_senders_and_all 0 || { echo "mode $mode"; return 1; }
        waits_add_up || { echo "mode $mode"; return 1; }
    done
}

# What rank 0 has waited for in which order of messages: function, whom, order and ms, one a line.
ordered() {
    awk '$1 == "wait" && $6 ~ /^MPI_(Recv|Wait)/ && $4 >= 10000000 {
             print $6, $2, NF == 7 ? $7 : "kept", int($4 / 1000000)
         }' "$profile/tare-calls.0" | sort
}

# expect_orders LINE...: as ordered prints them, with the least ms that will do.
expect_orders() {
    local found wanted i
    mapfile -t found <<< "$(ordered)"
    [ "${#found[@]}" -eq $# ] || { printf '%s\n' "${found[@]}"; return 1; }
    for ((i = 0; i < $#; i++)); do
        wanted=${*:i + 1:1}
        [ "${found[i]% *}" = "${wanted% *}" ] && ((${found[i]##* } >= ${wanted##* })) ||
            { echo "${found[i]}, not $wanted"; return 1; }
    done
}

@test "messages_received_in_another_order_than_sent_are_told" {
    for mode in header datatype message copy; do
        [[ $mode != header || $family == tare ]] || continue
        TARE_MODE=$mode measured 3 waited orders
        expect_orders 'MPI_Recv() 1 kept 70' 'MPI_Recv() 1 wrong_same 40' 'MPI_Recv() 2 kept 30' \
            'MPI_Wait() 1 wrong_different 50' 'MPI_Waitall() 1 kept 45' || { echo "mode $mode"; return 1; }
        waits_add_up || { echo "mode $mode"; return 1; }
    done
}

@test "without_a_carrier_nobody_knows_the_order" {
    TARE_MODE=off measured 3 waited orders
    run ! grep wrong "$profile/tare-calls.0"
}

@test "threads_and_processes_beside_change_nothing" {
    TARE_MODE=$own_mode measured 4 waited threads
    expect_wait 0 MPI_Recv 1 50 2 100
    waits_add_up
    TARE_MODE=$own_mode measured 4 waited forks
    expect_late_senders_and_all 0
    waits_add_up
}

@test "waits_of_other_programs_add_up" {
    for mode in off "$own_mode"; do
        TARE_MODE=$mode measured 2 sites
        waits_add_up
        TARE_MODE=$mode measured 3 peers
        waits_add_up
        TARE_MODE=$mode measured 2 calls counts
        waits_add_up
    done
}

@test "calls_that_have_not_waited_are_not_there" {
    TARE_MODE=off measured 2 sites
    run ! grep -E '^wait .* MPI_(Comm_size|Initialized|Isend)' "$profile/tare-calls.0"
    awk '$1 == "wait" && $2 == "unknown" && $6 !~ /^MPI_(Send|Recv)/ { print; bad = 1 } END { exit bad }' \
        "$profile/tare-calls.0"
}

@test "report_names_whom_a_rank_has_waited_for" {
    TARE_MODE=$own_mode measured 4 waited
    "$top_builddir/src/tool/tare" report --peers --rank=0 --region=MPI_Recv --json "$profile" | tr -d ' \n' > rows
    [[ $(cat rows) == *'"peer":2,"waits_for":"rank","function":"MPI_Recv()","state":"latesender","calls":1,'* ]]
}
