#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154  # the helper sets profile
# Who has sent how much to whom: the user events of a profile, as ParaProf reads its communication matrix.
load helper

# sent RANK: for each node that the rank has sent to: node, messages, largest, smallest, mean, one line each
sent() {
    sed -n 's/^"Message size sent to node \([0-9]*\)" \(.*\) [^ ]*$/\1 \2/p' \
        "$profile/MULTI__TIME/profile.$1.0.0" | paste -s -d ,
}

# expect_sent RANK LINES: they are there, and the event of all nodes is their sum.
expect_sent() {
    local found
    found=$(sent "$1")
    [[ $found == "$2" ]] || { echo "rank $1 has sent '$found', not '$2'"; return 1; }
    awk -v rank="$1" '/^"Message size sent to all nodes"/ { all = $7; bytes = $7 * $10 }
        /^"Message size sent to node/ { n += $7; sum += $7 * $10 }
        END { if (n != all || sum - bytes > 0.5 || bytes - sum > 0.5) {
                  print "rank " rank ": the sum is", n, sum, "and not", all, bytes; exit 1 } }' \
        "$profile/MULTI__TIME/profile.$1.0.0"
}

# Of what every carrier above MPI takes.
expect_all_but_persistent() {
    expect_sent 0 "1 110 64 8 58.90909090909091,2 103 128 16 32.699029126213595"
    expect_sent 2 "0 1 512 512 512,1 2 24 16 20,2 1 4 4 4"
}

@test "messages_are_counted_by_receiver_mode_off" {
    TARE_MODE=off measured 3 peers persistent
    expect_all_but_persistent
    expect_sent 1 "0 7 2048 16 1468.5714285714287,2 1 1000 1000 1000"
}

@test "messages_are_counted_by_receiver_mode_header" {
    [[ $family == tare ]] || skip "this MPI is not patched"
    TARE_MODE=header measured 3 peers persistent
    expect_all_but_persistent
    expect_sent 1 "0 7 2048 16 1468.5714285714287,2 1 1000 1000 1000"
}

@test "messages_are_counted_by_receiver_above_mpi" {
    for mode in datatype message copy; do
        TARE_MODE=$mode measured 3 peers
        expect_all_but_persistent
        expect_sent 1 "0 2 24 16 20,2 1 1000 1000 1000"
    done
}

@test "messages_by_receiver_add_up_to_those_by_size" {
    TARE_MODE=off measured 3 peers persistent
    for rank in 0 1 2; do
        awk '$1 == "size" { by_size += $3 } /^"Message size sent to all/ { all = $7 } END { exit by_size != all || all == 0 }' \
            "$profile/tare-calls.$rank" "$profile/MULTI__TIME/profile.$rank.0.0"
    done
}
