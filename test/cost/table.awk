# SPDX-License-Identifier: BSD-3-Clause
# The table of all cases. Input: MODE CASE SEND RECEIVE SEND-CLOCKS RECEIVE-CLOCKS, instructions a call.
function more(mode) { return send[mode] + receive[mode] - send["unpatched"] - receive["unpatched"] }
function print_row(    part) {
    split(test, part, "/")
    printf "%-10s %-10s %5d", part[1], part[2], part[3]
    printf "%11.2f%9.2f%9.2f%2d", send["unpatched"], send["off"], send["header"], send_clocks["header"]
    printf "%11.2f%9.2f%9.2f%2d", receive["unpatched"], receive["off"], receive["header"], receive_clocks["header"]
    printf "%9.2f%9.2f\n", more("off"), more("header")
}
BEGIN {
    print "Instructions of libmpi a call by callgrind, clock reads (c); two ranks, shared memory, messages are there"
    printf "%58s%31s%18s\n", "MPI_Send", "MPI_Recv", "more, together"
    printf "%-10s %-10s %5s%11s%9s%9s%2s%11s%9s%9s%2s%9s%9s\n", "declared", "arrival", "bytes", \
        "unpatched", "off", "header", "c", "unpatched", "off", "header", "c", "off", "header"
}
$2 != test && test != "" { print_row() }
{
    test = $2
    send[$1] = $3
    receive[$1] = $4
    send_clocks[$1] = $5
    receive_clocks[$1] = $6
}
END { print_row() }
